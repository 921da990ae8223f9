"""An input takes the same values for `kismet calc`, the pages of calculators and the package for npm.

Python and the package get values; Python and the scripts of the pages get their texts, as typed or as in an address.
"""

import json
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.calculator import Input
from kismet_build.mechanics.calculator.calculation import Records, calculate, parse_inputs, resolve_inputs
from kismet_build.mechanics.formula import FormulaError
from kismet_build.mechanics.formula.values import to_plain_value
from kismet_build.mechanics.inputs import InputError
from kismet_build.model.downloads import archive_names
from kismet_build.pack import Pack
from kismet_build.render.site.outputs import render
from tests.command import CONTENT, GAMES
from tests.conftest import BuildOnce
from tests.node import ASSETS, node, run_scripts

PLAIN = """
const plain = (value) =>
  Array.isArray(value) ? value.map(plain) : value?.node === "dice" ? value.expression : value?.id ?? value;
const outcome = (run) => {
  try {
    return { result: plain(run()) };
  } catch (problem) {
    if (!problem.code) throw problem;
    const input = problem.input?.name ?? problem.input;
    return input === undefined ? { code: problem.code } : { code: problem.code, input, message: problem.message };
  }
};
"""
"""The outcome of a calculation as `outcome_of` has it."""
PACKAGE = """
import { readFileSync } from "node:fs";
const { calculate } = await import(process.argv[1]);
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([slug, values]) => outcome(() => calculate(slug, values)))));
"""
PAGE = """
globalThis.answer = ({ game: id, cases }) => {
  const { evaluate, inputs: { parse, resolve }, games: { [id]: { calculators, library } } } = kismet;
  const compute = (slug, texts) => {
    const scope = {};
    for (const input of calculators[slug].inputs) {
      const value = Object.hasOwn(texts, input.name) ? parse(input, texts[input.name]) : input.default;
      scope[input.name] = resolve(input, value, library);
    }
    const { steps, ast } = library.calculators[slug];
    for (const [name, tree] of steps) scope[name] = evaluate(tree, scope, library);
    return evaluate(ast, scope, library);
  };
  return cases.map(([slug, texts]) => outcome(() => compute(slug, texts)));
};
"""

NUMBERS = ("+4", "−3", "5.", ".5", "1e1", "1E400", "0x2", "1_0", "３", "Infinity", "NaN", "\u00a02 ", "--1", "1 2")
"""Texts that one of Python and JavaScript may read as a number, and the other not."""

Case = tuple[str, dict[str, Any]]
"""The slug of a calculator and values of its inputs."""


@pytest.fixture(scope="module", params=GAMES)
def pack(request: pytest.FixtureRequest) -> Pack:
    [game] = load_library(CONTENT / request.param, None, lambda _: None).games
    return compile_game(game, lambda _: None)


def values_of(records: Records, input_: Input) -> Iterator[Any]:
    """Values that an input takes, and values like these that it does not take."""
    yield from ("banana", "", 5.25, True, [])
    match input_.type:
        case "integer" | "number":
            assert input_.low is not None
            assert input_.high is not None
            step = input_.step or 1
            yield from (input_.low, input_.high, input_.low - step, input_.high + step, input_.low + step)
            yield from (input_.low + step / 2, input_.low + 1 / 3, str(input_.low), *NUMBERS)
        case "boolean":
            yield from (False, 0, 1, "yes", "No")
        case "choice":
            for option in input_.options:
                yield from (option, option.upper().replace(" ", "-"), f" {option}", f"{option}x")
        case "entity":
            for kind in input_.kinds:
                for record in (*records.entities[kind][:1], *records.entities[kind][-1:]):
                    local = f"{record['kind']}/{record['slug']}"
                    yield from (record["id"], local, record["slug"], record["name"], record["name"].upper())
                    yield from (f"{local}x", f"/{record['slug']}")
                aliases = (alias for record in records.entities[kind] for alias in records.aliases[record["id"]])
                yield from (alias.title() for alias in [*aliases][:2])


def cases(pack: Pack) -> list[Case]:
    found: list[Case] = []
    for calculator in pack.game.calculators.values():
        found += [(calculator.slug, {}), (calculator.slug, {"no_such_input": 1})]
        for input_ in calculator.inputs:
            values = [*values_of(pack.records, input_)]
            found += [(calculator.slug, {input_.name: value}) for value in values]
            if input_.many:
                found += [(calculator.slug, {input_.name: [values[-1], value]}) for value in values]
    return found


def text_of(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case list():
            return ",".join(map(text_of, value))
        case _:
            return str(value)


def outcome_of(pack: Pack, slug: str, given: Mapping[str, Any], *, is_text: bool) -> dict[str, Any]:
    calculator = pack.game.calculators[slug]
    read = parse_inputs if is_text else resolve_inputs
    try:
        values = read(pack.records, calculator, given)
        return {"result": to_plain_value(calculate(pack.records, calculator, values).result)}
    except InputError as problem:
        return {"code": problem.code, "input": problem.name, "message": str(problem)}
    except FormulaError as problem:
        return {"code": problem.code}


def test_package_takes_and_refuses_the_values_that_python_does(
    build_once: BuildOnce, pack: Pack, tmp_path: Path
) -> None:
    folder, run = build_once("bundle", CONTENT, "--bundle", "--no-search")
    assert run.status == 0, run.err
    with tarfile.open(folder / "data" / pack.game.id / archive_names(pack.game.id, "1.0.0").npm) as archive:
        archive.extractall(tmp_path, filter="data")
    asked = cases(pack)
    done = subprocess.run(
        [node(), "--input-type=module", "--eval", PLAIN + PACKAGE, (tmp_path / "package/index.js").as_uri()],
        input=json.dumps(asked),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcomes = [outcome_of(pack, slug, values, is_text=False) for slug, values in asked]
    for case, expected, found in zip(asked, outcomes, json.loads(done.stdout), strict=True):
        assert found == expected, case
    defaults = [outcome for (_, values), outcome in zip(asked, outcomes, strict=True) if not values]
    assert all("result" in outcome for outcome in defaults)
    codes = {outcome.get("code") for outcome in outcomes}
    assert codes >= {"unknown-input", "wrong-type", "out-of-range", "not-whole", None}


def test_pages_take_and_refuse_the_texts_that_kismet_calc_does(pack: Pack, tmp_path: Path) -> None:
    data, answer = tmp_path / "data.js", tmp_path / "answer.js"
    data.write_bytes(render(pack, f"assets/{pack.game.id}-data.js"))
    answer.write_text(PLAIN + PAGE, encoding="utf-8")
    # A page ignores other parameters of an address than the inputs of the calculator.
    asked = [
        (slug, {name: text_of(value) for name, value in values.items()})
        for slug, values in cases(pack)
        if "no_such_input" not in values
    ]
    scripts = [ASSETS / "formula.js", ASSETS / "inputs.js", data, answer]
    answers = run_scripts(scripts, {"game": pack.game.id, "cases": asked}, tmp_path)
    # The page has words of its own, in the language of the game.
    outcomes = [outcome_of(pack, slug, texts, is_text=True) for slug, texts in asked]
    for case, expected, found in zip(asked, outcomes, answers, strict=True):
        assert {**found, "message": ""} == {**expected, "message": ""}, case
