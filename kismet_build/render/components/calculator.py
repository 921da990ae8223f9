"""Calculators for templates: form, result, steps with citations, odds, examples, other readings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from kismet_build.config.language.catalog import Catalog
from kismet_build.mechanics.calculator import Calculator, Example, Input, Reading, Step
from kismet_build.mechanics.calculator.calculation import Calculation, calculate, evaluate_reading, resolve_inputs
from kismet_build.mechanics.formula import FormulaError
from kismet_build.mechanics.inputs import input_fault
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.calculator_table import NO_RESULT, ResultTable, result_table
from kismet_build.render.components.citation_link import CitationLink, citation_link
from kismet_build.render.components.odds_chart import Chart, dice_outcomes, draw
from kismet_build.render.components.value_text import (
    bracketed_names,
    format_value,
    interpolate,
    value_html,
    without_usual,
)
from kismet_build.render.html.addresses import INDEX, calculator_address, path_to_root
from kismet_build.render.html.escape import with_minus

OMITTED: tuple[Any, ...] = (None, "", ())
"""Values that the scripts assume for missing members."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """An input as a form field."""

    name: str
    id: str
    label: str
    widget: str
    """`number`, `switch`, `choice`, `list` (several numbers or options), `pick` (one entity) or `picks` (several)."""
    unit: str
    minimum: str
    maximum: str
    step: str
    digits_only: bool
    value: str
    """The default as an HTML attribute; for a list, the initial value of an item that a reader adds."""
    values: tuple[str, ...]
    """The default of a list; otherwise empty."""
    display_value: str
    """The default as shown to readers."""
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledValue:
    """A step or another reading, with its value and citation."""

    name: str
    label: str
    value: Markup
    note: str
    citation: CitationLink | None
    chart: Chart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A worked example from the text, as a button that fills in the form."""

    query: str
    """The inputs as a query string."""
    inputs: str
    """The inputs as shown to readers."""
    result: Markup
    misprint: str
    """The result printed in the text if it differs from the calculated one; otherwise empty."""
    citation: CitationLink


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorCard:
    """A calculator's card, for a template."""

    id: str
    name: str
    game: str
    title: str
    answers: str
    groups: tuple[tuple[str, tuple[Field, ...]], ...]
    """The fields in groups: the label of a group (may be empty), and its consecutive inputs."""
    label: str
    result: Markup
    is_phrase: bool
    """Whether the result has a type that is shown smaller than a number: words, an entity, outcomes or dice."""
    sentence: str
    steps: tuple[LabelledValue, ...]
    odds: Chart | None
    chart: Chart | None
    """Chart for a result that is a list of outcomes."""
    citation: CitationLink
    readings: tuple[LabelledValue, ...]
    reason: str
    presets: tuple[Preset, ...]
    table: ResultTable | None
    page: str
    """Link to the calculator's own page."""
    is_sheet: bool


def calculator_card(
    pack: Pack, calculator: Calculator, address: str, *, prefix: str = "", with_table: bool
) -> CalculatorCard:
    """A calculator's card for the page at this address. `prefix` starts the HTML id."""
    root = path_to_root(address)
    evaluation = _evaluate(pack, calculator)
    calculation, result = evaluation.calculation, calculator.result
    html_id = prefix + calculator.slug
    return CalculatorCard(
        id=html_id,
        name=calculator.slug,
        game=pack.game.id,
        title=calculator.title,
        answers=calculator.answers,
        groups=tuple(
            (
                group,
                tuple(
                    _field(html_id, input_, evaluation.defaults[input_.name], pack.game.catalog) for input_ in inputs
                ),
            )
            for group, inputs in groupby(calculator.inputs, key=lambda input_: input_.group)
        ),
        label=result.label,
        result=_result_html(pack, calculator, calculation, root),
        is_phrase=result.type in ("text", "entity", "outcomes", "dice"),
        sentence=evaluation.sentence,
        steps=tuple(_step(pack, step, value, address) for step, value in _steps(calculator, calculation)),
        odds=evaluation.odds,
        chart=evaluation.chart,
        citation=citation_link(pack, calculator.citation, address),
        readings=tuple(
            _reading(pack, calculator, reading, value, address)
            for reading, value in zip(calculator.readings, evaluation.readings, strict=True)
        ),
        reason=with_minus(calculator.reason),
        presets=tuple(
            _preset(pack, calculator, example, values, calculation, address)
            for example, (values, calculation) in zip(calculator.examples, evaluation.examples, strict=True)
        ),
        table=result_table(pack, calculator, root) if with_table else None,
        page=f"{root}{calculator_address(calculator)}{INDEX}",
        is_sheet=calculator.sheet,
    )


