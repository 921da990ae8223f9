"""Run calculators: texts to values, values to a result with its steps."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, TypeAlias

from kismet_build.mechanics.calculator import Calculator, Input, Step, asked, fits, nodes, wanted
from kismet_build.mechanics.formula import FormulaError, Tree, Value, evaluate, plain_number
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize

YES = frozenset(("yes", "true", "1"))
NO = frozenset(("no", "false", "0"))

Record: TypeAlias = dict[str, Any]
"""An entity as formulas read it: its fields, and `id`, `slug`, `name`, `kind` and `effects`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """The data that calculators look up: the entities of a pack as plain records, and its calculators."""

    entities: Mapping[str, Sequence[Record]]
    """By kind, in the order of the book."""
    aliases: Mapping[str, tuple[str, ...]]
    """By the id of an entity."""
    kind_titles: Mapping[str, str]
    calculators: Mapping[str, Calculator]
    """By local id."""

    @cached_property
    def scope(self) -> dict[str, Any]:
        """The records, the calculators as formulas call them, and a cache of their results."""
        return {
            "entities": self.entities,
            "calculators": {local: _callable(calculator) for local, calculator in self.calculators.items()},
            "answers": {},
        }


class InputError(Exception):
    """A value that a calculator cannot take; the message names the input and what it may be."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.message = message


class CalculationError(FormulaError):
    """A formula that has no value for what it was given, and which formula that is."""

    def __init__(self, error: FormulaError, label: str, formula: str, span: Span) -> None:
        super().__init__(error.code, error.message, error.at)
        self.label = label
        """Of the step, or of the result."""
        self.formula = formula
        self.span = span
        """Of the formula in the data file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """A calculator run with values."""

    inputs: Mapping[str, Value]
    """Every input with its value; an entity is its record."""
    result: Value
    steps: tuple[tuple[Step, Value], ...]
    odds: Mapping[str, Value] | None
    """The values of `dice`, `add` and `target`, where the calculator is about a roll."""

    @property
    def scope(self) -> dict[str, Value]:
        """The inputs and the steps by name."""
        return {**self.inputs, **{step.name: value for step, value in self.steps}}


def available_calculators(calculators: Mapping[str, Calculator], empty_kinds: Set[str]) -> Mapping[str, Calculator]:
    """The calculators that neither look up nor pick from an empty kind.

    A vault may hold fewer chapters than its game defines; a diagnostic for each empty kind says so once.
    """
    if not empty_kinds:
        return calculators
    return {
        local: calculator
        for local, calculator in calculators.items()
        if not empty_kinds & _kinds(_reached(calculators, [local]))
    }


def needed(records: Records, calculators: Iterable[Calculator]) -> dict[str, Any]:
    """The part of the records that some calculators reach, for programs that run them elsewhere.

    Of records, and of those in their fields, only those fields are kept that some formula reads.
    """
    reached = _reached(records.calculators, [one.slug for one in calculators])
    kinds = _kinds(reached)
    # A number lies in a range without any formula that names its ends.
    fields = {"id", "slug", "name", "kind", "min", "max"}
    for node in nodes(*(tree for one in reached.values() for tree in one.trees())):
        match node["node"]:
            case "field" | "lookup":
                fields.add(node["field"])
            case "where":
                fields.update(node["fields"])
    return {
        "entities": {
            kind: [_read(record, fields) for record in of_kind]
            for kind, of_kind in records.entities.items()
            if kind in kinds
        },
        "calculators": {local: one for local, one in records.scope["calculators"].items() if local in reached},
    }


def _read(value: Any, fields: set[str]) -> Any:
    """A value with those fields of its records that are read."""
    match value:
        case dict():
            return {name: _read(one, fields) for name, one in value.items() if name in fields}
        case list() | tuple():
            return [_read(one, fields) for one in value]
        case _:
            return value


def read_values(records: Records, calculator: Calculator, given: Mapping[str, str]) -> dict[str, Value]:
    """Texts as values, what is not given as its default. Raises `InputError`."""
    by_name = {one.name: one for one in calculator.inputs}
    for name in given:
        if name not in by_name:
            close = get_close_matches(name, list(by_name), n=1)
            known = f'did you mean "{close[0]}"?' if close else "it has " + (", ".join(by_name) or "no inputs")
            raise InputError(name, f'{calculator.slug} has no input "{name}": {known}')
    texts = {name: _from_text(by_name[name], text) for name, text in given.items()}
    return values_of(records, calculator, texts)


def values_of(records: Records, calculator: Calculator, given: Mapping[str, Any]) -> dict[str, Value]:
    """Values as data files write them, entities by name, as formulas take them. Raises `InputError`."""
    return {one.name: _resolved(records, one, given.get(one.name, one.default)) for one in calculator.inputs}


def calculate(records: Records, calculator: Calculator, values: Mapping[str, Value]) -> Calculation:
    """Run a calculator with a value for every input. Raises `CalculationError`, which is a `FormulaError`."""
    every = records.scope
    scope = dict(values)
    steps = []
    for step in calculator.steps:
        scope[step.name] = _evaluated(step.tree, scope, every, step.label, step.formula, step.span)
        steps.append((step, scope[step.name]))
    label, formula, span = calculator.result.label, calculator.formula, calculator.formula_span
    result = _evaluated(calculator.tree, scope, every, label, formula, span)
    odds = calculator.odds
    parts = {} if odds is None else {"dice": odds.dice, "add": odds.add, "target": odds.target}
    return Calculation(
        inputs=dict(values),
        result=result,
        steps=tuple(steps),
        odds={name: evaluate(tree, scope, every) if tree else None for name, tree in parts.items()} or None,
    )


