"""The operators of formulas."""

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from .tree import FormulaError, Value
from .values import (
    check_number,
    equal,
    require_boolean,
    require_list,
    require_number,
)

Compute: TypeAlias = Callable[[list[Value], int], Value]
"""A function of the values of the operands or arguments, and of the node's offset, which errors report."""


def _divide(dividend: float, divisor: float, at: int) -> float:
    if divisor == 0:
        raise FormulaError("zero", "division by zero", at)
    return check_number(dividend / divisor, at)


def _comparison(compare: Callable[[float, float], bool]) -> Compute:
    return lambda args, at: compare(require_number(args[0], at), require_number(args[1], at))


def _arithmetic(compute: Callable[[float, float, int], float]) -> Compute:
    return lambda args, at: compute(require_number(args[0], at), require_number(args[1], at), at)


OPERATORS: Mapping[str, Compute] = {
    "+": _arithmetic(lambda a, b, _: a + b),
    "-": _arithmetic(lambda a, b, _: a - b),
    "*": _arithmetic(lambda a, b, _: a * b),
    "/": _arithmetic(_divide),
    "//": _arithmetic(lambda a, b, at: math.floor(_divide(a, b, at))),
    "%": _arithmetic(lambda a, b, at: a - b * math.floor(_divide(a, b, at))),
    "negate": lambda args, at: -require_number(args[0], at),
    "==": lambda args, _: equal(args[0], args[1]),
    "!=": lambda args, _: not equal(args[0], args[1]),
    "<": _comparison(lambda a, b: a < b),
    "<=": _comparison(lambda a, b: a <= b),
    ">": _comparison(lambda a, b: a > b),
    ">=": _comparison(lambda a, b: a >= b),
    "in": lambda args, at: any(equal(args[0], value) for value in require_list(args[1], at)),
    "not": lambda args, at: not require_boolean(args[0], at),
}
"""Operators by name, except `and` and `or`, which do not always evaluate both operands."""
