"""CSV of a bundle: a file for each kind, and one for each printed table.

UTF-8 without a byte order mark; commas, quotes where they are needed, line feeds. No value is changed, also none that a
spreadsheet would take for a formula: `-2` is a number of the rules.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from kismet_build.render.data.columns import field_columns, plain_value


def kind_csv(entities: Sequence[Mapping[str, Any]], names: Iterable[str], rights: Mapping[str, str]) -> bytes:
    """The entities of a kind. `names`: of its fields, in their order. `rights`: members that each record has."""
    columns = field_columns([entity["fields"] for entity in entities], names)
    header = ["id", "name", "aliases", "tags", *(column.name for column in columns), "text", "url", *rights]
    rows = (
        [
            *(entity["id"], entity["name"], entity["aliases"], entity.get("tags", [])),
            *(column.values[number] for column in columns),
            *(entity["text"], entity["url"], *rights.values()),
        ]
        for number, entity in enumerate(entities)
    )
    return _csv_file((header, *rows))


def table_csv(table: Mapping[str, Any]) -> bytes:
    """A table as it is printed."""
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
