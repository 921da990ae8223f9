"""Tables as GitHub has them, and the tables that people meant."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, reading
from kismet_build.parse.markdown.rules.block_id import ALONE
from kismet_build.parse.markdown.rules.table_row import DELIMITER, Part, alignments, content, is_dashes, parts
from kismet_build.parse.markdown.state import Passage

MOST_PADDING = 1 << 16
"""How many cells may be added to rows that have too few, so that no text grows without bound."""

LONGEST_ROW = 60
"""How many lines a cell may go on for."""


def table(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("github_table", _table, before="table", ends=("paragraph", "reference", "footnote"))


def _table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if first + 2 > end or state.sCount[first + 1] < state.blkIndent:
        return False
    start = state.bMarks[first] + state.tShift[first]
    if state.src.find("|", start, state.eMarks[first]) < 0:
        return False
    line = state.src[start : state.eMarks[first]]
    dashes = state.src[state.bMarks[first + 1] + state.tShift[first + 1] : state.eMarks[first + 1]]
    if not DELIMITER.fullmatch(dashes) or dashes.startswith(("- ", "-\t")):
        return False
    if state.is_code_block(first) or state.is_code_block(first + 1):
        return False
    header, sides = _cells(state, first), alignments(dashes)
    # Prose with a bar in it above a line of dashes is a heading: only a line framed by bars is surely a header.
    meant = reading(state).repairs and line.startswith("|") and "|" in dashes
    if not header or (len(header) != len(sides) and not meant):
        return False
    if silent:
        return True
    if len(header) != len(sides):
        _tell(state, first + 1, len(header), len(sides))
    sides = [*sides, *[""] * len(header)][: len(header)]

    parent, state.parentType = state.parentType, "table"
    token = state.push("table_open", "table", 1)
    token.map, token.meta["alignments"] = [first, first], tuple(sides)
    _push_row(state, first, header, len(header))
    state.line = _rows(state, first + 2, end, len(header))
    state.push("table_close", "table", -1)
    token.map[1] = state.line
    state.parentType = parent
    return True


def _tell(state: StateBlock, line: int, wanted: int, found: int) -> None:
    span = reading(state).source.span(state.bMarks[line] + state.tShift[line], state.eMarks[line])
    message = f"the line below the header has {_counted(found)}, the header has {wanted}"
    hint = "give it one group of dashes for each column"
    reading(state).report(warning("table-delimiter-cells", span, message, hint))


def _counted(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"


def _cells(state: StateBlock, line: int) -> list[Part]:
    start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    return parts(state.src, start, end, reading(state).repairs)


def _rows(state: StateBlock, line: int, end: int, width: int) -> int:
    """Push the rows from a line on; gives the line after the table."""
    repairs = reading(state).repairs
    padding = 0
    row = line
    while line < end and not _ends(state, line, end):
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        if repairs and is_dashes(text):
            start = state.bMarks[row] + state.tShift[row]
            span = reading(state).source.span(start, state.eMarks[row])
            hint = "take out the line of dashes below it, or put a blank line before it to begin another table"
            message = "this row is set as a second header inside the table"
            reading(state).report(warning("repeated-table-header", span, message, hint))
            line += 1
            continue
        row, cells = line, _cells(state, line)
        last = _last_line(state, line, end, width, cells) if repairs else line
        if last > line:
            _push_broken_row(state, line, last, cells, width)
        else:
            padding += max(width - len(cells), 0)
            if padding > MOST_PADDING:
                break
            _push_row(state, line, cells, width)
        line = last + 1
    return line


def _ends(state: StateBlock, line: int, end: int) -> bool:
    """Whether a table ends before a line."""
    if state.isEmpty(line) or state.sCount[line] < state.blkIndent or state.is_code_block(line):
        return True
    start = state.bMarks[line] + state.tShift[line]
    if state.src[start] == "|":
        return False
    if reading(state).options.get("block_ids") and ALONE.match(state.src, start, state.eMarks[line]):
        return True
    return any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("blockquote"))


def _last_line(state: StateBlock, line: int, end: int, width: int, cells: list[Part]) -> int:
    """The line where a row ends: a later one if its last cell goes on over blank lines."""
    if line + 1 >= end or not state.isEmpty(line + 1) or not _is_open(state, line):
        return line
    for later in range(line + 2, min(end, line + LONGEST_ROW)):
        if state.isEmpty(later):
            continue
        start = state.bMarks[later] + state.tShift[later]
        if state.sCount[later] < state.blkIndent or re.match(r"\||#{1,6}\s|`{3}|~{3}", state.src[start : start + 8]):
            return line
        bars = _cells(state, later)
        if state.src[start : state.eMarks[later]].rstrip().endswith("|") and not _is_escaped(state, later):
            return later if len(cells) + len(bars) - 1 == width else line
        if len(bars) > 1:
            return line
    return line


def _is_open(state: StateBlock, line: int) -> bool:
    """Whether a line begins a row and does not end it."""
    start = state.bMarks[line] + state.tShift[line]
    text = state.src[start : state.eMarks[line]].rstrip()
    return text.startswith("|") and (not text.endswith("|") or _is_escaped(state, line))


def _end(state: StateBlock, line: int) -> int:
    """The end of what is written on a line."""
    start = state.bMarks[line] + state.tShift[line]
    return start + len(state.src[start : state.eMarks[line]].rstrip(" \t"))


def _is_escaped(state: StateBlock, line: int) -> bool:
    return state.src[state.bMarks[line] : state.eMarks[line]].rstrip().endswith("\\|")


def _push_row(state: StateBlock, line: int, cells: list[Part], width: int) -> None:
    start, end = state.bMarks[line] + state.tShift[line], _end(state, line)
    whole = _without_extra(state, cells, width) if len(cells) > width else cells
    padded = (*whole, *[Part(end, end)] * (width - len(whole)))
    row = [[_passage(state, part)] for part in padded]
    state.push("row", "tr", 0).meta = {"span": (start, end), "cells": row}


def _without_extra(state: StateBlock, cells: list[Part], width: int) -> list[Part]:
    """The cells that have a column; the words of any others are kept in the last one."""
    extra = [part for part in cells[width:] if part.end > part.start]
    if not extra or not reading(state).repairs:
        return cells[:width]
    span = reading(state).source.span(extra[0].start, extra[-1].end)
    message = f"this row has {_counted(len(cells))}, the header has {width}"
    hint = "give the table another column, or write \\| for a bar that is meant as one"
    reading(state).report(warning("extra-table-cell", span, message, hint))
    last = cells[width - 1]
    return [*cells[: width - 1], Part(last.start, extra[-1].end, last.joined)]


def _push_broken_row(state: StateBlock, first: int, last: int, cells: list[Part], width: int) -> None:
    """A row whose last cell on the first line goes on in paragraphs up to the last line."""
    rest = _cells(state, last)
    start, end = state.bMarks[first] + state.tShift[first], _end(state, last)
    span = reading(state).source.span(cells[-1].start, rest[0].end)
    hint = "write the row on one line, with <br> where the paragraphs end"
    reading(state).report(warning("broken-table-row", span, "this cell goes on over blank lines", hint))
    between = [
        Part(state.bMarks[line] + state.tShift[line], _end(state, line))
        for line in range(first + 1, last)
        if not state.isEmpty(line)
    ]
    last_cell = (cells[-1], *between, rest[0])
    row = [[_passage(state, part) for part in cell] for cell in (*zip(cells[:-1]), last_cell, *zip(rest[1:width]))]
    state.push("row", "tr", 0).meta = {"span": (start, end), "cells": row}


def _passage(state: StateBlock, part: Part) -> Passage:
    if part.joined >= 0:
        span = reading(state).source.span(part.joined, part.joined + 1)
        message = "the bar of a link divides a cell of the table"
        reading(state).report(warning("unescaped-table-pipe", span, message, "write \\| inside a table"))
    return Passage((part.start, part.end), content(state.src, part))
