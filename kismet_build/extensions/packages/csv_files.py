"""Each kind and each printed table as CSV.

Files are UTF-8 without a byte order mark, with commas, line feeds, and quotes where needed. No value is changed, even
if a spreadsheet might take it for a formula: `-2` is a number in the rules.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any

from kismet_build.extensions.packages.columns import Column, field_columns, plain_value
from kismet_build.extensions.packages.rights import rights
from kismet_build.model.text_normalization import folder_name
from kismet_build.output.finished_data import FinishedData

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
