"""Repair tables: a first row of data in place of the header, and rows with a missing cell."""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Cell, Paragraph, Row, Table, Text, plain_text
from kismet_build.parse.markdown.state import ParseState

SENTENCE = re.compile(r"(?:\S+\s+){3,}\S*\w[.!?][)\"”’]?")
"""At least four words with a full stop. A column title is never a sentence (docs/decisions/0004-dialects.md)."""

MIN_ROWS = 2
"""Minimum number of rows below a header that looks like a row of data. Fewer rows are not enough evidence."""

MIN_FILLED_ROWS = 3
"""Minimum number of rows with a cell in a column for missing cells to be reported.

The rows without the cell may be at most half as many as the rows with it.
"""

MIN_PROSE_WORDS = 3
"""Minimum median number of words in a column whose missing cells are reported.

Columns of short cells often have gaps.
"""

LONG_CELL_RATIO = 1.5
"""If a cell is longer than the median of its column by this factor, it may contain the text of a missing cell."""

MAX_NAME_LENGTH = 40
"""Maximum number of characters of a row's name in a message."""


def repair_table(table: Table, state: ParseState) -> Table:
    """Give a table an empty header if its header looks like data, and report missing cells."""
    if not state.repairs:
        return table
    texts = [[_cell_text(cell) for cell in row.cells] for row in (table.header, *table.rows)]
    if _is_data_row(texts[0], texts[1:]):
        table = _with_empty_header(table, state)
    _report_missing_cells(table, texts[0], texts[1:], state)
    return table


def _cell_text(cell: Cell) -> str:
    match cell.children:
        case (Paragraph(children=(Text(value=value),)),):
            pass  # most cells are a single text, and `plain_text` is much slower
        case _:
            value = plain_text(cell)
    return " ".join(value.split())


def _is_data_row(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header is a row of data: one of its cells is a sentence, like all cells below that cell."""
    if len(rows) < MIN_ROWS or not all(header):
        return False
    return any(
        SENTENCE.fullmatch(title) and all(SENTENCE.fullmatch(row[column]) for row in rows)
        for column, title in enumerate(header)
    )


def _with_empty_header(table: Table, state: ParseState) -> Table:
    span = table.header.span
    message = "the header of this table looks like a row of data, so it is read as one"
    hint = "add a row of column titles or empty cells above it"
    state.report(warning("header-is-data", span, message, hint))
    empty_span = span.source.span(span.start, span.start)
    header = Row(span=empty_span, cells=tuple(Cell(span=empty_span, children=()) for _ in table.header.cells))
    return replace(table, header=header, rows=(table.header, *table.rows))


def _report_missing_cells(
    table: Table, header: Sequence[str], rows: Sequence[Sequence[str]], state: ParseState
) -> None:
    """Report missing cells in a column of sentences that most rows fill."""
    if all(map(all, rows)):
        return
    for column, title in list(enumerate(header))[1:]:
        filled = [row for row in rows if row[column]]
        if len(filled) < max(MIN_FILLED_ROWS, 2 * (len(rows) - len(filled))) or len(filled) == len(rows):
            continue
        if median(len(row[column].split()) for row in filled) < MIN_PROSE_WORDS or not title:
            continue
        for row, cells in zip(table.rows[-len(rows) :], rows, strict=True):
            if not cells[column] and any(cells):
                shown_name = cells[0] if len(cells[0]) <= MAX_NAME_LENGTH else cells[0][:MAX_NAME_LENGTH].rstrip() + "…"
                message = f'the row "{shown_name}" has nothing under "{title}"'
                state.report(warning("missing-table-cell", row.span, message, _hint(header, filled, cells)))


def _hint(header: Sequence[str], filled: Sequence[Sequence[str]], cells: Sequence[str]) -> str:
    """The hint for a missing cell: its text may be in another cell that is unusually long."""
    medians = [median(len(row[column]) for row in filled) or 1 for column in range(len(cells))]
    ratios = [len(cell) / length for cell, length in zip(cells, medians, strict=True)]
    longest = max(range(len(cells)), key=lambda column: ratios[column])
    if ratios[longest] < LONG_CELL_RATIO or not header[longest]:
        return "fill in the cell, or write a dash if it is meant to be empty"
    return f'its text may be in the cell under "{header[longest]}": split it with a bar'
