"""Python and the site's script compute the same value or error for each formula tree, bit for bit."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kismet_build.config.data_file import shipped_schema
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.calculator import formula_nodes
from kismet_build.mechanics.calculator.calculation import resolve_inputs
from kismet_build.mechanics.formula import FormulaError, evaluate, parse, without_offsets
from kismet_build.mechanics.formula.evaluation import CALLS
from kismet_build.mechanics.formula.functions import FUNCTIONS
from kismet_build.model.downloads import minify
from tests.command import CONTENT
from tests.formula_cases import ANSWER, LIBRARIES, answers, cases, encode, encode_result, question
from tests.node import ASSETS, run_scripts
from tests.sample import RUN_ALL

SCRIPT = ASSETS / "formula.js"
ERRORS = {"type", "zero", "never", "large", "unknown", "missing", "empty", "deep", "long"}
LEAVES = {"number", "text", "boolean", "none", "name", "dice"}
NODES = {*LEAVES, "list", "call", "if", "field", "lookup", "where", "calculator"}


def in_node(questions: Any, folder: Path) -> list[Any]:
    script = folder / "answer.js"
    script.write_text(ANSWER, encoding="utf-8")
    result: list[Any] = run_scripts([SCRIPT, script], questions, folder)
    return result


def evaluate_in_both(tree: Any, scope: Any, folder: Path, library: Any = None) -> Any:
    (there,) = in_node({"libraries": [encode(library or {})], "cases": [[tree, encode(scope), 0]]}, folder)
    try:
        here: Any = {"value": encode_result(evaluate(tree, scope, library))}
    except FormulaError as error:
        here = {"code": error.code, "at": error.at}
    assert here == there
    return here


def is_plain(tree: Any) -> bool:
    """Whether a formula can be parsed into this tree: it is small enough and has no unusual values."""
    nodes = list(formula_nodes(tree))
    odd = any(
        node.get("kind") == "__proto__" or (node["node"] == "number" and abs(node["value"]) >= 2**53) for node in nodes
    )
    return len(nodes) < 100 and not odd


def test_python_and_script_agree_on_random_trees(tmp_path: Path) -> None:
    node_answers = in_node(question(), tmp_path)
    assert len(node_answers) == len(cases()) >= (20_000 if RUN_ALL else 4_000)
    different = [
        f"{json.dumps(case.tree)} with {case.scope}: {here} in Python, {there} in node"
        for case, here, there in zip(cases(), answers(), node_answers, strict=True)
        if here != there
    ]
    assert different[:3] == []


def test_random_trees_cover_all_nodes_functions_and_errors() -> None:
    codes = Counter(answer.get("code", "value") for answer in answers())
    assert codes["value"] > len(cases()) / 3
    assert set(codes) == {*ERRORS, "value"}
    roots = [case.tree for case, answer in zip(cases(), answers(), strict=True) if "value" in answer]
    assert {root["node"] for root in roots} == NODES
    assert {root["name"] for root in roots if root["node"] == "call"} == {*CALLS, "and", "or"}
    assert max(sum(1 for _ in formula_nodes(case.tree)) for case in cases()) > 300


def test_schema_has_each_function_with_its_number_of_arguments() -> None:
    call = shipped_schema("formula")["$defs"]["call_node"]
    names = dict.fromkeys((*CALLS, "and", "or"), (2, 2)) | dict.fromkeys(("negate", "not"), (1, 1))
    names |= {name: function.number_of_arguments for name, function in FUNCTIONS.items()}
    described = {
        name: (option["properties"]["of"]["minItems"], option["properties"]["of"]["maxItems"])
        for option in call["anyOf"]
        for name in option["properties"]["name"].get("enum", [option["properties"]["name"].get("const")])
    }
    assert described == names
    assert set(call["properties"]["name"]["enum"]) == set(names)


def test_random_trees_are_valid_against_the_schema() -> None:
    valid = Draft202012Validator(shipped_schema("formula"))
    trees = [without_offsets(case.tree) for case in cases()[:150] if is_plain(case.tree)]
    assert len(trees) > 100
    assert [tree for tree in trees if not valid.is_valid(tree)] == []


def test_python_and_script_agree_on_all_calculators_of_kismet(tmp_path: Path) -> None:
    pack = compile_game(load_library(CONTENT / "kismet", None, lambda _: None).games[0], lambda _: None)
    library = pack.records.formula_library
    questions, here = [], []
    for calculator in pack.game.calculators.values():
        scope = dict(resolve_inputs(pack.records, calculator, {}))
        for name, tree in [*((step.name, step.tree) for step in calculator.steps), ("", calculator.tree)]:
            questions.append([tree, encode(scope), 0])
            scope[name] = evaluate(tree, scope, library)
            here.append({"value": encode_result(scope[name])})
    assert len(questions) > 80
    there = {name: library[name] for name in ("entities", "calculators")}
    assert in_node({"libraries": [encode(there)], "cases": questions}, tmp_path) == here


DEEP = """\
let tree = { node: "number", value: 1, at: 100000 };
for (let at = 99999; at >= 0; at--) tree = { node: "call", name: "negate", of: [tree], at };
globalThis.answer = () => {
  try {
    return kismet.evaluate(tree, {});
  } catch (error) {
    return [error.code, error.at];
  }
};
"""


@pytest.mark.parametrize(("height", "code"), [(199, None), (200, "deep"), (100_000, "deep")])
def test_tree_depth_is_limited_to_200_nodes(height: int, code: str | None, tmp_path: Path) -> None:
    tree: Any = {"node": "number", "value": 1, "at": height}
    for at in reversed(range(height)):
        tree = {"node": "call", "name": "negate", "of": [tree], "at": at}
    if height > 1000:  # too deep for JSON, so each language builds the tree itself
        with pytest.raises(FormulaError) as caught:
            evaluate(tree, {})
        assert (caught.value.code, caught.value.at) == (code, 200)
        script = tmp_path / "deep.js"
        script.write_text(DEEP, encoding="utf-8")
        assert run_scripts([SCRIPT, script], None, tmp_path) == [code, 200]
        return
    result = evaluate_in_both(tree, {}, tmp_path)
    assert result == ({"code": code, "at": 200} if code else {"value": encode_result(-1.0 if height % 2 else 1.0)})


def test_evaluation_is_limited_to_10_000_steps(tmp_path: Path) -> None:
    def wide(steps: int) -> Any:
        leaf = {"node": "number", "value": 1, "at": 7}
        return {"node": "call", "name": "sum", "of": [leaf] * (steps - 1), "at": 0}

    assert evaluate_in_both(wide(10_000), {}, tmp_path) == {"value": encode_result(9999.0)}
    assert evaluate_in_both(wide(10_001), {}, tmp_path) == {"code": "long", "at": 7}


def test_tries_function_counts_as_several_steps(tmp_path: Path) -> None:
    def many(times: int) -> Any:
        tries = parse("tries(1000, [[1, 0.5], [2, 0.5]])")
        return {"node": "list", "of": [tries] * times, "at": 0}

    assert "value" in evaluate_in_both(many(20), {}, tmp_path)
    assert evaluate_in_both(many(21), {}, tmp_path)["code"] == "long"


@pytest.mark.parametrize(("formula", "large"), [("tries({}, [[1, 1]])", 1001), ("successes({}, 0, 0.5)", 101)])
def test_counts_of_tries_and_successes_are_limited(formula: str, large: int, tmp_path: Path) -> None:
    assert "value" in evaluate_in_both(parse(formula.format(large - 1)), {}, tmp_path)
    assert evaluate_in_both(parse(formula.format(large)), {}, tmp_path) == {"code": "large", "at": 0}


def test_tries_function_accepts_at_most_100_outcomes(tmp_path: Path) -> None:
    tree = parse("tries(2, outcomes)")
    assert "value" in evaluate_in_both(tree, {"outcomes": [[1, 0.01]] * 100}, tmp_path)
    assert evaluate_in_both(tree, {"outcomes": [[1, 0.01]] * 101}, tmp_path) == {"code": "large", "at": 0}


def test_input_may_be_named_proto(tmp_path: Path) -> None:
    tree = {"node": "calculator", "calculator": "same", "inputs": ["__proto__"], "of": [parse("x")], "at": 1}
    library = {"calculators": {"same": {"inputs": ["__proto__"], "steps": [], "ast": parse("__proto__")}}}
    assert evaluate_in_both(tree, {"x": {"id": "g/thing/a"}}, tmp_path, library) == {"value": {"id": "g/thing/a"}}


def test_lookup_of_none_finds_no_entity(tmp_path: Path) -> None:
    tree = {"node": "lookup", "kind": "thing", "field": "size", "of": [parse("none")], "at": 1}
    library = {"entities": {"thing": [{"id": "g/thing/a", "size": 3}]}}
    assert evaluate_in_both(tree, {}, tmp_path, library) == {"code": "missing", "at": 1}


def test_recursive_calculator_call_ends_with_an_error(tmp_path: Path) -> None:
    tree = {"node": "calculator", "calculator": "circle", "inputs": ["x"], "of": [{"node": "none", "at": 3}], "at": 1}
    library = {"calculators": {"circle": {"inputs": ["x"], "steps": [], "ast": tree}}, "entities": {}}
    assert evaluate_in_both(tree, {}, tmp_path, library) == {"code": "deep", "at": 1}


@pytest.mark.parametrize("name", ["constructor", "__proto__", "has_own_property"])
def test_inherited_javascript_properties_are_unknown_names(name: str, tmp_path: Path) -> None:
    word = {"node": "name", "name": name, "at": 4}
    number = {"node": "number", "value": 1, "at": 2}
    library = {"entities": {"thing": [{"id": "g/thing/a", "slug": "a"}]}, "calculators": {}}
    assert evaluate_in_both(word, {}, tmp_path) == {"code": "unknown", "at": 4}
    assert evaluate_in_both({"node": "call", "name": name, "of": [number], "at": 4}, {}, tmp_path) == {
        "code": "unknown",
        "at": 4,
    }
    assert evaluate_in_both(
        {"node": "lookup", "kind": name, "field": "slug", "of": [number], "at": 4}, {}, tmp_path, library
    ) == {
        "code": "unknown",
        "at": 4,
    }
    assert evaluate_in_both(
        {"node": "calculator", "calculator": name, "inputs": [], "of": [], "at": 4}, {}, tmp_path, library
    ) == {
        "code": "unknown",
        "at": 4,
    }
    record = {"node": "field", "field": name, "of": [{"node": "name", "name": "x", "at": 0}], "at": 1}
    assert evaluate_in_both(record, {"x": library["entities"]["thing"][0]}, tmp_path) == {"value": None}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 2.0**53 + 2, -1e308])
def test_number_beyond_two_to_the_53_is_rejected(value: float, tmp_path: Path) -> None:
    word = {"node": "name", "name": "x", "at": 4}
    assert evaluate_in_both(word, {"x": value}, tmp_path) == {"code": "large", "at": 4}
    total = {"node": "call", "name": "sum", "of": [word], "at": 9}
    assert evaluate_in_both(total, {"x": [1.0, value]}, tmp_path) == {"code": "large", "at": 9}


def test_negative_zero_becomes_zero(tmp_path: Path) -> None:
    word = {"node": "name", "name": "x", "at": 0}
    assert evaluate_in_both(word, {"x": -0.0}, tmp_path) == {"value": encode_result(0.0)}
    assert evaluate_in_both({"node": "call", "name": "negate", "of": [word], "at": 0}, {"x": 0.0}, tmp_path) == {
        "value": encode_result(0.0)
    }


def test_error_in_a_called_calculator_has_the_position_of_the_call(tmp_path: Path) -> None:
    tree = {"node": "calculator", "calculator": "steps", "inputs": ["x", "y"], "at": 77, "of": []}
    tree["of"] = [{"node": "number", "value": 2.0**53 - 1, "at": 78}, {"node": "number", "value": 1, "at": 79}]
    assert evaluate_in_both(tree, {}, tmp_path, LIBRARIES[0]) == {"code": "large", "at": 77}


def test_formula_script_is_small_as_published() -> None:
    # docs/decisions/0012-exact-odds.md says what to do when it is full.
    assert len(gzip.compress(minify(SCRIPT.name, SCRIPT.read_bytes()), 9)) < 2400
