"""What reading and evaluating a formula share: the tree, its bounds, and what goes wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Tree: TypeAlias = dict[str, Any]
"""A node as plain data: `node` says which, `at` is its place in the formula in code points from 0.

`schemas/formula.schema.json` lists the nodes and what each of them holds.
"""
Value: TypeAlias = Any
"""A number, text, boolean, `None`, list, record (a mapping) or the node of a dice expression."""

MOST_CHARACTERS = 2_000
"""In a formula."""
MOST_DEPTH = 64
"""Of a formula's tree and of the brackets in its text."""
MOST_NESTED = 200
"""Nodes inside nodes while evaluating, other calculators included."""
MOST_STEPS = 10_000
"""Nodes evaluated."""
LARGEST = 2**53
"""Up to here every whole number is a double; past it `x + 1` may be `x`."""
MOST_RESULTS = 1_000
"""Of a dice expression in a formula, from the lowest to the highest; of the total that `tries` counts to."""
MOST_OUTCOMES = 100
"""In the list that `tries` reads, and of the dice that `successes` counts."""


class FormulaError(ValueError):
    """A formula that is not understood, or that has no value.

    The codes of evaluation are those of the script, too: `type`, `zero`, `never`, `large`, `unknown`, `missing`,
    `empty`, `deep` and `long`; `syntax` and `dice` come from reading alone.
    """

    def __init__(self, code: str, message: str, at: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names beyond the language that a formula may use, written there with `_` for `-`."""

    calculators: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The inputs of each calculator, in order."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """For each kind of entity the field that `lookup` compares where none is named."""


def plain_number(number: float) -> float | int:
    """Whole numbers as such: JSON tells 5 from 5.0, and readers do, too."""
    return int(number) if number.is_integer() else number
