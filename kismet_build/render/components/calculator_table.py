"""Tell what a calculator gives over the range of its inputs in a small table, for readers without scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil, floor
from typing import Any

from markupsafe import Markup

from kismet_build.mechanics.calculator import Calculator, Input
from kismet_build.mechanics.calculator.calculation import values_of
from kismet_build.mechanics.formula import FormulaError, evaluate
from kismet_build.pack import Pack
from kismet_build.render.components.value_text import number, value_html, words

MOST_ROWS = 10
MOST_COLUMNS = 3
MOST_TRIED = 4
"""Of the inputs, the first ones, that are tried for how much they tell."""
MOST_OF_SHEET = 5
"""Rows in the table of a sheet."""
MOST_PICKED = 30
"""Of the entities that can be picked, one row each."""
FEW = 13
"""Up to here every whole number of a range is tried, and neighbours with the same results stand in one row."""
ROUND = (1, 2, 5)
NO_RESULT = Markup('<span class="nothing">—</span>')

Values = Mapping[str, Any]
Cells = tuple[Markup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """Results by one input down, and where that tells more by another across."""

    down: str
    """The label of the input that has a row for each value."""
    across: str
    """The label of the input that has a column for each value; empty where there is one column of results."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, Cells], ...]
    others: tuple[tuple[str, str], ...]
    """The inputs that keep their defaults: label and value."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A value of an input in a table."""

    said: str
    value: Any


def result_table(pack: Pack, calculator: Calculator, up: str) -> ResultTable | None:
    """The table of a calculator, or `None` where nothing can be varied; links start with `up`."""
    usual = values_of(pack.records, calculator, {})
    varied = [one for one in calculator.inputs if not (one.many or _is_one(one))]
    # A sheet asks many calculators for each result: it has one column, by its first number.
    varied = [one for one in varied if one.low is not None][:1] if calculator.sheet else varied[:MOST_TRIED]
    if not varied:
        return None
    down, across = varied[0], None
    if len(varied) > 1:
        telling = {one.name: _telling(pack, calculator, usual, one) for one in varied}
        by_weight = sorted(varied, key=lambda one: -telling[one.name])
        down = next((one for one in by_weight if one.type != "boolean" and telling[one.name] > 1), by_weight[0])
        across = next((one for one in by_weight if one is not down and telling[one.name] > 1), None)
    columns = _few(_choices(pack, across), MOST_COLUMNS) if across else [_Choice("", None)]

    def cells(choice: _Choice) -> Cells:
        values = {**usual, down.name: choice.value}
        return tuple(
            _shown(pack, calculator, {**values, across.name: column.value} if across else values, up)
            for column in columns
        )

    return ResultTable(
        down=_label(down),
        across=_label(across) if across else "",
        columns=tuple(column.said for column in columns) if across else (calculator.result.label,),
        rows=tuple((choice.said, cells(choice)) for choice in _few(_choices(pack, down), MOST_OF_SHEET))
        if calculator.sheet
        else tuple(_rows([(choice, cells(choice)) for choice in _choices(pack, down)], down)),
        others=tuple(
            (one.label, words(usual[one.name], unit=one.unit))
            for one in calculator.inputs
            if one is not down and one is not across
        ),
    )


def _label(one: Input) -> str:
    return f"{one.label} ({one.unit})" if one.unit and one.unit not in one.label.lower() else one.label


def _is_one(one: Input) -> bool:
    """Whether an input can only be what it is."""
    return one.low is not None and one.low == one.high


def _telling(pack: Pack, calculator: Calculator, usual: Values, one: Input) -> int:
    """How many different results an input brings about, as far as a few of its values show."""
    results = {str(_result(pack, calculator, {**usual, one.name: choice.value})) for choice in _some(pack, one)}
    return len(results - {""})


def _some(pack: Pack, one: Input) -> list[_Choice]:
    if one.low is None or one.high is None:
        return _few(_choices(pack, one), MOST_COLUMNS)
    middle = one.low + (one.high - one.low) // 2
    return [_Choice("", one.low), _Choice("", middle), _Choice("", one.high)]


def _result(pack: Pack, calculator: Calculator, values: Values) -> Any:
    """What a calculator gives; nothing where it cannot be worked out."""
    every, scope = pack.records.scope, dict(values)
    try:
        for step in calculator.steps:
            scope[step.name] = evaluate(step.tree, scope, every)
        return evaluate(calculator.tree, scope, every)
    except FormulaError:
        return ""


def _shown(pack: Pack, calculator: Calculator, values: Values, up: str) -> Markup:
    result = _result(pack, calculator, values)
    return NO_RESULT if result == "" else value_html(result, calculator.result.type, calculator.result.unit, up)


def _choices(pack: Pack, one: Input) -> list[_Choice]:
    """The values of an input that are worth a row."""
    match one.type:
        case "integer" | "number":
            return [_Choice(number(value), value) for value in _numbers(one)]
        case "boolean":
            return [_Choice("no", False), _Choice("yes", True)]
        case "choice":
            return [_Choice(option, option) for option in one.options]
        case _:
            records = [record for kind in one.kinds for record in pack.records.entities.get(kind, ())]
            return [_Choice(record["name"], record) for record in records[:MOST_PICKED]]


def _numbers(one: Input) -> list[float]:
    """The numbers of a range: all of them where they are few, else both ends and what is round between them."""
    assert one.low is not None
    assert one.high is not None
    assert one.step is not None
    if _has_few(one):
        return [one.low + place * one.step for place in range(floor((one.high - one.low) / one.step) + 1)]
    distances = (one.step * digit * 10**power for power in count() for digit in ROUND)
    distance = next(distance for distance in distances if (one.high - one.low) / distance <= MOST_ROWS - 2)
    inside = range(ceil(one.low / distance), floor(one.high / distance) + 1)
    return sorted({one.low, *(place * distance for place in inside), one.high})


def _has_few(one: Input) -> bool:
    """Whether every number that an input can be is tried."""
    assert one.low is not None
    assert one.high is not None
    return one.type == "integer" and (one.high - one.low) / (one.step or 1) < FEW


def _few(choices: Sequence[_Choice], most: int) -> list[_Choice]:
    """Some of many choices, at even distances, the first and the last among them."""
    if len(choices) <= most:
        return list(choices)
    return [choices[place * (len(choices) - 1) // (most - 1)] for place in range(most)]


def _rows(rows: list[tuple[_Choice, Cells]], down: Input) -> list[tuple[str, Cells]]:
    """The rows to show: where each number was tried, neighbours with the same results as one."""
    plain = [(choice.said, cells) for choice, cells in rows]
    if down.low is None or not _has_few(down):
        return plain
    groups: list[tuple[_Choice, _Choice, Cells]] = []
    for choice, cells in rows:
        if groups and groups[-1][2] == cells:
            groups[-1] = (groups[-1][0], choice, cells)
        else:
            groups.append((choice, choice, cells))
    if len(groups) > MOST_ROWS:
        return plain[:: ceil(len(plain) / MOST_ROWS)]
    return [(first.said if first is last else f"{first.said} to {last.said}", cells) for first, last, cells in groups]
