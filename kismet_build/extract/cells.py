"""Type the cells of tables: numbers, ranges and dice, in addition to the printed text."""

from collections.abc import Mapping
from typing import Any

from kismet_build.extract.value import read_quantity
from kismet_build.mechanics.dice.find import may_contain_dice, read_notation, with_english_dice
from kismet_build.model.book import Outline
from kismet_build.model.language import Language
from kismet_build.model.nodes import Cell, plain_text
from kismet_build.model.source import Span

CellValue = int | float | Mapping[str, Any] | None
"""A number, a range `{"min": 1, "max": 3}`, dice `{"dice": "2d6"}`, or `None` for any other text."""

TypedCells = Mapping[Span, tuple[tuple[CellValue, ...], ...]]
"""The typed values of the rows of each table, by the span of the table."""
MAX_LENGTH = 40
"""Maximum length of a cell that may be a number, range or dice, in characters."""


def type_cells(outline: Outline, language: Language) -> TypedCells:
    """The typed values of the rows of each table. Tables without typed values are left out."""
    typed = {
        table.span: tuple(tuple(_value(cell, language) for cell in row.cells) for row in table.rows)
        for section in outline.sections
        for table in section.tables
    }
    return {span: rows for span, rows in typed.items() if any(value is not None for row in rows for value in row)}


def _value(cell: Cell, language: Language) -> CellValue:
    text = plain_text(*cell.children).strip()
    if len(text) > MAX_LENGTH or not any(map(str.isnumeric, text)):
        return None
    if (quantity := read_quantity(text, language)) is not None:
        return quantity
    code = with_english_dice(text, language)
    notation = read_notation(code) if may_contain_dice(code) else ""
    return {"dice": notation} if notation else None
