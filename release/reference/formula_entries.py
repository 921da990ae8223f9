"""Descriptions of all functions and operators of formulas, for the manual and hints."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from kismet_build.mechanics.formula import functions
from kismet_build.mechanics.formula.functions import form


class Entry(NamedTuple):
    """The description of a function or operator."""

    form: str
    """The syntax: `chance(dice, target)`."""
    meaning: str
    arguments: Mapping[str, str]
    """The meaning of each argument, by its name in `form`."""
    examples: tuple[str, ...]
    """Formulas over `EXAMPLE_SCOPE` and `EXAMPLE_ENTITIES`; the manual shows their values."""


EXAMPLE_SCOPE: Mapping[str, Any] = {"level": 7, "armed": True, "path": "river"}
"""The inputs that examples use."""
EXAMPLE_ENTITIES: Mapping[str, list[dict[str, Any]]] = {
    "weapon": [
        {"id": "game/weapon/knife", "slug": "knife", "name": "Knife", "weight": 1, "tags": ["light"]},
        {"id": "game/weapon/hammer", "slug": "hammer", "name": "Hammer", "weight": 9, "tags": ["heavy"]},
    ],
    "rank": [
        {"id": "game/rank/low", "slug": "low", "name": "Low", "levels": {"min": 1, "max": 5}, "bonus": 1},
        {"id": "game/rank/high", "slug": "high", "name": "High", "levels": {"min": 6, "max": None}, "bonus": 3},
    ],
}
"""The entities that examples use, as records by kind."""

_TWO = {"a": "a number", "b": "a number of the same unit"}

SPECIAL_FUNCTIONS: Mapping[str, Entry] = {
    "dice": Entry(
        "dice(expression)",
        "Dice with their odds, for `chance` and `mean`. The expression must be written out, not taken from an input; "
        "use `if` to choose between dice.",
        {"expression": "dice in [dice notation](dice.md), in quotation marks; at most 1,000 different results"},
        ('mean(dice("4d6kh3"))', 'chance(if armed then dice("1d10") else dice("1d6"), 5)'),
    ),
    "lookup": Entry(
        "lookup(kind, value)",
        "The entity of a kind whose slug is the value, or whose first field with numbers or ranges fits it. With a "
        "field name before the value, as in `lookup(rank, levels = 7)`, the entity whose field has the value, or is a "
        "range that contains it. If no entity fits, the calculator has no result.",
        {
            "kind": "the id of a kind, with `_` for `-`; without quotation marks",
            "value": "a text or a number; or a field, `=` and its value",
        },
        ("lookup(rank, levels = level).bonus", 'lookup(weapon, "hammer").weight'),
    ),
    "where": Entry(
        "where(list, field = value)",
        "The entities in a list whose field equals the value. With several fields, all must match. A list in a field "
        "matches if any of its items does; a list of values matches if any of them does.",
        {
            "list": "a list of entities, such as an input with `many`",
            "field": "the name of a field",
            "value": "the value of the field, or a list of possible values",
        },
        ('where([lookup(weapon, "knife"), lookup(weapon, "hammer")], tags = "light").name',),
    ),
}
"""Functions with a syntax of their own, by name."""

FUNCTIONS: Mapping[str, Entry] = dict(
    sorted(
        {
            **SPECIAL_FUNCTIONS,
            **{
                name: Entry(
                    form(name),
                    function.meaning,
                    {argument: meaning for argument, (_, meaning) in function.arguments.items()},
                    function.examples,
                )
                for name, function in functions.FUNCTIONS.items()
            },
        }.items()
    )
)
"""All functions, by name in alphabetical order."""

OPERATORS: Mapping[str, Entry] = {
    "+": Entry("a + b", "The sum.", _TWO, ("level + 2",)),
    "-": Entry("a - b", "The difference; `-a` is the number with the opposite sign.", _TWO, ("level - 10", "-level")),
    "*": Entry(
        "a * b", "The product. Units are multiplied as well.", {"a": "a number", "b": "a number"}, ("level * 1.5",)
    ),
    "/": Entry(
        "a / b",
        "The quotient, not rounded. Units are divided as well.",
        {"a": "a number", "b": "a number, not 0"},
        ("level / 2",),
    ),
    "//": Entry(
        "a // b", "The quotient, rounded down.", {"a": "a number", "b": "a number, not 0"}, ("level // 2", "-7 // 2")
    ),
    "%": Entry(
        "a % b",
        "The remainder of a division that is rounded down.",
        {"a": "a number", "b": "a number, not 0"},
        ("level % 3",),
    ),
    "==": Entry(
        "a == b",
        "Whether two values are the same.",
        {"a": "a number, text, `true`, `false`, `none` or entity", "b": "a value that can be equal to it"},
        ('path == "river"', "level == 8"),
    ),
    "!=": Entry("a != b", "Whether two values differ.", {"a": "as for `==`", "b": "as for `==`"}, ('path != "river"',)),
    "<": Entry("a < b", "Whether the first number is less than the second.", _TWO, ("level < 7",)),
    "<=": Entry("a <= b", "Whether the first number is less than or equal to the second.", _TWO, ("level <= 7",)),
    ">": Entry("a > b", "Whether the first number is greater than the second.", _TWO, ("level > 7",)),
    ">=": Entry("a >= b", "Whether the first number is greater than or equal to the second.", _TWO, ("level >= 7",)),
    "in": Entry(
        "value in list",
        "Whether a list contains a value; `not in` is the opposite.",
        {"value": "a number, text or entity", "list": "a list"},
        ('path in ["river", "sea"]', "level not in [7, 8]"),
    ),
    "and": Entry(
        "a and b", "Whether both are true.", {"a": "true or false", "b": "true or false"}, ("armed and level > 5",)
    ),
    "or": Entry(
        "a or b", "Whether at least one is true.", {"a": "true or false", "b": "true or false"}, ("armed or level > 9",)
    ),
    "not": Entry("not a", "The opposite of true or false.", {"a": "true or false"}, ("not armed",)),
    "if": Entry(
        "if condition then a else b",
        "One value or another. `condition ? a : b` is a shorter form.",
        {
            "condition": "true or false",
            "a": "the value if the condition is true",
            "b": "the value if it is false, of the same type",
        },
        ("if level > 5 then 3 else 1", "armed ? 10 : 6"),
    ),
    ".": Entry(
        "a.field",
        "The field of an entity; for a list of entities, one list of the field's values.",
        {"a": "an entity, a part of one, or a list of entities", "field": "the name of a field"},
        ('lookup(weapon, "knife").name',),
    ),
}
"""The operators and other signs, by the sign or word."""
