"""Format calculator values as text and HTML, exactly like `site/assets/chart.js`."""

import math
import re
from collections.abc import Container, Mapping
from typing import Any

from markupsafe import Markup, escape

from kismet_build.config.language.catalog import Catalog
from kismet_build.model.language import Language
from kismet_build.pack import Pack
from kismet_build.render.html.addresses import entity_href
from kismet_build.render.html.escape import link_html

NEGLIGIBLE_CHANCE = 1e-9
"""A chance up to this value is a rounding error of a sum and counts as zero."""


def format_number(value: float, words: Catalog) -> str:
    """A number with at most two decimals, halves rounded away from zero, and a typographic minus sign."""
    hundredths = math.floor(abs(value) * 100 + 0.5)
    whole, rest = divmod(hundredths, 100)
    decimals = f".{rest:02}".rstrip("0") if rest else ""
    return words.number(f"{'−' if value < 0 and hundredths else ''}{whole}{decimals}")


def format_percent(chance: float, words: Catalog) -> str:
    """A chance from 0 to 1 as a percentage with one decimal.

    Not rounded to 0% or 100% unless the chance differs from it by at most `NEGLIGIBLE_CHANCE`.
    """
    thousandths = math.floor(chance * 1000 + 0.5)
    if thousandths <= 0 and chance > NEGLIGIBLE_CHANCE:
        return f"< {words.percent('0.1')}"
    if thousandths >= 1000 and chance < 1 - NEGLIGIBLE_CHANCE:
        return f"> {words.percent('99.9')}"
    return words.percent(f"{thousandths // 10}.{thousandths % 10}")


def unit_suffix(value: Any, unit: str, words: Catalog) -> str:
    """The unit after a number, in the singular after 1; empty without a unit."""
    if unit == "percent":
        return words.percent_sign
    return f" {Language(words.text_language).singular(unit) if value == 1 else unit}" if unit else ""


def format_value(value: Any, value_type: str, unit: str, words: Catalog) -> str:
    """A value as shown to readers. `value_type`: the `type` of a step or result."""
    match value:
        case None:
            return words.text("value.none")
        case bool():
            return words.text("value.yes") if value else words.text("value.no")
        case int() | float():
            if value_type == "chance":
                return format_percent(value, words)
            return format_number(value, words) + unit_suffix(value, unit, words)
        case {"node": "dice", "tree": {"node": "primary"} as tree}:
            return _primary_die(tree, words)
        case {"node": "dice", "expression": expression}:
            return str(expression)
        case {"name": name}:
            return str(name)
        case list() | tuple() if value_type == "outcomes" and value:
            return described_outcomes(value, unit_suffix(0, unit, words), words)
        case list() | tuple():
            return ", ".join(format_value(item, "", "", words) for item in value) or words.text("value.none")
        case _:
            return str(value)


def _primary_die(primary: Mapping[str, Any], words: Catalog) -> str:
    """A die with an extra die and, in parentheses, what critical faces add: `1d10 + 1d10 (10: +5, 1: −5)`."""
    die = f"1d{primary['faces']}"
    extra = primary["bonus"] - primary["penalty"]
    criticals = primary["criticals"]
    added = ", ".join(f"{face}: {'+' if add > 0 else ''}{format_number(add, words)}" for face, add in criticals)
    return "".join((die, f" {'+' if extra > 0 else '−'} {die}" if extra else "", f" ({added})" if added else ""))


def value_html(pack: Pack, value: Any, value_type: str, unit: str, root: str) -> Markup:
    """A value as HTML: entities as links that start with `root`, anything else as text."""
    match value:
        case {"id": str() as entity_id, "name": name}:
            return link_html(entity_href(pack, entity_id, root), name)
        case list() if value and all(isinstance(item, dict) and "id" in item for item in value):
            return Markup(", ").join(value_html(pack, item, value_type, unit, root) for item in value)
        case _:
            return escape(format_value(value, value_type, unit, pack.game.catalog))


def mean(outcomes: Any) -> float:
    """The mean of outcomes, which are pairs of a value and its chance."""
    total = 0.0
    for value, chance in outcomes:
        total += value * chance
    return total


def interpolate(sentence: str, values: Mapping[str, tuple[Any, str, str]], words: Catalog) -> str:
    """A sentence with each `{name}` replaced by its value. `values`: value, type and unit by name.

    The unit is left out if it follows the name in the sentence, and a `+` before the name is left out if the value is
    negative. Unknown names are left unchanged.
    """

    def replacement(match: re.Match[str]) -> str:
        if match[2] not in values:
            return match[0]
        value, value_type, unit = values[match[2]]
        plus = "" if isinstance(value, int | float) and value < 0 else match[1]
        is_unit_named = bool(unit) and sentence[match.end() :].lower().startswith(f" {unit.lower()}")
        return plus + format_value(value, value_type, "" if is_unit_named else unit, words)

    return re.sub(r"(\+?)\{([a-z0-9_]+)\}", replacement, sentence)


BRACKETS = re.compile(r" ?\(([^(){}]*\{[^()]*)\)")
"""Brackets with one or more `{name}` in parts that semicolons separate."""
NAME = re.compile(r"\{([a-z0-9_]+)\}")


def bracketed_names(sentence: str) -> tuple[str, ...]:
    """The names that a sentence mentions in brackets."""
    return tuple(name for match in BRACKETS.finditer(sentence) for name in NAME.findall(match[1]))


def without_usual(sentence: str, usual: Container[str]) -> str:
    """A sentence without the parts in brackets that mention only values in `usual`, a set of names."""

    def replacement(match: re.Match[str]) -> str:
        parts = [
            part for part in match[1].split("; ") if not (names := NAME.findall(part)) or {*names} - {*usual_names}
        ]
        return match[0].replace(match[1], "; ".join(parts)) if parts else ""

    usual_names = [name for name in bracketed_names(sentence) if name in usual]
    return BRACKETS.sub(replacement, sentence)


def described_outcomes(outcomes: Any, suffix: str, words: Catalog) -> str:
    """The range of the outcomes with its unit, and their mean."""
    shown = format_bounds(outcomes, words) + suffix
    return words.text("value.mean", range=shown, mean=format_number(mean(outcomes), words))


def format_bounds(outcomes: Any, words: Catalog) -> str:
    """The range from the lowest to the highest possible outcome."""
    values = [value for value, chance in outcomes if chance > NEGLIGIBLE_CHANCE]
    return format_range(min(values), max(values), words)


def format_range(low: float, high: float, words: Catalog) -> str:
    """A range, or a single number if both ends are equal."""
    if low == high:
        return format_number(low, words)
    return words.text("value.range", low=format_number(low, words), high=format_number(high, words))
