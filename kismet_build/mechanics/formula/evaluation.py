"""Evaluate the tree of a formula.

Each node is compiled to a Python function once, because a build evaluates the same formulas often.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from .functions import FUNCTIONS
from .operators import OPERATORS, Compute
from .tree import (
    MAX_NESTING,
    MAX_NUMBER,
    MAX_STEPS,
    FormulaError,
    Tree,
    Value,
    plain_number,
)
from .values import (
    check_number,
    check_value,
    filter_records,
    get_field,
    matches,
    require_boolean,
)

CALLS: Mapping[str, Compute] = {**OPERATORS, **{name: function.compute for name, function in FUNCTIONS.items()}}
"""The computation of each operator and function, by name."""

Scope: TypeAlias = Mapping[str, Value]


class CachedResult(NamedTuple):
    """The result of a calculator that another formula called."""

    value: Value
    steps: int
    """The number of steps that the evaluation took."""
    inputs: Scope
    """The inputs.

    The key of the cache contains their object ids (see `_cache_key`), which Python would otherwise reuse.
    """


class _Evaluation:
    """The state of one evaluation."""

    __slots__ = ("library", "steps")

    def __init__(self, library: Mapping[str, Any]) -> None:
        self.library = library
        self.steps = 0


CompiledNode: TypeAlias = Callable[[Scope, _Evaluation, int], Value]
"""A function of the scope, the evaluation, and the depth of the node, which is 1 for the root of a formula."""

MAX_CACHE_ENTRIES = 10_000
"""Maximum number of compiled formulas, and of results of calculators; a full cache is emptied."""
_compiled: dict[int, tuple[Tree, CompiledNode]] = {}
"""Compiled formulas by the `id` of their trees. Keeping the tree in the value prevents Python from reusing its `id`."""


def evaluate(tree: Tree, scope: Scope, library: Mapping[str, Any] | None = None) -> Value:
    """Evaluate a formula. Raises `FormulaError` if it has no value.

    `scope` has the values of inputs and earlier steps by name. `library` has `entities` (lists of records by kind) and
    `calculators` by local id, each with `inputs`, `steps` (pairs of a name and a tree) and `ast` (the tree of its
    formula). An optional dictionary `result_cache` in `library`, empty at first, caches the results of calculators. Do
    not change a tree after its first evaluation: its compiled form is cached.
    """
    return _compile(tree)(scope, _Evaluation(library or {}), 1)


def _compile(tree: Tree) -> CompiledNode:
    entry = _compiled.get(id(tree))
    if entry is None:
        if len(_compiled) >= MAX_CACHE_ENTRIES:
            _compiled.clear()
        entry = _compiled[id(tree)] = (tree, _compile_node(tree, 1))
    return entry[1]


def _compile_node(node: Tree, depth: int) -> CompiledNode:
    """Compile a node to a function that counts a step first. Nodes deeper than `MAX_NESTING` only raise an error."""
    at = node.get("at", 0)
    if node["node"] == "name":
        return _compile_name(node["name"], at)
    compute = _compile_error("", [], at) if depth > MAX_NESTING else _compile_operation(node, depth)

    def run(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        evaluation.steps += 1
        if depth > MAX_NESTING or evaluation.steps > MAX_STEPS:
            raise _limit_error(depth, at)
        return compute(scope, evaluation, depth + 1)

    return run


def _limit_error(depth: int, at: int) -> FormulaError:
    if depth > MAX_NESTING:
        return FormulaError("deep", "calculations are nested too deeply", at)
    return FormulaError("long", "this takes too many steps", at)


def _compile_name(name: str, at: int) -> CompiledNode:
    def run(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        # Names are frequent. For speed, they count their step here and skip `_compile_operation`.
        evaluation.steps += 1
        if depth > MAX_NESTING or evaluation.steps > MAX_STEPS:
            raise _limit_error(depth, at)
        if name not in scope:
            raise FormulaError("unknown", f'there is no value "{name}"', at)
        value = scope[name]
        return value + 0.0 if type(value) is float and -MAX_NUMBER <= value <= MAX_NUMBER else check_value(value, at)

    return run


def _compile_operation(node: Tree, depth: int) -> CompiledNode:
    """Compile the operation of a node without counting steps. The function takes the depth of the child nodes."""
    at = node.get("at", 0)
    operands = [_compile_node(child, depth + 1) for child in node.get("of", ())]
    match node["node"]:
        case "number":
            return _compile_number(node["value"], at)
        case "text" | "boolean":
            return lambda *_: node["value"]
        case "none":
            return lambda *_: None
        case "dice":
            return lambda *_: node
        case "if":
            return _compile_if(operands, node["of"][0].get("at", 0))
        case "call" if node["name"] in ("and", "or"):
            return _compile_and_or(node["name"] == "or", operands, [child.get("at", 0) for child in node["of"]])
        case "call":
            return _compile_call(node["name"], operands, at)
        case "list":
            return lambda scope, evaluation, depth: [item(scope, evaluation, depth) for item in operands]
        case "field":
            name = node["field"]
            return lambda scope, evaluation, depth: check_value(
                get_field(operands[0](scope, evaluation, depth), name, at), at
            )
        case "lookup":
            return lambda scope, evaluation, depth: _look_up(node, operands[0](scope, evaluation, depth), evaluation)
        case "where":
            return _compile_where(node["fields"], operands, at)
        case "calculator":
            return _compile_calculator(node, operands)
        case unknown:
            return _compile_error(f'there is no node "{unknown}"', operands, at)


def _compile_number(value: float, at: int) -> CompiledNode:
    try:
        number = check_number(value, at)
    except FormulaError:
        return lambda *_: check_number(value, at)
    return lambda *_: number


def _compile_if(operands: list[CompiledNode], at: int) -> CompiledNode:
    condition, then, otherwise = operands

    def compute(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        branch = then if require_boolean(condition(scope, evaluation, depth), at) else otherwise
        return branch(scope, evaluation, depth)

    return compute


def _compile_and_or(deciding: bool, operands: list[CompiledNode], at: list[int]) -> CompiledNode:
    """Compile `and` and `or`. The second operand is not evaluated if the first is `deciding`."""

    def compute(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        first = require_boolean(operands[0](scope, evaluation, depth), at[0])
        return first if first is deciding else require_boolean(operands[1](scope, evaluation, depth), at[1])

    return compute


FAST_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""Faster operators for two doubles, with the same results as `CALLS`."""


