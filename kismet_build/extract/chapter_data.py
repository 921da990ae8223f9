"""Data of a chapter that belongs to no entity: typed cells of its tables, and its properties."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kismet_build.extract.note_shape import field_key
from kismet_build.extract.property_texts import property_texts, property_words
from kismet_build.extract.value import read_quantity
from kismet_build.mechanics.dice.find import may_contain_dice, read_notation, with_english_dice
from kismet_build.model.book import Outline
from kismet_build.model.language import Language
from kismet_build.model.nodes import Cell, Document, Table, plain_text
from kismet_build.model.source import Span
from kismet_build.pack import Entity

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


def chapter_properties(document: Document, entities: Sequence[Entity], machine: frozenset[str]) -> Mapping[str, Any]:
    """The front matter of a document with field keys, and with words in place of Markdown.

    Empty if the whole document is an entity, or if it is AsciiDoc, whose attributes are settings for the converter.
    `machine`: the field keys of properties to leave out.
    """
    if document.dialect == "asciidoc" or any(entity.is_document for entity in entities):
        return {}
    properties = {key: value for key, value in document.metadata.items() if field_key(key) not in machine}
    result: Mapping[str, Any] = _with_field_keys(property_words(properties, property_texts(document)))
    return result


def _with_field_keys(value: Any) -> Any:
    """A value in which the keys of maps are field keys. If two keys become equal, the second stays as typed."""
    if isinstance(value, list):
        return [_with_field_keys(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    result: dict[str, Any] = {}
    for typed, item in value.items():
        key = field_key(typed)
        result[typed if not key or key in result else key] = _with_field_keys(item)
    return result
