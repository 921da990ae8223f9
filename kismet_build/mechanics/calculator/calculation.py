"""Run calculators: convert inputs from strings to values, and compute the result and its steps."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from kismet_build.mechanics.calculator import Calculator, Step, called_calculators, formula_nodes
from kismet_build.mechanics.formula import FormulaError, Tree, Value, evaluate
from kismet_build.mechanics.formula.values import to_plain_value
from kismet_build.mechanics.inputs import InputError, parse_value, resolve
from kismet_build.model.source import Span
from kismet_build.model.suggestion import unknown
from kismet_build.model.text_normalization import normalize

Record: TypeAlias = dict[str, Any]
"""An entity as plain data for formulas: its fields, and `id`, `slug`, `name`, `kind` and `effects`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """The data that formulas can look up: the entities of a pack as plain records, and its calculators."""

    entities: Mapping[str, Sequence[Record]]
    """Entities by kind, in text order."""
    aliases: Mapping[str, tuple[str, ...]]
    """Other names of entities, by id."""
    kind_titles: Mapping[str, str]
    """Titles by kind."""
    calculators: Mapping[str, Calculator]
    """Calculators by local id."""

    @cached_property
    def formula_library(self) -> dict[str, Any]:
        """The `library` argument of `formula.evaluate`, with a cache for results."""
        return {
            "entities": self.entities,
            "calculators": {
                local: _library_entry(calculator) for local, calculator in _formulas(self.calculators).items()
            },
            "result_cache": {},
        }


class CalculationError(FormulaError):
    """A formula of a calculator that has no value for the given inputs."""

    def __init__(self, error: FormulaError, label: str, formula: str, span: Span) -> None:
        super().__init__(error.code, error.message, error.at, error.hint)
        self.label = label
        """The label of the step or of the result."""
        self.formula = formula
        self.span = span
        """The span of the formula in the data file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """The result of running a calculator."""

    inputs: Mapping[str, Value]
    """The value of every input by name; entities are given as records."""
    result: Value
    steps: tuple[tuple[Step, Value], ...]
    """Each step with its value."""
    odds: Mapping[str, Value] | None
    """The values of `dice`, `add` and `target`; `None` if the calculator describes no roll."""

    @property
    def scope(self) -> dict[str, Value]:
        """The values of inputs and steps by name."""
        return {**self.inputs, **{step.name: value for step, value in self.steps}}


def available_calculators(calculators: Mapping[str, Calculator], empty_kinds: Set[str]) -> Mapping[str, Calculator]:
    """The calculators that do not depend on an empty kind, in a formula or an input.

    A vault may lack chapters of the game. The diagnostic `empty-kind` reports that once for each kind:
    docs/decisions/0013-calculators-follow-the-text.md.
    """
    if not empty_kinds:
        return calculators
    formulas = _formulas(calculators)
    return {
        local: calculator
        for local, calculator in calculators.items()
        if not empty_kinds & _kinds_used_by(_with_called(formulas, [local]))
    }


def calculators_without(calculators: Mapping[str, Calculator], left_out: Set[str]) -> Mapping[str, Calculator]:
    """The calculators that are not in `left_out` and do not call any that are."""
    formulas = _formulas(calculators)
    return {
        local: calculator
        for local, calculator in calculators.items()
        if left_out.isdisjoint(_with_called(formulas, [local]))
    }


class CalculatorFormulas(NamedTuple):
    """The parts of a calculator that the formulas calling it need, whether compiled or read from published data."""

    inputs: Mapping[str, Sequence[str]]
    """The kinds of each input by name, in order; empty unless the input is an entity."""
    steps: Sequence[tuple[str, Tree]]
    tree: Tree
    others: Sequence[Tree]
    """Formulas of odds and alternative readings, which no other calculator uses."""

    def trees(self) -> Iterator[Tree]:
        """The trees of all formulas of the calculator."""
        yield from (tree for _, tree in self.steps)
        yield self.tree
        yield from self.others

    def kinds(self) -> Iterator[str]:
        """The kinds of the calculator's inputs, with duplicates."""
        return chain.from_iterable(self.inputs.values())


