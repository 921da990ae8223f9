"""The functions of formulas: everything about a function is in its entry in `FUNCTIONS`.

The parser, type inference, evaluation and the manual read that entry. `site/assets/formula.js` has the same functions,
and `schemas/formula.schema.json` lists the names by number of arguments; tests compare both with `FUNCTIONS`.
"""

import math
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from .operators import Compute
from .tree import MAX_NUMBER, MAX_OUTCOMES, MAX_RESULTS, FormulaError, Value
from .values import is_dice, is_number, require_list, require_number

MAX_NUMBERS = 50
"""Maximum number of arguments of a function that takes several numbers."""
LOOP_STEPS = 500
"""Steps that a function with a loop counts: docs/decisions/0012-exact-odds.md. `formula.js` counts the same steps."""

Takes: TypeAlias = Literal["number", "plain number", "numbers", "list", "dice", "outcomes", "dice or outcomes"]
"""What an argument may be: a `number` may have a unit, a `plain number` may not; `numbers` are several arguments or one
list; `outcomes` are a list of pairs, each a value and its chance."""


class Argument(NamedTuple):
    """An argument of a function."""

    takes: Takes
    meaning: str


class Function(NamedTuple):
    """A function of formulas."""

    meaning: str
    arguments: Mapping[str, Argument]
    """Arguments by name, in order. All numbers must have the same unit."""
    examples: tuple[str, ...]
    """Formulas over `EXAMPLE_SCOPE` and `EXAMPLE_ENTITIES` of `manual.py`; the manual shows their values."""
    compute: Compute
    keeps_unit: bool = False
    """Whether the result has the unit of the arguments; if not, it is a plain number."""
    verb: str = "compared"
    """Participle for messages about units: "feet and tiles cannot be compared"."""
    steps: int = 0
    """Steps that a call counts in addition to the step of its node."""

    @property
    def number_of_arguments(self) -> tuple[int, int]:
        """The minimum and maximum number of arguments."""
        is_open = any(argument.takes == "numbers" for argument in self.arguments.values())
        return len(self.arguments), MAX_NUMBERS if is_open else len(self.arguments)


def _unary(compute: Callable[[float], float]) -> Compute:
    return lambda args, at: compute(require_number(args[0], at))


def _round_half_up(number: float) -> float:
    below = math.floor(number)
    return below + 1 if number - below >= 0.5 else below


def _aggregate(compute: Callable[[list[float]], float]) -> Compute:
    def call(args: list[Value], at: int) -> Value:
        is_list = len(args) == 1 and not is_number(args[0])
        numbers = [require_number(value, at) for value in (require_list(args[0], at) if is_list else args)]
        if not numbers and compute is not _sum:
            raise FormulaError("empty", "this list is empty", at)
        return compute(numbers)

    return call


def _sum(numbers: list[float]) -> float:
    """The sum, or infinity if a partial sum exceeds `MAX_NUMBER`, where doubles are rounded."""
    total = 0.0  # added in order: the built-in `sum` of Python 3.12 and later rounds differently
    for number in numbers:
        total += number
        if not -MAX_NUMBER <= total <= MAX_NUMBER:
            return math.inf
    return total


def _chance(args: list[Value], at: int) -> Value:
    if not is_dice(args[0]):
        raise FormulaError("type", "this must be dice", at)
    index = math.ceil(require_number(args[1], at)) - args[0]["low"]
    chances = args[0]["at_least"]
    return 1 if index <= 0 else 0 if index >= len(chances) else chances[index]


def _outcomes(value: Value, at: int) -> list[tuple[float, float]]:
    outcomes = []
    for pair in require_list(value, at):
        if len(require_list(pair, at)) != 2:
            raise FormulaError("type", "this must be a list of pairs, each a value and its chance", at)
        outcomes.append((require_number(pair[0], at), require_number(pair[1], at)))
    return outcomes


def _mean(args: list[Value], at: int) -> Value:
    if is_dice(args[0]):
        return args[0]["mean"]
    outcomes = _outcomes(args[0], at)
    if not outcomes:
        raise FormulaError("empty", "this list is empty", at)
    return _sum([value * chance for value, chance in outcomes])


def _tries(args: list[Value], at: int) -> tuple[float, float]:
    """Mean and standard deviation of the number of tries until the sum of their outcomes reaches a total.

    Computed by dynamic programming over all lower totals: the mean for a total is 1 plus the mean for what is left
    after one try. The mean of the square is computed in the same way.
    """
    total, outcomes = math.ceil(require_number(args[0], at)), _outcomes(args[1], at)
    if total > MAX_RESULTS or len(outcomes) > MAX_OUTCOMES:
        message = f"tries takes a total of at most {MAX_RESULTS:,} and at most {MAX_OUTCOMES} outcomes"
        raise FormulaError("large", message, at)
    if any(value < 0 or value != math.floor(value) for value, _ in outcomes):
        raise FormulaError("type", "the values of outcomes must be whole numbers from 0", at)
    adding = [(int(value), chance) for value, chance in outcomes if value > 0]
    progress = _sum([chance for _, chance in adding])
    if total > 0 and not progress > 0:
        raise FormulaError("never", "no number of tries reaches this total", at)
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
    n, k, p = (require_number(value, at) for value in args)
    if n < 0 or n != math.floor(n) or not 0 <= p <= 1:
        raise FormulaError("type", "successes takes a whole number of tries, a number, and a chance from 0 to 1", at)
    if n > MAX_OUTCOMES:
        raise FormulaError("large", f"successes takes at most {MAX_OUTCOMES} tries", at)
    exactly = [1.0]
    for _ in range(int(n)):
        failed = [chance * (1 - p) for chance in exactly] + [0.0]
        succeeded = [0.0] + [chance * p for chance in exactly]
        exactly = [failure + success for failure, success in zip(failed, succeeded, strict=True)]
    return _sum([chance for number, chance in enumerate(exactly) if number >= k])


