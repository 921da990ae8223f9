"""Load the calculators of a game: parse their formulas, infer types, and order them by their dependencies."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kismet_build.config.calculator_definition import CalculatorDefinition, read_citation, read_definitions
from kismet_build.config.formula_types import environment, of_input, of_result
from kismet_build.config.kind import Kind
from kismet_build.mechanics.calculator import (
    Calculator,
    Citation,
    FaultyCalculator,
    Odds,
    Reading,
    Step,
    called_calculators,
    formula_nodes,
)
from kismet_build.mechanics.formula import FormulaError, Tree, Vocabulary, parse
from kismet_build.mechanics.formula.types import (
    ANYTHING,
    DICE,
    NUMBER,
    Signature,
    Type,
    TypeEnvironment,
    describe_unit,
    union_members,
)
from kismet_build.mechanics.formula.types.inference import check_type, infer
from kismet_build.model.diagnostic import Diagnostic, Related, Report, error
from kismet_build.model.source import Span

ZERO: Tree = {"node": "number", "value": 0, "at": 0}
"""The default value of `add` in `odds`."""

FormulaPath: TypeAlias = tuple[str | int, ...]
"""The path of a formula inside its calculator."""

Trees: TypeAlias = Mapping[FormulaPath, Tree]
"""The parsed formulas of one calculator."""


def load_calculators(
    game_id: str,
    files: Sequence[Path],
    kinds: Mapping[str, Kind],
    report: Report,
    operations: Sequence[str],
) -> tuple[dict[str, Calculator], tuple[FaultyCalculator, ...]]:
    """The calculators in the files by local id, and those with mistakes, which are reported.

    A calculator that calls one with a mistake is in neither. `operations`: those of the game's rolls.
    """
    if not files:
        return {}, ()
    definitions, inputs = read_definitions(files, kinds, report)
    by_id = {definition.id: definition for definition in definitions}
    vocabulary = Vocabulary(inputs, {kind.id: lookup_field(kind) for kind in kinds.values()})
    trees = {local: _trees(definition, vocabulary, report) for local, definition in by_id.items()}
    order = _dependency_order(by_id, trees, report)
    types = _types([by_id[local] for local in order], trees, kinds, operations, report)
    sound = {local for local in types if by_id[local].is_sound}
    usable = _without_missing_dependencies(trees, sound)
    calculators: dict[str, Calculator] = {}
    for local in order:
        if local in usable:
            calculators[local] = _calculator(game_id, by_id[local], trees[local], types[local], calculators)
    faulty = []
    for local, definition in by_id.items():
        if local in sound:
            continue
        of_formulas = trees[local]
        can_run = (
            definition.can_run and local in types and calculators.keys() >= {*called_calculators(*of_formulas.values())}
        )
        calculator = _calculator(game_id, definition, of_formulas, types[local], calculators) if can_run else None
        faulty.append(FaultyCalculator(local, tuple(definition.citations()), calculator))
    return {local: calculators[local] for local in by_id if local in calculators}, tuple(faulty)


def _without_missing_dependencies(trees: Mapping[str, Trees], valid: set[str]) -> set[str]:
    while incomplete := {local for local in valid if not valid.issuperset(called_calculators(*trees[local].values()))}:
        valid = valid - incomplete
    return valid


def _types(
    definitions: Sequence[CalculatorDefinition],
    trees: Mapping[str, Trees],
    kinds: Mapping[str, Kind],
    operations: Sequence[str],
    report: Report,
) -> dict[str, dict[str, Type]]:
    """The types of the inputs and steps of each calculator, by its local id. Those with a mistake in a formula are left
    out.
    """
    signatures: dict[str, Signature] = {}
    known_types = environment(kinds, signatures, operations)
    types: dict[str, dict[str, Type]] = {}
    faulty: set[str] = set()
    for definition in definitions:
        # The type of a part with a mistake is not known, and nothing more is said of it.
        names = dict.fromkeys((*definition.written("inputs"), *definition.written("steps")), ANYTHING)
        names |= {input_.name: of_input(input_) for input_ in definition.inputs}
        steps = definition.entry.get("steps", {})
        written = definition.written("inputs")
        names = {name: type_ for name, type_ in names.items() if name not in steps or name in written}
        inputs = {name: names[name] for name in written if name in names}
        for path in (*(("steps", name, "formula") for name in steps), ("formula",)):
            if not _infer(definition, path, trees[definition.id].get(path), names, known_types, report):
                faulty.add(definition.id)
        if not signatures.keys() >= {*called_calculators(*_result_trees(trees[definition.id]))}:
            faulty.add(definition.id)  # it is in a cycle
        signatures[definition.id] = Signature(inputs, names.pop("result"))
        types[definition.id] = names
    # Odds and readings come last: no result depends on them, so they may use any calculator, including their own.
    for definition in definitions:
        for path, tree in trees[definition.id].items():
            names = dict(types[definition.id])
            if path[0] in ("odds", "readings") and not _infer(definition, path, tree, names, known_types, report):
                faulty.add(definition.id)
        if trees[definition.id].keys() != {*_formula_paths(definition.entry)}:
            faulty.add(definition.id)
    return {local: names for local, names in types.items() if local not in faulty}


def _infer(
    definition: CalculatorDefinition,
    path: FormulaPath,
    tree: Tree | None,
    names: dict[str, Type],
    known_types: TypeEnvironment,
    report: Report,
) -> bool:
    """Infer the type of a formula and check it against the declared type.

    The type of a step or of the result is added to `names`. Returns `False` if a mistake was reported. A `tree` that is
    `None` has one.
    """
    problems: list[FormulaError] = []
    type_ = ANYTHING
    if tree is not None and known_types.calculators.keys() >= {*called_calculators(tree)}:
        type_ = infer(tree, names, known_types, problems)
        declared = _declared_type(definition, path)
        try:
            type_ = type_ if declared is None or problems else check_type(type_, declared, tree["at"])
        except FormulaError as mismatch:
            problems.append(mismatch)
    for found in dict.fromkeys(_formula_problem(definition, path, problem) for problem in problems):
        report(found)
    if path[0] in ("steps", "formula"):
        names[str(path[1]) if path[0] == "steps" else "result"] = type_ if not problems else ANYTHING
    return tree is not None and not problems


def _declared_type(definition: CalculatorDefinition, path: FormulaPath) -> Type | None:
    match path[0], path[1:]:
        case "steps", (name, _):
            step = definition.entry["steps"][name]
            return (
                of_result(step.get("type", "number"), step.get("unit", "")) if step.keys() & {"type", "unit"} else None
            )
        case "odds", (part,):
            return DICE if part == "dice" else NUMBER
        case _:
            return None if definition.result is None else of_result(definition.result.type, definition.result.unit)


def _type_name(type_: Type) -> str:
    not_none = [option for option in union_members(type_) if option.category != "none"] or [type_]
    match not_none[0].category:
        case "list":
            return "outcomes" if not_none[0].item and len(not_none[0].item.item_types) == 2 else "list"
        case "number" | "boolean" | "dice" as name:
            return name
        case "record":
            return "entity"
        case _:
            return "text"


def _unit(type_: Type) -> str:
    with_unit = next((option for option in union_members(type_) if option.category == "number" and option.unit), None)
    return describe_unit(with_unit.unit) if with_unit else ""


def lookup_field(kind: Kind) -> str:
    """The field that `lookup` searches by default: the kind's first with numbers or ranges, or an empty string."""
    for name, rule in kind.rules.items():
        type_ = rule.schema.get("type")
        if {"integer", "number"} & {*(type_ if isinstance(type_, list) else [type_])} or {"min", "max"} <= set(
            rule.schema.get("properties", {})
        ):
            return name
    return ""


