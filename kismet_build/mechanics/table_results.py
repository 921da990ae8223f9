"""The results of a roll that a printed table lists, from its data in `pack.json`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class TableResult(NamedTuple):
    """Results of a roll that lead to a row."""

    row: int
    place: int
    """The position among the results of its row."""
    column: int
    """The position of the column that lists them."""
    low: int | None
    high: int | None
    """The highest result; `None` if the row has no upper limit."""

    def contains(self, result: int) -> bool:
        """Whether a result of the roll is one of these."""
        return (self.low is None or self.low <= result) and (self.high is None or result <= self.high)


def results_of(table: Mapping[str, Any]) -> Iterator[TableResult]:
    """The results that lead to each row, in their order."""
    columns = table.get("range_columns")
    for row, ranges in enumerate(table["ranges"]):
        for place, part in enumerate(ranges):
            yield TableResult(row, place, columns[row][place] if columns else 0, part["min"], part["max"])


def have_own_rolls(columns: Sequence[int]) -> bool:
    """Whether each of the columns with results is for a roll of its own: they are next to each other.

    Columns with other columns between them continue each other.
    """
    return 1 in columns


def decided_columns(count: int, column: int, columns: Sequence[int]) -> list[int]:
    """The columns that a result decides: those up to the next one with results, or all others if each has its own roll.

    `count`: the number of columns of the table; `column`: the one that lists the result; `columns`: all that do.
    """
    if have_own_rolls(columns):
        return [other for other in range(count) if other not in columns]
    return [*range(column + 1, next((other for other in columns if other > column), count))]
