"""Write a document model as text that a person can read and compare: one node a line, two spaces a level."""

import json
from collections.abc import Iterator

from kismet_build.model import nodes
from kismet_build.model.nodes import Block, Inline, Node


def model_text(blocks: tuple[Block, ...]) -> str:
    """Blocks and all that is in them, without their spans."""
    return "\n".join(_all(blocks, 0, ids=False))


def model_text_with_ids(blocks: tuple[Block, ...]) -> str:
    """The same, with the ids that dialects give to headings."""
    return "\n".join(_all(blocks, 0, ids=True))


def _lines(node: Node, depth: int, ids: bool) -> Iterator[str]:
    yield "  " * depth + _head(node) + _names(node, ids)
    match node:
        case nodes.Callout(title=title, children=blocks):
            yield from _group("Title", title, depth + 1, ids)
            yield from _all(blocks, depth + 1, ids)
        case nodes.Table(caption=caption):
            yield from _group("Caption", caption, depth + 1, ids)
            yield from _all(node.children, depth + 1, ids)
        case nodes.DefinitionItem(term=term, children=blocks):
            yield from _group("Term", term, depth + 1, ids)
            yield from _all(blocks, depth + 1, ids)
        case _:
            yield from _all(nodes.children(node), depth + 1, ids)


def _names(node: Node, ids: bool) -> str:
    """The fragment that names a node: `^name` as Obsidian has it, any other behind a `#`."""
    found = [getattr(node, "block_id", "")]
    if ids and isinstance(node, nodes.Heading):
        found.insert(0, node.id)
    return "".join(f" {name}" if name.startswith("^") else f" #{name}" for name in found if name)


def _all(nodes: tuple[Block, ...] | tuple[Inline, ...] | tuple[Node, ...], depth: int, ids: bool) -> Iterator[str]:
    for node in nodes:
        yield from _lines(node, depth, ids)


def _group(name: str, nodes: tuple[Inline, ...], depth: int, ids: bool) -> Iterator[str]:
    """Inlines that are a part of their node beside its children, under a name of their own."""
    if nodes:
        yield "  " * depth + name
        yield from _all(nodes, depth + 1, ids)


def _head(node: Node) -> str:
    """The name of a node and what distinguishes it from others of its name."""
    name = type(node).__name__
    match node:
        case nodes.Text(value=value) | nodes.Code(value=value):
            return f"{name} {_quoted(value)}"
        case nodes.Link(target=target, title=title):
            return f"{name} {_quoted(target)}" + (f" title={_quoted(title)}" if title else "")
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
            return name + (" " + ",".join(one or "none" for one in alignments) if any(alignments) else "")
        case nodes.CodeBlock(info=info, text=text):
            return name + (f" {info}" if info else "") + f" {_quoted(text)}"
        case nodes.Div(name=div):
            return f"{name} {_quoted(div)}"
        case nodes.Callout(kind=kind, fold=normalize, metadata=metadata):
            return f"{name} {kind}" + (f" {normalize}" if normalize else "") + (f" |{metadata}" if metadata else "")
        case nodes.Columns(count=count):
            return f"{name} {count}"
        case _:
            return name


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
