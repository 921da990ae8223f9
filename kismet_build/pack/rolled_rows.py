"""Find the rows of a table that a dice code rolls on."""

from collections.abc import Iterator
from typing import NamedTuple

from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model.nodes import (
    Table,
    plain_text,
)
from kismet_build.model.text_normalization import normalize

MAX_ROLLED_CHARACTERS = 20_000
"""Maximum number of characters of table rows on a page for one dice code. A code for a longer table is only a link."""
ROW_OVERHEAD = 10
"""Number of characters in each table row besides its words."""


def find_column(table: Table, name: str) -> int | None:
    """The index of the column with this header, ignoring case, or `None`."""
    header = [normalize(plain_text(cell).strip()) for cell in table.header.cells]
    return header.index(normalize(name)) if normalize(name) in header else None


class RolledRow(NamedTuple):
    """A row that a dice code may show."""

    words: str
    ends: tuple[int, ...]
    """The lowest and the highest result of each range of the row, one range after the other."""


class RolledRows(NamedTuple):
    """The rows that a dice code for a table may show."""

    notation: str
    rows: tuple[RolledRow, ...]

    @property
    def is_too_long(self) -> bool:
        """Whether the text is too long for one code on a page, so the code is only a link."""
        return sum(len(row.words) + ROW_OVERHEAD for row in self.rows) > MAX_ROLLED_CHARACTERS


def rolled_rows(table: Table, roll_table: RollTable, column: str) -> Iterator[RolledRow]:
    """The rows that a roll on a table may show. `column` is the title of the column to show; empty for all columns."""
    titles = [normalize(plain_text(*cell.children).strip()) for cell in table.header.cells]
    starts = sorted({part.column for row in roll_table.rows for part in row})
    named = [place for place, title in enumerate(titles) if column and title == normalize(column)]
    if roll_table.is_parallel:
        # Only one column of results is used; it applies to all cells without results.
        starts = [place for place in named if place in starts][:1] or starts[:1]
        named = [place for place in named if place not in roll_table.columns]
    for start in starts:
        # Each column of results applies to the cells up to the next one.
        end = next((later for later in starts if later > start), len(titles))
        shown = [place for place in range(start + 1, end) if place not in roll_table.columns]
        if named:
            shown = [next((place for place in named if start <= place < end), named[0])]
        for row, ranges in zip(table.rows, roll_table.rows, strict=True):
            words = " · ".join(filter(None, (plain_text(*row.cells[place].children).strip() for place in shown)))
            if ends := tuple(end for part in ranges if part.column == start for end in roll_table.ends(part)):
                yield RolledRow(words or "—", ends)
