"""Read paragraphs that begin with the bullets of a word processor as the lists that they were."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Block, HardBreak, Inline, List, ListItem, Paragraph, SoftBreak, Text
from kismet_build.model.source import Span
from kismet_build.parse.markdown.rules.odd_space import ODD
from kismet_build.parse.markdown.split import cut
from kismet_build.parse.markdown.state import Reading

BULLET = re.compile(rf"(?:[·•]|o(?=\s*{ODD.pattern}|[ \t]{{2}}))(?:\s|{ODD.pattern})+")
"""A letter o is a bullet only before a space that nobody types after a word."""

SIGNS = ("·", "•", "o  ", "o \t", "o\t")
"""A text without any of these, odd spaces and entities has no bullets."""


@dataclass(slots=True)
class _Entry:
    """One entry, and those below it."""

    paragraph: Paragraph
    below: list[Paragraph] = field(default_factory=list)


def repair_bullets(blocks: tuple[Block, ...], reading: Reading) -> tuple[Block, ...]:
    """The blocks with each run of pasted entries as one list."""
    found: list[Block] = []
    run: list[Paragraph] = []
    for block in blocks:
        if isinstance(block, Paragraph) and _begins(block.children):
            run += _lines(block)
            continue
        if run:
            found.append(_list(run, reading))
            run = []
        found.append(block)
    return (*found, _list(run, reading)) if run else tuple(found)


def _begins(inlines: Sequence[Inline]) -> bool:
    return bool(inlines) and isinstance(inlines[0], Text) and BULLET.match(inlines[0].value) is not None


def _lines(paragraph: Paragraph) -> list[Paragraph]:
    """A paragraph as one for each of its lines that begins with a bullet; each keeps its bullet."""
    starts = [0]
    for place, inline in enumerate(paragraph.children):
        if isinstance(inline, HardBreak | SoftBreak) and _begins(paragraph.children[place + 1 :]):
            starts.append(place + 1)
    found: list[Paragraph] = []
    for number, start in enumerate(starts):
        is_last = number + 1 == len(starts)
        stop = len(paragraph.children) if is_last else starts[number + 1] - 1
        inlines = paragraph.children[start:stop]
        end = paragraph.span.end if is_last else inlines[-1].span.end
        span = paragraph.span.source.span(inlines[0].span.start, end)
        found.append(Paragraph(span=span, children=inlines, block_id=paragraph.block_id if is_last else ""))
    return found


def _list(run: list[Paragraph], reading: Reading) -> List:
    """The list of a run: an entry with `o` stands below the last one with another bullet."""
    start = run[0].span.start
    bullet = run[0].span.source.text[start]
    hint = "begin each entry with - and a space, and set those below it in by a tab"
    message = f'this list has the bullets of a word processor ("{bullet}")'
    reading.report(warning("pasted-bullet", run[0].span.source.span(start, start + 1), message, hint))
    entries: list[_Entry] = []
    for paragraph in run:
        if entries and paragraph.span.text.startswith("o") and not entries[-1].paragraph.span.text.startswith("o"):
            entries[-1].below.append(paragraph)
        else:
            entries.append(_Entry(paragraph))
    return _as_list([_item(entry.paragraph, entry.below) for entry in entries])


def _as_list(items: list[ListItem]) -> List:
    span = items[0].span.source.span(items[0].span.start, items[-1].span.end)
    return List(span=span, items=tuple(items))


def _item(paragraph: Paragraph, below: list[Paragraph]) -> ListItem:
    first = paragraph.children[0]
    assert isinstance(first, Text)
    bullet = BULLET.match(first.value)
    assert bullet is not None
    words = cut(first, bullet.end())[1]
    children = (words, *paragraph.children[1:]) if words.value else paragraph.children[1:]
    start = children[0].span.start if children else paragraph.span.end
    bare = replace(paragraph, span=_from(paragraph.span, start), children=children, block_id="")
    inside: tuple[Block, ...] = (bare,)
    end = paragraph.span.end
    if below:
        nested = _as_list([_item(entry, []) for entry in below])
        inside, end = (bare, nested), nested.span.end
    span = paragraph.span.source.span(paragraph.span.start, end)
    return ListItem(span=span, children=inside, block_id=paragraph.block_id)


def _from(span: Span, start: int) -> Span:
    return span.source.span(start, span.end)
