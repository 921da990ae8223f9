"""Format odds for a terminal: range, mean, the chance to reach a number, and a bar chart of 80 columns."""

from fractions import Fraction

from kismet_build.mechanics.dice.odds import Distribution
from kismet_build.mechanics.dice.table_notation import Contest

WIDTH = 80
"""Columns of the terminal."""
MAX_ROWS = 32
"""Maximum number of rows between the rows for rare results; wider distributions have several results in each row."""
RARE = Fraction(1, 1_000)
"""The lowest results are in one row if their total chance is below this limit, and so are the highest."""
MAX_FRACTION_LENGTH = 30
"""Maximum length of a chance as a fraction; longer fractions are not printed."""


def to_text(expression: str, distribution: Distribution, number: int | None = None) -> str:
    """Format the odds of an expression as several lines, with the chance of `number` or more if it is given."""
    lines = [
        f"{' '.join(expression.split())}: {distribution.low} to {distribution.high}, mean {_decimal(distribution.mean)}"
    ]
    if number is not None:
        chance = distribution.at_least(number)
        fraction = f"{chance.numerator}/{chance.denominator}"
        lines.append(
            f"{number} or more: {fraction + ' = ' if len(fraction) <= MAX_FRACTION_LENGTH else ''}{_percent(chance)}"
        )
    if distribution.tail:
        lines.append(
            f"a die stops rolling again at a limit; the chance that one reaches it is {float(distribution.tail):.1e}"
        )
    return "\n".join([*lines, "", *_bars(distribution)])


def contest_text(expression: str, contest: Contest) -> str:
    """Format the odds of two rolls against each other."""
    chances = (f"{name:5} {_percent(chance):>7}" for name, chance in contest._asdict().items())
    return "\n".join((" ".join(expression.split()), *chances))


def caret_excerpt(expression: str, position: int) -> str:
    """An excerpt of an expression around an offset, and a line with a caret below the offset."""
    first = max(0, min(position - WIDTH // 2, len(expression) - WIDTH + 4))
    # Control characters would move the caret.
    excerpt = "".join(
        character if character.isprintable() else " " for character in expression[first : first + WIDTH - 4]
    )
    return f"  {excerpt}\n  {' ' * (position - first)}^"


def _bars(distribution: Distribution) -> list[str]:
    rows = [(_range(low, high), chance) for low, high, chance in _rows(distribution)]
    label_width = max(len(label) for label, _ in rows)
    highest = max(chance for _, chance in rows)
    bar_width = WIDTH - label_width - len("  100.00%  ")
    return [
        f"{label:>{label_width}}  {_percent(chance):>7}  {'#' * round(chance / highest * bar_width)}".rstrip()
        for label, chance in rows
    ]


def _rows(distribution: Distribution) -> list[tuple[int, int, Fraction]]:
    """The lowest result, the highest result and the chance of each row.

    Rare results at either end share a row; the rows between cover equally many numbers.
    """
    outcomes = list(distribution.outcomes)
    first = _count_rare(outcomes)
    last = len(outcomes) - _count_rare(outcomes[::-1])
    middle = outcomes[first:last]
    row_size = -(-(middle[-1][0] - middle[0][0] + 1) // MAX_ROWS) if len(middle) > MAX_ROWS else 1
    groups: dict[int, list[tuple[int, Fraction]]] = {}
    for value, chance in middle:
        groups.setdefault((value - middle[0][0]) // row_size, []).append((value, chance))
    parts = [outcomes[:first], *groups.values(), outcomes[last:]]
    return [(part[0][0], part[-1][0], sum((chance for _, chance in part), Fraction())) for part in parts if part]


def _count_rare(outcomes: list[tuple[int, Fraction]]) -> int:
    """The number of leading outcomes with a total chance below `RARE`. A single one does not count."""
    total = Fraction()
    for index, (_, chance) in enumerate(outcomes):
        total += chance
        if total >= RARE:
            return index if index > 1 else 0
    return 0


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _percent(chance: Fraction) -> str:
    return f"{float(chance * 100):.2f}%"


def _decimal(number: Fraction) -> str:
    return f"{float(number):.4f}".rstrip("0").rstrip(".")
