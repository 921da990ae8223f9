"""Bar charts of odds as SVG, equal in every digit to those drawn by `site/assets/chart.js`.

Coordinates are whole numbers, because Python and JavaScript could format decimals differently.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from kismet_build.config.language.catalog import Catalog
from kismet_build.render.components import value_text

WIDTH, HEIGHT = 3200, 1180
"""Size of the `viewBox`."""
TOP, BASE = 180, 1000
"""y coordinates of the top of the highest bar and the bottom of all bars."""
SVG_ATTRIBUTES = 'fill="none" stroke="currentColor" stroke-width="10" font-size="110"'
BAR_ATTRIBUTES = 'fill="currentColor"'
TEXT_ATTRIBUTES = 'fill="currentColor" stroke="none"'
"""Attributes that keep the chart readable without a style sheet."""
MAX_BARS = 40
MAX_TAIL_CHANCE = 0.0005
"""A chart omits the values at either end whose total chance is below this."""
GAP = 14
"""Width of the gap between bars."""

Outcomes = Sequence[tuple[float, float]]
"""Pairs of a value and its chance."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart and its caption."""

    drawing: Markup
    caption: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar for a range of values."""

    low: float
    high: float
    chance: float
    """Total chance of the values."""
    reaches_target: bool


def dice_outcomes(dice: Mapping[str, Any], add: float = 0) -> list[tuple[float, float]]:
    """The outcomes of dice, with a number added to each value."""
    at_least = dice["at_least"]
    return [
        (dice["low"] + add + index, chance - (at_least[index + 1] if index + 1 < len(at_least) else 0))
        for index, chance in enumerate(at_least)
    ]


def draw(outcomes: Outcomes, target: float | None, words: Catalog) -> Chart:
    """The chart of these outcomes, in which bars that reach the target are filled."""
    content = _svg_content(outcomes, target, words)
    return Chart(
        Markup(f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" {SVG_ATTRIBUTES} aria-hidden="true">{content}</svg>'),
        _caption(outcomes, target, words),
    )


def _caption(outcomes: Outcomes, target: float | None, words: Catalog) -> str:
    if target is None:
        return value_text.described_outcomes(outcomes, "", words)
    reached = 0.0
    for value, chance in outcomes:
        reached += chance if value >= target else 0
    percent = value_text.format_percent(min(1.0, reached), words)
    return words.text("value.reach", chance=percent, target=value_text.format_number(target, words))


def _svg_content(outcomes: Outcomes, target: float | None, words: Catalog) -> str:
    bars = _bars(outcomes, target)
    if not bars:
        return ""
    max_chance = max(bar.chance for bar in bars)
    first_reached = next((index for index, bar in enumerate(bars) if bar.reaches_target), len(bars))
    svg = "".join(_rectangle(bar, index, len(bars), max_chance, target, words) for index, bar in enumerate(bars))
    low, high = bars[0].low, bars[-1].high
    svg += f'<path class="base" d="M0 {BASE}H{WIDTH}"/>'
    svg += f'<text {TEXT_ATTRIBUTES} x="0" y="{HEIGHT - 40}">{value_text.format_number(low, words)}</text>'
    if high > low:
        svg += f'<text {TEXT_ATTRIBUTES} x="{WIDTH}" y="{HEIGHT - 40}" text-anchor="end">'
        svg += f"{value_text.format_number(high, words)}</text>"
    if target is not None:
        label = words.html("value.or_more", value=value_text.format_number(target, words))
        line_x = first_reached * WIDTH // len(bars)
        anchor, text_x = ("end", line_x - 30) if line_x > WIDTH / 2 else ("start", line_x + 30)
        text_attributes = f'{TEXT_ATTRIBUTES} x="{text_x}" y="110" text-anchor="{anchor}"'
        svg += f'<path class="target" d="M{line_x} 0V{BASE}"/>'
        svg += f'<text class="target" {text_attributes}>{label}</text>'
    return svg


def _rectangle(bar: Bar, index: int, bars: int, max_chance: float, target: float | None, words: Catalog) -> str:
    left, right = index * WIDTH // bars, (index + 1) * WIDTH // bars - GAP
    is_possible = bar.chance > value_text.NEGLIGIBLE_CHANCE
    height = max(8, math.floor(bar.chance / max_chance * (BASE - TOP) + 0.5)) if is_possible else 0
    if bar.reaches_target:
        style = f'class="{"plain" if target is None else "made"}" {BAR_ATTRIBUTES}'
    else:
        style = 'class="missed"'
    box = f'x="{left}" y="{BASE - height}" width="{right - left}" height="{height}"'
    title = (
        f"{value_text.format_range(bar.low, bar.high, words)}: {escape(value_text.format_percent(bar.chance, words))}"
    )
    return f"<rect {style} {box}><title>{title}</title></rect>"


def _bars(outcomes: Outcomes, target: float | None) -> list[Bar]:
    chances: dict[float, float] = {}
    for value, chance in outcomes:
        chances[value] = chances.get(value, 0) + chance
    values = sorted(chances)
    values = _without_tail(_without_tail(values, chances)[::-1], chances)[::-1]
    if not values:
        return []
    if any(value != math.floor(value) for value in values):
        size = math.ceil(len(values) / MAX_BARS)
        missed = 0 if target is None else sum(value < target for value in values)
        groups = [values[max(0, at) : at + size] for at in range(missed % size - size, len(values), size)]
        return [
            Bar(group[0], group[-1], sum(chances[value] for value in group), _reaches(group[0], target))
            for group in groups
            if group
        ]
    low, high = values[0], values[-1]
    values_per_bar = math.ceil((high - low + 1) / MAX_BARS)
    # Start a bar at the target, so that no bar is only half a success.
    start = low if target is None else low - (low - math.ceil(target)) % values_per_bar
    bars = []
    while start <= high:
        chance = 0.0
        for value in values:
            if start <= value < start + values_per_bar:
                chance += chances[value]
        last = min(high, start + values_per_bar - 1)
        bars.append(Bar(max(low, start), last, chance, _reaches(start, target)))
        start += values_per_bar
    return bars


def _without_tail(values: list[float], chances: Mapping[float, float]) -> list[float]:
    """The values without the first ones, whose total chance stays below `MAX_TAIL_CHANCE`."""
    total = 0.0
    for index, value in enumerate(values):
        total += chances[value]
        if total >= MAX_TAIL_CHANCE:
            return values[index:]
    return []


def _reaches(value: float, target: float | None) -> bool:
    return target is None or value >= target