def result_sentence(pack: Pack, calculator: Calculator) -> str:
    """The result for the default inputs as a sentence; empty if the rules give no result for them."""
    return _evaluate(pack, calculator).sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evaluation:
    """The results that are the same on all pages."""

    defaults: Mapping[str, Any]
    """Default value of each input."""
    calculation: Calculation | None
    """Calculation with the defaults; `None` if the rules give no result for them."""
    sentence: str
    odds: Chart | None
    chart: Chart | None
    readings: tuple[Any, ...]
    """Result of each other reading, or `None`."""
    examples: tuple[tuple[Mapping[str, Any], Calculation | None], ...]
    """Inputs and calculation of each example."""


@cached_in_pack
def _evaluate(pack: Pack, calculator: Calculator) -> _Evaluation:
    words = pack.game.catalog
    defaults = resolve_inputs(pack.records, calculator, {})
    calculation = _calculate(pack, calculator, defaults)
    examples = [resolve_inputs(pack.records, calculator, example.inputs) for example in calculator.examples]
    return _Evaluation(
        defaults=defaults,
        calculation=calculation,
        sentence=_sentence(calculator, calculation, words),
        odds=_odds(calculation, words),
        chart=_chart(calculator.result.type, calculation.result if calculation else None, words),
        readings=tuple(_read_otherwise(pack, calculation, reading) for reading in calculator.readings),
        examples=tuple((values, _calculate(pack, calculator, values)) for values in examples),
    )


def _calculate(pack: Pack, calculator: Calculator, values: Mapping[str, Any]) -> Calculation | None:
    try:
        return calculate(pack.records, calculator, values)
    except FormulaError:
        return None


def usual_words(pack: Pack, calculator: Calculator) -> Mapping[str, str]:
    """The default of each input or step that the result sentence has in brackets, as shown to readers.

    The sentence mentions such a value only if it differs from its default: a list of all inputs would hide the answer.
    """
    calculation = _evaluate(pack, calculator).calculation
    if calculation is None:
        return {}
    values = _values(calculator, calculation)
    names = bracketed_names(calculator.result.sentence)
    return {name: format_value(*values[name], pack.game.catalog) for name in names if name in values}


def _sentence(calculator: Calculator, calculation: Calculation | None, words: Catalog) -> str:
    if calculation is None:
        return ""
    values = _values(calculator, calculation)
    sentence = without_usual(calculator.result.sentence, values)
    return interpolate(sentence, {**values, "result": _result(calculator, calculation)}, words)


def _values(calculator: Calculator, calculation: Calculation) -> dict[str, tuple[Any, str, str]]:
    values = {input_.name: (calculation.inputs[input_.name], "", input_.unit) for input_ in calculator.inputs}
    return values | {step.name: (value, step.type, step.unit) for step, value in calculation.steps}


def _result(calculator: Calculator, calculation: Calculation) -> tuple[Any, str, str]:
    return calculation.result, calculator.result.type, calculator.result.unit


def _field(html_id: str, input_: Input, value: Any, words: Catalog) -> Field:
    widgets = {"boolean": "switch", "choice": "choice", "entity": "picks" if input_.many else "pick"}
    is_list = input_.many and input_.type != "entity"
    return Field(
        name=input_.name,
        id=f"{html_id}.{input_.name}",
        label=input_.label,
        widget="list" if is_list else widgets.get(input_.type, "number"),
        unit=input_.unit,
        minimum=_attribute(input_.low),
        maximum=_attribute(input_.high),
        step=_attribute(input_.step) or "any",
        digits_only=input_.type == "integer" and (input_.low or 0) >= 0,
        value=_attribute(_added_value(input_) if is_list else input_.default),
        values=tuple(map(_attribute, input_.default)) if is_list else (),
        display_value=format_value(value, "", input_.unit, words),
        options=input_.options,
    )


