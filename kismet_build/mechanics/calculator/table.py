"""Choose the inputs and values of a table of a calculator's results, and compute the results."""

from collections.abc import Mapping, Sequence
from itertools import count
from math import ceil, floor
from typing import Any, TypeVar

from kismet_build.mechanics.calculator import Calculator, Input
from kismet_build.mechanics.calculator.calculation import Records, resolve_inputs
from kismet_build.mechanics.formula import FormulaError, Value, evaluate

MAX_ROWS = 10
MAX_COLUMNS = 3
MAX_VARIED_INPUTS = 4
"""Maximum number of inputs, starting with the first, from which those for rows and columns are chosen."""
MAX_ENTITY_ROWS = 30
"""Maximum number of rows for an entity input, one for each entity."""
MAX_CONSECUTIVE_VALUES = 13
"""An integer range with fewer steps is evaluated at each value."""
ROUND_STEPS = (1, 2, 5)
"""Possible leading digits of the distance between two rows of a longer range."""

Item = TypeVar("Item")


def table_inputs(records: Records, calculator: Calculator) -> tuple[Input | None, Input | None]:
    """The input that makes the rows and the input that makes the columns, or `None`.

    Inputs that change the result most are preferred, and for the rows, inputs other than booleans.
    """
    varied = [each for each in calculator.inputs if not each.many and (each.low is None or each.low != each.high)]
    # A result of a sheet takes many calculators, so the table of a sheet varies only the first number.
    varied = (
        [input_ for input_ in varied if input_.low is not None][:1] if calculator.sheet else varied[:MAX_VARIED_INPUTS]
    )
    if len(varied) < 2:
        return (varied[0] if varied else None), None
    effect = {input_.name: _distinct_results(records, calculator, input_) for input_ in varied}
    by_effect = sorted(varied, key=lambda input_: -effect[input_.name])
    changing = [input_ for input_ in by_effect if effect[input_.name] > 1]
    down = next((input_ for input_ in changing if input_.type != "boolean"), by_effect[0])
    return down, next((input_ for input_ in changing if input_ is not down), None)


def table_values(records: Records, input_: Input) -> list[Value]:
    """The values of an input that can be rows or columns; entities are given as records."""
    match input_.type:
        case "integer" | "number":
            return list(_numbers(input_))
        case "boolean":
            return [False, True]
        case "choice":
            return list(input_.options)
        case _:
            of_kinds = [record for kind in input_.kinds for record in records.entities.get(kind, ())]
            return list(of_kinds[:MAX_ENTITY_ROWS])


def table_result(records: Records, calculator: Calculator, values: Mapping[str, Value]) -> Any:
    """The result of a calculator; an empty string if the rules give no result for these values."""
    library, scope = records.formula_library, dict(values)
    try:
        for step in calculator.steps:
            scope[step.name] = evaluate(step.tree, scope, library)
        return evaluate(calculator.tree, scope, library)
    except FormulaError:
        return ""


def is_short(input_: Input) -> bool:
    """Whether a numeric input is evaluated at each value of its range."""
    assert input_.low is not None
    assert input_.high is not None
    return input_.type == "integer" and (input_.high - input_.low) / (input_.step or 1) < MAX_CONSECUTIVE_VALUES


def sample(items: Sequence[Item], size: int) -> list[Item]:
    """At most `size` items at even distances, including the first and the last."""
    if len(items) <= size:
        return list(items)
    return [items[index * (len(items) - 1) // (size - 1)] for index in range(size)]


def _distinct_results(records: Records, calculator: Calculator, input_: Input) -> int:
    """The number of different results for a sample of an input's values, with defaults for all other inputs."""
    defaults = resolve_inputs(records, calculator, {})
    results = {
        str(table_result(records, calculator, {**defaults, input_.name: value}))
        for value in _sample_values(records, input_)
    }
    return len(results - {""})


def _sample_values(records: Records, input_: Input) -> list[Value]:
    if input_.low is None or input_.high is None:
        return sample(table_values(records, input_), MAX_COLUMNS)
    return [input_.low, input_.low + (input_.high - input_.low) // 2, input_.high]


def _numbers(input_: Input) -> list[float]:
    """All numbers of a short range; otherwise both ends and the round numbers between them."""
    assert input_.low is not None
    assert input_.high is not None
    step = input_.step or 1
    if is_short(input_):
        steps = floor((input_.high - input_.low) / step)
        return [input_.low + index * step for index in range(steps + 1)]
    distances = (step * digit * 10**power for power in count() for digit in ROUND_STEPS)
    distance = next(distance for distance in distances if (input_.high - input_.low) / distance <= MAX_ROWS - 2)
    multiples = range(ceil(input_.low / distance), floor(input_.high / distance) + 1)
    return sorted({input_.low, *(multiple * distance for multiple in multiples), input_.high})
