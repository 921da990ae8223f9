"""Estimate the work of computing the odds of a dice expression, and refuse expressions that would take too long.

The estimate follows `odds.py` node by node: if an algorithm in `odds.py` changes, its cost in this module must change.
"""

from dataclasses import dataclass, replace
from functools import reduce
from math import log2

from .tree import (
    Choice,
    Dice,
    DiceError,
    Expression,
    Keep,
    Number,
    Offset,
    Pool,
    Primary,
    Product,
    Quotient,
    Sum,
    Twice,
)

MAX_DICE = 1_000
"""Maximum number of dice in one node, such as `1000d6`."""
MAX_FACES = 5_000
"""Maximum number of faces of a die."""
MAX_RESULT = 10**12
"""Largest absolute value of a result. Within it, every result is exact as a double."""
MAX_BITS = 2_048
"""Maximum number of bits of the common denominator. Python prints numbers of this size at any
`sys.set_int_max_str_digits` (minimum 640)."""
MAX_SPAN = 20_000
"""Maximum count of numbers from the lowest to the highest result of a convolution, which computes all of them."""
MAX_WORK = 250_000
"""Maximum number of steps of about 0.1 µs; an answer then takes less than 50 ms. A limit in seconds would make
machines refuse different expressions: docs/decisions/0012-exact-odds.md."""

NODE_WORK = 50
"""Minimum number of steps for each node."""