_NUMBER = {"number": Argument("number", "a number")}
_NUMBERS = {"numbers": Argument("numbers", "several numbers, or one list of numbers")}

FUNCTIONS: Mapping[str, Function] = {
    "floor": Function(
        "The number rounded down to a whole number.",
        _NUMBER,
        ("floor(level / 2)", "floor(-3.5)"),
        _unary(math.floor),
        keeps_unit=True,
    ),
    "ceil": Function(
        "The number rounded up to a whole number.",
        _NUMBER,
        ("ceil(7 / 2)", "ceil(-3.5)"),
        _unary(math.ceil),
        keeps_unit=True,
    ),
    "round": Function(
        "The nearest whole number; a half is rounded up.",
        _NUMBER,
        ("round(2.5)", "round(-2.5)"),
        _unary(_round_half_up),
        keeps_unit=True,
    ),
    "abs": Function(
        "The number without its sign.", _NUMBER, ("abs(3 - 10)", "abs(level - 5)"), _unary(abs), keeps_unit=True
    ),
    "count": Function(
        "How many items a list has.",
        {"list": Argument("list", "a list of anything")},
        ("count([4, 5, 6])", 'count(where([lookup(weapon, "knife"), lookup(weapon, "hammer")], tags = "heavy"))'),
        lambda args, at: len(require_list(args[0], at)),
    ),
    "mean": Function(
        "The average result of dice, or of a list of values with their chances.",
        {"dice": Argument("dice or outcomes", "dice, or a list of pairs, each a value and its chance")},
        ('mean(dice("1d10+3"))', "mean([[0, 0.5], [10, 0.5]])"),
        _mean,
        keeps_unit=True,
    ),
    "chance": Function(
        "The chance that dice reach a target, from 0 to 1. It is exact: nothing is rolled.",
        {
            "dice": Argument("dice", "dice, as `dice` gives them, or a step of the type dice"),
            "target": Argument("plain number", "the lowest result that counts; it is rounded up to a whole number"),
        },
        ('chance(dice("1d10"), 8)', 'chance(dice("2d6"), 7 + 5)'),
        _chance,
    ),
    "tries": Function(
        "The average number of tries until the sum of their values reaches a total.",
        {
            "total": Argument("number", "the number to reach, at most 1,000"),
            "outcomes": Argument(
                "outcomes",
                "a list of at most 100 pairs: a whole number, 0 or more, that one try may add, and its chance",
            ),
        },
        ("tries(3, [[1, 0.5], [0, 0.5]])", "tries(10, [[2, 1]])"),
        lambda args, at: _tries(args, at)[0],
        steps=LOOP_STEPS,
    ),
    "tries_spread": Function(
        "How far the number of tries typically is from its average: the standard deviation.",
        {"total": Argument("number", "as for `tries`"), "outcomes": Argument("outcomes", "as for `tries`")},
        ("tries_spread(3, [[1, 0.5], [0, 0.5]])", "tries_spread(10, [[2, 1]])"),
        lambda args, at: _tries(args, at)[1],
        steps=LOOP_STEPS,
    ),
    "successes": Function(
        "The chance that at least `least` of the tries succeed.",
        {
            "tries": Argument("plain number", "the number of tries: a whole number, at most 100"),
            "least": Argument("plain number", "how many of them have to succeed"),
            "chance": Argument("plain number", "the chance of each try, from 0 to 1"),
        },
        ("successes(3, 2, 0.5)", "successes(5, 1, 0.2)"),
        _successes,
        steps=LOOP_STEPS,
    ),
    "min": Function(
        "The lowest of the numbers.",
        _NUMBERS,
        ("min(level, 5)", "min([3, 9, 4])"),
        _aggregate(min),
        keeps_unit=True,
    ),
    "max": Function(
        "The highest of the numbers.",
        _NUMBERS,
        ("max(level, 10)", "max([3, 9, 4])"),
        _aggregate(max),
        keeps_unit=True,
    ),
    "sum": Function(
        "The sum of the numbers; 0 for an empty list.",
        _NUMBERS,
        ("sum([1, 2, 3])", "sum(level, 1)"),
        _aggregate(_sum),
        keeps_unit=True,
        verb="added",
    ),
}
"""The functions by name, except `dice`, `lookup` and `where`, which have a syntax of their own."""


def form(name: str) -> str:
    """The syntax of a function: `chance(dice, target)`."""
    return f"{name}({', '.join(FUNCTIONS[name].arguments)})"