def _formulas(calculators: Mapping[str, Calculator]) -> dict[str, CalculatorFormulas]:
    return {
        local: CalculatorFormulas(
            {definition.name: definition.kinds for definition in calculator.inputs},
            [(step.name, step.tree) for step in calculator.steps],
            calculator.tree,
            [*calculator.other_trees()],
        )
        for local, calculator in calculators.items()
    }


def needed_library(records: Records, calculators: Iterable[Calculator]) -> dict[str, Any]:
    """The part of `Records.formula_library` that calculators need, without the cache.

    This part is published for `formula.js`.
    """
    needed = [calculator.slug for calculator in calculators]
    return library_of(records.entities, records.aliases, _formulas(records.calculators), needed)


def library_of(
    entities: Mapping[str, Sequence[Record]],
    aliases: Mapping[str, Sequence[str]],
    calculators: Mapping[str, CalculatorFormulas],
    needed: Sequence[str],
) -> dict[str, Any]:
    """The part of a library that the `needed` calculators use, given by local id.

    Records have only the fields that formulas read; `aliases` has the other names of entities that inputs can pick.
    """
    reachable = _with_called(calculators, needed)
    kinds = _kinds_used_by(reachable)
    # `min` and `max` are always kept: a formula can compare a number with a range without naming them.
    fields = {"id", "slug", "name", "kind", "min", "max"}
    for node in formula_nodes(*(tree for calculator in reachable.values() for tree in calculator.trees())):
        match node["node"]:
            case "field" | "lookup":
                fields.add(node["field"])
            case "where":
                fields.update(node["fields"])
    picked = {kind for local in needed for kind in calculators[local].kinds()}
    other_names = {
        record["id"]: aliases[record["id"]]
        for kind, of_kind in entities.items()
        for record in of_kind
        if kind in picked and aliases[record["id"]]
    }
    return {
        "entities": {
            kind: [_select_fields(record, fields) for record in of_kind]
            for kind, of_kind in entities.items()
            if kind in kinds
        },
        **({"aliases": other_names} if other_names else {}),
        "calculators": {local: _library_entry(entry) for local, entry in calculators.items() if local in reachable},
    }


def _select_fields(value: Any, fields: set[str]) -> Any:
    """Keep only these fields of a record, including the records in its fields, or of each record in a list."""
    match value:
        case dict():
            return {name: _select_fields(item, fields) for name, item in value.items() if name in fields}
        case list() | tuple():
            return [_select_fields(item, fields) for item in value]
        case _:
            return value


def parse_inputs(records: Records, calculator: Calculator, given: Mapping[str, str]) -> dict[str, Value]:
    """Convert strings to input values for `calculate`; missing inputs get their defaults. Raises `InputError`."""
    by_name = {definition.name: definition for definition in calculator.inputs}
    values = {name: parse_value(by_name[name], text) if name in by_name else text for name, text in given.items()}
    return resolve_inputs(records, calculator, values)


def resolve_inputs(records: Records, calculator: Calculator, given: Mapping[str, Any]) -> dict[str, Value]:
    """Convert values from a data file to values for `calculate`; missing inputs get their defaults.

    Names of entities become records, and other spellings of an option become the option. Raises `InputError`.
    """
    names = [definition.name for definition in calculator.inputs]
    for name in given:
        if name not in names:
            raise InputError("unknown-input", name, unknown("input", name, names))
    return {
        definition.name: resolve(records, definition, given.get(definition.name, definition.default))
        for definition in calculator.inputs
    }


