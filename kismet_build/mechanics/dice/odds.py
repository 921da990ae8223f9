"""Compute the exact odds of a dice expression with integer weights and convolution."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate
from math import comb, prod
from typing import Literal, TypeAlias

from .bounds import check_bounds, max_new_dice, max_rolls
from .tree import (
    Choice,
    Dice,
    Expression,
    Extreme,
    Keep,
    Number,
    Pool,
    Primary,
    Product,
    Quotient,
    Sum,
    Twice,
)

Weights: TypeAlias = Mapping[int, int]
"""Number of ways to roll each result. Their sum is the common denominator of the chances."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """All results of an expression and their chances."""

    outcomes: tuple[tuple[int, Fraction], ...]
    """Pairs of a result and its chance, in ascending order. The chances add up to exactly 1."""
    tail: Fraction
    """The chance that a die that rolls again reaches its limit of rolls, which is the maximum error of any chance.

    The chance is less than 1 in 10**12, and zero if no die rolls again.
    """

    @property
    def low(self) -> int:
        """The lowest result."""
        return self.outcomes[0][0]

    @property
    def high(self) -> int:
        """The highest result; for dice that roll again, the highest within their limit of rolls."""
        return self.outcomes[-1][0]

    @property
    def mean(self) -> Fraction:
        """The expected result."""
        return sum((value * chance for value, chance in self.outcomes), Fraction())

    def at_least(self, number: int) -> Fraction:
        """The chance of a result of `number` or more."""
        return sum((chance for value, chance in self.outcomes if value >= number), Fraction())

    def to_tree(self, number: int | None = None) -> dict[str, object]:
        """Convert to plain data, with the chance of `number` or more if it is given."""
        return {
            "min": self.low,
            "max": self.high,
            "mean": float(self.mean),
            **({} if number is None else {"chance": to_fraction_tree(self.at_least(number))}),
            "distribution": [{"value": value, **to_fraction_tree(chance)} for value, chance in self.outcomes],
        }


def to_fraction_tree(fraction: Fraction) -> dict[str, int]:
    """A fraction as plain data."""
    return {"numerator": fraction.numerator, "denominator": fraction.denominator}


def odds(expression: Expression) -> Distribution:
    """Compute the odds of an expression. Raises `DiceError` without computing if that would take too long."""
    check_bounds(expression)
    weights = _weights(expression)
    total = sum(weights.values())
    # Many results have equal weights, and creating a `Fraction` is slow: it computes a common divisor.
    chances = {ways: Fraction(ways, total) for ways in set(weights.values())}
    outcomes = tuple((value, chances[weights[value]]) for value in sorted(weights))
    return Distribution(outcomes, 1 - _completion_chance(expression))


def _weights(expression: Expression) -> Weights:
    match expression:
        case Number(value):
            return {value: 1}
        case Dice(count, faces, again):
            return _repeat(_die(faces, again), count)
        case Keep(dice, which, number):
            return _keep(dice, which, number)
        case Pool(dice, compare, target):
            return _pool(dice, compare, target)
        case Primary(faces=faces, criticals=criticals):
            added = dict(criticals)
            die = _collect((face + added.get(face, 0), 1) for face in range(1, faces + 1))
            extra = {face * expression.extra: 1 for face in range(1, faces + 1)} if expression.extra else {0: 1}
            return _add(die, extra)
        case Sum(terms):
            return reduce(_add, map(_weights, terms))
        case Product(factor, operand):
            return _collect((value * factor, ways) for value, ways in _weights(operand).items())
        case Quotient(rounding, operand, divisor):
            sign = 1 if rounding == "floor" else -1
            return _collect((sign * (sign * value // divisor), ways) for value, ways in _weights(operand).items())
        case Choice(which, operands):
            return _choose(which, [_weights(operand) for operand in operands])
        case Twice(which, operand):
            return _choose(which, [_weights(operand)] * 2)


def _collect(pairs: Iterable[tuple[int, int]]) -> Weights:
    """Weights from pairs of a result and its ways; the ways of equal results are added."""
    weights: defaultdict[int, int] = defaultdict(int)
    for value, ways in pairs:
        weights[value] += ways
    return weights


# --- sums


def _add(left: Weights, right: Weights) -> Weights:
    low = min(left) + min(right)
    span = max(left) + max(right) - low + 1
    if len(left) * len(right) <= span:
        return _collect((a + b, a_ways * b_ways) for a, a_ways in left.items() for b, b_ways in right.items())
    width = _bytes_per_weight(sum(left.values()) * sum(right.values()))
    return _unpack(_pack(left, width) * _pack(right, width), low, span, width)


def _repeat(roll: Weights, count: int) -> Weights:
    if count == 1:
        return roll
    low, high = min(roll), max(roll)
    width = _bytes_per_weight(sum(roll.values()) ** count)
    return _unpack(_pack(roll, width) ** count, low * count, (high - low) * count + 1, width)


# Kronecker substitution: the weights are the coefficients of a polynomial, and the polynomial is packed into one long
# integer, with enough bytes for the largest weight of the product. Multiplying two such integers is a convolution.


def _bytes_per_weight(total: int) -> int:
    return (total.bit_length() + 7) // 8


def _pack(weights: Weights, width: int) -> int:
    low = min(weights)
    digits = bytearray((max(weights) - low + 1) * width)
    for value, ways in weights.items():
        start = (value - low) * width
        digits[start : start + width] = ways.to_bytes(width, "little")
    return int.from_bytes(digits, "little")


def _unpack(number: int, low: int, span: int, width: int) -> Weights:
    digits = number.to_bytes(span * width, "little")
    weights = {
        low + index: int.from_bytes(digits[index * width : (index + 1) * width], "little") for index in range(span)
    }
    return {value: ways for value, ways in weights.items() if ways}


# --- single dice


def _die(faces: int, again: str) -> Weights:
    """The weights of one die. A die that rolls again stops after `max_rolls` rolls and keeps its total."""
    if not again:
        return dict.fromkeys(range(1, faces + 1), 1)
    rolls = max_rolls(faces)
    weights: dict[int, int] = {}
    for highest_faces in range(rolls):
        first = highest_faces * faces + 1
        weights |= dict.fromkeys(range(first, first + faces - 1), faces ** (rolls - 1 - highest_faces))
    return {**weights, rolls * faces: 1}


def _new_dice_weights(dice: Dice) -> tuple[Weights, int]:
    """The weights of the number of new dice that `!` adds to a pool, and their sum.

    Rolling ends when `dice.count` dice have shown less than the highest face. So the number of highest faces has a
    negative binomial distribution, and the other dice are plain dice with one face less. Rolling stops after
    `max_new_dice` new dice.
    """
    limit = max_new_dice(dice.count, dice.faces)
    stop = (dice.faces - 1) ** dice.count
    weights = {new: comb(dice.count + new - 1, new) * stop * dice.faces ** (limit - new) for new in range(limit)}
    total = dice.faces ** (dice.count + limit)
    return {**weights, limit: total - sum(weights.values())}, total


def _completion_chance(expression: Expression) -> Fraction:
    """The chance that no die reaches its limit of rolls."""
    match expression:
        case Keep(Dice(again="!"), "kl"):
            return Fraction(1)  # enough other dice are below the highest face, so new dice change nothing
        case Keep(Dice(again="!") as dice) | Pool(Dice(again="!") as dice):
            new, total = _new_dice_weights(dice)
            return 1 - Fraction(new[max(new)], total)
        case Dice(count, faces, again) | Keep(Dice(count, faces, again)) | Pool(Dice(count, faces, again)):
            return (1 - Fraction(1, faces ** max_rolls(faces))) ** count if again else Fraction(1)
        case Sum(terms) | Choice(operands=terms):
            return prod(map(_completion_chance, terms), start=Fraction(1))
        case Product(operand=operand) | Quotient(operand=operand):
            return _completion_chance(operand)
        case Twice(operand=operand):
            return _completion_chance(operand) ** 2
        case _:
            return Fraction(1)


# --- dice that are counted or kept one by one


def _keep(dice: Dice, which: Literal["kh", "kl", "dh", "dl"], number: int) -> Weights:
    if dice.again == "!":
        return _keep_exploding(dice, which, number)
    kept = number if which[0] == "k" else dice.count - number
    return _sum_of_best(_die(dice.faces, dice.again), dice.count, kept, highest=which in ("kh", "dl"))


def _keep_exploding(dice: Dice, which: Literal["kh", "kl", "dh", "dl"], number: int) -> Weights:
    """Keep a part of an exploding pool: the weights for each number of highest faces, with plain dice below them."""
    count, top = dice.count, dice.faces
    below = _die(top - 1, "")

    @cache
    def best_below(kept: int, *, highest: bool) -> Weights:
        return _sum_of_best(below, count, kept, highest=highest)

    def kept_sum(tops: int) -> Weights:
        match which:
            case "kl":
                return best_below(number, highest=False)
            case "kh":
                kept = min(tops, number)
                return _shift(best_below(number - kept, highest=True), kept * top)
            case "dl":
                return _shift(best_below(count - number, highest=True), tops * top)
            case "dh":
                dropped = min(tops, number)
                return _shift(best_below(count - number + dropped, highest=False), (tops - dropped) * top)

    return _mix_pools(dice, kept_sum)


def _pool(dice: Dice, compare: Literal[">=", "<="], target: int) -> Weights:
    def is_hit(value: int) -> bool:
        return value >= target if compare == ">=" else value <= target

    def hits(die: Weights) -> Weights:
        hit = sum(ways for value, ways in die.items() if is_hit(value))
        miss = sum(die.values()) - hit
        weights = {n: comb(dice.count, n) * hit**n * miss ** (dice.count - n) for n in range(dice.count + 1)}
        return {n: ways for n, ways in weights.items() if ways}

    if dice.again != "!":
        return hits(_die(dice.faces, dice.again))
    below = hits(_die(dice.faces - 1, ""))
    return _mix_pools(dice, lambda tops: _shift(below, tops * is_hit(dice.faces)))


def _mix_pools(dice: Dice, pool: Callable[[int], Weights]) -> Weights:
    """The weights of an exploding pool. `pool` returns the weights of a pool with a given number of highest faces."""
    tops_weights, _ = _new_dice_weights(dice)
    return _collect((value, top * ways) for tops, top in tops_weights.items() for value, ways in pool(tops).items())


def _shift(weights: Weights, by: int) -> Weights:
    return {value + by: ways for value, ways in weights.items()}


def _sum_of_best(die: Weights, count: int, kept: int, *, highest: bool) -> Weights:
    """The weights of the sum of the `kept` highest or lowest dice.

    Runs through the faces from the best to the worst. `sums[placed]` has, by sum, the number of ways in which `placed`
    dice show the faces so far.
    """
    if not kept:
        return {0: sum(die.values()) ** count}
    if kept == count:
        return _repeat(die, count)
    done: defaultdict[int, int] = defaultdict(int)
    sums: list[defaultdict[int, int]] = [defaultdict(int) for _ in range(kept)]
    sums[0][0] = 1
    worse = sum(die.values())
    for face in sorted(die, reverse=highest):
        ways, worse = die[face], worse - die[face]
        for placed in reversed(range(kept)):
            left = count - placed
            shows = [comb(left, more) * ways**more for more in range(kept - placed)]
            fills = (worse + ways) ** left - sum(part * worse ** (left - more) for more, part in enumerate(shows))
            for total, sum_ways in sums[placed].items():
                done[total + face * (kept - placed)] += sum_ways * fills
                for more in range(1, kept - placed):
                    sums[placed + more][total + face * more] += sum_ways * shows[more]
    return {value: ways for value, ways in done.items() if ways}


def _choose(which: Extreme, rolls: list[Weights]) -> Weights:
    """The weights of the highest or lowest of several rolls: differences of the products of cumulative weights."""
    values = sorted({value for roll in rolls for value in roll}, reverse=which == "min")
    cumulative = [list(accumulate(roll.get(value, 0) for value in values)) for roll in rolls]
    joint = [prod(ways) for ways in zip(*cumulative, strict=True)]
    weights = {value: ways - previous for value, ways, previous in zip(values, joint, [0, *joint], strict=False)}
    return {value: ways for value, ways in weights.items() if ways}
