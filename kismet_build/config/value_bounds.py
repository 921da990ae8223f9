"""The smallest and the greatest of the numbers that occur in a field, as bounds in its schema."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

MIN_NUMBERS = 5
"""Fewest numbers in a field from which it has bounds. They must not all be equal."""


def with_bounds(schema: Mapping[str, Any], values: Iterable[Any]) -> dict[str, Any]:
    """A schema with `minimum` and `maximum` at each depth, so that it admits all these values.

    Bounds that the schema has become wider where a value is outside.
    """
    present = [value for value in values if value is not None]
    changes: dict[str, Any] = {}
    if _admits_numbers(schema):
        numbers = [value for value in present if type(value) in (int, float) and isfinite(value)]
        changes = _bounds(schema, numbers)
    if isinstance(parts := schema.get("properties"), Mapping):
        objects = [value for value in present if isinstance(value, Mapping)]
        changes["properties"] = {
            name: with_bounds(part, [value.get(name) for value in objects]) for name, part in parts.items()
        }
    if isinstance(items := schema.get("items"), Mapping):
        changes["items"] = with_bounds(items, [item for value in present if isinstance(value, list) for item in value])
    return {**schema, **changes}


def _admits_numbers(schema: Mapping[str, Any]) -> bool:
    types = schema.get("type", "number")
    return not {"integer", "number"}.isdisjoint(types if isinstance(types, list) else [types])


def _bounds(schema: Mapping[str, Any], numbers: Sequence[float]) -> dict[str, Any]:
    if not numbers:
        return {}
    low, high = min(numbers), max(numbers)
    if len(numbers) >= MIN_NUMBERS and low < high:
        return {"minimum": min(schema.get("minimum", low), low), "maximum": max(schema.get("maximum", high), high)}
    written = {}
    if "minimum" in schema:
        written["minimum"] = min(schema["minimum"], low)
    if "maximum" in schema:
        written["maximum"] = max(schema["maximum"], high)
    return written