def _added_value(input_: Input) -> Any:
    """The initial value of an item that a reader adds to a list: the first option, 1, or the minimum."""
    if input_.options:
        return input_.options[0]
    return input_.low if input_fault(input_, 1) else 1


def _attribute(value: Any) -> str:
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


def _result_html(pack: Pack, calculator: Calculator, calculation: Calculation | None, root: str) -> Markup:
    result = calculator.result
    return NO_RESULT if calculation is None else value_html(pack, calculation.result, result.type, result.unit, root)


def _steps(calculator: Calculator, calculation: Calculation | None) -> Sequence[tuple[Step, Any]]:
    return calculation.steps if calculation else [(step, None) for step in calculator.steps]


def _step(pack: Pack, step: Step, value: Any, address: str) -> LabelledValue:
    return LabelledValue(
        name=step.name,
        label=step.label,
        value=value_html(pack, value, step.type, step.unit, path_to_root(address)),
        note=step.says,
        citation=citation_link(pack, step.citation, address) if step.citation else None,
        chart=_chart(step.type, value, pack.game.catalog),
    )


def _chart(value_type: str, value: Any, words: Catalog) -> Chart | None:
    return draw(value, None, words) if value_type == "outcomes" and value else None


def _odds(calculation: Calculation | None, words: Catalog) -> Chart | None:
    odds = calculation.odds if calculation else None
    if odds is None:
        return None
    return draw(dice_outcomes(odds["dice"], odds["add"] or 0), odds["target"], words)


def _read_otherwise(pack: Pack, calculation: Calculation | None, reading: Reading) -> Any:
    try:
        return evaluate_reading(pack.records, calculation, reading.tree) if calculation else None
    except FormulaError:
        return None


def _reading(pack: Pack, calculator: Calculator, reading: Reading, value: Any, address: str) -> LabelledValue:
    result = calculator.result
    return LabelledValue(
        name="",
        label=reading.title,
        value=value_html(pack, value, result.type, result.unit, path_to_root(address)),
        note="",
        citation=citation_link(pack, reading.citation, address),
        chart=None,
    )


def _preset(
    pack: Pack,
    calculator: Calculator,
    example: Example,
    values: Mapping[str, Any],
    calculation: Calculation | None,
    address: str,
) -> Preset:
    inputs = [input_ for input_ in calculator.inputs if input_.name in example.inputs]
    words = pack.game.catalog
    result, misprint = calculator.result, pack.misprint(example)
    return Preset(
        query=urlencode({input_.name: _attribute(example.inputs[input_.name]) for input_ in inputs}),
        inputs=", ".join(
            f"{input_.label} {format_value(values[input_.name], '', input_.unit, words)}" for input_ in inputs
        ),
        result=_result_html(pack, calculator, calculation, path_to_root(address)),
        misprint="" if misprint is None else format_value(misprint, result.type, result.unit, words),
        citation=citation_link(pack, example.citation, address),
    )


def script_input(input_: Input) -> dict[str, Any]:
    """An input in the form used by the calculator scripts."""
    return compact(
        {
            "name": input_.name,
            "label": input_.label,
            "type": input_.type,
            "unit": input_.unit,
            "min": input_.low,
            "max": input_.high,
            "step": None if input_.type == "integer" and input_.step == 1 else input_.step,
            "default": input_.default,
            "options": input_.options,
            "kinds": input_.kinds,
            "many": input_.many or None,
        }
    )


def compact(record: dict[str, Any]) -> dict[str, Any]:
    """A record without values in `OMITTED`, except for `default`."""
    return {name: value for name, value in record.items() if name == "default" or value not in OMITTED}
