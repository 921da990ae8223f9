"""Show odds to a person: the range, the mean, the chance to reach a number, and bars that fit 80 columns."""

from fractions import Fraction

from kismet_build.mechanics.dice.odds import Distribution

WIDTH = 80
MOST_ROWS = 32
RARE = Fraction(1, 1_000)
"""What is rarer is put together at either end."""
LONGEST_FRACTION = 30
"""In characters; longer ones tell a reader nothing."""


def to_text(expression: str, distribution: Distribution, number: int | None = None) -> str:
    """The odds of an expression as lines of text, with the chance to reach `number` where one is given."""
    lines = [
        f"{' '.join(expression.split())}: {distribution.low} to {distribution.high}, mean {_decimal(distribution.mean)}"
    ]
    if number is not None:
        chance = distribution.at_least(number)
        fraction = f"{chance.numerator}/{chance.denominator}"
        lines.append(
            f"{number} or more: {fraction + ' = ' if len(fraction) <= LONGEST_FRACTION else ''}{_percent(chance)}"
        )
    if distribution.tail:
        lines.append(
            f"dice that would roll on for ever are stopped; the chance that one was is {float(distribution.tail):.1e}"
        )
    return "\n".join([*lines, "", *_bars(distribution)])


def to_pointer(expression: str, position: int) -> str:
    """What stands around a place of an expression, and a caret below the place."""
    first = max(0, min(position - WIDTH // 2, len(expression) - WIDTH + 4))
    # What moves the cursor would move the caret, too.
    around = "".join(sign if sign.isprintable() else " " for sign in expression[first : first + WIDTH - 4])
    return f"  {around}\n  {' ' * (position - first)}^"


def _bars(distribution: Distribution) -> list[str]:
    rows = [(_range(low, high), chance) for low, high, chance in _rows(distribution)]
    label = max(len(name) for name, _ in rows)
    most = max(chance for _, chance in rows)
    bar = WIDTH - label - len("  100.00%  ")
    return [
        f"{name:>{label}}  {_percent(chance):>7}  {'#' * round(chance / most * bar)}".rstrip() for name, chance in rows
    ]


def _rows(distribution: Distribution) -> list[tuple[int, int, Fraction]]:
    """Lowest and highest result of each row and its chance.

    What is rare at either end is one row, the rest stands in rows of equal breadth.
    """
    outcomes = list(distribution.outcomes)
    first = _rare(outcomes)
    last = len(outcomes) - _rare(outcomes[::-1])
    middle = outcomes[first:last]
    breadth = -(-(middle[-1][0] - middle[0][0] + 1) // MOST_ROWS) if len(middle) > MOST_ROWS else 1
    groups: dict[int, list[tuple[int, Fraction]]] = {}
    for value, chance in middle:
        groups.setdefault((value - middle[0][0]) // breadth, []).append((value, chance))
    parts = [outcomes[:first], *groups.values(), outcomes[last:]]
    return [(part[0][0], part[-1][0], sum((chance for _, chance in part), Fraction())) for part in parts if part]


def _rare(outcomes: list[tuple[int, Fraction]]) -> int:
    """How many outcomes from the beginning are rare together; none where that is a single one."""
    together = Fraction()
    for place, (_, chance) in enumerate(outcomes):
        together += chance
        if together >= RARE:
            return place if place > 1 else 0
    return 0


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _percent(chance: Fraction) -> str:
    return f"{float(chance * 100):.2f}%"


def _decimal(number: Fraction) -> str:
    return f"{float(number):.4f}".rstrip("0").rstrip(".")
