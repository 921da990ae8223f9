"""Write a document model as text that a person can read and compare: one node a line, two spaces a level."""

import json
from collections.abc import Iterator

from kismet_build import model
from kismet_build.model import Block, Inline, Node


def model_text(blocks: tuple[Block, ...]) -> str:
    """Blocks and all that is in them, without their spans."""
    return "\n".join(_all(blocks, 0, ids=False))


def model_text_with_ids(blocks: tuple[Block, ...]) -> str:
    """The same, with the ids that dialects give to headings."""
    return "\n".join(_all(blocks, 0, ids=True))


def _lines(node: Node, depth: int, ids: bool) -> Iterator[str]:
    yield "  " * depth + _head(node) + _names(node, ids)
    match node:
        case model.Callout(title=title, children=blocks):
            yield from _group("Title", title, depth + 1, ids)
            yield from _all(blocks, depth + 1, ids)
        case model.Table(caption=caption):
            yield from _group("Caption", caption, depth + 1, ids)
            yield from _all(node.children, depth + 1, ids)
        case model.DefinitionItem(term=term, children=blocks):
            yield from _group("Term", term, depth + 1, ids)
            yield from _all(blocks, depth + 1, ids)
        case _:
            yield from _all(model.children(node), depth + 1, ids)


def _names(node: Node, ids: bool) -> str:
    """The fragment that names a node: `^name` as Obsidian has it, any other behind a `#`."""
    found = [getattr(node, "block_id", "")]
    if ids and isinstance(node, model.Heading):
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
        case model.Text(value=value) | model.Code(value=value):
            return f"{name} {_quoted(value)}"
        case model.Link(target=target, title=title):
            return f"{name} {_quoted(target)}" + (f" title={_quoted(title)}" if title else "")
        case model.Image(target=target, title=title, width=width, height=height):
            size = f" {width}" + (f"x{height}" if height is not None else "") if width is not None else ""
            return f"{name} {_quoted(target)}{size}" + (f" title={_quoted(title)}" if title else "")
        case model.Embed(target=target, label=label):
            return f"{name} {_quoted(target)}" + (f" {_quoted(label)}" if label else "")
        case model.FootnoteReference(label=label) | model.FootnoteDefinition(label=label):
            return f"{name} {_quoted(label)}"
        case model.RawInline(format=form, text=text) | model.RawBlock(format=form, text=text):
            return f"{name} {form} {_quoted(text)}"
        case model.Heading(level=level):
            return f"{name} {level}"
        case model.List(start=start, tight=tight):
            return name + (f" {start}" if start is not None else "") + ("" if tight else " loose")
        case model.ListItem(checked=checked):
            return name + (f" [{checked}]" if checked is not None else "")
        case model.Table(alignments=alignments):
            return name + (" " + ",".join(one or "none" for one in alignments) if any(alignments) else "")
        case model.CodeBlock(info=info, text=text):
            return name + (f" {info}" if info else "") + f" {_quoted(text)}"
        case model.Div(name=div):
            return f"{name} {_quoted(div)}"
        case model.Callout(kind=kind, fold=fold, metadata=metadata):
            return f"{name} {kind}" + (f" {fold}" if fold else "") + (f" |{metadata}" if metadata else "")
        case model.Columns(count=count):
            return f"{name} {count}"
        case _:
            return name


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
