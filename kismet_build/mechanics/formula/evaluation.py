"""Evaluate the tree of a formula: each node becomes a function once, because a build asks the same formulas often."""

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from kismet_build.mechanics.formula.functions import CALLS, STEPS, boolean, checked, field, holds, kept, known
from kismet_build.mechanics.formula.tree import (
    LARGEST,
    MOST_NESTED,
    MOST_STEPS,
    FormulaError,
    Tree,
    Value,
    plain_number,
)

Scope: TypeAlias = Mapping[str, Value]


class Answer(NamedTuple):
    """What a calculator gave that another asked."""

    value: Value
    steps: int
    """How many it took."""
    inputs: Scope
    """Kept so that the objects which stand for them stay theirs."""


class _Run:
    """One evaluation: what it may look up, and how many steps it took."""

    __slots__ = ("library", "steps")

    def __init__(self, library: Mapping[str, Any]) -> None:
        self.library = library
        self.steps = 0


Node: TypeAlias = Callable[[Scope, _Run, int], Value]
"""A node as a function of the names that it knows, of the evaluation, and of its depth: 1 for a whole formula."""

MOST_KEPT = 10_000
_kept: dict[int, tuple[Tree, Node]] = {}
"""The functions of whole formulas by the identity of their trees, which are kept too, so that it stays theirs."""


def evaluate(tree: Tree, scope: Scope, library: Mapping[str, Any] | None = None) -> Value:
    """The value of a tree; a `FormulaError` where it has none.

    `scope` holds the inputs and earlier steps by name. `library` holds `entities` (for each kind a list of records) and
    `calculators` (for each its `inputs`, its `steps` as pairs of a name and a tree, and its `ast`). Where it has
    `answers`, an empty dictionary at first, what calculators gave is kept there for when they are asked again.
    A tree must not be changed after it was evaluated.
    """
    return _function(tree)(scope, _Run(library or {}), 1)


def _function(tree: Tree) -> Node:
    found = _kept.get(id(tree))
    if found is None:
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        found = _kept[id(tree)] = (tree, _node(tree, 1))
    return found[1]


def _node(node: Tree, depth: int) -> Node:
    """The function of a node, which counts its step first; nodes below the greatest depth are never computed."""
    at = node["at"]
    if node["node"] == "name":
        return _named(node["name"], at)
    compute = _unknown("", [], at) if depth > MOST_NESTED else _computed(node, depth)

    def run(scope: Scope, evaluation: _Run, depth: int) -> Value:
        evaluation.steps += 1
        if depth > MOST_NESTED or evaluation.steps > MOST_STEPS:
            raise _beyond(depth, at)
        return compute(scope, evaluation, depth + 1)

    return run


def _beyond(depth: int, at: int) -> FormulaError:
    if depth > MOST_NESTED:
        return FormulaError("deep", "too many calculations stand inside each other", at)
    return FormulaError("long", "this takes too many steps", at)


def _named(name: str, at: int) -> Node:
    def run(scope: Scope, evaluation: _Run, depth: int) -> Value:
        # A step like all others, counted here because names are every third node.
        evaluation.steps += 1
        if depth > MOST_NESTED or evaluation.steps > MOST_STEPS:
            raise _beyond(depth, at)
        if name not in scope:
            raise FormulaError("unknown", f'there is no value "{name}"', at)
        value = scope[name]
        return value + 0.0 if type(value) is float and -LARGEST <= value <= LARGEST else known(value, at)

    return run


def _computed(node: Tree, depth: int) -> Node:
    """What a node computes, from nodes at the depth that it is told."""
    at = node["at"]
    of = [_node(child, depth + 1) for child in node.get("of", ())]
    match node["node"]:
        case "number":
            return _constant(node["value"], at)
        case "text" | "boolean" as sort:
            return lambda *_: node["value"]
        case "none":
            return lambda *_: None
        case "dice":
            return lambda *_: node
        case "if":
            return _chosen(of, node["of"][0]["at"])
        case "call" if node["name"] in ("and", "or"):
            return _decided(node["name"] == "or", of, [child["at"] for child in node["of"]])
        case "call":
            return _called(node["name"], of, at)
        case "list":
            return lambda scope, run, depth: [one(scope, run, depth) for one in of]
        case "field":
            name = node["field"]
            return lambda scope, run, depth: known(field(of[0](scope, run, depth), name, at), at)
        case "lookup":
            return lambda scope, run, depth: _looked_up(node, of[0](scope, run, depth), run)
        case "where":
            return _filtered(node["fields"], of, at)
        case "calculator":
            return _asked(node, of)
        case sort:
            return _unknown(f'there is no node "{sort}"', of, at)


