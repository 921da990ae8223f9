"""Properties of a table that affect its HTML."""

import re
from collections.abc import Sequence
from statistics import median

from kismet_build.model.nodes import Cell, Row, Table, plain_text

MIN_WIDE_COLUMNS = 4
"""A table with at least this many columns does not fit on a phone."""
MAX_ROW_CHARACTERS = 90
"""A three-column table fits on a phone if the median length of its rows is at most this."""
MAX_SHORT_COLUMNS, MAX_SHORT_CHARACTERS = 7, 20
"""Maximum numbers of columns, and of characters in a cell, for a table whose rows can be compared on a phone."""

SHORT_VALUE = re.compile(r"[—–-]?|n/?a|(?=.*\d).{1,14}", re.IGNORECASE)
"""The text of a narrow cell: a number with a few words, or no value."""


def cell_spans(rows: Sequence[Row]) -> dict[tuple[int, int], str | None]:
    """The attributes of each cell that spans several columns or rows, by row and column.

    `None` for the places that such a cell covers, where the model repeats it.
    """
    spans: dict[tuple[int, int], str | None] = {}
    for top, row in enumerate(rows):
        for left, cell in enumerate(row.cells):
            # The parser puts the same object into each place. A cell that the author repeated is only equal.
            if (top, left) in spans or not cell.children:
                continue
            right, bottom = left + 1, top + 1
            while right < len(row.cells) and row.cells[right] is cell:
                right += 1
            while bottom < len(rows) and all(below is cell for below in rows[bottom].cells[left:right]):
                bottom += 1
            if (right - left, bottom - top) != (1, 1):
                spans |= {(y, x): None for y in range(top, bottom) for x in range(left, right)}
                columns = f' colspan="{right - left}"' if right - left > 1 else ""
                spans[top, left] = columns + (f' rowspan="{bottom - top}"' if bottom - top > 1 else "")
    return spans


def table_class(table: Table) -> str:
    """The CSS class of a table for phones: `long` for long rows, `figures` for several columns of short values.

    Empty if the table fits on a phone.
    """
    width = len(table.header.cells)
    if width < MIN_WIDE_COLUMNS - 1:
        return ""
    if width < MIN_WIDE_COLUMNS:
        lengths = [sum(len(cell_text(cell)) for cell in row.cells) for row in table.rows]
        return "long" if lengths and median(lengths) > MAX_ROW_CHARACTERS else ""
    texts = [cell_text(cell) for row in table.rows for cell in row.cells[1:]]
    is_short = width <= MAX_SHORT_COLUMNS and all(len(text) <= MAX_SHORT_CHARACTERS for text in texts)
    return "figures" if texts and (is_short or all(map(SHORT_VALUE.fullmatch, texts))) else "long"


def cell_text(cell: Cell) -> str:
    """The plain text of a cell."""
    return plain_text(*cell.children).strip()
