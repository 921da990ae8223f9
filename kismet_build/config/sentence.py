"""Read `x-text`: templates for sentences that put the fields of an entity into words.

`{dl}` is the value of a field, `{good.bonus}` the value of a part, `{+steps}` a number with its sign. Words in square
brackets are left out if a field in them has no value. `[open? …]`, `[!open? …]`, `[steps=0? …]` and `[steps!=0? …]` are
left out if the condition does not hold. docs/decisions/0008-vocabulary-of-kinds.md says why there are no loops and
expressions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

NAME = "name"
"""The placeholder for an entity's name, whichever field it comes from."""
MAX_DEPTH = 10
"""Maximum nesting depth of square brackets."""
PLACEHOLDER = re.compile(r"\{(?P<sign>\+?)(?P<path>\w+(?:\.\w+)*)\}")
CONDITION = re.compile(r"(?P<negated>!?)(?P<path>\w+(?:\.\w+)*)(?:(?P<operator>!?=)(?P<value>[^?\[\]{}]*))?\?")
"""The condition at the start of an optional part, after the opening bracket."""


class UnreadableTemplate(ValueError):
    """Raised for a template that cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """The value of a field or part of a field."""

    path: tuple[str, ...]
    signed: bool = False
    """Whether a number is shown with its sign: `+1`, `±0`."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of whether a field has a value that is not false or, if `value` is set, has this value.

    `negated` reverses the test.
    """

    path: tuple[str, ...]
    value: str | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Optional:
    """Words that are left out if the condition does not hold, or if a placeholder among them has no value."""

    condition: Condition | None
    parts: "Template"


Template: TypeAlias = tuple[str | Placeholder | Optional, ...]


def read_template(text: str) -> Template:
    """Parse the text of a template. Raises `UnreadableTemplate`."""
    parts, end = _read(text, 0, 0)
    if end < len(text):
        raise UnreadableTemplate('a "]" has no "["')
    return parts


def paths(template: Template) -> Iterator[tuple[str, ...]]:
    """The paths of the fields that a template names."""
    for part in template:
        match part:
            case Placeholder():
                yield part.path
            case Optional():
                if part.condition:
                    yield part.condition.path
                yield from paths(part.parts)


def conditions(template: Template) -> Iterator[Condition]:
    """The conditions in a template."""
    for part in template:
        if isinstance(part, Optional):
            yield from (part.condition,) if part.condition else ()
            yield from conditions(part.parts)


def _read(text: str, start: int, depth: int) -> tuple[Template, int]:
    """The parts from `start` to the next unmatched `]` or the end of the text, and the offset of their end."""
    if depth > MAX_DEPTH:
        raise UnreadableTemplate(f"brackets are nested more than {MAX_DEPTH} deep")
    parts: list[str | Placeholder | Optional] = []
    position = start
    while position < len(text) and text[position] != "]":
        match text[position]:
            case "[":
                condition = CONDITION.match(text, position + 1)
                inner, position = _read(text, condition.end() if condition else position + 1, depth + 1)
                if position == len(text):
                    raise UnreadableTemplate('a "[" is never closed')
                parts.append(Optional(_condition(condition) if condition else None, inner))
                position += 1
            case "{":
                placeholder = PLACEHOLDER.match(text, position)
                if not placeholder:
                    raise UnreadableTemplate("write a field name in braces, as in {dl}, {good.bonus} or {+steps}")
                parts.append(Placeholder(tuple(placeholder["path"].split(".")), bool(placeholder["sign"])))
                position = placeholder.end()
            case "}":
                raise UnreadableTemplate('a "}" has no "{"')
            case _:
                end = min(found for sign in "[]{}" if (found := (text + "[]{}").find(sign, position)) >= 0)
                parts.append(text[position:end])
                position = end
    return tuple(parts), position


def _condition(found: re.Match[str]) -> Condition:
    is_negated = bool(found["negated"]) != (found["operator"] == "!=")
    value = found["value"]
    return Condition(tuple(found["path"].split(".")), None if value is None else value.strip(), is_negated)
