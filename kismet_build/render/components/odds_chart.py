"""Draw odds as a small bar chart; `site/assets/calculator.js` draws the same bars, to the last unit.

All of the geometry is whole numbers, so that two languages cannot differ in a decimal.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from kismet_build.render.components.value_text import NOUGHT, between, mean, number, percent, spread

WIDTH, HEIGHT = 3200, 1180
"""Of the drawing, in units of its own."""
TOP, BASE = 180, 1000
"""Where the highest bar ends, and what all bars stand on."""
OUTLINED = 'fill="none" stroke="currentColor" stroke-width="10" font-size="110"'
FILLED = 'fill="currentColor"'
TEXT = 'fill="currentColor" stroke="none"'
"""What tells bars apart and makes words legible where no style does."""
MOST_BARS = 40
RARE = 0.0005
"""What is rarer is left off at either end."""
GAP = 14

Outcomes = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing and its words."""

    drawing: Markup
    caption: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: the values that it stands for, and their chance together."""

    low: float
    high: float
    chance: float
    made: bool
    """It reaches the target."""


def dice_outcomes(dice: Mapping[str, Any], add: float = 0) -> list[tuple[float, float]]:
    """What dice can show, with something added: pairs of a value and its chance."""
    reached = dice["at_least"]
    return [
        (dice["low"] + add + place, chance - (reached[place + 1] if place + 1 < len(reached) else 0))
        for place, chance in enumerate(reached)
    ]


def draw(outcomes: Outcomes, target: float | None = None) -> Chart:
    """The chart of outcomes, those that reach the target told apart."""
    inside = _inside(outcomes, target)
    return Chart(
        Markup(f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" {OUTLINED} aria-hidden="true">{inside}</svg>'),
        _caption(outcomes, target),
    )


def _caption(outcomes: Outcomes, target: float | None) -> str:
    """What a chart shows, in words."""
    if target is None:
        return f"{spread(outcomes)}, mean {number(mean(outcomes))}"
    made = 0.0
    for value, chance in outcomes:
        made += chance if value >= target else 0
    return f"{percent(min(1.0, made))} reach {number(target)} or more"


def _inside(outcomes: Outcomes, target: float | None) -> str:
    bars = _bars(outcomes, target)
    if not bars:
        return ""
    most = max(bar.chance for bar in bars)
    first = next((place for place, bar in enumerate(bars) if bar.made), len(bars))
    drawn = "".join(_rectangle(bar, place, len(bars), most, target) for place, bar in enumerate(bars))
    low, high = bars[0].low, bars[-1].high
    drawn += f'<path class="base" d="M0 {BASE}H{WIDTH}"/><text {TEXT} x="0" y="{HEIGHT - 40}">{number(low)}</text>'
    if high > low:
        drawn += f'<text {TEXT} x="{WIDTH}" y="{HEIGHT - 40}" text-anchor="end">{number(high)}</text>'
    if target is not None:
        line = first * WIDTH // len(bars)
        side, at = ("end", line - 30) if line > WIDTH / 2 else ("start", line + 30)
        drawn += f'<path class="target" d="M{line} 0V{BASE}"/>'
        drawn += f'<text class="target" {TEXT} x="{at}" y="110" text-anchor="{side}">{number(target)} or more</text>'
    return drawn


def _rectangle(bar: Bar, place: int, bars: int, most: float, target: float | None) -> str:
    left, right = place * WIDTH // bars, (place + 1) * WIDTH // bars - GAP
    tall = max(8, math.floor(bar.chance / most * (BASE - TOP) + 0.5)) if bar.chance > NOUGHT else 0
    sort = 'class="missed"' if not bar.made else f'class="{"plain" if target is None else "made"}" {FILLED}'
    box = f'x="{left}" y="{BASE - tall}" width="{right - left}" height="{tall}"'
    return f"<rect {sort} {box}><title>{between(bar.low, bar.high)}: {escape(percent(bar.chance))}</title></rect>"


def _bars(outcomes: Outcomes, target: float | None) -> list[Bar]:
    """The outcomes as bars from the lowest to the highest, rare ends left off, several values to a bar where many."""
    chances: dict[float, float] = {}
    for value, chance in outcomes:
        chances[value] = chances.get(value, 0) + chance
    values = sorted(chances)
    values = _without_rare(_without_rare(values, chances)[::-1], chances)[::-1]
    if not values:
        return []
    if any(value != math.floor(value) for value in values):
        return [Bar(value, value, chances[value], _made(value, target)) for value in values[:MOST_BARS]]
    low, high = values[0], values[-1]
    breadth = math.ceil((high - low + 1) / MOST_BARS)
    # A bar begins at the target, so that none is half a success.
    start = low if target is None else low - (low - math.ceil(target)) % breadth
    bars = []
    while start <= high:
        together = 0.0
        for value in values:
            if start <= value < start + breadth:
                together += chances[value]
        bars.append(Bar(max(low, start), min(high, start + breadth - 1), together, _made(start, target)))
        start += breadth
    return bars


def _without_rare(values: list[float], chances: Mapping[float, float]) -> list[float]:
    """Values without those at the beginning that are rare all together."""
    together = 0.0
    for place, value in enumerate(values):
        together += chances[value]
        if together >= RARE:
            return values[place:]
    return []


def _made(value: float, target: float | None) -> bool:
    return target is None or value >= target
