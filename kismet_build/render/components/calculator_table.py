"""Table of a calculator's results over the ranges of its inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from markupsafe import Markup

from kismet_build.config.language.catalog import Catalog
from kismet_build.mechanics.calculator import Calculator, Input, table
from kismet_build.mechanics.calculator.calculation import resolve_inputs
from kismet_build.pack import Pack
from kismet_build.render.components.value_text import format_number, format_value, value_html

MAX_SHEET_ROWS = 5
"""Maximum number of rows in the table on a sheet's page."""
NO_RESULT = Markup('<span class="nothing">—</span>')

Values = Mapping[str, Any]
"""Values of a calculator's inputs by name."""
Cells = tuple[Markup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """Results by the values of one or two inputs, for a template."""

    down: str
    """Label of the input that varies by row."""
    across: str
    """Label of the input that varies by column; empty if there is a single column of results."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, Cells], ...]
    fixed: tuple[tuple[str, str], ...]
    """Label and default of every other input."""


@dataclass(frozen=True, slots=True)
class _Choice:
    text: str
    value: Any


def result_table(pack: Pack, calculator: Calculator, root: str, at: Sequence[Any] | None = None) -> ResultTable | None:
    """The table of a calculator, or `None` if no input can be varied; links start with `root`.

    `at`: the values of the column input; `None` for a selection of its possible values. If `at` is empty, there is one
    column, for the default.
    """
    defaults = resolve_inputs(pack.records, calculator, {})
    down, across = table.table_inputs(pack.records, calculator)
    if down is None:
        return None
    if at is not None and not at:
        across = None
    columns = _columns(pack, calculator, across, at) if across else [_Choice("", None)]

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
        rows=tuple((choice.text, cells(choice)) for choice in table.sample(_choices(pack, down), MAX_SHEET_ROWS))
        if calculator.sheet
        else tuple(_rows([(choice, cells(choice)) for choice in _choices(pack, down)], down, pack.game.catalog)),
        fixed=tuple(
            (input_.label, format_value(defaults[input_.name], "", input_.unit, pack.game.catalog))
            for input_ in calculator.inputs
            if input_ is not down and input_ is not across
        ),
    )


def _columns(pack: Pack, calculator: Calculator, across: Input, at: Sequence[Any] | None) -> list[_Choice]:
    if at is None:
        return table.sample(_choices(pack, across), table.MAX_COLUMNS)
    values = (resolve_inputs(pack.records, calculator, {across.name: value})[across.name] for value in at)
    return [_choice(across, value, pack.game.catalog) for value in values]


def _label(input_: Input) -> str:
    has_unit = input_.unit and input_.unit.lower() not in input_.label.lower()
    return f"{input_.label} ({input_.unit})" if has_unit else input_.label


def _result_html(pack: Pack, calculator: Calculator, values: Values, root: str) -> Markup:
    result = table.table_result(pack.records, calculator, values)
    return NO_RESULT if result == "" else value_html(pack, result, calculator.result.type, calculator.result.unit, root)


def _choices(pack: Pack, input_: Input) -> list[_Choice]:
    return [_choice(input_, value, pack.game.catalog) for value in table.table_values(pack.records, input_)]


def _choice(input_: Input, value: Any, words: Catalog) -> _Choice:
    match input_.type:
        case "integer" | "number":
            return _Choice(format_number(value, words), value)
        case "boolean":
            return _Choice(words.text("value.yes" if value else "value.no"), value)
        case "choice":
            return _Choice(value, value)
        case _:
            return _Choice(value["name"], value)


def _rows(rows: list[tuple[_Choice, Cells]], down: Input, words: Catalog) -> list[tuple[str, Cells]]:
    """In a short range, neighbours with equal results are merged into one row.

    If too many rows remain, only rows at regular intervals are shown, without merging.
    """
    all_rows = [(choice.text, cells) for choice, cells in rows]
    if down.low is None or not table.is_short(down):
        return all_rows
    groups: list[tuple[_Choice, _Choice, Cells]] = []
    for choice, cells in rows:
        if groups and groups[-1][2] == cells:
            groups[-1] = (groups[-1][0], choice, cells)
        else:
            groups.append((choice, choice, cells))
    if len(groups) > table.MAX_ROWS:
        return all_rows[:: ceil(len(all_rows) / table.MAX_ROWS)]
    return [
        (first.text if first is last else words.text("value.range", low=first.text, high=last.text), cells)
        for first, last, cells in groups
    ]
