"""Attach captions to tables: `Table: words` as a heading above, or as a paragraph above or below."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from kismet_build.model.nodes import Block, Heading, Inline, Paragraph, Table, Text, plain_text
from kismet_build.parse.markdown.split_text import split_text

CAPTION_MARKER = re.compile(r"(?:Table\s*)?:\s+(?=\S)")
"""The marker before a caption, as in pandoc."""

NUMBERED_CAPTION = re.compile(r"Table\s+[\w.–-]*\d[\w.–-]*\s*[:.]\s+\S")
"""A caption with a table number, which is part of the caption."""


def bind_captions(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Move captions into their tables. Paragraphs disappear, but headings stay because links may lead to them."""
    result: list[Block] = []
    for block, below in zip_longest(blocks, blocks[1:]):
        above = result[-1] if result else None
        match above, block:
            case Heading(), Table(caption=()) if caption_text := _heading_caption(above):
                start = block.span.source.span(block.span.start, block.span.start)
                result.append(replace(block, caption=(Text(start, caption_text),)))
            case Paragraph(), Table(caption=()) if caption := _paragraph_caption(above):
                span = block.span.source.span(above.span.start, block.span.end)
                result[-1] = replace(block, caption=caption, span=span)
            # Between two tables, `Table:` belongs to the table below, and a lone colon to the table above.
            case Table(caption=()), Paragraph() if (caption := _paragraph_caption(block)) and not _is_caption_above(
                block, below
            ):
                span = block.span.source.span(above.span.start, block.span.end)
                result[-1] = replace(above, caption=caption, span=span)
            case _:
                result.append(block)
    return tuple(result)


def _is_caption_above(paragraph: Paragraph, below: Block | None) -> bool:
    return isinstance(below, Table) and not paragraph.span.text.startswith(":")


def _heading_caption(heading: Heading) -> str:
    text = " ".join(plain_text(heading).split())
    bare = CAPTION_MARKER.match(text)
    return text[bare.end() :] if bare else text if NUMBERED_CAPTION.match(text) else ""


def _paragraph_caption(paragraph: Paragraph) -> tuple[Inline, ...]:
    match paragraph:
        case Paragraph(children=(Text() as first, *others), block_id=""):
            if bare := CAPTION_MARKER.match(first.value):
                return (split_text(first, bare.end())[1], *others)
            return paragraph.children if NUMBERED_CAPTION.match(first.value) else ()
        case _:
            return ()
