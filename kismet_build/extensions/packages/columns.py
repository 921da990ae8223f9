"""The fields of a kind's entities as table columns, for CSV and SQLite."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.model.json_writer import encode

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
