"""Refuse what would take too long to compute, with the bound that it breaks, before anything is computed.

The estimates follow `odds.py` form by form: who changes how a form is computed there changes what it costs here.
"""

from dataclasses import dataclass, replace
from functools import reduce
from math import log2

from kismet_build.mechanics.dice.tree import (
    Choice,
    Dice,
    DiceError,
    Expression,
    Keep,
    Number,
    Place,
    Pool,
    Primary,
    Product,
    Quotient,
    Sum,
    Twice,
)

MOST_DICE = 1_000
"""In one place of an expression."""
MOST_FACES = 5_000
LARGEST = 10**12
"""The largest result, and with a minus the lowest; far within what a double holds exactly."""
MOST_BITS = 2_048
"""Of the common denominator. Its digits can then be printed under any limit that Python can be given (640)."""
MOST_SPAN = 20_000
"""From the lowest to the highest result, where a convolution has to fill all between."""
MOST_WORK = 250_000
"""In steps of about 0.1 microseconds, so that an answer takes less than 50 milliseconds."""

NODE = 50
"""Steps that a node of the tree costs, however small it is."""

STOPPED = 10**14
"""A die that rolls again, or a pool that does, is stopped where less than 1 in this many would go on.

As many as fit into `MOST_BITS` are stopped with a chance under 1 in 10**12 in all.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the odds of an expression are, and how much work they take."""

    low: int
    high: int
    results: int
    """At most so many different ones."""
    bits: float
    """Of the common denominator."""
    work: float
    """Of this expression with all in it, in steps."""

    @property
    def span(self) -> int:
        """From the lowest to the highest result."""
        return self.high - self.low + 1


def check_bounds(expression: Expression) -> Size:
    """The size of an expression; a `DiceError` when it breaks a bound."""
    size = _size(expression)
    # Each chance is reduced to lowest terms in the end.
    return _within(replace(size, work=size.work + size.results * (25 + size.bits / 14)), expression.position)


def rolls_bound(faces: int) -> int:
    """After how many rolls an open-ended die is stopped."""
    rolls = 1
    while faces**rolls < STOPPED:
        rolls += 1
    return rolls


def new_dice_bound(count: int, faces: int) -> int:
    """After how many new dice an exploding pool is stopped."""
    # `left` of `total` is the chance of more than `most` new dice, `ways` of it that of `most`.
    most, total, ways = 0, faces**count, (faces - 1) ** count
    left = total - ways
    while left * STOPPED >= total:
        most += 1
        total *= faces
        ways = ways * (count + most - 1) // most
        left = left * faces - ways
    return most


def _within(size: Size, place: Place) -> Size:
    if max(abs(size.low), abs(size.high)) > LARGEST:
        raise DiceError(f"this comes to more than {LARGEST:,}", place)
    if size.bits > MOST_BITS:
        raise DiceError(f"these are too many dice: the chances would have more than {MOST_BITS:,} bits", place)
    if size.work > MOST_WORK:
        raise DiceError(f"the odds would take more than {MOST_WORK:,} steps to compute", place)
    return size


def _size(expression: Expression) -> Size:
    place = expression.position
    match expression:
        case Number(value):
            return _within(Size(value, value, 1, 0, NODE), place)
        case Dice():
            return _power(_die(expression), expression.count, place)
        case Keep():
            return _kept(expression)
        case Pool(dice):
            die = _die(dice)
            pools, bits = _pools(dice, die)
            work = NODE + die.work + (dice.count + 1) * (pools * 4 + dice.count * bits / 5000)
            return _within(Size(0, dice.count + pools - 1, dice.count + pools, bits, work), place)
        case Primary(faces=faces, criticals=criticals):
            return _primary(faces, expression.extra, dict(criticals), place)
        case Sum(terms):
            return reduce(lambda one, other: _added(one, other, place), map(_size, terms))
        case Product(factor, operand):
            size = _size(operand)
            ends = (size.low * factor, size.high * factor)
            return _within(
                replace(size, low=min(ends), high=max(ends), work=size.work + NODE + 3 * size.results), place
            )
        case Quotient(_, operand, divisor):
            size = _size(operand)
            low, high = size.low // divisor, -(-size.high // divisor)
            results = min(size.results, high - low + 1)
            return Size(low, high, results, size.bits, size.work + NODE + 3 * size.results)
        case Choice(which, operands):
            return _chosen(which, [_size(operand) for operand in operands], place)
        case Twice(which, operand):
            size = _size(operand)
            return _chosen(which, [size, replace(size, work=0)], place)


