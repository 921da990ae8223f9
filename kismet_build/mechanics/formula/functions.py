"""What the operators and functions of formulas do, with values checked as they come in."""

import math
from collections.abc import Callable, Mapping, Sequence

from kismet_build.mechanics.formula.tree import LARGEST, MOST_OUTCOMES, MOST_RESULTS, FormulaError, Value


def _is_number(value: Value) -> bool:
    return type(value) is float or type(value) is int  # and not bool, which is an int to isinstance


def _same(one: Value, other: Value) -> bool:
    if type(one) is str:
        return bool(one == other)
    if _is_number(one) and _is_number(other):
        return bool(one == other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return isinstance(one.get("id"), str) and one["id"] == other.get("id")
    return isinstance(one, str | bool | None) and type(one) is type(other) and one == other


def checked(value: float, at: int) -> float:
    """A number within the bounds, as a double."""
    if not -LARGEST <= value <= LARGEST:  # NaN is not, either
        raise FormulaError("large", f"this is no number up to {LARGEST:,}", at)
    return float(value) + 0.0  # there is no -0


def known(value: Value, at: int) -> Value:
    """A value as it may go on: a number only within the bounds."""
    return checked(value, at) if type(value) is float or type(value) is int else value


def _number(value: Value, at: int) -> float:
    if type(value) is float and -LARGEST <= value <= LARGEST:
        return value + 0.0
    if not _is_number(value):
        raise FormulaError("type", "this has to be a number", at)
    return checked(value, at)


def boolean(value: Value, at: int) -> bool:
    """A value that decides."""
    if not isinstance(value, bool):
        raise FormulaError("type", "this has to be true or false", at)
    return value


def _list(value: Value, at: int) -> list[Value]:
    if not isinstance(value, list | tuple):
        raise FormulaError("type", "this has to be a list", at)
    return list(value)


def _is_dice(value: Value) -> bool:
    return isinstance(value, Mapping) and value.get("node") == "dice"


def field(value: Value, name: str, at: int) -> Value:
    """The field of a record; of a list the fields of all its records in one list."""
    if isinstance(value, Mapping) and not _is_dice(value):
        return value.get(name)
    found: list[Value] = []
    for record in _list(value, at):
        if not isinstance(record, Mapping):
            raise FormulaError("type", "this has to be a list of entries with fields", at)
        inner = record.get(name)
        found.extend(inner if isinstance(inner, list | tuple) else [] if inner is None else [inner])
    return found


def holds(held: Value, value: Value) -> bool:
    """Whether a value is the one that an entity has, or lies within the range that it has, which may have no end."""
    if isinstance(held, Mapping) and _is_number(held.get("min")) and _is_number(value):
        last = value if held.get("max") is None else held["max"]
        if _is_number(last):
            return bool(held["min"] <= value <= last)
    return _same(held, value)


def kept(value: Value, wanted: list[tuple[str, Value]], at: int) -> list[Value]:
    """The records of a list whose fields have, hold or lie among the wanted values."""
    conditions = [(name, one if isinstance(one, list | tuple) else (one,)) for name, one in wanted]
    found = []
    for record in _list(value, at):
        if conditions and type(record) is not dict and not isinstance(record, Mapping):
            raise FormulaError("type", "this has to be a list of entries with fields", at)
        for name, others in conditions:
            if not _lies_among(record.get(name), others):
                break
        else:
            found.append(record)
    return found


def _lies_among(value: Value, others: Sequence[Value]) -> bool:
    if value is None or type(value) is str:
        return value in others  # nothing else is equal to a text or to none
    ones = value if isinstance(value, list | tuple) else (value,)
    return any(_same(one, other) for one in ones for other in others)


def _divided(one: float, other: float, at: int) -> float:
    if other == 0:
        raise FormulaError("zero", "this divides by zero", at)
    return checked(one / other, at)


def _compared(compare: Callable[[float, float], bool]) -> Callable[[list[Value], int], Value]:
    return lambda of, at: compare(_number(of[0], at), _number(of[1], at))


def _counted(compute: Callable[[float, float, int], float]) -> Callable[[list[Value], int], Value]:
    return lambda of, at: compute(_number(of[0], at), _number(of[1], at), at)


def _rounded(compute: Callable[[float], float]) -> Callable[[list[Value], int], Value]:
    return lambda of, at: compute(_number(of[0], at))


def _half_up(number: float) -> float:
    below = math.floor(number)
    return below + 1 if number - below >= 0.5 else below


def _of_many(compute: Callable[[list[float]], float]) -> Callable[[list[Value], int], Value]:
    def call(of: list[Value], at: int) -> Value:
        numbers = [_number(value, at) for value in (_list(of[0], at) if len(of) == 1 and not _is_number(of[0]) else of)]
        if not numbers and compute is not _sum:
            raise FormulaError("empty", "there is nothing in this list", at)
        return compute(numbers)

    return call


def _sum(numbers: list[float]) -> float:
    total = 0.0  # one after the other: the built-in sum rounds otherwise
    for number in numbers:
        total += number
    return total


def _chance(of: list[Value], at: int) -> Value:
    if not _is_dice(of[0]):
        raise FormulaError("type", "this has to be dice", at)
    place = math.ceil(_number(of[1], at)) - of[0]["low"]
    reached = of[0]["at_least"]
    return 1 if place <= 0 else 0 if place >= len(reached) else reached[place]


def _outcomes(value: Value, at: int) -> list[tuple[float, float]]:
    outcomes = []
    for pair in _list(value, at):
        if len(_list(pair, at)) != 2:
            raise FormulaError("type", "this has to be a list of pairs, each a value and its chance", at)
        outcomes.append((_number(pair[0], at), _number(pair[1], at)))
    return outcomes


def _mean(of: list[Value], at: int) -> Value:
    if _is_dice(of[0]):
        return of[0]["mean"]
    outcomes = _outcomes(of[0], at)
    if not outcomes:
        raise FormulaError("empty", "there is nothing in this list", at)
    return _sum([value * chance for value, chance in outcomes])


def _tries(of: list[Value], at: int) -> tuple[float, float]:
    """Mean and standard deviation of the number of tries until what each of them adds comes to a total.

    From the smallest total up: the mean number of tries for it is one more than that for what is left after a try, and
    likewise for the mean of its square.
    """
    total, outcomes = math.ceil(_number(of[0], at)), _outcomes(of[1], at)
    if total > MOST_RESULTS or len(outcomes) > MOST_OUTCOMES:
        message = f"this counts to no more than {MOST_RESULTS:,}, with no more than {MOST_OUTCOMES} outcomes"
        raise FormulaError("large", message, at)
    if any(value < 0 or value != math.floor(value) for value, _ in outcomes):
        raise FormulaError("type", "tries adds whole numbers from 0", at)
    adding = [(int(value), chance) for value, chance in outcomes if value > 0]
    some = _sum([chance for _, chance in adding])
    if total > 0 and not some > 0:
        raise FormulaError("never", "no number of tries is enough", at)
    means, squares = [0.0], [0.0]
    for reached in range(1, total + 1):
        mean = square = 0.0
        for value, chance in adding:
            left = max(0, reached - value)
            mean += chance * means[left]
            square += chance * squares[left]
        means.append((1 + mean) / some)
        squares.append((1 + 2 * (mean + (1 - some) * means[reached]) + square) / some)
    last = max(0, total)
    return means[last], math.sqrt(max(0.0, squares[last] - means[last] * means[last]))


def _successes(of: list[Value], at: int) -> Value:
    """The chance of at least `k` successes in `n` tries, each with the chance `p`: one try after the other."""
    n, k, p = (_number(value, at) for value in of)
    if n < 0 or n != math.floor(n) or not 0 <= p <= 1:
        raise FormulaError("type", "successes takes a whole number of tries, a number, and a chance from 0 to 1", at)
    if n > MOST_OUTCOMES:
        raise FormulaError("large", f"these are more than {MOST_OUTCOMES} tries", at)
    exactly = [1.0]
    for _ in range(int(n)):
        missed = [chance * (1 - p) for chance in exactly] + [0.0]
        made = [0.0] + [chance * p for chance in exactly]
        exactly = [one + other for one, other in zip(missed, made, strict=True)]
    return _sum([chance for number, chance in enumerate(exactly) if number >= k])


STEPS = dict.fromkeys(("tries", "tries_spread", "successes"), 500)
"""What counts as more than one step, since it counts itself."""

CALLS: Mapping[str, Callable[[list[Value], int], Value]] = {
    "+": _counted(lambda one, other, _: one + other),
    "-": _counted(lambda one, other, _: one - other),
    "*": _counted(lambda one, other, _: one * other),
    "/": _counted(_divided),
    "//": _counted(lambda one, other, at: math.floor(_divided(one, other, at))),
    "%": _counted(lambda one, other, at: one - other * math.floor(_divided(one, other, at))),
    "negate": lambda of, at: -_number(of[0], at),
    "==": lambda of, _: _same(of[0], of[1]),
    "!=": lambda of, _: not _same(of[0], of[1]),
    "<": _compared(lambda one, other: one < other),
    "<=": _compared(lambda one, other: one <= other),
    ">": _compared(lambda one, other: one > other),
    ">=": _compared(lambda one, other: one >= other),
    "in": lambda of, at: any(_same(of[0], value) for value in _list(of[1], at)),
    "not": lambda of, at: not boolean(of[0], at),
    "floor": _rounded(math.floor),
    "ceil": _rounded(math.ceil),
    "round": _rounded(_half_up),
    "abs": _rounded(abs),
    "min": _of_many(min),
    "max": _of_many(max),
    "sum": _of_many(_sum),
    "count": lambda of, at: len(_list(of[0], at)),
    "chance": _chance,
    "mean": _mean,
    "tries": lambda of, at: _tries(of, at)[0],
    "tries_spread": lambda of, at: _tries(of, at)[1],
    "successes": _successes,
}
