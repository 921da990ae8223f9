"""Read the formulas of a game's calculators together: names, types, and the order in which they ask each other."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kismet_build.config.calculator_file import Draft, read_citation, read_drafts
from kismet_build.config.formula_types import environment, of_input, of_result
from kismet_build.config.kind import Kind
from kismet_build.mechanics.calculator import Calculator, Citation, Odds, Reading, Step, asked
from kismet_build.mechanics.formula import FormulaError, Tree, Vocabulary, parse
from kismet_build.mechanics.formula.types import (
    DICE,
    NUMBER,
    Signature,
    Type,
    TypeEnvironment,
    agree,
    infer,
)
from kismet_build.mechanics.formula.types.type import options, show_unit
from kismet_build.model.diagnostic import Related, Report, error
from kismet_build.model.source import Span

NOTHING: Tree = {"node": "number", "value": 0, "at": 0}
"""What is added to a roll where the calculator does not say."""

Place: TypeAlias = tuple[str | int, ...]
"""The path of a formula below its calculator."""

Trees: TypeAlias = Mapping[Place, Tree]
"""The formulas of one calculator."""


def load_calculators(game_id: str, folder: Path, kinds: Mapping[str, Kind], report: Report) -> dict[str, Calculator]:
    """The calculators of a folder by their local ids; one that cannot be used is reported and left out."""
    if not folder.is_dir():
        return {}
    drafts, inputs = read_drafts(folder, kinds, report)
    vocabulary = Vocabulary(inputs, {kind.id: lookup_field(kind) for kind in kinds.values()})
    trees = {draft.id: found for draft in drafts if (found := _trees(draft, vocabulary, report)) is not None}
    by_id = {draft.id: draft for draft in drafts if draft.id in trees}
    order = _order(by_id, trees, report)
    types = _types([by_id[local] for local in order], trees, kinds, report)
    sound = _complete(trees, set(types))
    known: dict[str, Calculator] = {}
    for local in order:
        if local in sound:
            known[local] = _calculator(game_id, by_id[local], trees[local], types[local], known)
    return {draft.id: known[draft.id] for draft in drafts if draft.id in known}


def _complete(trees: Mapping[str, Trees], sound: set[str]) -> set[str]:
    """Those that ask only each other: what asks one that is left out goes with it, and has no mistake to report."""
    while lacking := {local for local in sound if not sound.issuperset(asked(*trees[local].values()))}:
        sound = sound - lacking
    return sound


def _types(
    drafts: Sequence[Draft], trees: Mapping[str, Trees], kinds: Mapping[str, Kind], report: Report
) -> dict[str, dict[str, Type]]:
    """For each calculator the types of its inputs and steps; what has no type is reported and left out."""
    signatures: dict[str, Signature] = {}
    every = environment(kinds, signatures)
    found: dict[str, dict[str, Type]] = {}
    for draft in drafts:
        if signatures.keys() >= {*asked(*_running(trees[draft.id]))}:
            names = {one.name: of_input(one) for one in draft.inputs}
            inputs = dict(names)
            steps = [("steps", name, "formula") for name in draft.written.get("steps", {})]
            if all(_infer(draft, path, trees[draft.id][path], names, every, report) for path in (*steps, ("formula",))):
                signatures[draft.id] = Signature(inputs, names.pop("result"))
                found[draft.id] = names
    # A roll and another reading may ask any calculator, even their own: nothing that runs waits for them.
    for draft in drafts:
        rest = [path for path in trees[draft.id] if path[0] in ("odds", "readings")]
        names = dict(found.get(draft.id, {}))
        if names and not all(_infer(draft, path, trees[draft.id][path], names, every, report) for path in rest):
            del found[draft.id]
    return found


def _infer(
    draft: Draft, path: Place, tree: Tree, names: dict[str, Type], every: TypeEnvironment, report: Report
) -> bool:
    """Add the type of a step or of the result to the names, where it has one that fits what is said of it."""
    if not every.calculators.keys() >= {*asked(tree)}:
        return True  # it will be left out, and not for a mistake of its own
    try:
        found = infer(tree, names, every)
        wanted = _wanted(draft, path)
        found = found if wanted is None else agree(found, wanted, tree["at"])
    except FormulaError as problem:
        _refuse(draft, path, problem, report)
        return False
    if path[0] in ("steps", "formula"):
        names[str(path[1]) if path[0] == "steps" else "result"] = found
    return True


def _wanted(draft: Draft, path: Place) -> Type | None:
    """What the file says that a formula gives; `None` where it says nothing."""
    match path[0], path[1:]:
        case "steps", (name, _):
            step = draft.written["steps"][name]
            return (
                of_result(step.get("type", "number"), step.get("unit", "")) if step.keys() & {"type", "unit"} else None
            )
        case "odds", (part,):
            return DICE if part == "dice" else NUMBER
        case _:
            return of_result(draft.result.type, draft.result.unit)


def _sort(type_: Type) -> str:
    """A type in the words of data files; what may be none is what it is otherwise."""
    found = [option for option in options(type_) if option.sort != "none"] or [type_]
    match found[0].sort:
        case "list":
            return "outcomes" if found[0].item and len(found[0].item.places) == 2 else "list"
        case "number" | "boolean" | "dice" as sort:
            return sort
        case "record":
            return "entity"
        case _:
            return "text"


def _unit(type_: Type) -> str:
    found = next((option for option in options(type_) if option.sort == "number" and option.unit), None)
    return show_unit(found.unit) if found else ""


def lookup_field(kind: Kind) -> str:
    """The field that `lookup` compares a number with where none is named: the first that holds numbers or ranges."""
    for name, rule in kind.rules.items():
        sort = rule.schema.get("type")
        if {"integer", "number"} & {*(sort if isinstance(sort, list) else [sort])} or {"min", "max"} <= set(
            rule.schema.get("properties", {})
        ):
            return name
    return ""


def formula_place(span: Span, text: str, at: int) -> Span:
    """The word at an offset of a formula, in the file that holds it; all of the formula where that cannot be told."""
    source = span.source
    start = _start(span, text, at)
    if start is None:
        return span
    found = re.compile(r"[a-z0-9_.]+|.", re.IGNORECASE).match(source.text, start, span.end)
    return source.span(start, found.end() if found else start + 1)


def _start(span: Span, text: str, at: int) -> int | None:
    """Where a letter of a formula stands in its file; of what is past its end, where the last letter does."""
    written = span.text
    at = min(at, max(0, len(text) - 1))
    for quote in ("", "'", '"'):
        if written.endswith(text + quote):
            return span.end - len(quote) - len(text) + at
    # YAML has folded its lines: letters are the same but for spaces.
    letters = [place for place, letter in enumerate(written) if not letter.isspace()]
    if letters and written[letters[-1]] in "\"'":
        letters.pop()
    wanted = "".join(text.split())
    letters = letters[-len(wanted) :]
    if not wanted or "".join(written[place] for place in letters) != wanted:
        return None
    return span.start + letters[min(len("".join(text[:at].split())), len(letters) - 1)]


def _formulas(written: Mapping[str, Any]) -> Iterator[Place]:
    """The paths of all formulas of a calculator, each step before what may use it."""
    for name in written.get("steps", {}):
        yield ("steps", name, "formula")
    yield ("formula",)
    for name in written.get("odds", {}):
        yield ("odds", name)
    for place in range(len(written.get("readings", ()))):
        yield ("readings", place, "formula")


def _text(written: Any, path: Place) -> str:
    """A formula as text; YAML reads some as numbers or booleans."""
    for part in path:
        written = written[part]
    return str(written).lower() if isinstance(written, bool) else str(written)


def _refuse(draft: Draft, path: Place, problem: FormulaError, report: Report) -> None:
    place = formula_place(draft.place(*path), _text(draft.written, path), problem.at)
    report(error("invalid-formula", place, f'in "{draft.id}": {problem.message}'))


def _trees(draft: Draft, vocabulary: Vocabulary, report: Report) -> dict[Place, Tree] | None:
    found: dict[Place, Tree] = {}
    sound = True
    for path in _formulas(draft.written):
        try:
            found[path] = parse(_text(draft.written, path), vocabulary)
        except FormulaError as problem:
            _refuse(draft, path, problem, report)
            sound = False
    return found if sound else None


def _order(drafts: Mapping[str, Draft], trees: Mapping[str, Trees], report: Report) -> list[str]:
    """The calculators, each after those that it asks; circles are reported."""
    asks = {local: [other for other in asked(*_running(trees[local])) if other in drafts] for local in drafts}
    order: dict[str, None] = {}
    path: dict[str, Iterator[str]] = {}
    for first in drafts:
        if first not in order:
            path[first] = iter(asks[first])
        while path:
            local, others = next(reversed(path.items()))
            other = next(others, None)
            if other is None:
                order[local] = None
                del path[local]
            elif other in path:
                circle = list(path)
                _report_circle(drafts, [*circle[circle.index(other) :], other], report)
            elif other not in order:
                path[other] = iter(asks[other])
    return list(order)


def _running(trees: Trees) -> list[Tree]:
    """The formulas that run when another calculator asks this one: not its odds, and no other readings."""
    return [tree for path, tree in trees.items() if path[0] in ("steps", "formula")]


def _report_circle(drafts: Mapping[str, Draft], circle: list[str], report: Report) -> None:
    names = " > ".join(circle)
    others = tuple(Related(drafts[local].place("formula"), f'"{local}" is in the circle') for local in circle[1:-1])
    hint = "let one of them compute the value without the others"
    message = f"this calculator asks itself in the end: {names}"
    report(error("calculator-cycle", drafts[circle[0]].place("formula"), message, hint, others))


def _calculator(
    game_id: str, draft: Draft, trees: Trees, types: Mapping[str, Type], known: Mapping[str, Calculator]
) -> Calculator:
    written = draft.written
    return Calculator(
        id=f"{game_id}/calculator/{draft.id}",
        title=written["title"],
        inputs=draft.inputs,
        steps=tuple(
            _step(draft, name, trees["steps", name, "formula"], types[name], known) for name in written.get("steps", {})
        ),
        formula=_text(written, ("formula",)),
        tree=trees[("formula",)],
        result=draft.result,
        citation=draft.citation,
        examples=draft.examples,
        agreements=draft.agreements,
        odds=_odds(trees),
        readings=tuple(
            Reading(
                title=one["title"],
                formula=_text(one, ("formula",)),
                tree=trees["readings", place, "formula"],
                citation=read_citation(draft.data, draft.id, "readings", place, "citation"),
                span=draft.place("readings", place, "formula"),
            )
            for place, one in enumerate(written.get("readings", ()))
        ),
        reason=written.get("reason", ""),
        sheet=bool(written.get("sheet")),
        group=draft.group,
        source=draft.source,
        span=draft.place(),
        formula_span=draft.place("formula"),
    )


def _odds(trees: Trees) -> Odds | None:
    if ("odds", "dice") not in trees:
        return None
    add = trees.get(("odds", "add"), NOTHING)
    return Odds(dice=trees["odds", "dice"], add=add, target=trees.get(("odds", "target")))


def _step(draft: Draft, name: str, tree: Tree, type_: Type, known: Mapping[str, Calculator]) -> Step:
    one = draft.written["steps"][name]
    return Step(
        name=name,
        label=one["label"],
        formula=_text(one, ("formula",)),
        tree=tree,
        type=one.get("type", _sort(type_)),
        unit=one.get("unit", _unit(type_)),
        says=one.get("says", ""),
        citation=_step_citation(draft, name, tree, known),
        span=draft.place("steps", name, "formula"),
    )


def _step_citation(draft: Draft, name: str, tree: Tree, known: Mapping[str, Calculator]) -> Citation | None:
    """Its own, or that of the one calculator that it asks."""
    if "citation" in draft.written["steps"][name]:
        return read_citation(draft.data, draft.id, "steps", name, "citation")
    others = set(asked(tree))
    return known[others.pop()].citation if len(others) == 1 else None
