"""Evaluate the tree of a formula."""

from collections.abc import Mapping
from typing import Any

from kismet_build.formula.functions import CALLS, boolean, checked, field, holds, kept, known
from kismet_build.formula.tree import MOST_NESTED, MOST_STEPS, FormulaError, Tree, Value, plain_number


def evaluate(tree: Tree, scope: Mapping[str, Value], library: Mapping[str, Any] | None = None) -> Value:
    """The value of a tree; a `FormulaError` where it has none.

    `scope` holds the inputs and earlier steps by name. `library` holds `entities` (for each kind a list of records) and
    `calculators` (for each its `inputs`, its `steps` as pairs of a name and a tree, and its `ast`).
    """
    return _Evaluation(library or {}).value(tree, scope, 1)


class _Evaluation:
    """One evaluation; it counts its steps."""

    def __init__(self, library: Mapping[str, Any]) -> None:
        self._library = library
        self._steps = 0

    def value(self, node: Tree, scope: Mapping[str, Value], depth: int) -> Value:
        at = node["at"]
        self._steps += 1
        if depth > MOST_NESTED:
            raise FormulaError("deep", "too many calculations stand inside each other", at)
        if self._steps > MOST_STEPS:
            raise FormulaError("long", "this takes too many steps", at)
        match node["node"]:
            case "number":
                return checked(node["value"], at)
            case "text" | "boolean":
                return node["value"]
            case "none":
                return None
            case "dice":
                return node
            case "name":
                if node["name"] not in scope:
                    raise FormulaError("unknown", f'there is no value "{node["name"]}"', at)
                return known(scope[node["name"]], at)
            case "if" | "call" if node["node"] == "if" or node["name"] in ("and", "or"):
                return self._branch(node, scope, depth)
            case sort:
                of = [self.value(child, scope, depth + 1) for child in node.get("of", ())]
                return self._applied(sort, node, of, depth)

    def _branch(self, node: Tree, scope: Mapping[str, Value], depth: int) -> Value:
        """The operands that decide, and no others."""
        of = node["of"]
        first = boolean(self.value(of[0], scope, depth + 1), of[0]["at"])
        if node["node"] == "if":
            return self.value(of[1] if first else of[2], scope, depth + 1)
        if first is (node["name"] == "or"):
            return first
        return boolean(self.value(of[1], scope, depth + 1), of[1]["at"])

    def _applied(self, sort: str, node: Tree, of: list[Value], depth: int) -> Value:
        at = node["at"]
        match sort:
            case "list":
                return of
            case "call":
                if node["name"] not in CALLS:
                    raise FormulaError("unknown", f'there is no function "{node["name"]}"', at)
                value = CALLS[node["name"]](of, at)
                return known(value, at)
            case "field":
                return known(field(of[0], node["field"], at), at)
            case "lookup":
                return self._looked_up(node, of[0])
            case "where":
                return kept(of[0], list(zip(node["fields"], of[1:], strict=True)), at)
            case "calculator":
                return self._calculated(node, dict(zip(node["inputs"], of, strict=True)), depth)
        raise FormulaError("unknown", f'there is no node "{sort}"', at)

    def _looked_up(self, node: Tree, value: Value) -> Value:
        kinds = self._library.get("entities", {})
        if node["kind"] not in kinds:
            raise FormulaError("unknown", f'there is no kind "{node["kind"]}"', node["at"])
        for record in kinds[node["kind"]]:
            if holds(record.get(node["field"]), value) or (isinstance(value, str) and record.get("slug") == value):
                return record
        shown = (
            plain_number(value) if isinstance(value, float) else value if isinstance(value, str) else "of this value"
        )
        raise FormulaError("missing", f"no {node['kind']} has the {node['field']} {shown}", node["at"])

    def _calculated(self, node: Tree, scope: dict[str, Value], depth: int) -> Value:
        calculators = self._library.get("calculators", {})
        if node["calculator"] not in calculators:
            raise FormulaError("unknown", f'there is no calculator "{node["calculator"]}"', node["at"])
        calculator = calculators[node["calculator"]]
        try:
            for name, tree in calculator["steps"]:
                scope[name] = self.value(tree, scope, depth + 1)
            return self.value(calculator["ast"], scope, depth + 1)
        except FormulaError as error:
            # A place in another formula would point nowhere in this one.
            message = f"{error.message} (in {node['calculator']})"
            raise FormulaError(error.code, message, node["at"]) from error
