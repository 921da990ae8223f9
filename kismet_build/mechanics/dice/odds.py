"""Compute the exact odds of a dice expression: whole-number weights, put together by convolution."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate
from math import comb, prod
from typing import Literal, TypeAlias

from kismet_build.mechanics.dice.bounds import check_bounds, new_dice_bound, rolls_bound
from kismet_build.mechanics.dice.tree import (
    Choice,
    Dice,
    Expression,
    Keep,
    Number,
    Pool,
    Primary,
    Product,
    Quotient,
    Sum,
    Twice,
    Which,
)

Weights: TypeAlias = Mapping[int, int]
"""For each result the number of ways to it; the sum of all is the common denominator."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """Every result that an expression can have, with its chance."""

    outcomes: tuple[tuple[int, Fraction], ...]
    """Result and chance, from the lowest result to the highest; the chances add up to 1 exactly."""
    tail: Fraction
    """The chance that some die was stopped that would have rolled again; no chance here is off by more.

    Below 1 in 10**12, and zero where no die rolls again.
    """

    @property
    def low(self) -> int:
        """The lowest result."""
        return self.outcomes[0][0]

    @property
    def high(self) -> int:
        """The highest result; with dice that roll again, the highest before they were stopped."""
        return self.outcomes[-1][0]

    @property
    def mean(self) -> Fraction:
        """The expected result."""
        return sum((value * chance for value, chance in self.outcomes), Fraction())

    def at_least(self, number: int) -> Fraction:
        """The chance of that number or more."""
        return sum((chance for value, chance in self.outcomes if value >= number), Fraction())

    def to_tree(self, number: int | None = None) -> dict[str, object]:
        """As plain data, with the chance to reach `number` where one is given."""
        return {
            "min": self.low,
            "max": self.high,
            "mean": float(self.mean),
            **({} if number is None else {"chance": _fraction_tree(self.at_least(number))}),
            "distribution": [{"value": value, **_fraction_tree(chance)} for value, chance in self.outcomes],
        }


def _fraction_tree(fraction: Fraction) -> dict[str, int]:
    return {"numerator": fraction.numerator, "denominator": fraction.denominator}


def odds(expression: Expression) -> Distribution:
    """The odds of an expression; a `DiceError` when it is too large to finish at once, before anything is computed."""
    check_bounds(expression)
    weights = _weights(expression)
    total = sum(weights.values())
    # Many results have as many ways as others, and lowest terms are dear.
    chances = {ways: Fraction(ways, total) for ways in set(weights.values())}
    outcomes = tuple((value, chances[weights[value]]) for value in sorted(weights))
    return Distribution(outcomes, 1 - _untouched(expression))


def _weights(expression: Expression) -> Weights:
    match expression:
        case Number(value):
            return {value: 1}
        case Dice(count, faces, again):
            return _times(_die(faces, again), count)
        case Keep(dice, which, number):
            return _keep(dice, which, number)
        case Pool(dice, compare, target):
            return _pool(dice, compare, target)
        case Primary(faces=faces, criticals=criticals):
            added = dict(criticals)
            die = _gathered((face + added.get(face, 0), 1) for face in range(1, faces + 1))
            extra = {face * expression.extra: 1 for face in range(1, faces + 1)} if expression.extra else {0: 1}
            return _add(die, extra)
        case Sum(terms):
            return reduce(_add, map(_weights, terms))
        case Product(factor, operand):
            return _gathered((value * factor, ways) for value, ways in _weights(operand).items())
        case Quotient(rounding, operand, divisor):
            sign = 1 if rounding == "floor" else -1
            return _gathered((sign * (sign * value // divisor), ways) for value, ways in _weights(operand).items())
        case Choice(which, operands):
            return _choose(which, [_weights(operand) for operand in operands])
        case Twice(which, operand):
            return _choose(which, [_weights(operand)] * 2)


def _gathered(pairs: Iterable[tuple[int, int]]) -> Weights:
    weights: defaultdict[int, int] = defaultdict(int)
    for value, ways in pairs:
        weights[value] += ways
    return weights


# --- sums


def _add(one: Weights, other: Weights) -> Weights:
    """The weights of the sum of two rolls."""
    low = min(one) + min(other)
    span = max(one) + max(other) - low + 1
    if len(one) * len(other) <= span:
        return _gathered((a + b, ways * more) for a, ways in one.items() for b, more in other.items())
    width = _width(sum(one.values()) * sum(other.values()))
    return _unpacked(_packed(one, width) * _packed(other, width), low, span, width)


def _times(one: Weights, count: int) -> Weights:
    """The weights of the sum of several rolls alike."""
    if count == 1:
        return one
    low, high = min(one), max(one)
    width = _width(sum(one.values()) ** count)
    return _unpacked(_packed(one, width) ** count, low * count, (high - low) * count + 1, width)


# A polynomial whose coefficients are the weights is written as one long number, each coefficient in bytes enough for
# the largest that can come out (Kronecker's substitution): multiplying two such numbers is a whole convolution.


def _width(total: int) -> int:
    return (total.bit_length() + 7) // 8


def _packed(weights: Weights, width: int) -> int:
    low = min(weights)
    digits = bytearray((max(weights) - low + 1) * width)
    for value, ways in weights.items():
        start = (value - low) * width
        digits[start : start + width] = ways.to_bytes(width, "little")
    return int.from_bytes(digits, "little")


def _unpacked(number: int, low: int, span: int, width: int) -> Weights:
    digits = number.to_bytes(span * width, "little")
    weights = {
        low + place: int.from_bytes(digits[place * width : (place + 1) * width], "little") for place in range(span)
    }
    return {value: ways for value, ways in weights.items() if ways}


# --- single dice


def _die(faces: int, again: str) -> Weights:
    """One die; one that rolls again is stopped after `rolls_bound` rolls and keeps what it shows then."""
    if not again:
        return dict.fromkeys(range(1, faces + 1), 1)
    rolls = rolls_bound(faces)
    weights: dict[int, int] = {}
    for before in range(rolls):
        first = before * faces + 1
        weights |= dict.fromkeys(range(first, first + faces - 1), faces ** (rolls - 1 - before))
    return {**weights, rolls * faces: 1}


def _new_dice(dice: Dice) -> tuple[Weights, int]:
    """How many dice `!` adds to a pool, and the common denominator.

    A pool is over when as many dice as were written have shown less than the highest face. So the number of highest
    faces has the negative binomial distribution, and the others are plain dice with one face less. After
    `new_dice_bound` new dice the pool is stopped.
    """
    most = new_dice_bound(dice.count, dice.faces)
    stop = (dice.faces - 1) ** dice.count
    weights = {new: comb(dice.count + new - 1, new) * stop * dice.faces ** (most - new) for new in range(most)}
    total = dice.faces ** (dice.count + most)
    return {**weights, most: total - sum(weights.values())}, total


def _untouched(expression: Expression) -> Fraction:
    """The chance that no die is stopped before its time."""
    match expression:
        case Keep(Dice(again="!"), "kl"):
            return Fraction(1)  # none of the new dice is among the lowest
        case Keep(Dice(again="!") as dice) | Pool(Dice(again="!") as dice):
            new, total = _new_dice(dice)
            return 1 - Fraction(new[max(new)], total)
        case Dice(count, faces, again) | Keep(Dice(count, faces, again)) | Pool(Dice(count, faces, again)):
            return (1 - Fraction(1, faces ** rolls_bound(faces))) ** count if again else Fraction(1)
        case Sum(terms) | Choice(operands=terms):
            return prod(map(_untouched, terms), start=Fraction(1))
        case Product(operand=operand) | Quotient(operand=operand):
            return _untouched(operand)
        case Twice(operand=operand):
            return _untouched(operand) ** 2
        case _:
            return Fraction(1)


# --- dice looked at one by one


def _keep(dice: Dice, which: Literal["kh", "kl", "dh", "dl"], number: int) -> Weights:
    if dice.again == "!":
        return _keep_of_new(dice, which, number)
    kept = number if which[0] == "k" else dice.count - number
    return _best(_die(dice.faces, dice.again), dice.count, kept, highest=which in ("kh", "dl"))


def _keep_of_new(dice: Dice, which: Literal["kh", "kl", "dh", "dl"], number: int) -> Weights:
    """Keep some of a pool with new dice: some of the highest faces in it, some of the dice below them."""
    count, top = dice.count, dice.faces
    below = _die(top - 1, "")

    @cache
    def best(kept: int, *, highest: bool) -> Weights:
        return _best(below, count, kept, highest=highest)

    def pool(tops: int) -> Weights:
        match which:
            case "kl":
                return best(number, highest=False)
            case "kh":
                kept = min(tops, number)
                return _shifted(best(number - kept, highest=True), kept * top)
            case "dl":
                return _shifted(best(count - number, highest=True), tops * top)
            case "dh":
                dropped = min(tops, number)
                return _shifted(best(count - number + dropped, highest=False), (tops - dropped) * top)

    return _mixed(dice, pool)


def _pool(dice: Dice, compare: Literal[">=", "<="], target: int) -> Weights:
    def hit(value: int) -> bool:
        return value >= target if compare == ">=" else value <= target

    def hits(die: Weights) -> Weights:
        yes = sum(ways for value, ways in die.items() if hit(value))
        no = sum(die.values()) - yes
        weights = {n: comb(dice.count, n) * yes**n * no ** (dice.count - n) for n in range(dice.count + 1)}
        return {n: ways for n, ways in weights.items() if ways}

    if dice.again != "!":
        return hits(_die(dice.faces, dice.again))
    below = hits(_die(dice.faces - 1, ""))
    return _mixed(dice, lambda tops: _shifted(below, tops * hit(dice.faces)))


def _mixed(dice: Dice, pool: Callable[[int], Weights]) -> Weights:
    """An exploding pool, put together from what it is with each number of highest faces in it."""
    chances, _ = _new_dice(dice)
    return _gathered((value, chance * ways) for tops, chance in chances.items() for value, ways in pool(tops).items())


def _shifted(weights: Weights, by: int) -> Weights:
    return {value + by: ways for value, ways in weights.items()}


def _best(die: Weights, count: int, kept: int, *, highest: bool) -> Weights:
    """The sum of the highest or lowest dice, by going through the faces from the best to the worst.

    `sums[placed]` holds the ways in which that many dice show a face gone through already, by the sum of these dice.
    """
    if not kept:
        return {0: sum(die.values()) ** count}
    if kept == count:
        return _times(die, count)
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
            for total, before in sums[placed].items():
                done[total + face * (kept - placed)] += before * fills
                for more in range(1, kept - placed):
                    sums[placed + more][total + face * more] += before * shows[more]
    return {value: ways for value, ways in done.items() if ways}


def _choose(which: Which, rolls: list[Weights]) -> Weights:
    """The highest or lowest of several rolls: all stay within a number, less all stay within the one before it."""
    values = sorted({value for roll in rolls for value in roll}, reverse=which == "min")
    within = [list(accumulate(roll.get(value, 0) for value in values)) for roll in rolls]
    together = [prod(ways) for ways in zip(*within, strict=True)]
    weights = {value: ways - before for value, ways, before in zip(values, together, [0, *together], strict=False)}
    return {value: ways for value, ways in weights.items() if ways}
