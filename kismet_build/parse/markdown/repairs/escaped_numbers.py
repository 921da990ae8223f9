r"""Repair lists with escaped numbers: read paragraphs that begin with `1\.`, `2\.` and so on as a list."""

import re
from collections.abc import Sequence
from dataclasses import replace

from kismet_build.model.diagnostic import info
from kismet_build.model.nodes import Block, HardBreak, List, ListItem, Paragraph, SoftBreak, Text
from kismet_build.parse.markdown.split_text import split_text
from kismet_build.parse.markdown.state import ParseState

ESCAPED_NUMBER = re.compile(r"(?P<number>\d{1,4})\\[.)][ \t]+(?=\S)")
NUMBER = re.compile(r"\d{1,4}[.)][ \t]+")


def repair_numbers(blocks: Sequence[Block], state: ParseState) -> tuple[Block, ...]:
    """Replace each run of paragraphs with escaped numbers, starting at 1, by a list.

    A backslash stops a number from starting a list. A single such paragraph, or a run that begins with a year, stays.
    """
    result: list[Block] = []
    run: list[Paragraph] = []
    for block in blocks:
        lines = _lines(block)
        numbers = [_number_of(line) for line in lines]
        if numbers and numbers == list(range(len(run) + 1, len(run) + 1 + len(numbers))):
            run += lines
            continue
        result += _as_list(run, state)
        run = []
        if numbers and numbers == list(range(1, 1 + len(numbers))):
            run = lines
        else:
            result.append(block)
    return (*result, *_as_list(run, state))


def _is_numbered(paragraph: Paragraph) -> bool:
    source, start, end = paragraph.span
    return ESCAPED_NUMBER.match(source.text, start, end) is not None


def _number_of(line: Paragraph) -> int:
    match = ESCAPED_NUMBER.match(line.span.text)
    return int(match["number"]) if match and isinstance(line.children[0], Text) else 0


def _lines(block: Block) -> list[Paragraph]:
    """Split a paragraph with an escaped number into one paragraph per numbered line; empty for other blocks."""
    if not isinstance(block, Paragraph) or not block.children or not _is_numbered(block):
        return []
    starts = [0]
    for index, inline in enumerate(block.children[:-1]):
        following = block.children[index + 1]
        if isinstance(inline, HardBreak | SoftBreak) and ESCAPED_NUMBER.match(following.span.text):
            starts.append(index + 1)
    lines: list[Paragraph] = []
    for start, stop in zip(starts, (*starts[1:], None), strict=True):
        children = block.children[start : stop if stop is None else stop - 1]
        span = block.span.source.span(children[0].span.start, children[-1].span.end if stop else block.span.end)
        lines.append(Paragraph(span=span, children=children, block_id="" if stop else block.block_id))
    return lines


def _as_list(run: Sequence[Paragraph], state: ParseState) -> tuple[Block, ...]:
    """The list made from a run. A run of one paragraph stays a paragraph."""
    if len(run) < 2:
        return tuple(run)
    source, start = run[0].span.source, run[0].span.start
    match = ESCAPED_NUMBER.match(run[0].span.text)
    assert match is not None
    mark = match[0].rstrip()
    message = f'these paragraphs are numbered by hand ("{mark}") and read as a list'
    hint = f"write {mark.replace(chr(92), '')} without the backslash"
    state.report(info("escaped-number", source.span(start, start + len(mark)), message, hint))
    return (List(span=source.span(start, run[-1].span.end), items=tuple(map(_item, run)), start=1, tight=False),)


def _item(line: Paragraph) -> ListItem:
    first, *others = line.children
    assert isinstance(first, Text)
    match = NUMBER.match(first.value)
    assert match is not None
    first_text = split_text(first, match.end())[1]
    children = (first_text, *others) if first_text.value else tuple(others)
    paragraph = replace(line, span=line.span.source.span(children[0].span.start, line.span.end), children=children)
    return ListItem(span=line.span, children=(replace(paragraph, block_id=""),), block_id=line.block_id)
