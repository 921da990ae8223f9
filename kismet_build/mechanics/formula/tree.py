"""The tree of a formula, its limits, and its errors: shared by the parser and the evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Tree: TypeAlias = dict[str, Any]
"""A node as plain data: `node` is the type of the node, `at` the node's offset in the formula, in code points from 0.

`schemas/formula.schema.json` lists the types of nodes and their keys; child nodes are in `of`. Published trees have no
`at`.
"""
Value: TypeAlias = Any
"""A number, text, boolean, `None`, list, record (a mapping) or the node of a dice expression."""

MAX_CHARACTERS = 2_000
"""Maximum length of a formula."""
MAX_DEPTH = 64
"""Maximum depth of the tree, and of nested brackets in the text."""
MAX_NESTING = 200
"""Maximum depth of evaluation, as nodes within nodes, including the nodes of called calculators."""
MAX_STEPS = 10_000
"""Maximum number of steps of one evaluation: nodes, including those of called calculators, and loops of functions."""
MAX_NUMBER = 2**53 - 1
"""Largest absolute value of a number. Beyond it, one double may stand for several whole numbers."""
MAX_RESULTS = 1_000
"""Maximum span from the lowest to the highest result of dice in a formula; also the highest total of `tries`."""
MAX_OUTCOMES = 100
"""Maximum number of outcomes for `tries`, and of tries for `successes`."""


class FormulaError(ValueError):
    """A formula that is invalid or has no value.

    Codes of evaluation, the same in `formula.js`: `type`, `zero`, `never`, `large`, `unknown`, `missing`, `empty`,
    `deep` and `long`. The parser also uses `syntax` and `dice`. `at` is an offset as in `Tree`.
    `hint` says how to fix it, and may be empty.
    """

    def __init__(self, code: str, message: str, at: int, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The calculators and kinds of a game that a formula may name. Formulas write `_` for the `-` of an id."""

    calculators: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names of the inputs in order, by local id."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """The field that `lookup` compares by default, by kind; empty for the slug."""


def without_offsets(data: Any) -> Any:
    """Remove the offsets of formula nodes from data. Only error messages need them."""
    match data:
        case dict():
            is_node = "node" in data
            return {name: without_offsets(value) for name, value in data.items() if not (is_node and name == "at")}
        case list() | tuple():
            return [without_offsets(value) for value in data]
        case _:
            return data


def plain_number(number: float) -> float | int:
    """Convert a whole number to `int`, so that it is written as 5, not as 5.0."""
    return int(number) if number.is_integer() else number
