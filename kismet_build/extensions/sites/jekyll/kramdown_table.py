"""Tables of kramdown, which need no header: lines with bars, in groups that lines of dashes or equals signs divide."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.table import (
    MAX_PADDING,
    is_row_separator,
    push_empty_row,
    push_row,
    row_cells,
    without_code,
)
from kismet_build.parse.markdown.rules.table_row import CellRange, alignments

BAR = re.compile(r"(?:^|[^\\])\|")
Rows = list[tuple[int, list[CellRange]]]
"""The line and the cells of each row."""


def kramdown_table(parser: Parser) -> None:
    """Add the rule for tables that GitHub does not read as tables."""
    parser.add_block("kramdown_table", _parse_table, before="paragraph")


def _parse_table(state: StateBlock, first: int, end: int, _silent: bool) -> bool:
    rows: Rows = []
    head: Rows = []
    alignment_list: list[str] = []
    line = first
    while line < end and (text := _text_of_row(state, line)):
        if not is_row_separator(text):
            rows.append((line, row_cells(state, line)))
        elif rows and not alignment_list and "=" not in text:
            alignment_list = alignments(text.replace("+", "|"))
            # A `Table` has at most one header row.
            head, rows = (rows, []) if len(rows) == 1 else ([], rows)
        line += 1
    width = max((len(cells) for _, cells in (*head, *rows)), default=0)
    padding = sum(width - len(cells) for _, cells in rows)
    if not width or padding > MAX_PADDING or not _is_boundary(state, line, end):
        return False
    token = state.push("table_open", "table", 1)
    token.map = [first, line]
    token.meta["alignments"] = tuple([*alignment_list, *[""] * width][:width])
    if not head:
        push_empty_row(state, first, width)
    for row_line, cells in (*head, *rows):
        push_row(state, row_line, cells, width)
    state.push("table_close", "table", -1)
    state.line = line
    return True


def _text_of_row(state: StateBlock, line: int) -> str:
    """The text of a line with a bar outside code; empty for any other line."""
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    return text if state.sCount[line] >= state.blkIndent and BAR.search(without_code(text)) else ""


def _is_boundary(state: StateBlock, line: int, end: int) -> bool:
    """Whether a paragraph would also end before this line. If it would not, the table is part of the paragraph."""
    if line >= end or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
        return True
    return any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("paragraph"))
