"""Bind captions to tables: `Table: words` as a heading above one, or as a paragraph above or below it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from kismet_build.model.nodes import Block, Heading, Inline, Paragraph, Table, Text, plain_text
from kismet_build.parse.markdown.split import cut

BARE = re.compile(r"(?:Table\s*)?:\s+(?=\S)")
"""What only says that a caption follows, as pandoc has it."""

NUMBERED = re.compile(r"Table\s+[\w.–-]*\d[\w.–-]*\s*[:.]\s+\S")
"""A caption with the number of its table, which stays a part of it."""


def bind_captions(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with captions in their tables: a paragraph is gone then, a heading stays, for links lead to it."""
    found: list[Block] = []
    for block, below in zip_longest(blocks, blocks[1:]):
        above = found[-1] if found else None
        match above, block:
            case Heading(), Table(caption=()) if title := _title(above):
                start = block.span.source.span(block.span.start, block.span.start)
                found.append(replace(block, caption=(Text(start, title),)))
            case Paragraph(), Table(caption=()) if words := _caption(above):
                span = block.span.source.span(above.span.start, block.span.end)
                found[-1] = replace(block, caption=words, span=span)
            # Between two tables, words that say "Table" stand above theirs, and a colon alone below.
            case Table(caption=()), Paragraph() if (words := _caption(block)) and not _is_above(block, below):
                span = block.span.source.span(above.span.start, block.span.end)
                found[-1] = replace(above, caption=words, span=span)
            case _:
                found.append(block)
    return tuple(found)


def _is_above(paragraph: Paragraph, below: Block | None) -> bool:
    return isinstance(below, Table) and not paragraph.span.text.startswith(":")


def _title(heading: Heading) -> str:
    """The caption that a heading holds: empty where it is a heading like any other."""
    words = " ".join(plain_text(heading).split())
    bare = BARE.match(words)
    return words[bare.end() :] if bare else words if NUMBERED.match(words) else ""


def _caption(paragraph: Paragraph) -> tuple[Inline, ...]:
    """The caption that a paragraph is; nothing where it is one like any other."""
    match paragraph:
        case Paragraph(children=(Text() as first, *others), block_id=""):
            if bare := BARE.match(first.value):
                return (cut(first, bare.end())[1], *others)
            return paragraph.children if NUMBERED.match(first.value) else ()
        case _:
            return ()
