"""The tree of a dice expression: immutable nodes, each with its offset in the text.

The names of the node classes (in lower case) and of their fields are published, by `to_tree`.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Offset: TypeAlias = int
"""An offset in the text of the expression, in code points from 0. Comparisons of nodes ignore offsets."""

Extreme: TypeAlias = Literal["min", "max"]


class DiceError(ValueError):
    """An expression that is invalid or too large, with the offset of the fault."""

    def __init__(self, message: str, position: Offset) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number."""

    value: int
    position: Offset = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Dice:
    """The sum of one or more dice of one size."""

    count: int
    faces: int
    again: Literal["", "!", "+"] = ""
    """The effect of the highest face: none, a new die (`!`, exploding), or a roll added to it (`+`, open-ended)."""
    position: Offset = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Keep:
    """The sum of a part of the dice: keep or drop (`k`, `d`) the highest or lowest (`h`, `l`) ones."""

    dice: Dice
    which: Literal["kh", "kl", "dh", "dl"]
    number: int
    """The number of dice to keep or drop."""
    position: Offset = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Pool:
    """The number of dice that reach the target (`>=`) or stay within it (`<=`)."""

    dice: Dice
    compare: Literal[">=", "<="]
    target: int
    position: Offset = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Primary:
    """The primary die, with a bonus or penalty die of its size, and amounts that its faces add."""

    faces: int
    bonus: bool = False
    penalty: bool = False
    """A bonus die and a penalty die cancel. Neither stacks with itself."""
    criticals: tuple[tuple[int, int], ...] = ()
    """Pairs of a face and the amount added when the primary die (never the extra die) shows it."""
    position: Offset = field(default=0, compare=False)

    @property
    def extra(self) -> int:
        """1 if a die of the same size is added, -1 if one is subtracted, else 0."""
        return self.bonus - self.penalty


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of several rolls."""

    terms: tuple["Expression", ...]
    position: Offset = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Product:
    """A roll multiplied by a whole number; a subtraction is a multiplication by -1."""

    factor: int
    operand: "Expression"
    position: Offset = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A roll divided by a whole number and rounded."""

    rounding: Literal["floor", "ceil"]
    operand: "Expression"
    divisor: int
    position: Offset = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """The lowest or highest of several independent rolls."""

    which: Extreme
    operands: tuple["Expression", ...]
    position: Offset = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Twice:
    """The lower or higher result of making one roll twice."""

    which: Extreme
    operand: "Expression"
    position: Offset = field(default=0, compare=False)


Expression: TypeAlias = Number | Dice | Keep | Pool | Primary | Sum | Product | Quotient | Choice | Twice


def to_tree(expression: Expression) -> dict[str, Any]:
    """Convert an expression to plain data, without offsets.

    `node` is the class in lower case, and the other keys are its fields.
    """
    tree: dict[str, Any] = {"node": type(expression).__name__.lower()}
    for name in expression.__dataclass_fields__:
        if name != "position":
            tree[name] = _to_plain_data(getattr(expression, name))
    return tree


def _to_plain_data(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_to_plain_data(item) for item in value]
    return value if isinstance(value, (int, str)) else to_tree(value)
