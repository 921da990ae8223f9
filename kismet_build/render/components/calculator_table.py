"""Table of a calculator's results over the ranges of its inputs, for readers without JavaScript."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil, floor
from typing import Any

from markupsafe import Markup

from kismet_build.config.catalog import Catalog
from kismet_build.mechanics.calculator import Calculator, Input
from kismet_build.mechanics.calculator.calculation import resolve_inputs
from kismet_build.mechanics.formula import FormulaError, evaluate
from kismet_build.pack import Pack
from kismet_build.render.components.value_text import format_number, format_value, value_html

MAX_ROWS = 10
MAX_COLUMNS = 3
MAX_VARIED_INPUTS = 4
"""Number of inputs, in their order, among which the rows and columns are chosen."""
MAX_SHEET_ROWS = 5
"""Rows in the table on the page of a sheet."""
MAX_ENTITY_ROWS = 30
"""Rows of an input that is an entity, one for each entity."""
MAX_CONSECUTIVE_VALUES = 13
"""A shorter integer range is evaluated at each value, and neighbouring rows with equal results become one."""
ROUND_STEPS = (1, 2, 5)
"""Leading digits of the distance between two rows of a longer range."""
NO_RESULT = Markup('<span class="nothing">—</span>')

Values = Mapping[str, Any]
"""Values of a calculator's inputs by name."""
Cells = tuple[Markup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """Results by the values of one or two inputs, ready for a template."""

    down: str
    """Label of the input with a row for each value."""
    across: str
    """Label of the input with a column for each value; empty if there is a single column of results."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, Cells], ...]
    fixed: tuple[tuple[str, str], ...]
    """Label and default of each other input."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A value of an input, with its text in the table."""

    text: str
    value: Any


def result_table(pack: Pack, calculator: Calculator, root: str) -> ResultTable | None:
    """The table of a calculator, or `None` if no input can be varied; links start with `root`."""
    defaults = resolve_inputs(pack.records, calculator, {})
    varied = [input_ for input_ in calculator.inputs if not (input_.many or _is_constant(input_))]
    # Each result of a sheet evaluates many calculators, so its table has one column, by its first number.
    varied = (
        [input_ for input_ in varied if input_.low is not None][:1] if calculator.sheet else varied[:MAX_VARIED_INPUTS]
    )
    if not varied:
        return None
    down, across = varied[0], None
    if len(varied) > 1:
        effect = {input_.name: _distinct_results(pack, calculator, defaults, input_) for input_ in varied}
        by_effect = sorted(varied, key=lambda input_: -effect[input_.name])
        changing = [input_ for input_ in by_effect if effect[input_.name] > 1]
        down = next((input_ for input_ in changing if input_.type != "boolean"), by_effect[0])
        across = next((input_ for input_ in changing if input_ is not down), None)
    columns = _sample(_choices(pack, across), MAX_COLUMNS) if across else [_Choice("", None)]

    def cells(choice: _Choice) -> Cells:
        values = {**defaults, down.name: choice.value}
        return tuple(
            _result_html(pack, calculator, {**values, across.name: column.value} if across else values, root)
            for column in columns
        )

    return ResultTable(
        down=_label(down),
        across=_label(across) if across else "",
        columns=tuple(column.text for column in columns) if across else (calculator.result.label,),
        rows=tuple((choice.text, cells(choice)) for choice in _sample(_choices(pack, down), MAX_SHEET_ROWS))
        if calculator.sheet
        else tuple(_rows([(choice, cells(choice)) for choice in _choices(pack, down)], down, pack.game.catalog)),
        fixed=tuple(
            (input_.label, format_value(defaults[input_.name], "", input_.unit, pack.game.catalog))
            for input_ in calculator.inputs
            if input_ is not down and input_ is not across
        ),
    )


def _label(input_: Input) -> str:
    has_unit = input_.unit and input_.unit.lower() not in input_.label.lower()
    return f"{input_.label} ({input_.unit})" if has_unit else input_.label


def _is_constant(input_: Input) -> bool:
    return input_.low is not None and input_.low == input_.high


def _distinct_results(pack: Pack, calculator: Calculator, defaults: Values, input_: Input) -> int:
    """The number of different results for a sample of an input's values, the other inputs at their defaults."""
    results = {
        str(_result(pack, calculator, {**defaults, input_.name: value})) for value in _sample_values(pack, input_)
    }
    return len(results - {""})


def _sample_values(pack: Pack, input_: Input) -> list[Any]:
    if input_.low is None or input_.high is None:
        return [choice.value for choice in _sample(_choices(pack, input_), MAX_COLUMNS)]
    return [input_.low, input_.low + (input_.high - input_.low) // 2, input_.high]


def _result(pack: Pack, calculator: Calculator, values: Values) -> Any:
    """The result of a calculator; empty text if the rules give none for these values."""
    records, scope = pack.records.formula_library, dict(values)
    try:
        for step in calculator.steps:
            scope[step.name] = evaluate(step.tree, scope, records)
        return evaluate(calculator.tree, scope, records)
    except FormulaError:
        return ""


def _result_html(pack: Pack, calculator: Calculator, values: Values, root: str) -> Markup:
    result = _result(pack, calculator, values)
    return (
        NO_RESULT
        if result == ""
        else value_html(result, calculator.result.type, calculator.result.unit, root, pack.game.catalog)
    )


def _choices(pack: Pack, input_: Input) -> list[_Choice]:
    """The values of an input that can be rows or columns."""
    match input_.type:
        case "integer" | "number":
            return [_Choice(format_number(value, pack.game.catalog), value) for value in _numbers(input_)]
        case "boolean":
            return [
                _Choice(pack.game.catalog.text("value.no"), False),
                _Choice(pack.game.catalog.text("value.yes"), True),
            ]
        case "choice":
            return [_Choice(option, option) for option in input_.options]
        case _:
            records = [record for kind in input_.kinds for record in pack.records.entities.get(kind, ())]
            return [_Choice(record["name"], record) for record in records[:MAX_ENTITY_ROWS]]


def _numbers(input_: Input) -> list[float]:
    """All numbers of a short range; else both ends and the round numbers between them."""
    assert input_.low is not None
    assert input_.high is not None
    step = input_.step or 1
    if _is_short(input_):
        steps = floor((input_.high - input_.low) / step)
        return [input_.low + index * step for index in range(steps + 1)]
    distances = (step * digit * 10**power for power in count() for digit in ROUND_STEPS)
    distance = next(distance for distance in distances if (input_.high - input_.low) / distance <= MAX_ROWS - 2)
    multiples = range(ceil(input_.low / distance), floor(input_.high / distance) + 1)
    return sorted({input_.low, *(multiple * distance for multiple in multiples), input_.high})


def _is_short(input_: Input) -> bool:
    """Whether the range of an input is evaluated at each value."""
    assert input_.low is not None
    assert input_.high is not None
    return input_.type == "integer" and (input_.high - input_.low) / (input_.step or 1) < MAX_CONSECUTIVE_VALUES


def _sample(choices: Sequence[_Choice], size: int) -> list[_Choice]:
    """At most `size` choices at even distances, including the first and the last."""
    if len(choices) <= size:
        return list(choices)
    return [choices[index * (len(choices) - 1) // (size - 1)] for index in range(size)]


def _rows(rows: list[tuple[_Choice, Cells]], down: Input, words: Catalog) -> list[tuple[str, Cells]]:
    """The rows to show: in a short range, neighbours with equal results become one row."""
    all_rows = [(choice.text, cells) for choice, cells in rows]
    if down.low is None or not _is_short(down):
        return all_rows
    groups: list[tuple[_Choice, _Choice, Cells]] = []
    for choice, cells in rows:
        if groups and groups[-1][2] == cells:
            groups[-1] = (groups[-1][0], choice, cells)
        else:
            groups.append((choice, choice, cells))
    if len(groups) > MAX_ROWS:
        return all_rows[:: ceil(len(all_rows) / MAX_ROWS)]
    return [
        (first.text if first is last else words.text("value.range", low=first.text, high=last.text), cells)
        for first, last, cells in groups
    ]
