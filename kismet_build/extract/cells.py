"""Type the cells of tables: numbers, ranges and dice, in addition to the printed text."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kismet_build.extract.value import read_quantity
from kismet_build.mechanics.dice.find import may_contain_dice, read_notation, with_english_dice
from kismet_build.model.book import Outline
from kismet_build.model.language import Language
from kismet_build.model.nodes import Cell, Table, plain_text
from kismet_build.model.source import Span

CellValue = int | float | Mapping[str, Any] | None
"""A number, a range `{"min": 1, "max": 3}`, dice `{"dice": "2d6"}`, or `None` for any other text."""

TypedCells = Mapping[Span, tuple[tuple[CellValue, ...], ...]]
"""The typed values of the rows of each table, by the span of the table."""
NUMBERS = re.compile(r"[0-9]{1,4}(?:, ?[0-9]{1,4})+")
MAX_LENGTH = 40
"""Maximum length of a cell that may be a number, range or dice, in characters."""


def type_cells(outline: Outline, language: Language) -> TypedCells:
    """The typed values of the rows of each table. Tables without typed values are left out."""
    typed = {
        table.span: tuple(_typed_rows(table, language)) for section in outline.sections for table in section.tables
    }
    return {span: rows for span, rows in typed.items() if any(value is not None for row in rows for value in row)}


def _typed_rows(table: Table, language: Language) -> Iterator[tuple[CellValue, ...]]:
    """The values of the rows. `1,2` is two numbers in a column with ranges, not one with a decimal comma."""
    rows = [[_value(cell, language) for cell in row.cells] for row in table.rows]
    with_ranges = {at for row in rows for at, value in enumerate(row) if isinstance(value, dict) and "min" in value}
    for row, values in zip(table.rows, rows, strict=True):
        for at in with_ranges.intersection(range(len(values))):
            text = plain_text(*row.cells[at].children).strip()
            if isinstance(values[at], float) and NUMBERS.fullmatch(text):
                first, *_, last = map(int, text.split(","))
                values[at] = {"min": first, "max": last}
        yield tuple(values)


def _value(cell: Cell, language: Language) -> CellValue:
    text = plain_text(*cell.children).strip()
    if len(text) > MAX_LENGTH or not any(map(str.isnumeric, text)):
        return None
    if (quantity := read_quantity(text, language)) is not None:
        return quantity
    code = with_english_dice(text, language)
    notation = read_notation(code) if may_contain_dice(code) else ""
    return {"dice": notation} if notation else None