def _die(dice: Dice) -> Size:
    if dice.count > MOST_DICE:
        raise DiceError(f"{dice.count:,} dice are more than {MOST_DICE:,}", dice.position)
    if dice.faces > MOST_FACES:
        raise DiceError(f"{dice.faces:,} faces are more than {MOST_FACES:,}", dice.position)
    rolls = rolls_bound(dice.faces) if dice.again else 1
    most = dice.faces * rolls
    return Size(1, most, most, rolls * log2(dice.faces), NODE + 6 * most)


def _power(die: Size, count: int, place: Place) -> Size:
    size = Size(die.low * count, die.high * count, (die.high - die.low) * count + 1, die.bits * count, die.work)
    return size if count == 1 else _convolved(size, place)


def _added(one: Size, other: Size, place: Place) -> Size:
    low, high = one.low + other.low, one.high + other.high
    pairs = one.results * other.results
    size = Size(low, high, min(pairs, high - low + 1), one.bits + other.bits, one.work + other.work)
    if pairs <= size.span:
        return _within(replace(size, work=size.work + NODE + 4 * pairs), place)
    return _convolved(size, place)


def _convolved(size: Size, place: Place) -> Size:
    if size.span > MOST_SPAN:
        raise DiceError(f"there are more than {MOST_SPAN:,} numbers between the lowest and the highest result", place)
    return _within(replace(size, work=size.work + _multiplication_steps(size.span, size.bits)), place)


def _multiplication_steps(span: int, bits: float) -> float:
    # Python multiplies long numbers with Karatsuba's method; 400 is measured.
    return NODE + 4 * span + float((span * (bits + 8) / 400) ** 1.585)


def _pools(dice: Dice, die: Size) -> tuple[int, float]:
    """How many pools an exploding one is split into, by the number of new dice, and the bits of the denominator."""
    if dice.again != "!":
        return 1, dice.count * die.bits
    bits = dice.count * log2(dice.faces)
    if bits > MOST_BITS / 4:
        # With new dice it comes to more than twice that, and finding out by how much is work, too.
        return 1, MOST_BITS + 1
    new = new_dice_bound(dice.count, dice.faces)
    return new + 1, 2 * bits + new * log2(dice.faces)


def _kept(keep: Keep) -> Size:
    dice, place = keep.dice, keep.position
    die = _die(dice)
    pools, bits = _pools(dice, die)
    kept = keep.number if keep.which[0] == "k" else dice.count - keep.number
    # The highest faces of an exploding pool take places of the others, or are dropped in place of them.
    instead = min(pools - 1, keep.number)
    least = kept - instead if keep.which == "kh" else kept
    most = kept + instead if keep.which == "dh" else kept
    high = (dice.faces if dice.again == "!" else die.high) * kept + dice.faces * (pools - 1)
    # Looked at before the work is added up, which takes time with many dice.
    size = _within(Size(kept, high, high - kept + 1, bits, NODE + die.work), place)
    faces = dice.faces if dice.again == "!" else die.high
    work = sum(_best_steps(faces, dice.count, number, bits) for number in range(least, most + 1))
    if pools > 1:
        work += pools * faces * most * (4 + bits / 200)
    return _within(replace(size, work=size.work + work), place)


def _best_steps(faces: int, count: int, kept: int, bits: float) -> float:
    if kept == count:
        return _multiplication_steps(faces * count, bits)
    # For each face and each number of dice placed: the ways of showing it, and steps from each sum to those above it.
    ways = kept * (10 + bits / 50) / 2
    moves = faces * kept * kept * (1 + bits / 1000) / 6
    return NODE + faces * kept * (2 + ways + moves)


def _primary(faces: int, extra: int, criticals: dict[int, int], place: Place) -> Size:
    _die(Dice(1, faces, position=place))
    shown = [face + criticals.get(face, 0) for face in range(1, faces + 1)]
    die = Size(min(shown), max(shown), faces, log2(faces), NODE + 5 * faces)
    if not extra:
        return _within(die, place)
    return _added(die, Size(min(extra, extra * faces), max(extra, extra * faces), faces, log2(faces), 5 * faces), place)


def _chosen(which: str, sizes: list[Size], place: Place) -> Size:
    best = max if which == "max" else min
    bits = sum(size.bits for size in sizes)
    results = sum(size.results for size in sizes)
    work = NODE + sum(size.work for size in sizes) + results * len(sizes) * (5 + bits / 500)
    low, high = best(size.low for size in sizes), best(size.high for size in sizes)
    return _within(Size(low, high, min(results, high - low + 1), bits, work), place)