INVERSE_STOP_CHANCE = 10**14
"""A die or pool that rolls again stops when its chance to continue is less than 1 in `INVERSE_STOP_CHANCE`.

The chance that any die of an expression within `MAX_BITS` stops is then less than 1 in 10**12.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """An estimate of the size of the odds of an expression, and of the work to compute them."""

    low: int
    high: int
    results: int
    """The maximum number of different results."""
    bits: float
    """The binary logarithm of the common denominator."""
    work: float
    """Steps to compute the expression and all its operands."""

    @property
    def span(self) -> int:
        """The count of numbers from the lowest to the highest result."""
        return self.high - self.low + 1


def check_bounds(expression: Expression) -> Size:
    """Estimate the size of an expression. Raises `DiceError` if it exceeds a limit of this module."""
    size = _size(expression)
    # The last term is for `odds`, which reduces each chance to lowest terms.
    return _check(replace(size, work=size.work + size.results * (25 + size.bits / 14)), expression.position)


def max_rolls(faces: int) -> int:
    """The number of rolls after which an open-ended die stops."""
    rolls = 1
    while faces**rolls < INVERSE_STOP_CHANCE:
        rolls += 1
    return rolls


def max_new_dice(count: int, faces: int) -> int:
    """The number of new dice after which an exploding pool stops."""
    # `more / total` is the chance of more than `limit` new dice, `exactly / total` that of `limit`.
    limit, total, exactly = 0, faces**count, (faces - 1) ** count
    more = total - exactly
    while more * INVERSE_STOP_CHANCE >= total:
        limit += 1
        total *= faces
        exactly = exactly * (count + limit - 1) // limit
        more = more * faces - exactly
    return limit


def _check(size: Size, position: Offset) -> Size:
    if max(abs(size.low), abs(size.high)) > MAX_RESULT:
        raise DiceError(f"the result could exceed {MAX_RESULT:,}", position)
    if size.bits > MAX_BITS:
        raise DiceError(f"too many dice: roll fewer (the chances would have more than {MAX_BITS:,} bits)", position)
    if size.work > MAX_WORK:
        raise DiceError(f"the odds would take more than {MAX_WORK:,} steps to compute", position)
    return size


def _size(expression: Expression) -> Size:
    position = expression.position
    match expression:
        case Number(value):
            return _check(Size(value, value, 1, 0, NODE_WORK), position)
        case Dice():
            return _power(_die(expression), expression.count, position)
        case Keep():
            return _keep(expression)
        case Pool(dice):
            die = _die(dice)
            pools, bits = _pools(dice, die)
            work = NODE_WORK + die.work + (dice.count + 1) * (pools * 4 + dice.count * bits / 5000)
            return _check(Size(0, dice.count + pools - 1, dice.count + pools, bits, work), position)
        case Primary(faces=faces, criticals=criticals):
            return _primary(faces, expression.extra, dict(criticals), position)
        case Sum(terms):
            return reduce(lambda left, right: _add(left, right, position), map(_size, terms))
        case Product(factor, operand):
            size = _size(operand)
            ends = (size.low * factor, size.high * factor)
            return _check(
                replace(size, low=min(ends), high=max(ends), work=size.work + NODE_WORK + 3 * size.results), position
            )
        case Quotient(_, operand, divisor):
            size = _size(operand)
            low, high = size.low // divisor, -(-size.high // divisor)
            results = min(size.results, high - low + 1)
            return Size(low, high, results, size.bits, size.work + NODE_WORK + 3 * size.results)
        case Choice(which, operands):
            return _choose(which, [_size(operand) for operand in operands], position)
        case Twice(which, operand):
            size = _size(operand)
            return _choose(which, [size, replace(size, work=0)], position)


def _die(dice: Dice) -> Size:
    if dice.count > MAX_DICE:
        raise DiceError(f"{dice.count:,} dice are more than the limit of {MAX_DICE:,}", dice.position)
    if dice.faces > MAX_FACES:
        raise DiceError(f"{dice.faces:,} faces are more than the limit of {MAX_FACES:,}", dice.position)
    rolls = max_rolls(dice.faces) if dice.again else 1
    most = dice.faces * rolls
    return Size(1, most, most, rolls * log2(dice.faces), NODE_WORK + 6 * most)


def _power(die: Size, count: int, position: Offset) -> Size:
    size = Size(die.low * count, die.high * count, (die.high - die.low) * count + 1, die.bits * count, die.work)
    return size if count == 1 else _convolve(size, position)


def _add(left: Size, right: Size, position: Offset) -> Size:
    low, high = left.low + right.low, left.high + right.high
    pairs = left.results * right.results
    size = Size(low, high, min(pairs, high - low + 1), left.bits + right.bits, left.work + right.work)
    if pairs <= size.span:
        return _check(replace(size, work=size.work + NODE_WORK + 4 * pairs), position)
    return _convolve(size, position)


def _convolve(size: Size, position: Offset) -> Size:
    if size.span > MAX_SPAN:
        raise DiceError(f"there are more than {MAX_SPAN:,} numbers between the lowest and the highest result", position)
    return _check(replace(size, work=size.work + _multiplication_steps(size.span, size.bits)), position)


def _multiplication_steps(span: int, bits: float) -> float:
    # Python multiplies long integers with Karatsuba's algorithm, hence the exponent; 400 is measured.
    return NODE_WORK + 4 * span + float((span * (bits + 8) / 400) ** 1.585)


def _pools(dice: Dice, die: Size) -> tuple[int, float]:
    """The number of cases of new dice in an exploding pool, and the bits of the denominator."""
    if dice.again != "!":
        return 1, dice.count * die.bits
    bits = dice.count * log2(dice.faces)
    if bits > MAX_BITS / 4:
        # New dice more than double the bits, which then exceed the limit. Computing the number of new dice would take
        # long.
        return 1, MAX_BITS + 1
    new = max_new_dice(dice.count, dice.faces)
    return new + 1, 2 * bits + new * log2(dice.faces)


def _keep(keep: Keep) -> Size:
    dice, position = keep.dice, keep.position
    die = _die(dice)
    pools, bits = _pools(dice, die)
    kept = keep.number if keep.which[0] == "k" else dice.count - keep.number
    # The highest faces of an exploding pool are kept or dropped first, so fewer or more of the other dice are kept.
    tops = min(pools - 1, keep.number)
    least = kept - tops if keep.which == "kh" else kept
    most = kept + tops if keep.which == "dh" else kept
    high = (dice.faces if dice.again == "!" else die.high) * kept + dice.faces * (pools - 1)
    # Check the size before estimating the work: the estimate takes long for many dice.
    size = _check(Size(kept, high, high - kept + 1, bits, NODE_WORK + die.work), position)
    faces = dice.faces if dice.again == "!" else die.high
    work = sum(_sum_of_best_steps(faces, dice.count, number, bits) for number in range(least, most + 1))
    if pools > 1:
        work += pools * faces * most * (4 + bits / 200)
    return _check(replace(size, work=size.work + work), position)


def _sum_of_best_steps(faces: int, count: int, kept: int, bits: float) -> float:
    if kept == count:
        return _multiplication_steps(faces * count, bits)
    # For each face and each number of placed dice: the ways are computed, then each sum takes a step to the higher
    # sums.
    ways = kept * (10 + bits / 50) / 2
    moves = faces * kept * kept * (1 + bits / 1000) / 6
    return NODE_WORK + faces * kept * (2 + ways + moves)


def _primary(faces: int, extra: int, criticals: dict[int, int], position: Offset) -> Size:
    _die(Dice(1, faces, position=position))
    shown = [face + criticals.get(face, 0) for face in range(1, faces + 1)]
    die = Size(min(shown), max(shown), faces, log2(faces), NODE_WORK + 5 * faces)
    if not extra:
        return _check(die, position)
    ends = (extra, extra * faces)
    return _add(die, Size(min(ends), max(ends), faces, log2(faces), 5 * faces), position)


def _choose(which: str, sizes: list[Size], position: Offset) -> Size:
    best = max if which == "max" else min
    bits = sum(size.bits for size in sizes)
    results = sum(size.results for size in sizes)
    work = NODE_WORK + sum(size.work for size in sizes) + results * len(sizes) * (5 + bits / 500)
    low, high = best(size.low for size in sizes), best(size.high for size in sizes)
    return _check(Size(low, high, min(results, high - low + 1), bits, work), position)
