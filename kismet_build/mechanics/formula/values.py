"""Check and compare the values of formulas, and read the fields of records."""

from collections.abc import Mapping, Sequence
from typing import Any

from .tree import MAX_NUMBER, FormulaError, Value, plain_number


def is_number(value: Value) -> bool:
    """Whether a value is a number, and not a boolean."""
    return type(value) is float or type(value) is int  # not `isinstance`: a bool is an instance of int


def equal(left: Value, right: Value) -> bool:
    """Whether two strings, numbers, booleans or `None` are equal, or two records are the same entity."""
    if type(left) is str:
        return bool(left == right)
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return isinstance(left.get("id"), str) and left["id"] == right.get("id")
    return isinstance(left, str | bool | None) and type(left) is type(right) and left == right


def check_number(value: float, at: int) -> float:
    """Return a number as a double. Raises `FormulaError` if it is beyond `MAX_NUMBER` or is NaN."""
    if not -MAX_NUMBER <= value <= MAX_NUMBER:  # also true for NaN
        raise FormulaError("large", f"this number exceeds {MAX_NUMBER:,}", at)
    return float(value) + 0.0  # -0.0 becomes 0.0


def check_value(value: Value, at: int) -> Value:
    """Check a number as `check_number` does; return any other value unchanged."""
    return check_number(value, at) if type(value) is float or type(value) is int else value


def require_number(value: Value, at: int) -> float:
    """Return a number as a double. Raises `FormulaError` for any other value, and for a number beyond `MAX_NUMBER`."""
    if type(value) is float and -MAX_NUMBER <= value <= MAX_NUMBER:
        return value + 0.0
    if not is_number(value):
        raise FormulaError("type", "this must be a number", at)
    return check_number(value, at)


def require_boolean(value: Value, at: int) -> bool:
    """Return a boolean. Raises `FormulaError` for any other value."""
    if not isinstance(value, bool):
        raise FormulaError("type", "this must be true or false", at)
    return value


def require_list(value: Value, at: int) -> list[Value]:
    """Return a list. Raises `FormulaError` for any other value."""
    if not isinstance(value, list | tuple):
        raise FormulaError("type", "this must be a list", at)
    return list(value)


def is_dice(value: Value) -> bool:
    """Whether a value is dice with their odds."""
    return isinstance(value, Mapping) and value.get("node") == "dice"


def get_field(value: Value, name: str, at: int) -> Value:
    """The field of a record. For a list of records, it is a flat list of the field's values in all of them."""
    if isinstance(value, Mapping) and not is_dice(value):
        return value.get(name)
    values: list[Value] = []
    for record in require_list(value, at):
        if not isinstance(record, Mapping):
            raise FormulaError("type", "this must be a list of entries with fields", at)
        item = record.get(name)
        values.extend(item if isinstance(item, list | tuple) else [] if item is None else [item])
    return values


def matches(field: Value, value: Value) -> bool:
    """Whether a field equals a value, or is a range that contains it. The `max` of a range may be none."""
    if isinstance(field, Mapping) and is_number(field.get("min")) and is_number(value):
        last = value if field.get("max") is None else field["max"]
        if is_number(last):
            return bool(field["min"] <= value <= last)
    return equal(field, value)


def filter_records(value: Value, wanted: list[tuple[str, Value]], at: int) -> list[Value]:
    """The records of a list that match every pair of a field name and a wanted value.

    A list in a field matches if any of its items does; a list of wanted values matches if any of them does.
    """
    conditions = [(name, values if isinstance(values, list | tuple) else (values,)) for name, values in wanted]
    filtered = []
    for record in require_list(value, at):
        if conditions and type(record) is not dict and not isinstance(record, Mapping):
            raise FormulaError("type", "this must be a list of entries with fields", at)
        for name, values in conditions:
            if not _matches_any(record.get(name), values):
                break
        else:
            filtered.append(record)
    return filtered


def _matches_any(field: Value, values: Sequence[Value]) -> bool:
    if field is None or type(field) is str:
        return field in values  # `in` is exact for these: a string or `None` equals nothing else
    items = field if isinstance(field, list | tuple) else (field,)
    return any(equal(item, value) for item in items for value in values)


def to_plain_value(value: Value) -> Any:
    """Convert a value for output: an entity to its id, dice to their notation, a whole number to `int`."""
    match value:
        case bool() | str() | None:
            return value
        case int() | float():
            return plain_number(float(value))
        case {"node": "dice", "expression": expression}:
            return expression
        case {"id": str() as entity_id}:
            return entity_id
        case Mapping():
            return {key: to_plain_value(item) for key, item in value.items()}
        case _:
            return [to_plain_value(item) for item in value]