def _constant(value: float, at: int) -> Node:
    try:
        number = checked(value, at)
    except FormulaError:
        return lambda *_: checked(value, at)
    return lambda *_: number


def _chosen(of: list[Node], at: int) -> Node:
    condition, then, otherwise = of

    def compute(scope: Scope, run: _Run, depth: int) -> Value:
        return (then if boolean(condition(scope, run, depth), at) else otherwise)(scope, run, depth)

    return compute


def _decided(by: bool, of: list[Node], at: list[int]) -> Node:
    """`and` and `or`: the second operand counts only where the first does not decide."""

    def compute(scope: Scope, run: _Run, depth: int) -> Value:
        first = boolean(of[0](scope, run, depth), at[0])
        return first if first is by else boolean(of[1](scope, run, depth), at[1])

    return compute


ON_NUMBERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""What two doubles come to without any question; what `CALLS` makes of them is the same."""


def _called(name: str, of: list[Node], at: int) -> Node:
    if name not in CALLS:
        return _unknown(f'there is no function "{name}"', of, at)
    call, steps = CALLS[name], STEPS.get(name, 0)
    if name in ON_NUMBERS and len(of) == 2:
        return _on_numbers(ON_NUMBERS[name], call, of[0], of[1], at)

    def compute(scope: Scope, run: _Run, depth: int) -> Value:
        values = [one(scope, run, depth) for one in of]
        run.steps += steps
        return known(call(values, at), at)

    return compute


def _on_numbers(
    quick: Callable[[Any, Any], Any], call: Callable[[list[Value], int], Value], one: Node, other: Node, at: int
) -> Node:
    def compute(scope: Scope, run: _Run, depth: int) -> Value:
        a, b = one(scope, run, depth), other(scope, run, depth)
        # A node gives doubles within the bounds; only what comes from a list may be another number.
        if type(a) is float is type(b):
            value = quick(a, b)
            if value is True or value is False:
                return value
            if -LARGEST <= value <= LARGEST:
                return value + 0.0
        return known(call([a, b], at), at)

    return compute


def _unknown(message: str, of: list[Node], at: int) -> Node:
    def compute(scope: Scope, run: _Run, depth: int) -> Value:
        for one in of:
            one(scope, run, depth)
        raise FormulaError("unknown", message, at)

    return compute


def _filtered(fields: list[str], of: list[Node], at: int) -> Node:
    def compute(scope: Scope, run: _Run, depth: int) -> Value:
        values = [one(scope, run, depth) for one in of]
        return kept(values[0], list(zip(fields, values[1:], strict=True)), at)

    return compute


def _looked_up(node: Tree, value: Value, run: _Run) -> Value:
    kinds = run.library.get("entities", {})
    if node["kind"] not in kinds:
        raise FormulaError("unknown", f'there is no kind "{node["kind"]}"', node["at"])
    for record in kinds[node["kind"]]:
        if holds(record.get(node["field"]), value) or (isinstance(value, str) and record.get("slug") == value):
            return record
    shown = plain_number(value) if isinstance(value, float) else value if isinstance(value, str) else "of this value"
    raise FormulaError("missing", f"no {node['kind']} has the {node['field']} {shown}", node["at"])


def _asked(node: Tree, of: list[Node]) -> Node:
    """Another calculator with values of its own."""
    name, inputs, at = node["calculator"], node["inputs"], node["at"]
    question = (name, *inputs)

    def compute(scope: Scope, run: _Run, depth: int) -> Value:
        inner = {given: one(scope, run, depth) for given, one in zip(inputs, of, strict=True)}
        calculators = run.library.get("calculators", {})
        if name not in calculators:
            raise FormulaError("unknown", f'there is no calculator "{name}"', at)
        answers = run.library.get("answers", {})
        key = (question, depth, *map(_key, inner.values()))
        if key in answers and run.steps + answers[key].steps <= MOST_STEPS:
            run.steps += answers[key].steps
            return answers[key].value
        calculator, scope, before = calculators[name], dict(inner), run.steps
        try:
            for step, tree in calculator["steps"]:
                scope[step] = _function(tree)(scope, run, depth)
            value = _function(calculator["ast"])(scope, run, depth)
        except FormulaError as error:
            # A place in another formula would point nowhere in this one.
            raise FormulaError(error.code, f"{error.message} (in {name})", at) from error
        if len(answers) >= MOST_KEPT:
            answers.clear()
        answers[key] = Answer(value, run.steps - before, inner)
        return value

    return compute


def _key(value: Value) -> object:
    """What stands for a value where answers are kept: itself, or of all but numbers and texts which object it is."""
    return value if type(value) is float or type(value) is str else (id(value),)