def _compile_call(name: str, operands: list[CompiledNode], at: int) -> CompiledNode:
    if name not in CALLS:
        return _compile_error(f'there is no function "{name}"', operands, at)
    call, steps = CALLS[name], FUNCTIONS[name].steps if name in FUNCTIONS else 0
    if name in FAST_OPERATORS and len(operands) == 2:
        return _compile_fast(FAST_OPERATORS[name], call, operands[0], operands[1], at)

    def compute(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        values = [argument(scope, evaluation, depth) for argument in operands]
        evaluation.steps += steps
        return check_value(call(values, at), at)

    return compute


def _compile_fast(
    fast: Callable[[Any, Any], Any], call: Compute, left: CompiledNode, right: CompiledNode, at: int
) -> CompiledNode:
    def compute(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        a, b = left(scope, evaluation, depth), right(scope, evaluation, depth)
        # A node returns numbers as doubles within the limits. Only the items of a list may be other numbers.
        if type(a) is float is type(b):
            value = fast(a, b)
            if value is True or value is False:
                return value
            if -MAX_NUMBER <= value <= MAX_NUMBER:
                return value + 0.0
        return check_value(call([a, b], at), at)

    return compute


def _compile_error(message: str, operands: list[CompiledNode], at: int) -> CompiledNode:
    def compute(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        for operand in operands:
            operand(scope, evaluation, depth)
        raise FormulaError("unknown", message, at)

    return compute


def _compile_where(fields: list[str], operands: list[CompiledNode], at: int) -> CompiledNode:
    def compute(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        values = [operand(scope, evaluation, depth) for operand in operands]
        return filter_records(values[0], list(zip(fields, values[1:], strict=True)), at)

    return compute


def _look_up(node: Tree, value: Value, evaluation: _Evaluation) -> Value:
    kinds = evaluation.library.get("entities", {})
    if node["kind"] not in kinds:
        raise FormulaError("unknown", f'there is no kind "{node["kind"]}"', node.get("at", 0))
    for record in kinds[node["kind"]]:
        if matches(record.get(node["field"]), value) or (isinstance(value, str) and record.get("slug") == value):
            return record
    shown = plain_number(value) if isinstance(value, float) else value if isinstance(value, str) else "given here"
    raise FormulaError("missing", f"no {node['kind']} has the {node['field']} {shown}", node.get("at", 0))


def _compile_calculator(node: Tree, operands: list[CompiledNode]) -> CompiledNode:
    """Compile a call of another calculator, which has a scope of its own."""
    name, inputs, at = node["calculator"], node["inputs"], node.get("at", 0)
    key_start = (name, *inputs)

    def compute(scope: Scope, evaluation: _Evaluation, depth: int) -> Value:
        inner = {given: argument(scope, evaluation, depth) for given, argument in zip(inputs, operands, strict=True)}
        calculators = evaluation.library.get("calculators", {})
        if name not in calculators:
            raise FormulaError("unknown", f'there is no calculator "{name}"', at)
        cache = evaluation.library.get("result_cache", {})
        key = (key_start, depth, *map(_cache_key, inner.values()))
        if key in cache and evaluation.steps + cache[key].steps <= MAX_STEPS:
            evaluation.steps += cache[key].steps
            return cache[key].value
        calculator, scope, before = calculators[name], dict(inner), evaluation.steps
        try:
            for step, tree in calculator["steps"]:
                scope[step] = _compile(tree)(scope, evaluation, depth)
            value = _compile(calculator["ast"])(scope, evaluation, depth)
        except FormulaError as error:
            # The offset must be in this formula, so the offset of the call is used.
            raise FormulaError(error.code, f"{error.message} (in {name})", at) from error
        if len(cache) >= MAX_CACHE_ENTRIES:
            cache.clear()
        cache[key] = CachedResult(value, evaluation.steps - before, inner)
        return value

    return compute


def _cache_key(value: Value) -> object:
    """The part of a cache key for an input: a number or string itself, or the identity of any other object."""
    return value if type(value) is float or type(value) is str else (id(value),)
