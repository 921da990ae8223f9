"""Each kind and each printed table as CSV.

Files are UTF-8 without a byte order mark, with commas, line feeds, and quotes where needed. No value is changed, even
if a spreadsheet might take it for a formula: `-2` is a number in the rules.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, NamedTuple

from kismet_build.extensions.packages.archive import rights
from kismet_build.model.json_writer import encode
from kismet_build.model.text_normalization import folder_name
from kismet_build.output.finished_data import FinishedData

# --- columns, which SQLite also has

OWN_COLUMNS = frozenset(
    (
        *("id", "name", "aliases", "tags", "text", "html", "url", "section"),
        *("path", "line", "end_line", "licence_id", "attribution"),
    )
)
"""Columns for everything but the fields. A field with one of these names gets the column `field_<name>`."""
MAX_PARTS = 24
"""Maximum number of parts of an object that is divided into columns.

An object with more parts is one column of JSON.
"""
MAX_COLUMNS = 1_000
"""Maximum number of field columns; SQLite allows 2,000 columns in a table.

If a kind has more, one JSON column has all fields.
"""


class Column(NamedTuple):
    """A column with one value for each entity."""

    name: str
    keys: tuple[str, ...]
    """The keys that lead to the values in an entity's fields; empty for the fields as a whole."""
    values: list[Any]
    """The values: strings, numbers, booleans, `None`, lists, and objects that are not divided."""


def field_columns(fields: Sequence[Mapping[str, Any]], names: Iterable[str]) -> list[Column]:
    """The columns for the fields of all entities of a kind.

    `names` are the fields that come first, in order. Objects such as ranges are divided: `roll` becomes `roll_min` and
    `roll_max`.
    """
    ordered = dict.fromkeys((*names, *(name for of_entity in fields for name in of_entity)))
    columns: list[Column] = []
    taken = set(OWN_COLUMNS)
    for name in ordered:
        values = [of_entity.get(name) for of_entity in fields]
        for keys, part in _divided((name,), values):
            columns.append(Column(_free_name(keys, taken), keys, part))
    if len(columns) > MAX_COLUMNS:
        return [Column("fields", (), [*fields])]
    return columns


def _divided(keys: tuple[str, ...], values: list[Any]) -> Iterable[tuple[tuple[str, ...], list[Any]]]:
    """The values of a field or, if all of them are objects with few parts, of each part."""
    objects = [value for value in values if value is not None]
    parts = dict.fromkeys(part for value in objects if isinstance(value, dict) for part in value)
    if not parts or len(parts) > MAX_PARTS or not all(isinstance(value, dict) for value in objects):
        yield keys, values
        return
    for part in parts:
        yield from _divided((*keys, part), [None if value is None else value.get(part) for value in values])


def _free_name(keys: tuple[str, ...], taken: set[str]) -> str:
    """An unused column name, which is added to `taken`. In SQL, names that differ only in case are the same."""
    name = "_".join(keys)
    while name.lower() in taken:
        name = f"field_{name}"
    taken.add(name.lower())
    return name


def plain_value(value: Any) -> Any:
    """A value for one cell: lists and objects become JSON."""
    return encode(value).decode() if isinstance(value, list | dict) else value


MAX_FILE_NAME = 200
"""Maximum length of a file name without its suffix; systems allow about 255."""


def export(data: FinishedData) -> Iterator[tuple[str, bytes]]:
    """Each kind and each printed table as CSV."""
    for kind, entities in data.pack["entities"].items():
        yield f"csv/{kind}.csv", kind_csv(entities, data.fields(kind), rights(data.pack))
    for table in data.pack["tables"]:
        yield f"csv/tables/{_file_name(table['id'])}.csv", table_csv(table)


def _file_name(table_id: str) -> str:
    """The end of a table's id, shortened if necessary: it may contain a long heading."""
    name = table_id.rpartition("/")[2]
    return name if len(name) <= MAX_FILE_NAME else folder_name(name)


def kind_csv(entities: Sequence[Mapping[str, Any]], schemas: Mapping[str, Any], rights: Mapping[str, str]) -> bytes:
    """The entities of a kind as CSV. `schemas` are those of the kind's fields, in order.

    The header has the unit of numbers, unless the name of the column has it.

    `rights` are members to add to each record.
    """
    columns = field_columns([entity["fields"] for entity in entities], schemas)
    titles = [f"{column.name} ({unit})" if (unit := _unit(column, schemas)) else column.name for column in columns]
    header = ["id", "name", "aliases", "tags", *titles, "text", "url", *rights]
    rows = (
        [
            *(entity["id"], entity["name"], entity["aliases"], entity.get("tags", [])),
            *(column.values[number] for column in columns),
            *(entity["text"], entity["url"], *rights.values()),
        ]
        for number, entity in enumerate(entities)
    )
    return _csv_file((header, *rows))


def _unit(column: Column, schemas: Mapping[str, Any]) -> str:
    unit, below = "", schemas
    for key in column.keys:
        schema = below.get(key, {})
        unit, below = schema.get("x-unit", unit), schema.get("properties", {})
    return "" if unit.casefold() in column.name.replace("_", " ") else unit


def table_csv(table: Mapping[str, Any]) -> bytes:
    """A table as CSV, as it is printed."""
    return _csv_file((table["columns"], *table["rows"]))


def _csv_file(rows: Iterable[Sequence[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cells, rows))
    return text.getvalue().encode()


def _cells(row: Iterable[Any]) -> list[str]:
    return [_cell(plain_value(value)) for value in row]


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)
