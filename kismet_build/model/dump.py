"""The document model as text, for people and tests: one node per line, two spaces per level, without spans."""

import json
from collections.abc import Iterable, Iterator

from kismet_build.model import nodes
from kismet_build.model.nodes import Block, Inline, Node


def dump_blocks(blocks: Iterable[Block], *, heading_ids: bool = False) -> str:
    """Blocks and all nodes in them. `heading_ids` adds the heading ids set by the dialect."""
    return "\n".join(_lines_of(blocks, 0, heading_ids))


def _lines_of(nodes: Iterable[Node], depth: int, heading_ids: bool) -> Iterator[str]:
    for node in nodes:
        yield from _lines(node, depth, heading_ids)


def _lines(node: Node, depth: int, heading_ids: bool) -> Iterator[str]:
    yield "  " * depth + _head(node) + _names(node, heading_ids)
    match node:
        case nodes.Callout(title=title, children=blocks):
            yield from _group("Title", title, depth + 1, heading_ids)
            yield from _lines_of(blocks, depth + 1, heading_ids)
        case nodes.Table(caption=caption):
            yield from _group("Caption", caption, depth + 1, heading_ids)
            yield from _lines_of(node.children, depth + 1, heading_ids)
        case nodes.DefinitionItem(term=term, children=blocks):
            yield from _group("Term", term, depth + 1, heading_ids)
            yield from _lines_of(blocks, depth + 1, heading_ids)
        case _:
            yield from _lines_of(nodes.children(node), depth + 1, heading_ids)


def _group(name: str, inlines: tuple[Inline, ...], depth: int, heading_ids: bool) -> Iterator[str]:
    """The lines for inlines that a node has in addition to its children, such as a caption, below the name of their
    field.
    """
    if inlines:
        yield "  " * depth + name
        yield from _lines_of(inlines, depth + 1, heading_ids)


def _names(node: Node, heading_ids: bool) -> str:
    """The names by which links find a node: block ids as `^id`, heading ids as `#id`."""
    names = [getattr(node, "block_id", "")]
    if heading_ids and isinstance(node, nodes.Heading):
        names.insert(0, node.id)
    return "".join(f" {name}" if name.startswith("^") else f" #{name}" for name in names if name)


def _head(node: Node) -> str:
    name = type(node).__name__
    match node:
        case nodes.Text(value=value) | nodes.Code(value=value) | nodes.Math(value=value):
            return f"{name} {_quoted(value)}"
        case nodes.Tag(name=tag):
            return f"{name} {_quoted(tag)}"
        case nodes.Link(target=target, title=title):
            return f"{name} {_quoted(target)}" + (f" title={_quoted(title)}" if title else "")
        case nodes.DiceRoll(rolls=rolls, notation=notation, column=column):
            return f"{name} {rolls}" + (f" {notation}" if notation else "") + (f" |{column}" if column else "")
        case nodes.Image(target=target, title=title, width=width, height=height):
            size = f" {width}" + (f"x{height}" if height is not None else "") if width is not None else ""
            return f"{name} {_quoted(target)}{size}" + (f" title={_quoted(title)}" if title else "")
        case nodes.Embed(target=target, label=label):
            return f"{name} {_quoted(target)}" + (f" {_quoted(label)}" if label else "")
        case nodes.FootnoteReference(label=label) | nodes.FootnoteDefinition(label=label):
            return f"{name} {_quoted(label)}"
        case nodes.RawInline(format=form, text=text) | nodes.RawBlock(format=form, text=text):
            return f"{name} {form} {_quoted(text)}"
        case nodes.Heading(level=level):
            return f"{name} {level}"
        case nodes.List(start=start, tight=tight):
            return name + (f" {start}" if start is not None else "") + ("" if tight else " loose")
        case nodes.ListItem(checked=checked):
            return name + (f" [{checked}]" if checked is not None else "")
        case nodes.Table(alignments=alignments):
            aligned = ",".join(alignment or "none" for alignment in alignments)
            return name + (f" {aligned}" if any(alignments) else "")
        case nodes.CodeBlock(info=info, text=text):
            return name + (f" {info}" if info else "") + f" {_quoted(text)}"
        case nodes.Statblock(layout=layout, extends=extends):
            extended = "".join(f" extends={_quoted(other)}" for other, _ in extends)
            return name + (f" layout={_quoted(layout)}" if layout else "") + extended
        case nodes.Property(key=key):
            return f"{name} {_quoted(key)}"
        case nodes.Div(name=div):
            return f"{name} {_quoted(div)}"
        case nodes.Callout(kind=kind, fold=fold, metadata=metadata):
            return f"{name} {kind}" + (f" {fold}" if fold else "") + (f" |{metadata}" if metadata else "")
        case nodes.Columns(count=count):
            return f"{name} {count}"
        case _:
            return name


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
