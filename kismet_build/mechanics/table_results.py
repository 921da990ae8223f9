"""The results of a roll that a printed table lists, read from the table's data in `pack.json`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class TableResult(NamedTuple):
    """Results of a roll that lead to a row."""

    row: int
    place: int
    """The position among the results of the same row."""
    column: int
    """The position of the column that lists the results."""
    low: int | None
    high: int | None
    """The highest result; `None` if the row has no upper limit."""

    def contains(self, result: int) -> bool:
        """Whether a result of the roll is one of these results."""
        return (self.low is None or self.low <= result) and (self.high is None or result <= self.high)


def results_of(table: Mapping[str, Any]) -> Iterator[TableResult]:
    """For each row of the table, the results that lead to it."""
    columns = table.get("range_columns")
    for row, ranges in enumerate(table["ranges"]):
        for place, part in enumerate(ranges):
            yield TableResult(row, place, columns[row][place] if columns else 0, part["min"], part["max"])


def have_own_rolls(columns: Sequence[int]) -> bool:
    """Whether each column with results is for a roll of its own.

    Adjacent columns with results are for separate rolls. Columns with results continue each other if there are other
    columns between them.
    """
    return 1 in columns


def decided_columns(count: int, column: int, columns: Sequence[int]) -> list[int]:
    """The columns in which a result chooses a cell.

    They are those up to the next column with results or, if each such column has its own roll, all columns without
    results. `count` is the number of columns of the table, `column` the one that lists the result, `columns` all
    columns with results.
    """
    if have_own_rolls(columns):
        return [other for other in range(count) if other not in columns]
    return [*range(column + 1, next((other for other in columns if other > column), count))]
