"""Calculators as they are shown everywhere: fields, result, steps with their why, odds, examples, other readings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, ClassVar
from urllib.parse import urlencode

from markupsafe import Markup

from kismet_build.mechanics.calculator import Calculator, Example, Input, Reading, Step
from kismet_build.mechanics.calculator.calculation import Calculation, calculate, read_otherwise, values_of
from kismet_build.mechanics.formula import FormulaError
from kismet_build.pack import Pack
from kismet_build.render.components.calculator_table import NO_RESULT, ResultTable, result_table
from kismet_build.render.components.citation_link import Why, why
from kismet_build.render.components.odds_chart import Chart, dice_outcomes, draw
from kismet_build.render.components.value_text import filled, value_html, words
from kismet_build.render.html.addresses import root


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One input as a form shows it."""

    name: str
    id: str
    label: str
    sort: str
    """`number`, `switch`, `choice`, `pick` or `picks`."""
    unit: str
    low: str
    high: str
    step: str
    keypad: bool
    """It takes digits alone, so that a phone need not offer anything else."""
    value: str
    """The default, as a field has it."""
    said: str
    """The default, as a reader has it."""
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A value with its label: a step, or another reading."""

    name: str
    label: str
    value: Markup
    says: str
    why: Why | None
    chart: Chart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A case that the text works out, ready to be put into the fields."""

    query: str
    given: str
    result: Markup
    printed: str
    """What the text prints, where it is another figure."""
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorCard:
    """A calculator, ready for a template."""

    id: str
    """Of its place on the page."""
    name: str
    game: str
    title: str
    groups: tuple[tuple[str, tuple[Field, ...]], ...]
    """The fields of its form, neighbours of a group together."""
    label: str
    """Of the result."""
    result: Markup
    is_phrase: bool
    """The result is words or a range, which would be too much at the size of a figure."""
    sentence: str
    steps: tuple[Part, ...]
    odds: Chart | None
    chart: Chart | None
    """Of the result, where that is a list of outcomes."""
    why: Why
    readings: tuple[Part, ...]
    reason: str
    presets: tuple[Preset, ...]
    table: ResultTable | None
    sheet: ClassVar[str] = ""
    """Nothing: it stands here itself, and is not the way to a page of its own."""