def calculate(records: Records, calculator: Calculator, values: Mapping[str, Value]) -> Calculation:
    """Run a calculator; `values` has every input. Raises `FormulaError`; for a step or result, `CalculationError`."""
    library = records.formula_library
    scope = dict(values)
    steps = []
    for step in calculator.steps:
        scope[step.name] = _evaluate(step.tree, scope, library, step.label, step.formula, step.span)
        steps.append((step, scope[step.name]))
    label, formula, span = calculator.result.label, calculator.formula, calculator.formula_span
    result = _evaluate(calculator.tree, scope, library, label, formula, span)
    odds = calculator.odds
    trees = {} if odds is None else {"dice": odds.dice, "add": odds.add, "target": odds.target}
    return Calculation(
        inputs=dict(values),
        result=result,
        steps=tuple(steps),
        odds={name: evaluate(tree, scope, library) if tree else None for name, tree in trees.items()} or None,
    )


def evaluate_reading(records: Records, calculation: Calculation, tree: Tree) -> Value:
    """Evaluate an alternative reading with the inputs and steps of a calculation. Raises `FormulaError`."""
    return evaluate(tree, calculation.scope, records.formula_library)


PERCENT = re.compile(r"([0-9]+)(?:[.,]([0-9]+))?\s*%")
"""A chance as books print it: 72.2 %."""


def equals_expected(result: Value, expected: Any) -> bool:
    """Whether a result equals an expected value from a data file.

    Numbers may differ by 1e-9, or by that share of a result above 1. A string such as `72.2 %` matches a chance that
    rounds to it. Entities match by id, `kind/slug`, slug or name.
    """
    match result:
        case bool():
            return result is expected
        case int() | float() if isinstance(expected, str) and (percent := PERCENT.fullmatch(expected.strip())):
            half: float = 0.5 / 10 ** len(percent[2] or "")
            return abs(100 * result - float(f"{percent[1]}.{percent[2] or 0}")) <= half + 1e-9
        case int() | float():
            is_number = isinstance(expected, int | float) and not isinstance(expected, bool)
            return is_number and abs(result - expected) <= 1e-9 * max(1.0, abs(result))
        case {"id": str() as entity_id, "name": name, "slug": slug}:
            ids = (entity_id, slug, entity_id.partition("/")[2])
            return expected in ids or normalize(str(expected)) == normalize(name)
        case list() | tuple():
            if not isinstance(expected, list | tuple) or len(expected) != len(result):
                return False
            return all(equals_expected(*pair) for pair in zip(result, expected, strict=True))
        case _:
            return bool(to_plain_value(result) == expected)


def _with_called(
    calculators: Mapping[str, CalculatorFormulas], local_ids: Iterable[str]
) -> dict[str, CalculatorFormulas]:
    """Calculators and all that they call, directly or indirectly, by local id."""
    reachable: dict[str, CalculatorFormulas] = {}
    pending = list(local_ids)
    while pending:
        local_id = pending.pop()
        if local_id not in reachable and local_id in calculators:
            reachable[local_id] = calculators[local_id]
            pending.extend(called_calculators(*calculators[local_id].trees()))
    return reachable


def _kinds_used_by(calculators: Mapping[str, CalculatorFormulas]) -> set[str]:
    kinds = {kind for calculator in calculators.values() for kind in calculator.kinds()}
    trees = (tree for calculator in calculators.values() for tree in calculator.trees())
    return kinds | {node["kind"] for node in formula_nodes(*trees) if node["node"] == "lookup"}


def _evaluate(
    tree: Tree, scope: Mapping[str, Value], library: Mapping[str, Any], label: str, formula: str, span: Span
) -> Value:
    try:
        return evaluate(tree, scope, library)
    except FormulaError as error:
        raise CalculationError(error, label, formula, span) from error


def _library_entry(calculator: CalculatorFormulas) -> dict[str, Any]:
    return {
        "inputs": [*calculator.inputs],
        "steps": [[name, tree] for name, tree in calculator.steps],
        "ast": calculator.tree,
    }
