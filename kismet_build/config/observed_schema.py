"""Infer a schema that describes the values of a field: their choices, bounds and types.

The schema describes the notes and does not restrict them: each build computes it from the values.
docs/decisions/0010-found-kinds.md has more.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from kismet_build.config.data_file import schema_validator
from kismet_build.model.text_normalization import slug

MIN_NUMBERS = 5
"""Minimum number of numeric values of a field with bounds. The values must not all be equal."""
MIN_TEXTS = 4
"""Minimum number of strings among the values of a field with choices."""
MAX_CHOICES = 12
"""Maximum number of choices of a field."""
MAX_CHOICE_LENGTH = 40
"""Maximum number of characters in a choice."""
OF_PARTS = frozenset(("properties", "required", "additionalProperties", "items"))
"""Keywords of JSON Schema about the parts of a value."""
ANNOTATIONS = frozenset(("title", "description", "type", "x-refers", "x-unit"))
"""Keywords that stay in a schema if a value does not fit the other ones."""
TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
"""The names of JSON Schema for the types of plain data."""


FORMATS = {
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "dice": re.compile(r"\d*(?:[dD](?:\d+|%)|W(?:4|6|8|10|12|20|30|100))(?:\s*[-+×x*]\s*\d+)?"),
}
"""The pattern of each supported value of `format`."""


def observed_schema(schema: Mapping[str, Any], values: Iterable[Any]) -> dict[str, Any]:
    """A schema that accepts these values and describes them at each depth.

    Recurring strings become choices, and numbers get bounds. Keywords already in the schema are widened or dropped if a
    value does not fit them.
    """
    present = [value for value in values if value is not None]
    observed = _with_bounds(dict(schema), present)
    if isinstance(parts := schema.get("properties"), Mapping):
        objects = [value for value in present if isinstance(value, Mapping)]
        observed["properties"] = {
            name: observed_schema(part, [value.get(name) for value in objects]) for name, part in parts.items()
        }
    if isinstance(items := schema.get("items"), Mapping):
        inside = [item for value in present if isinstance(value, list) for item in value]
        observed["items"] = observed_schema(items, inside)
    return _with_choices(_admitting(observed, present), present)


def choices(texts: Sequence[str]) -> list[str]:
    """The choices of a field that has these strings as values; empty if the strings are unsuitable."""
    numbers = Counter(texts)
    recurring = sum(number > 1 for number in numbers.values())
    if len(texts) < MIN_TEXTS or len(numbers) > min(MAX_CHOICES, len(texts) / 2, 2 * recurring):
        return []
    # The value of a text with inline code has only the words, which the schema would not list.
    are_short = all(0 < len(text) <= MAX_CHOICE_LENGTH and "`" not in text for text in numbers)
    # A choice is found by its slug, so two texts with the same slug cannot be choices.
    are_clear = are_short and len({slug(text) for text in numbers}) == len(numbers)
    return sorted(numbers) if are_clear else []


def has_other_format(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a value is a string that does not have the `format` of a schema, which JSON Schema validators do not
    check.
    """
    form = FORMATS.get(schema.get("format", ""))
    return form is not None and isinstance(value, str) and form.fullmatch(value) is None


def _with_bounds(schema: dict[str, Any], present: Sequence[Any]) -> dict[str, Any]:
    types = schema.get("type", "number")
    numbers = [value for value in present if type(value) in (int, float) and isfinite(value)]
    if not numbers or {"integer", "number"}.isdisjoint(types if isinstance(types, list) else [types]):
        return schema
    low, high = min(numbers), max(numbers)
    are_bounds = len(numbers) >= MIN_NUMBERS and low < high
    if are_bounds or "minimum" in schema:
        schema["minimum"] = min(schema.get("minimum", low), low)
    if are_bounds or "maximum" in schema:
        schema["maximum"] = max(schema.get("maximum", high), high)
    return schema


def _with_choices(schema: dict[str, Any], present: Sequence[Any]) -> dict[str, Any]:
    types = schema.get("type")
    asserted = {key for key in schema if not key.startswith("x-") or key == "x-refers"}
    if types not in ("string", ["string", "null"]) or not asserted <= {"title", "description", "type"}:
        return schema
    found = choices(present)
    if not found:
        return schema
    described = {key: value for key, value in schema.items() if key != "type"}
    of_texts = {"type": "string", "enum": found}
    return described | (of_texts if types == "string" else {"anyOf": [of_texts, {"type": "null"}]})


def _admitting(schema: dict[str, Any], present: list[Any]) -> dict[str, Any]:
    """The schema, widened as far as these values need. The parts of the values are not tested."""
    if any(has_other_format(schema, value) for value in present):
        schema = {key: value for key, value in schema.items() if key != "format"}
    misfits = _misfits(schema, present)
    if not misfits:
        return schema
    known = [schema["const"]] if "const" in schema else schema.get("enum")
    wider = {key: value for key, value in schema.items() if key != "const"}
    if "anyOf" in schema:
        with_choices = [option for option in schema["anyOf"] if "enum" in option][:1]
        others = [option for option in schema["anyOf"] if option not in with_choices]
        wider["anyOf"] = [*(_admitting(option, misfits) for option in with_choices or [{"enum": []}]), *others]
    elif known is not None:
        wider["enum"] = [*known, *(value for position, value in enumerate(misfits) if value not in misfits[:position])]
    if "type" in schema:
        wider["type"] = _with_types(schema["type"], misfits)
    if not _misfits(wider, misfits):
        return wider
    return {key: value for key, value in wider.items() if key in ANNOTATIONS or key in OF_PARTS}


def _misfits(schema: Mapping[str, Any], values: list[Any]) -> list[Any]:
    own = {key: value for key, value in schema.items() if key not in OF_PARTS}
    if schema_validator({"items": own})(values):
        return []  # one test for all values: nearly always, all of them fit
    fits = schema_validator(own)
    return [value for value in values if not fits(value)]


def _with_types(types: Any, values: Iterable[Any]) -> Any:
    names = dict.fromkeys(types if isinstance(types, list) else [types])
    for value in values:
        name = TYPE_NAMES[type(value)]
        if name != "integer" or "number" not in names:
            names[name] = None
    return [*names] if len(names) > 1 else types
