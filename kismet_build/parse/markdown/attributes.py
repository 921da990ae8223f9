"""Attribute lists, `{: #id .class key="value"}`: the id is kept, and a class may make a block a callout."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kismet_build.model import nodes
from kismet_build.model.source import Span
from kismet_build.parse.markdown.rules.box import UNTITLED

PART = r"""(?:\.[\w-]+|\#[\w:.-]+|[\w:@.-]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s{}"']+))"""
BRACED = re.compile(rf"\{{:?[ \t]*{PART}(?:[ \t]+(?:{PART}|[\w-]+))*[ \t]*\}}")
"""An attribute list of Python-Markdown or Goldmark. Other words in braces are ordinary text."""
WITH_COLON = re.compile(r"\{:(?![:/]|[\w-]+:)[^{}\n]*\}")
"""An attribute list of kramdown, which may contain any characters except braces."""
OF_KRAMDOWN = re.compile(rf"\{{:[ \t]*(?:toc|{PART})(?:[ \t]+(?:{PART}|[\w-]+))*[ \t]*\}}")
"""An attribute list that is unmistakably kramdown's, for texts that may not be written for kramdown."""
OF_HEADING = re.compile(r"\{\#[\w:.-]+\}")
"""The id of a heading."""
WORD = re.compile(PART + r"|[\w-]+")

CONTENTS = "toc"
"""The attribute with which kramdown replaces a list by the table of contents."""
OF_CONTENTS = re.compile(r"\{:[^{}\n]*\.text-delta\b")
"""The class of the heading of a table of contents in the theme just-the-docs.

Headings of the text may have `no_toc`, so that class does not suffice.
"""
TITLE_SUFFIX = "-title"
"""The suffix of a class for a callout with its title in the first line, in the theme just-the-docs."""

Identifiable = (
    nodes.Paragraph
    | nodes.List
    | nodes.Table
    | nodes.CodeBlock
    | nodes.Statblock
    | nodes.BlockQuote
    | nodes.Callout
    | nodes.DefinitionList
    | nodes.Div
)
"""Blocks, other than headings, that can have an id."""


class Attributes(NamedTuple):
    """The attributes in one attribute list."""

    id: str = ""
    classes: tuple[str, ...] = ()
    values: Mapping[str, str] = {}
    words: tuple[str, ...] = ()


def parse_attributes(text: str) -> Attributes:
    """The attributes in one or several lists in braces."""
    parts = WORD.findall(text)
    values = dict(part.split("=", 1) for part in parts if "=" in part)
    return Attributes(
        id=next((part[1:] for part in reversed(parts) if part.startswith("#")), values.get("id", "").strip("\"'")),
        classes=tuple(part[1:] for part in parts if part.startswith(".")),
        values={key: value.strip("\"'") for key, value in values.items()},
        words=tuple(part for part in parts if re.fullmatch(r"[\w-]+", part)),
    )


def language_of(info: str) -> str:
    """The language of a code block, from an info string with attributes: `python { .big }` or `{ .python .big }`."""
    words = info.partition("{")[0].split()
    return (words or [*parse_attributes(info).classes, ""])[0]


def is_adjacent(above: Span, below: Span) -> bool:
    """Whether `below` starts on the line after `above`."""
    return above.source.text.count("\n", above.end, below.start) == 1


def with_attributes(
    block: nodes.Block, attributes: Attributes, place: Span, options: Mapping[str, Any]
) -> nodes.Block | None:
    """A block with attributes from `place`; `None` if the attributes replace it by a table of contents."""
    if CONTENTS in attributes.words and isinstance(block, nodes.List):
        return None
    if attributes.id and isinstance(block, nodes.Heading):
        block = replace(block, id=attributes.id)
    elif attributes.id and isinstance(block, Identifiable):
        block = replace(block, block_id=attributes.id)
    callouts: Mapping[str, Any] = options.get("callouts") or {}
    for name in attributes.classes:
        kind = name if name in callouts else name.removesuffix(TITLE_SUFFIX)
        if kind in callouts and not isinstance(block, nodes.Heading):
            title = str(callouts[kind] or "") if kind == name else None
            return _callout(block, kind, title, place)
    return block


def without_contents(blocks: Sequence[nodes.Block], place: int, offset: int) -> tuple[nodes.Block, ...]:
    """Blocks without the heading of a table of contents that was left out, or without the details around it.

    The table was before the block at `place`, and starts at this offset.
    """
    first = place
    while first and _introduces_contents(blocks[first - 1], offset):
        first -= 1
    around = [*blocks[max(first - 1, 0) : first], *blocks[place : place + 1]]
    if len(around) == 2 and _is_tag(around[0], "<details") and _is_tag(around[1], "</details"):
        return (*blocks[: first - 1], *blocks[place + 1 :])
    kept = (block for block in blocks[first:place] if isinstance(block, nodes.RawBlock))
    return (*blocks[:first], *kept, *blocks[place:])


def _introduces_contents(block: nodes.Block, offset: int) -> bool:
    """Whether a block is the summary or the heading of a table of contents, and not the title of the page."""
    if isinstance(block, nodes.Heading) and block.level > 1:
        return OF_CONTENTS.search(block.span.source.text, block.span.start, offset) is not None
    return _is_tag(block, "<summary")


def _is_tag(block: nodes.Block, start: str) -> bool:
    return isinstance(block, nodes.RawBlock) and block.text.lstrip().startswith(start)


def _callout(block: nodes.Block, kind: str, title: str | None, place: Span) -> nodes.Callout | nodes.Div:
    """A block as a callout.

    If `title` is `None`, the first line is the title; if it is empty, the result is a group.
    """
    content: Sequence[nodes.Block] = block.children if isinstance(block, nodes.BlockQuote) else (block,)
    inlines: tuple[nodes.Inline, ...] = ()
    if title is None and content and isinstance(first := content[0], nodes.Paragraph):
        inlines, rest = (first.children, ()) if isinstance(block, nodes.BlockQuote) else _first_line(first.children)
        body = replace(first, children=rest, span=_span_of(rest)) if rest else None
        content = (*((body,) if body else ()), *content[1:])
    elif title and title.casefold() != kind.replace("-", " "):
        words = place if place.start <= block.span.start else place.source.span(block.span.start, block.span.start)
        inlines = (nodes.Text(words, title),)
    block_id = block.block_id if isinstance(block, nodes.BlockQuote) else ""
    span = place.source.span(min(block.span.start, place.start), max(block.span.end, place.end))
    if title == "":
        return nodes.Div(span=span, name=UNTITLED, children=tuple(content), block_id=block_id)
    return nodes.Callout(span=span, kind=kind.casefold(), title=inlines, children=tuple(content), block_id=block_id)


def _first_line(inlines: tuple[nodes.Inline, ...]) -> tuple[tuple[nodes.Inline, ...], tuple[nodes.Inline, ...]]:
    end = next((index for index, inline in enumerate(inlines) if isinstance(inline, nodes.SoftBreak)), len(inlines))
    return inlines[:end], inlines[end + 1 :]


def _span_of(inlines: Sequence[nodes.Inline]) -> Span:
    return inlines[0].span.source.span(inlines[0].span.start, inlines[-1].span.end)
