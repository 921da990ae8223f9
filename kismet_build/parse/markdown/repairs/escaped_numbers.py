"""Read paragraphs whose numbers stand behind a backslash as the list that they are."""

import re
from collections.abc import Sequence
from dataclasses import replace

from kismet_build.model.diagnostic import info
from kismet_build.model.nodes import Block, HardBreak, List, ListItem, Paragraph, SoftBreak, Text
from kismet_build.parse.markdown.split import cut
from kismet_build.parse.markdown.state import Reading

TYPED = re.compile(r"(?P<number>\d{1,4})\\[.)][ \t]+(?=\S)")
READ = re.compile(r"\d{1,4}[.)][ \t]+")


def repair_numbers(blocks: Sequence[Block], reading: Reading) -> tuple[Block, ...]:
    """The blocks with each run of such paragraphs that counts from one as one list.

    A backslash keeps a number from beginning a list: one of them, or a run that begins with a year, is left alone.
    """
    found: list[Block] = []
    run: list[Paragraph] = []
    for block in blocks:
        lines = _lines(block)
        numbers = [_number(line) for line in lines]
        if numbers and numbers == list(range(len(run) + 1, len(run) + 1 + len(numbers))):
            run += lines
            continue
        found += _read(run, reading)
        run = []
        if numbers and numbers == list(range(1, 1 + len(numbers))):
            run = lines
        else:
            found.append(block)
    return (*found, *_read(run, reading))


def _is_numbered(paragraph: Paragraph) -> bool:
    source, start, end = paragraph.span
    return TYPED.match(source.text, start, end) is not None


def _number(line: Paragraph) -> int:
    typed = TYPED.match(line.span.text)
    return int(typed["number"]) if typed and isinstance(line.children[0], Text) else 0


def _lines(block: Block) -> list[Paragraph]:
    """A paragraph that begins with such a number, as one for each of its lines that does; none for other blocks."""
    if not isinstance(block, Paragraph) or not block.children or not _is_numbered(block):
        return []
    starts = [0]
    for place, inline in enumerate(block.children[:-1]):
        following = block.children[place + 1]
        if isinstance(inline, HardBreak | SoftBreak) and TYPED.match(following.span.text):
            starts.append(place + 1)
    found: list[Paragraph] = []
    for start, stop in zip(starts, (*starts[1:], None), strict=True):
        inlines = block.children[start : stop if stop is None else stop - 1]
        span = block.span.source.span(inlines[0].span.start, inlines[-1].span.end if stop else block.span.end)
        found.append(Paragraph(span=span, children=inlines, block_id="" if stop else block.block_id))
    return found


def _read(run: Sequence[Paragraph], reading: Reading) -> tuple[Block, ...]:
    """The list of a run; a run of one is the paragraph that it was."""
    if len(run) < 2:
        return tuple(run)
    source, start = run[0].span.source, run[0].span.start
    typed = TYPED.match(run[0].span.text)
    assert typed is not None
    mark = typed[0].rstrip()
    message = f'these paragraphs are numbered by hand ("{mark}"), and are read as a list'
    hint = f"write {mark.replace(chr(92), '')} without the backslash"
    reading.report(info("escaped-number", source.span(start, start + len(mark)), message, hint))
    return (List(span=source.span(start, run[-1].span.end), items=tuple(map(_item, run)), start=1, tight=False),)


def _item(line: Paragraph) -> ListItem:
    first, *others = line.children
    assert isinstance(first, Text)
    number = READ.match(first.value)
    assert number is not None
    words = cut(first, number.end())[1]
    children = (words, *others) if words.value else tuple(others)
    inside = replace(line, span=line.span.source.span(children[0].span.start, line.span.end), children=children)
    return ListItem(span=line.span, children=(replace(inside, block_id=""),), block_id=line.block_id)
