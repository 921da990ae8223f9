"""Print tables of measurements in Markdown, which can be copied into documents."""

from collections.abc import Sequence
from statistics import median

from benchmarks.measure import EDITED, FRESH, MEMORY, PAGES, SERVED, UNCHANGED, Samples

DECIMALS = {FRESH: 3, UNCHANGED: 3, EDITED: 3, SERVED: 3, MEMORY: 0, PAGES: 0}
"""Number of decimals of each measure, in the order of the columns."""


def print_measurements(title: str, samples: Samples, reference: str) -> None:
    """Print medians for each program, and ratios to a reference program and to the same build from nothing."""
    measures = [measure for measure in DECIMALS if any(found.get(measure) for found in samples.values())]
    rows = [
        (
            name,
            *(_number(middle(samples, name, measure), DECIMALS[measure]) for measure in measures),
            _number(ratio(samples, (name, FRESH), (reference, FRESH)), 2),
            _number(ratio(samples, (name, EDITED), (name, FRESH)), 2),
        )
        for name in samples
    ]
    print_table(title, ("program", *measures, f"from nothing, {reference} = 1", "one edit, from nothing = 1"), rows)


def print_limits(limits: Sequence[tuple[str, float | None, float]]) -> None:
    """Print measured values beside their upper limits. `None` stands for a value that was not measured."""
    rows = [
        (name, _short(value), _short(limit), "met" if value <= limit else "MISSED")
        for name, value, limit in limits
        if value is not None
    ]
    if rows:
        print_table("Limits", ("measure", "value", "limit", "verdict"), rows)


def middle(samples: Samples, program: str, measure: str) -> float | None:
    """The median of the samples; `None` without samples."""
    values = samples.get(program, {}).get(measure)
    return median(values) if values else None


def ratio(samples: Samples, over: tuple[str, str], under: tuple[str, str]) -> float | None:
    """The ratio of two measures, each of a program, as the median over all rounds; `None` if one was not measured."""
    first, second = (samples.get(program, {}).get(measure, []) for program, measure in (over, under))
    ratios = [upper / lower for upper, lower in zip(first, second, strict=False)]
    return median(ratios) if ratios else None


def _short(value: float) -> str:
    """A number with at most three significant figures; from 1,000 on, a whole number."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _number(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:,.{decimals}f}"


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table."""
    print(f"\n{title}\n")
    for row in (header, ["---", *["---:"] * (len(header) - 1)], *rows):
        print(f"| {' | '.join(map(str, row))} |")
