"""The operators and functions of formulas. The values of arguments are checked here."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kismet_build.mechanics.formula.tree import MAX_NUMBER, MAX_OUTCOMES, MAX_RESULTS, FormulaError, Value

Function: TypeAlias = Callable[[list[Value], int], Value]
"""Takes the values of the arguments, and the offset of the node for errors."""


def _is_number(value: Value) -> bool:
    return type(value) is float or type(value) is int  # not `isinstance`: a bool is an instance of int


def _equal(left: Value, right: Value) -> bool:
    """Whether two texts, numbers, booleans or `None` are equal, or two records are the same entity."""
    if type(left) is str:
        return bool(left == right)
    if _is_number(left) and _is_number(right):
        return bool(left == right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return isinstance(left.get("id"), str) and left["id"] == right.get("id")
    return isinstance(left, str | bool | None) and type(left) is type(right) and left == right


def check_number(value: float, at: int) -> float:
    """A number as a double. Raises `FormulaError` if it is larger than `MAX_NUMBER` or is NaN."""
    if not -MAX_NUMBER <= value <= MAX_NUMBER:  # also true for NaN
        raise FormulaError("large", f"this is no number up to {MAX_NUMBER:,}", at)
    return float(value) + 0.0  # -0.0 becomes 0.0


def check_value(value: Value, at: int) -> Value:
    """Check a value if it is a number, as `check_number` does; return any other value as it is."""
    return check_number(value, at) if type(value) is float or type(value) is int else value


def _require_number(value: Value, at: int) -> float:
    if type(value) is float and -MAX_NUMBER <= value <= MAX_NUMBER:
        return value + 0.0
    if not _is_number(value):
        raise FormulaError("type", "this has to be a number", at)
    return check_number(value, at)


def require_boolean(value: Value, at: int) -> bool:
    """Return a boolean. Raises `FormulaError` for any other value."""
    if not isinstance(value, bool):
        raise FormulaError("type", "this has to be true or false", at)
    return value


def _require_list(value: Value, at: int) -> list[Value]:
    if not isinstance(value, list | tuple):
        raise FormulaError("type", "this has to be a list", at)
    return list(value)


def _is_dice(value: Value) -> bool:
    return isinstance(value, Mapping) and value.get("node") == "dice"


def get_field(value: Value, name: str, at: int) -> Value:
    """The field of a record; for a list of records, the values of the field of all of them in one flat list."""
    if isinstance(value, Mapping) and not _is_dice(value):
        return value.get(name)
    values: list[Value] = []
    for record in _require_list(value, at):
        if not isinstance(record, Mapping):
            raise FormulaError("type", "this has to be a list of entries with fields", at)
        item = record.get(name)
        values.extend(item if isinstance(item, list | tuple) else [] if item is None else [item])
    return values


def matches(field: Value, value: Value) -> bool:
    """Whether the value of a field equals a value, or is a range with the value in it. `max` of a range may be none."""
    if isinstance(field, Mapping) and _is_number(field.get("min")) and _is_number(value):
        last = value if field.get("max") is None else field["max"]
        if _is_number(last):
            return bool(field["min"] <= value <= last)
    return _equal(field, value)


def filter_records(value: Value, wanted: list[tuple[str, Value]], at: int) -> list[Value]:
    """The records of a list that match every pair of a field name and a wanted value.

    A field that is a list matches by any of its items; a wanted list matches by any of its values.
    """
    conditions = [(name, values if isinstance(values, list | tuple) else (values,)) for name, values in wanted]
    filtered = []
    for record in _require_list(value, at):
        if conditions and type(record) is not dict and not isinstance(record, Mapping):
            raise FormulaError("type", "this has to be a list of entries with fields", at)
        for name, values in conditions:
            if not _matches_any(record.get(name), values):
                break
        else:
            filtered.append(record)
    return filtered


def _matches_any(field: Value, values: Sequence[Value]) -> bool:
    if field is None or type(field) is str:
        return field in values  # `in` is exact for these: a text or none equals nothing else
    items = field if isinstance(field, list | tuple) else (field,)
    return any(_equal(item, value) for item in items for value in values)


def _divide(dividend: float, divisor: float, at: int) -> float:
    if divisor == 0:
        raise FormulaError("zero", "this divides by zero", at)
    return check_number(dividend / divisor, at)


def _comparison(compare: Callable[[float, float], bool]) -> Function:
    return lambda args, at: compare(_require_number(args[0], at), _require_number(args[1], at))


def _arithmetic(compute: Callable[[float, float, int], float]) -> Function:
    return lambda args, at: compute(_require_number(args[0], at), _require_number(args[1], at), at)


def _unary(compute: Callable[[float], float]) -> Function:
    return lambda args, at: compute(_require_number(args[0], at))


def _round_half_up(number: float) -> float:
    below = math.floor(number)
    return below + 1 if number - below >= 0.5 else below


def _aggregate(compute: Callable[[list[float]], float]) -> Function:
    def call(args: list[Value], at: int) -> Value:
        is_list = len(args) == 1 and not _is_number(args[0])
        numbers = [_require_number(value, at) for value in (_require_list(args[0], at) if is_list else args)]
        if not numbers and compute is not _sum:
            raise FormulaError("empty", "there is nothing in this list", at)
        return compute(numbers)

    return call


def _sum(numbers: list[float]) -> float:
    """The sum, or infinity if it was beyond `MAX_NUMBER` on the way, where it may have been rounded."""
    total = 0.0  # added in order: the built-in `sum` of Python 3.12 and later rounds differently
    for number in numbers:
        total += number
        if not -MAX_NUMBER <= total <= MAX_NUMBER:
            return math.inf
    return total


def _chance(args: list[Value], at: int) -> Value:
    if not _is_dice(args[0]):
        raise FormulaError("type", "this has to be dice", at)
    index = math.ceil(_require_number(args[1], at)) - args[0]["low"]
    chances = args[0]["at_least"]
    return 1 if index <= 0 else 0 if index >= len(chances) else chances[index]


def _outcomes(value: Value, at: int) -> list[tuple[float, float]]:
    outcomes = []
    for pair in _require_list(value, at):
        if len(_require_list(pair, at)) != 2:
            raise FormulaError("type", "this has to be a list of pairs, each a value and its chance", at)
        outcomes.append((_require_number(pair[0], at), _require_number(pair[1], at)))
    return outcomes


def _mean(args: list[Value], at: int) -> Value:
    if _is_dice(args[0]):
        return args[0]["mean"]
    outcomes = _outcomes(args[0], at)
    if not outcomes:
        raise FormulaError("empty", "there is nothing in this list", at)
    return _sum([value * chance for value, chance in outcomes])


def _tries(args: list[Value], at: int) -> tuple[float, float]:
    """Mean and standard deviation of the number of tries until the sum of their outcomes reaches a total.

    Dynamic programming over all totals up to it: the mean for a total is 1 plus the mean for the rest after one try.
    The mean of the square is computed likewise.
    """
    total, outcomes = math.ceil(_require_number(args[0], at)), _outcomes(args[1], at)
    if total > MAX_RESULTS or len(outcomes) > MAX_OUTCOMES:
        message = f"this counts to no more than {MAX_RESULTS:,}, with no more than {MAX_OUTCOMES} outcomes"
        raise FormulaError("large", message, at)
    if any(value < 0 or value != math.floor(value) for value, _ in outcomes):
        raise FormulaError("type", "tries adds whole numbers from 0", at)
    adding = [(int(value), chance) for value, chance in outcomes if value > 0]
    progress = _sum([chance for _, chance in adding])
    if total > 0 and not progress > 0:
        raise FormulaError("never", "no number of tries is enough", at)
    means, squares = [0.0], [0.0]
    for goal in range(1, total + 1):
        mean = square = 0.0
        for value, chance in adding:
            rest = max(0, goal - value)
            mean += chance * means[rest]
            square += chance * squares[rest]
        means.append((1 + mean) / progress)
        squares.append((1 + 2 * (mean + (1 - progress) * means[goal]) + square) / progress)
    last = max(0, total)
    return means[last], math.sqrt(max(0.0, squares[last] - means[last] * means[last]))


def _successes(args: list[Value], at: int) -> Value:
    """The chance of at least `k` successes in `n` tries, each with the chance `p`; computed try by try."""
    n, k, p = (_require_number(value, at) for value in args)
    if n < 0 or n != math.floor(n) or not 0 <= p <= 1:
        raise FormulaError("type", "successes takes a whole number of tries, a number, and a chance from 0 to 1", at)
    if n > MAX_OUTCOMES:
        raise FormulaError("large", f"these are more than {MAX_OUTCOMES} tries", at)
    exactly = [1.0]
    for _ in range(int(n)):
        failed = [chance * (1 - p) for chance in exactly] + [0.0]
        succeeded = [0.0] + [chance * p for chance in exactly]
        exactly = [failure + success for failure, success in zip(failed, succeeded, strict=True)]
    return _sum([chance for number, chance in enumerate(exactly) if number >= k])


EXTRA_STEPS = dict.fromkeys(("tries", "tries_spread", "successes"), 500)
"""Steps that a function counts besides that of its node, because it loops. `formula.js` counts the same:
docs/decisions/0012-exact-odds.md."""

CALLS: Mapping[str, Function] = {
    "+": _arithmetic(lambda a, b, _: a + b),
    "-": _arithmetic(lambda a, b, _: a - b),
    "*": _arithmetic(lambda a, b, _: a * b),
    "/": _arithmetic(_divide),
    "//": _arithmetic(lambda a, b, at: math.floor(_divide(a, b, at))),
    "%": _arithmetic(lambda a, b, at: a - b * math.floor(_divide(a, b, at))),
    "negate": lambda args, at: -_require_number(args[0], at),
    "==": lambda args, _: _equal(args[0], args[1]),
    "!=": lambda args, _: not _equal(args[0], args[1]),
    "<": _comparison(lambda a, b: a < b),
    "<=": _comparison(lambda a, b: a <= b),
    ">": _comparison(lambda a, b: a > b),
    ">=": _comparison(lambda a, b: a >= b),
    "in": lambda args, at: any(_equal(args[0], value) for value in _require_list(args[1], at)),
    "not": lambda args, at: not require_boolean(args[0], at),
    "floor": _unary(math.floor),
    "ceil": _unary(math.ceil),
    "round": _unary(_round_half_up),
    "abs": _unary(abs),
    "min": _aggregate(min),
    "max": _aggregate(max),
    "sum": _aggregate(_sum),
    "count": lambda args, at: len(_require_list(args[0], at)),
    "chance": _chance,
    "mean": _mean,
    "tries": lambda args, at: _tries(args, at)[0],
    "tries_spread": lambda args, at: _tries(args, at)[1],
    "successes": _successes,
}
"""Operators and functions by name. `and` and `or` are not here: they do not always evaluate both operands."""