def read_otherwise(records: Records, calculation: Calculation, tree: Tree) -> Value:
    """What another reading of the text gives for the same inputs and steps. Raises `FormulaError`."""
    return evaluate(tree, calculation.scope, records.scope)


def plain(value: Value) -> Any:
    """A value as programs outside know it: an entity by its id, dice as text, whole numbers as such."""
    match value:
        case bool() | str() | None:
            return value
        case int() | float():
            return plain_number(float(value))
        case {"node": "dice", "expression": expression}:
            return expression
        case {"id": str() as entity_id}:
            return entity_id
        case Mapping():
            return {key: plain(one) for key, one in value.items()}
        case _:
            return [plain(one) for one in value]


def is_same(result: Value, wanted: Any) -> bool:
    """Whether a result is what a data file wants: numbers but for the last digits, entities by id, slug or name."""
    match result:
        case bool():
            return result is wanted
        case int() | float():
            number = isinstance(wanted, int | float) and not isinstance(wanted, bool)
            return number and abs(result - wanted) <= 1e-9 * max(1.0, abs(result))
        case {"id": str() as entity_id, "name": name, "slug": slug}:
            return wanted in (entity_id, slug, entity_id.partition("/")[2]) or normalize(str(wanted)) == normalize(name)
        case list() | tuple():
            alike = isinstance(wanted, list | tuple) and len(wanted) == len(result)
            return alike and all(is_same(one, other) for one, other in zip(result, wanted, strict=True))
        case _:
            return bool(plain(result) == wanted)


def _reached(known: Mapping[str, Calculator], locals_: Iterable[str]) -> dict[str, Calculator]:
    """Some calculators and all that they ask, by their local ids."""
    reached: dict[str, Calculator] = {}
    waiting = list(locals_)
    while waiting:
        local = waiting.pop()
        if local not in reached and local in known:
            reached[local] = known[local]
            waiting.extend(asked(*known[local].trees()))
    return reached


def _kinds(calculators: Mapping[str, Calculator]) -> set[str]:
    """The kinds that some calculators look up or pick from."""
    kinds = {kind for one in calculators.values() for given in one.inputs for kind in given.kinds}
    trees = (tree for one in calculators.values() for tree in one.trees())
    return kinds | {node["kind"] for node in nodes(*trees) if node["node"] == "lookup"}


def _evaluated(
    tree: Tree, scope: Mapping[str, Value], every: Mapping[str, Any], label: str, formula: str, span: Span
) -> Value:
    try:
        return evaluate(tree, scope, every)
    except FormulaError as error:
        raise CalculationError(error, label, formula, span) from error


def _callable(calculator: Calculator) -> dict[str, Any]:
    return {
        "inputs": [one.name for one in calculator.inputs],
        "steps": [[step.name, step.tree] for step in calculator.steps],
        "ast": calculator.tree,
    }


def _from_text(one: Input, text: str) -> Any:
    """A text as data files write the value; what it cannot be stays a text."""
    text = text.strip()
    match one.type:
        case "integer" | "number":
            bare = text.replace("−", "-").replace("–", "-")
            if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", bare, re.ASCII):
                return plain_number(number) if abs(number := float(bare)) < float("inf") else text
            return text
        case "boolean":
            return True if normalize(text) in YES else False if normalize(text) in NO else text
        case "choice":
            return next((option for option in one.options if normalize(option) == normalize(text)), text)
        case _ if one.many:
            return [part.strip() for part in text.split(",") if part.strip()]
        case _:
            return text


def _resolved(records: Records, one: Input, value: Any) -> Value:
    """A value as formulas take it: names as the records of entities."""
    if not fits(one, value):
        said = f'"{value}"' if isinstance(value, str) else plain(value)
        raise InputError(one.name, f"{one.name} cannot be {said}: {one.label} takes {wanted(one)}")
    if one.type != "entity":
        return value
    if one.many:
        return [_entity(records, one, name) for name in ([value] if isinstance(value, str) else value)]
    return _entity(records, one, value)


def _entity(records: Records, one: Input, named: str) -> Record:
    """The record of an entity that is named by its slug, its id, the end of its id, its name or an alias."""
    by_id = {record["id"]: record for kind in one.kinds for record in records.entities.get(kind, ())}
    for record in by_id.values():
        if named in (record["slug"], record["id"], f"{record['kind']}/{record['slug']}"):
            return record
    names = dict(_names(records, one.kinds))
    if normalize(named) in names:
        return by_id[names[normalize(named)]]
    close = get_close_matches(normalize(named), list(names), n=1)
    slugs = [record["slug"] for record in by_id.values()]
    listed = ", ".join(slugs[:12]) + (f" and {len(slugs) - 12} more" if len(slugs) > 12 else "")
    cure = f'did you mean "{by_id[names[close[0]]]["slug"]}"?' if close else f"known here: {listed}"
    kinds = " or ".join(records.kind_titles[kind] for kind in one.kinds)
    raise InputError(one.name, f'{one.name} cannot be "{named}": there is no {kinds} of that name; {cure}')


def _names(records: Records, kinds: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every folded name of some kinds with the id of its entity; names before aliases of another, as later ones win."""
    of_kinds = [record for kind in kinds for record in records.entities.get(kind, ())]
    for record in reversed(of_kinds):
        for alias in (*records.aliases[record["id"]], record["slug"]):
            yield normalize(alias), record["id"]
    for record in reversed(of_kinds):
        yield normalize(record["name"]), record["id"]
