"""The fields of the entities of a kind as columns of a table, for CSV and SQLite."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.model.json_writer import encode

OWN_COLUMNS = frozenset(
    (
        *("id", "name", "aliases", "tags", "text", "html", "url", "section"),
        *("path", "line", "end_line", "licence_id", "attribution"),
    )
)
"""Columns that every kind has. A field of such a name has the column `field_<name>`."""
MAX_PARTS = 24
"""Parts of an object that are columns of their own; an object with more is one column of JSON."""
MAX_COLUMNS = 1_000
"""Columns of the fields of a kind; SQLite has at most 2,000 in a table. Fields that are more are one column of JSON."""


class Column(NamedTuple):
    """A column with its values, one for each entity."""

    name: str
    keys: tuple[str, ...]
    """The keys that lead to the values in the fields of an entity; empty for all fields."""
    values: list[Any]
    """Texts, numbers, truth values, `None`; lists, and objects that are not divided."""


def field_columns(fields: Sequence[Mapping[str, Any]], names: Iterable[str]) -> list[Column]:
    """The columns of the fields of all entities of a kind. `names`: the fields that come first, in their order.

    An object such as a range is divided: `roll` becomes `roll_min` and `roll_max`.
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
    """The values of a field, or of each part of it if all values are objects with few parts."""
    objects = [value for value in values if value is not None]
    parts = dict.fromkeys(part for value in objects if isinstance(value, dict) for part in value)
    if not parts or len(parts) > MAX_PARTS or not all(isinstance(value, dict) for value in objects):
        yield keys, values
        return
    for part in parts:
        yield from _divided((*keys, part), [None if value is None else value.get(part) for value in values])


def _free_name(keys: tuple[str, ...], taken: set[str]) -> str:
    """The name of a column that no other has; it is taken then. Names that differ in case are the same in SQL."""
    name = "_".join(keys)
    while name.lower() in taken:
        name = f"field_{name}"
    taken.add(name.lower())
    return name


def plain_value(value: Any) -> Any:
    """A value for one cell: lists and objects are JSON."""
    return encode(value).decode() if isinstance(value, list | dict) else value
