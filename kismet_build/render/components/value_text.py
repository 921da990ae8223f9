"""Say the values of calculators in words; `site/assets/calculator.js` says them alike."""

import math
import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.escape import linked

ONE: Mapping[str, str] = {"feet": "foot", "dice": "die"}
"""Units whose singular is no ending less."""
SINGULAR = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("ss", "ss"), ("s", ""))
"""Endings of units, and what stands for each after 1; a unit such as `karma` stays as it is."""
NOTHING = "none"
NOUGHT = 1e-9
"""A chance up to here is what sums of doubles leave of none at all."""


def number(value: float) -> str:
    """A number with at most two decimals, halves rounded up, and a real minus sign."""
    hundredths = math.floor(abs(value) * 100 + 0.5)
    whole, rest = divmod(hundredths, 100)
    decimals = f".{rest:02}".rstrip("0") if rest else ""
    return f"{'−' if value < 0 and hundredths else ''}{whole}{decimals}"


def percent(chance: float) -> str:
    """A chance from 0 to 1 with one decimal; what is hardly possible is neither 0 nor certain."""
    thousandths = math.floor(chance * 1000 + 0.5)
    if thousandths <= 0 and chance > NOUGHT:
        return "< 0.1%"
    if thousandths >= 1000 and chance < 1 - NOUGHT:
        return "> 99.9%"
    return f"{thousandths // 10}.{thousandths % 10}%"


def unit_of(value: Any, unit: str) -> str:
    """What stands after a value: nothing, `%`, or the unit, in the singular after 1."""
    if unit == "percent":
        return "%"
    return f" {one_of(unit) if value == 1 else unit}" if unit else ""


def one_of(unit: str) -> str:
    """A unit in the singular."""
    for ending, single in SINGULAR if unit not in ONE else ():
        if unit.endswith(ending):
            return unit.removesuffix(ending) + single
    return ONE.get(unit, unit)


def words(value: Any, sort: str = "", unit: str = "") -> str:
    """A value as a reader would say it; `sort` is the type of a result."""
    match value:
        case None:
            return NOTHING
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return percent(value) if sort == "chance" else number(value) + unit_of(value, unit)
        case {"node": "dice", "expression": expression}:
            return str(expression)
        case {"name": name}:
            return str(name)
        case list() | tuple() if sort == "outcomes" and value:
            return f"{spread(value)}{unit_of(0, unit)}, mean {number(mean(value))}"
        case list() | tuple():
            return ", ".join(words(one) for one in value) or NOTHING
        case _:
            return str(value)


def mean(outcomes: Any) -> float:
    """The mean of pairs of a value and its chance."""
    total = 0.0
    for value, chance in outcomes:
        total += value * chance
    return total


def filled(sentence: str, said: Mapping[str, tuple[Any, str, str]]) -> str:
    """A sentence with its `{names}` replaced by values, each with its type and its unit.

    A sentence may name the unit itself, or put a plus sign before a number that may be negative: nothing is said twice.
    """

    def value(found: re.Match[str]) -> str:
        if found[2] not in said:
            return found[0]
        value, sort, unit = said[found[2]]
        plus = "" if isinstance(value, int | float) and value < 0 else found[1]
        is_named = bool(unit) and sentence[found.end() :].casefold().startswith(f" {unit}")
        return plus + words(value, sort, "" if is_named else unit)

    return re.sub(r"(\+?)\{([a-z0-9_]+)\}", value, sentence)


def spread(outcomes: Any) -> str:
    """The lowest and the highest value that is possible at all."""
    values = [value for value, chance in outcomes if chance > NOUGHT]
    return between(min(values), max(values))


def between(low: float, high: float) -> str:
    """A range, or the one number that it is."""
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def value_html(value: Any, sort: str, unit: str, up: str) -> Markup:
    """A value as HTML; links start with `up`."""
    match value:
        case {"id": str() as entity_id, "name": name}:
            return linked(f"{up}{entity_id}/{INDEX}", name)
        case list() if value and all(isinstance(one, dict) and "id" in one for one in value):
            return Markup(", ").join(value_html(one, sort, unit, up) for one in value)
        case _:
            return escape(words(value, sort, unit))