def calculator_card(
    pack: Pack, calculator: Calculator, address: str, *, prefix: str = "", tabled: bool
) -> CalculatorCard:
    """The card of a calculator for the page at an address, with or without the table of its results."""
    up = root(address)
    worked = _worked(pack, calculator)
    calculation, result = worked.calculation, calculator.result
    return CalculatorCard(
        id=prefix + calculator.slug,
        name=calculator.slug,
        game=pack.game.id,
        title=calculator.title,
        groups=tuple(
            (group, tuple(_field(prefix + calculator.slug, one, worked.usual[one.name]) for one in inputs))
            for group, inputs in groupby(calculator.inputs, key=lambda one: one.group)
        ),
        label=result.label,
        result=NO_RESULT if calculation is None else value_html(calculation.result, result.type, result.unit, up),
        is_phrase=result.type in ("text", "entity", "outcomes", "dice"),
        sentence=worked.sentence,
        steps=tuple(_step(pack, step, value, address) for step, value in _steps(calculator, calculation)),
        odds=worked.odds,
        chart=worked.chart,
        why=why(pack, calculator.citation, address),
        readings=tuple(
            _reading(pack, calculator, reading, value, address)
            for reading, value in zip(calculator.readings, worked.readings, strict=True)
        ),
        reason=calculator.reason,
        presets=tuple(
            _preset(pack, calculator, example, case, address)
            for example, case in zip(calculator.examples, worked.cases, strict=True)
        ),
        table=result_table(pack, calculator, up) if tabled else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worked:
    """What a calculator comes to, wherever it is shown."""

    usual: Mapping[str, Any]
    """Its inputs by their defaults."""
    calculation: Calculation | None
    """With these; `None` where the rules have nothing for them."""
    sentence: str
    odds: Chart | None
    chart: Chart | None
    readings: tuple[Any, ...]
    """What each other reading gives."""
    cases: tuple[tuple[Mapping[str, Any], Calculation | None], ...]
    """The inputs of each example, and what comes of them."""


def _worked(pack: Pack, calculator: Calculator) -> _Worked:
    known = _worked_out(pack)
    if calculator.id not in known:
        usual = values_of(pack.records, calculator, {})
        calculation = _calculated(pack, calculator, usual)
        cases = [values_of(pack.records, calculator, example.inputs) for example in calculator.examples]
        known[calculator.id] = _Worked(
            usual=usual,
            calculation=calculation,
            sentence=_sentence(calculator, calculation),
            odds=_odds(calculation),
            chart=_chart(calculator.result.type, calculation.result if calculation else None),
            readings=tuple(_read_otherwise(pack, calculation, one) for one in calculator.readings),
            cases=tuple((values, _calculated(pack, calculator, values)) for values in cases),
        )
    return known[calculator.id]


@lru_cache(maxsize=2)
def _worked_out(_pack: Pack) -> dict[str, _Worked]:
    """What calculators come to, by their ids, as far as they were asked for: each is shown on several pages."""
    return {}


def _calculated(pack: Pack, calculator: Calculator, values: Mapping[str, Any]) -> Calculation | None:
    """The calculation, or `None` where the rules have nothing for these values."""
    try:
        return calculate(pack.records, calculator, values)
    except FormulaError:
        return None


def _sentence(calculator: Calculator, calculation: Calculation | None) -> str:
    if calculation is None:
        return ""
    result = calculator.result
    said = {one.name: (calculation.inputs[one.name], "", one.unit) for one in calculator.inputs}
    said |= {step.name: (value, step.type, step.unit) for step, value in calculation.steps}
    said["result"] = (calculation.result, result.type, result.unit)
    return filled(result.sentence, said)


def _field(place: str, one: Input, value: Any) -> Field:
    sorts = {"boolean": "switch", "choice": "choice", "entity": "picks" if one.many else "pick"}
    return Field(
        name=one.name,
        id=f"{place}.{one.name}",
        label=one.label,
        sort=sorts.get(one.type, "number"),
        unit=one.unit,
        low=_attribute(one.low),
        high=_attribute(one.high),
        step=_attribute(one.step),
        keypad=one.type == "integer" and (one.low or 0) >= 0,
        value=_attribute(one.default),
        said=words(value, unit=one.unit),
        options=one.options,
    )


def _attribute(value: Any) -> str:
    """A value as an attribute of a field has it, or an address."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer():
            return str(int(value))
        case list() | tuple():
            return ",".join(map(_attribute, value))
        case _:
            return str(value)


def _steps(calculator: Calculator, calculation: Calculation | None) -> Sequence[tuple[Step, Any]]:
    return calculation.steps if calculation else [(step, None) for step in calculator.steps]


def _step(pack: Pack, step: Step, value: Any, address: str) -> Part:
    return Part(
        name=step.name,
        label=step.label,
        value=value_html(value, step.type, step.unit, root(address)),
        says=step.says,
        why=why(pack, step.citation, address) if step.citation else None,
        chart=_chart(step.type, value),
    )


def _chart(sort: str, value: Any) -> Chart | None:
    return draw(value) if sort == "outcomes" and value else None


def _odds(calculation: Calculation | None) -> Chart | None:
    odds = calculation.odds if calculation else None
    if odds is None:
        return None
    return draw(dice_outcomes(odds["dice"], odds["add"] or 0), odds["target"])


def _read_otherwise(pack: Pack, calculation: Calculation | None, reading: Reading) -> Any:
    try:
        return read_otherwise(pack.records, calculation, reading.tree) if calculation else None
    except FormulaError:
        return None


def _reading(pack: Pack, calculator: Calculator, reading: Reading, value: Any, address: str) -> Part:
    result = calculator.result
    return Part(
        name="",
        label=reading.title,
        value=value_html(value, result.type, result.unit, root(address)),
        says="",
        why=why(pack, reading.citation, address),
        chart=None,
    )


def _preset(
    pack: Pack,
    calculator: Calculator,
    example: Example,
    case: tuple[Mapping[str, Any], Calculation | None],
    address: str,
) -> Preset:
    inputs = [one for one in calculator.inputs if one.name in example.inputs]
    values, calculation = case
    result, printed = calculator.result, pack.misprint(example)
    return Preset(
        query=urlencode({one.name: _attribute(example.inputs[one.name]) for one in inputs}),
        given=", ".join(f"{one.label} {words(values[one.name], unit=one.unit)}" for one in inputs),
        result=NO_RESULT
        if calculation is None
        else value_html(calculation.result, result.type, result.unit, root(address)),
        printed="" if printed is None else words(printed, result.type, result.unit),
        why=why(pack, example.citation, address),
    )
