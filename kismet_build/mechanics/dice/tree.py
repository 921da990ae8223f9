"""The tree of a dice expression: frozen nodes, each with its place in the text."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Place: TypeAlias = int
"""An offset in the text of the expression, in code points from 0; two nodes that differ in it alone are equal."""

Which: TypeAlias = Literal["min", "max"]


class DiceError(ValueError):
    """An expression that is not understood, makes no sense or is too large, with the place where it goes wrong."""

    def __init__(self, message: str, position: Place) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number as it stands."""

    value: int
    position: Place = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Dice:
    """The sum of some dice of one size."""

    count: int
    faces: int
    again: Literal["", "!", "+"] = ""
    """What the highest face does: nothing, roll one more die (`!`), or let the die itself grow (`+`)."""
    position: Place = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Keep:
    """The sum of some of the dice: keep or drop (`k`, `d`) the highest or lowest (`h`, `l`)."""

    dice: Dice
    which: Literal["kh", "kl", "dh", "dl"]
    number: int
    position: Place = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Pool:
    """How many of the dice show the target or better."""

    dice: Dice
    compare: Literal[">=", "<="]
    target: int
    position: Place = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Primary:
    """One plain die with what depends on it: an extra die of its size, and amounts added when it shows a face."""

    faces: int
    bonus: bool = False
    penalty: bool = False
    """With both, the extra dice cancel; neither stacks with itself."""
    criticals: tuple[tuple[int, int], ...] = ()
    """Pairs of a face of this die and what is added when it shows; the extra die never counts for them."""
    position: Place = field(default=0, compare=False)

    @property
    def extra(self) -> int:
        """1 when a die of the same size is added, -1 when one is subtracted, else 0."""
        return self.bonus - self.penalty


@dataclass(frozen=True, slots=True)
class Sum:
    """Several rolls added."""

    terms: tuple["Expression", ...]
    position: Place = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Product:
    """A roll multiplied by a whole number; what is subtracted is multiplied by -1."""

    factor: int
    operand: "Expression"
    position: Place = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A roll divided by a whole number and rounded."""

    rounding: Literal["floor", "ceil"]
    operand: "Expression"
    divisor: int
    position: Place = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """The lowest or highest of several rolls, each made on its own."""

    which: Which
    operands: tuple["Expression", ...]
    position: Place = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Twice:
    """One roll made twice, the lower or the higher result taken."""

    which: Which
    operand: "Expression"
    position: Place = field(default=0, compare=False)


Expression: TypeAlias = Number | Dice | Keep | Pool | Primary | Sum | Product | Quotient | Choice | Twice


def to_tree(expression: Expression) -> dict[str, Any]:
    """An expression as plain data: `node` says which, the rest are its fields; places are left out."""
    tree: dict[str, Any] = {"node": type(expression).__name__.lower()}
    for name in expression.__dataclass_fields__:
        if name != "position":
            tree[name] = _plain(getattr(expression, name))
    return tree


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, (int, str)) else to_tree(value)
