"""Repair pasted lists: read paragraphs that begin with a word processor's bullets as lists."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Block, HardBreak, Inline, List, ListItem, Paragraph, SoftBreak, Text
from kismet_build.model.source import Span
from kismet_build.parse.markdown.rules.odd_space import ODD_SPACE
from kismet_build.parse.markdown.split_text import split_text
from kismet_build.parse.markdown.state import ParseState

BULLET = re.compile(rf"(?:[·•]|o(?=\s*{ODD_SPACE.pattern}|[ \t]{{2}}))(?:\s|{ODD_SPACE.pattern})+")
"""The letter o is a bullet only before an odd space or two spaces."""

BULLET_STRINGS = ("·", "•", "o  ", "o \t", "o\t")
"""Strings of which a text with pasted bullets contains at least one, unless it has odd spaces or entities."""


@dataclass(slots=True)
class _Item:
    paragraph: Paragraph
    nested: list[Paragraph] = field(default_factory=list)


def repair_bullets(blocks: tuple[Block, ...], state: ParseState) -> tuple[Block, ...]:
    """Replace each run of paragraphs with bullets by a list."""
    result: list[Block] = []
    run: list[Paragraph] = []
    for block in blocks:
        if isinstance(block, Paragraph) and _has_bullet(block.children):
            run += _lines(block)
            continue
        if run:
            result.append(_list_from_run(run, state))
            run = []
        result.append(block)
    return (*result, _list_from_run(run, state)) if run else tuple(result)


def _has_bullet(inlines: Sequence[Inline]) -> bool:
    return bool(inlines) and isinstance(inlines[0], Text) and BULLET.match(inlines[0].value) is not None


def _lines(paragraph: Paragraph) -> list[Paragraph]:
    """Split a paragraph into one paragraph for each line with a bullet. Bullets stay in the text."""
    starts = [0]
    for index, inline in enumerate(paragraph.children):
        if isinstance(inline, HardBreak | SoftBreak) and _has_bullet(paragraph.children[index + 1 : index + 2]):
            starts.append(index + 1)
    lines: list[Paragraph] = []
    for index, start in enumerate(starts):
        is_last = index + 1 == len(starts)
        stop = len(paragraph.children) if is_last else starts[index + 1] - 1
        inlines = paragraph.children[start:stop]
        end = paragraph.span.end if is_last else inlines[-1].span.end
        span = paragraph.span.source.span(inlines[0].span.start, end)
        lines.append(Paragraph(span=span, children=inlines, block_id=paragraph.block_id if is_last else ""))
    return lines


def _list_from_run(run: list[Paragraph], state: ParseState) -> List:
    """The list made from a run. An item with `o` is nested in the last item with another bullet."""
    start = run[0].span.start
    bullet = run[0].span.source.text[start]
    hint = "start each item with - and a space, and indent nested items by a tab"
    message = f'this list has bullets from a word processor ("{bullet}")'
    state.report(warning("pasted-bullet", run[0].span.source.span(start, start + 1), message, hint))
    entries: list[_Item] = []
    for paragraph in run:
        if entries and paragraph.span.text.startswith("o") and not entries[-1].paragraph.span.text.startswith("o"):
            entries[-1].nested.append(paragraph)
        else:
            entries.append(_Item(paragraph))
    return _list_of([_item(entry.paragraph, entry.nested) for entry in entries])


def _list_of(items: list[ListItem]) -> List:
    span = items[0].span.source.span(items[0].span.start, items[-1].span.end)
    return List(span=span, items=tuple(items))


def _item(paragraph: Paragraph, nested: list[Paragraph]) -> ListItem:
    first = paragraph.children[0]
    assert isinstance(first, Text)
    bullet = BULLET.match(first.value)
    assert bullet is not None
    first_text = split_text(first, bullet.end())[1]
    children = (first_text, *paragraph.children[1:]) if first_text.value else paragraph.children[1:]
    start = children[0].span.start if children else paragraph.span.end
    without_bullet = replace(paragraph, span=_span_from(paragraph.span, start), children=children, block_id="")
    blocks: tuple[Block, ...] = (without_bullet,)
    end = paragraph.span.end
    if nested:
        nested_list = _list_of([_item(line, []) for line in nested])
        blocks, end = (without_bullet, nested_list), nested_list.span.end
    span = paragraph.span.source.span(paragraph.span.start, end)
    return ListItem(span=span, children=blocks, block_id=paragraph.block_id)


def _span_from(span: Span, start: int) -> Span:
    return span.source.span(start, span.end)