def formula_span(span: Span, text: str, at: int) -> Span:
    """The span, in the data file, of the word at an offset of a formula; the entire formula if it cannot be found.

    `span`: the formula in the file; `text`: the formula as YAML reads it; `at`: an offset in `text`.
    """
    source = span.source
    start = _source_offset(span, text, at)
    if start is None:
        return span
    word = re.compile(r"[a-z0-9_.]+|.", re.IGNORECASE).match(source.text, start, span.end)
    return source.span(start, word.end() if word else start + 1)


def _source_offset(span: Span, text: str, at: int) -> int | None:
    """The offset in the file for an offset in a formula, at most its last character; `None` if unknown."""
    written = span.text
    at = min(at, max(0, len(text) - 1))
    for quote in ("", "'", '"'):
        if written.endswith(text + quote):
            return span.end - len(quote) - len(text) + at
    # YAML folds line breaks into spaces, so only the other characters are compared.
    offsets = [offset for offset, character in enumerate(written) if not character.isspace()]
    if offsets and written[offsets[-1]] in "\"'":
        offsets.pop()
    characters = "".join(text.split())
    offsets = offsets[-len(characters) :]
    if not characters or "".join(written[offset] for offset in offsets) != characters:
        return None
    return span.start + offsets[min(len("".join(text[:at].split())), len(offsets) - 1)]


def _formula_paths(entry: Mapping[str, Any]) -> Iterator[FormulaPath]:
    """The paths of all formulas of a calculator. Steps are in order, because each step may use earlier ones."""
    for name in entry.get("steps", {}):
        yield ("steps", name, "formula")
    if "formula" in entry:
        yield ("formula",)
    for name in entry.get("odds", {}):
        yield ("odds", name)
    for index, reading in enumerate(entry.get("readings", ())):
        if reading is not None:
            yield ("readings", index, "formula")


def _formula_text(entry: Any, path: FormulaPath) -> str:
    """The text of a formula. YAML reads a formula such as `5` or `true` as a number or boolean."""
    value = entry
    for part in path:
        value = value[part]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _formula_problem(definition: CalculatorDefinition, path: FormulaPath, problem: FormulaError) -> Diagnostic:
    span = formula_span(definition.span_of(*path), _formula_text(definition.entry, path), problem.at)
    return error("invalid-formula", span, f'in "{definition.id}": {problem.message}', problem.hint)


