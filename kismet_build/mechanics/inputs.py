"""Read and check the values of a calculator's inputs, and replace names of entities with records.

`site/assets/inputs.js` has the same rules. Python packages contain an unchanged copy of this file.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any, Literal, Protocol

from ..model.suggestion import choose_from
from ..model.text_normalization import normalize
from .formula.tree import Value, plain_number

TRUE_WORDS = frozenset(("yes", "true", "1"))
FALSE_WORDS = frozenset(("no", "false", "0"))

Fault = Literal[
    "unknown-input", "wrong-type", "out-of-range", "not-whole", "off-step", "unknown-option", "unknown-entity"
]
"""Why a value is refused, as a code for programs. docs/CONTRACT.md lists these codes."""
STEP_TOLERANCE = 1e-6
"""Allowed distance from a valid value, as a fraction of a step: in binary, 0.3 is not exactly three times 0.1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRule:
    """Which values an input of a calculator accepts."""

    name: str
    label: str
    group: str = ""
    """The heading of adjacent inputs with the same group in a form, or an empty string."""
    type: Literal["integer", "number", "boolean", "choice", "entity"]
    unit: str = ""
    """A unit of `schemas/calculator.schema.json`; empty for a plain number."""
    low: float | None = None
    """The minimum; `None` unless the input is a number."""
    high: float | None = None
    """The maximum; `None` unless the input is a number."""
    step: float | None = None
    """The distance between valid values, counted from `low`; `None` if every number in the range is valid."""
    default: Any
    """A number, a boolean, an option, or `slug` or `kind/slug` of an entity; a sequence of these if `many`."""
    options: tuple[str, ...] = ()
    """The options of a choice."""
    kinds: tuple[str, ...] = ()
    """The kinds of an entity."""
    many: bool = False
    """Whether the value of the input is a list, which may be empty."""


class InputError(Exception):
    """An invalid value for an input; the message names the input and its valid values.

    The npm package refuses the same values with the same code and message.
    """

    def __init__(self, code: Fault, name: str, message: str, hint: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.code: Fault = code
        self.name = name
        self.hint = hint


class Named(Protocol):
    """Entities that an input can pick, by name."""

    @property
    def entities(self) -> Mapping[str, Sequence[dict[str, Any]]]:
        """Entities by kind, in text order, as records for formulas."""

    @property
    def aliases(self) -> Mapping[str, Sequence[str]]:
        """Other names of entities, by id."""

    @property
    def kind_titles(self) -> Mapping[str, str]:
        """Titles by kind."""


def is_valid_input(definition: InputRule, value: Any) -> bool:
    """Whether a value, as in a data file, is valid for an input. Does not check that an entity exists."""
    return all(input_fault(definition, part) is None for part in input_values(definition, value))


def input_values(definition: InputRule, value: Any) -> Sequence[Any]:
    """The single values in the value of an input. An input with `many` also takes a single value without a list."""
    return value if definition.many and isinstance(value, list | tuple) else (value,)


def input_fault(definition: InputRule, value: Any) -> Fault | None:
    """Why an input cannot take a single value; `None` if it can. Does not check that an entity exists.

    `site/assets/inputs.js` has the same rules.
    """
    match definition.type:
        case "integer" | "number":
            assert definition.low is not None
            assert definition.high is not None
            if not isinstance(value, int | float) or isinstance(value, bool):
                return "wrong-type"
            if not definition.low <= value <= definition.high:
                return "out-of-range"
            if definition.type == "integer" and not float(value).is_integer():
                return "not-whole"
            return (
                None if definition.step is None or _is_on_step(definition.low, definition.step, value) else "off-step"
            )
        case "boolean":
            return None if isinstance(value, bool) else "wrong-type"
        case "choice":
            return None if value in definition.options else "unknown-option"
        case _:
            return None if isinstance(value, str) else "unknown-entity"


def _is_on_step(low: float, step: float, value: float) -> bool:
    count = (value - low) / step
    return abs(count - floor(count + 0.5)) <= STEP_TOLERANCE


def format_literal(value: Any) -> str:
    """Format a value as an author writes it in a data file, for messages."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case list() | tuple():
            return "[" + ", ".join(map(format_literal, value)) + "]"
        case None:
            return "nothing"
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)


def describe_input(definition: InputRule) -> str:
    """Describe the valid values of an input, for messages."""
    match definition.type:
        case "integer" | "number":
            unit = f" {definition.unit}" if definition.unit else ""
            noun = "whole number" if definition.type == "integer" else "number"
            noun = f"any {noun}s" if definition.many else f"a {noun}"
            steps = "" if definition.step in (None, 1) else f", in steps of {format_literal(definition.step)}"
            return f"{noun} from {format_literal(definition.low)} to {format_literal(definition.high)}{unit}{steps}"
        case "boolean":
            return "true or false"
        case "choice":
            return f"{'any' if definition.many else 'one'} of " + ", ".join(definition.options)
        case _:
            return ("names of " if definition.many else "the name of a ") + " or ".join(definition.kinds)


def parse_value(definition: InputRule, text: str) -> Any:
    """Convert a string to a value as in a data file. An invalid value stays a string."""
    if definition.many:
        return [_parse_single(definition, part.strip()) for part in text.split(",") if part.strip()]
    return _parse_single(definition, text.strip())


def _parse_single(definition: InputRule, text: str) -> Any:
    match definition.type:
        case "integer" | "number":
            digits = text.replace("−", "-").replace("–", "-")
            if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", digits, re.ASCII):
                return plain_number(number) if abs(number := float(digits)) < float("inf") else text
            return text
        case "boolean":
            return True if normalize(text) in TRUE_WORDS else False if normalize(text) in FALSE_WORDS else text
        case _:
            return text


def resolve(records: Named, definition: InputRule, value: Any) -> Value:
    """Check a value from a data file, and replace names of entities with their records. Raises `InputError`."""
    values = [_resolve_single(records, definition, part) for part in input_values(definition, value)]
    return values if definition.many else values[0]


def _resolve_single(records: Named, definition: InputRule, value: Any) -> Value:
    if definition.type == "entity":
        return _find_entity(records, definition, value)
    if definition.type == "choice" and isinstance(value, str):
        value = _find_option(definition.options, value)
    if (fault := input_fault(definition, value)) is not None:
        takes = f"{definition.label} takes {describe_input(definition)}"
        raise InputError(fault, definition.name, f"{definition.name} cannot be {format_literal(value)}: {takes}")
    resolved: Value = value
    return resolved


def _find_option(options: Sequence[str], text: str) -> str:
    """The option that a string means. The string may be spelled like an id: `High-Noon` for `high noon`."""

    def key(spelling: str) -> str:
        return normalize(spelling).replace(" ", "-")

    return text if text in options else next((option for option in options if key(option) == key(text)), text)


def _find_entity(records: Named, definition: InputRule, name: Any) -> dict[str, Any]:
    """Find an entity by slug, id, `kind/slug`, name or alias. Raises `InputError`."""
    by_id = {record["id"]: record for kind in definition.kinds for record in records.entities.get(kind, ())}
    for record in by_id.values():
        if name in (record["slug"], record["id"], f"{record['kind']}/{record['slug']}"):
            return record
    ids = dict(_names(records, definition.kinds))
    word = normalize(name) if isinstance(name, str) else ""
    if word in ids:
        return by_id[ids[word]]
    slugs, names = ([record[key] for record in by_id.values()] for key in ("slug", "name"))
    hint = choose_from(name if isinstance(name, str) else "", slugs, names)
    kinds = " or ".join(records.kind_titles[kind] for kind in definition.kinds)
    message = f"{definition.name} cannot be {format_literal(name)}: no {kinds} has this name"
    raise InputError("unknown-entity", definition.name, message, hint)


def _names(records: Named, kinds: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of a normalized name and an entity id, from the lowest to the highest precedence.

    A name takes precedence over an alias of another entity, and an earlier entity over a later one.
    """
    of_kinds = [record for kind in kinds for record in records.entities.get(kind, ())]
    for record in reversed(of_kinds):
        for alias in (*records.aliases[record["id"]], record["slug"]):
            yield normalize(alias), record["id"]
    for record in reversed(of_kinds):
        yield normalize(record["name"]), record["id"]