def _trees(definition: CalculatorDefinition, vocabulary: Vocabulary, report: Report) -> dict[FormulaPath, Tree]:
    """The formulas that can be parsed. Mistakes in others are reported."""
    trees: dict[FormulaPath, Tree] = {}
    for path in _formula_paths(definition.entry):
        try:
            trees[path] = parse(_formula_text(definition.entry, path), vocabulary)
        except FormulaError as problem:
            report(_formula_problem(definition, path, problem))
    return trees


def _dependency_order(
    definitions: Mapping[str, CalculatorDefinition], trees: Mapping[str, Trees], report: Report
) -> list[str]:
    """The ids of the calculators, each after those that its result depends on, except in a cycle, which is reported."""
    dependencies = {
        local: [used for used in called_calculators(*_result_trees(trees[local])) if used in definitions]
        for local in definitions
    }
    order: dict[str, None] = {}
    # Depth-first search without recursion. The stack is the path so far, with the dependencies left to visit.
    path: dict[str, Iterator[str]] = {}
    for first in definitions:
        if first not in order:
            path[first] = iter(dependencies[first])
        while path:
            local, remaining = next(reversed(path.items()))
            used = next(remaining, None)
            if used is None:
                order[local] = None
                del path[local]
            elif used in path:
                cycle = list(path)
                _report_cycle(definitions, [*cycle[cycle.index(used) :], used], report)
            elif used not in order:
                path[used] = iter(dependencies[used])
    return list(order)


def _result_trees(trees: Trees) -> list[Tree]:
    return [tree for path, tree in trees.items() if path[0] in ("steps", "formula")]


def _report_cycle(definitions: Mapping[str, CalculatorDefinition], cycle: list[str], report: Report) -> None:
    names = " > ".join(cycle)
    others = tuple(
        Related(definitions[local].span_of("formula"), f'"{local}" is in the cycle') for local in cycle[1:-1]
    )
    hint = "compute one of them without the others"
    message = f"this calculator depends on itself: {names}"
    report(error("calculator-cycle", definitions[cycle[0]].span_of("formula"), message, hint, others))


def _calculator(
    game_id: str,
    definition: CalculatorDefinition,
    trees: Trees,
    types: Mapping[str, Type],
    calculators: Mapping[str, Calculator],
) -> Calculator:
    """`calculators` must include the calculators that formulas of steps use."""
    entry = definition.entry
    assert definition.result is not None
    assert definition.citation is not None
    return Calculator(
        id=f"{game_id}/calculator/{definition.id}",
        title=entry["title"],
        answers=entry.get("answers", ""),
        inputs=definition.inputs,
        steps=tuple(
            _step(definition, name, trees["steps", name, "formula"], types[name], calculators)
            for name in entry.get("steps", {})
        ),
        formula=_formula_text(entry, ("formula",)),
        tree=trees[("formula",)],
        result=definition.result,
        citation=definition.citation,
        examples=definition.examples,
        agreements=definition.agreements,
        odds=_odds(trees),
        readings=tuple(
            Reading(
                title=reading["title"],
                formula=_formula_text(reading, ("formula",)),
                tree=trees["readings", index, "formula"],
                citation=read_citation(definition.data, definition.id, "readings", index, "citation"),
                span=definition.span_of("readings", index, "formula"),
            )
            for index, reading in enumerate(entry.get("readings", ()))
            if reading is not None
        ),
        reason=entry.get("reason", ""),
        sheet=bool(entry.get("sheet")),
        group=definition.group,
        source=definition.source,
        span=definition.span_of(),
        formula_span=definition.span_of("formula"),
    )


def _odds(trees: Trees) -> Odds | None:
    if ("odds", "dice") not in trees:
        return None
    add = trees.get(("odds", "add"), ZERO)
    return Odds(dice=trees["odds", "dice"], add=add, target=trees.get(("odds", "target")))


def _step(
    definition: CalculatorDefinition, name: str, tree: Tree, type_: Type, calculators: Mapping[str, Calculator]
) -> Step:
    step = definition.entry["steps"][name]
    return Step(
        name=name,
        label=step["label"],
        formula=_formula_text(step, ("formula",)),
        tree=tree,
        type=step.get("type", _type_name(type_)),
        unit=step.get("unit", _unit(type_)),
        says=step.get("says", ""),
        citation=_step_citation(definition, name, tree, calculators),
        span=definition.span_of("steps", name, "formula"),
    )


def _step_citation(
    definition: CalculatorDefinition, name: str, tree: Tree, calculators: Mapping[str, Calculator]
) -> Citation | None:
    """The citation of a step.

    A step without one takes the citation of the calculator that its formula uses, but only if there is exactly one and
    it is not in a branch of a condition: otherwise the citation may not apply to the result.
    """
    if "citation" in definition.entry["steps"][name]:
        return read_citation(definition.data, definition.id, "steps", name, "citation")
    used = set(called_calculators(tree))
    branches = [branch for node in formula_nodes(tree) if node["node"] == "if" for branch in node["of"][1:]]
    is_sure = len(used) == 1 and not any(called_calculators(*branches))
    return calculators[used.pop()].citation if is_sure else None
