"""How many formulas a second are evaluated, in Python and in the script of the site, and by a peer."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from jinja2.sandbox import SandboxedEnvironment
from rich.table import Table

from kismet_build.build.pipeline import compile_game
from kismet_build.config.game import load_library
from kismet_build.mechanics.calculator.calculation import values_of
from kismet_build.mechanics.formula import Tree, evaluate, parse

ROOT = Path(__file__).parent.parent
SECONDS = 0.3
"""That each of them runs, at least, in each of the rounds."""
ROUNDS = 5
FORMULA = "if level % 2 == 0 then max(1, level / 2 + 3) else min(level, 7) * 2"
PEER = "max(1, level / 2 + 3) if level % 2 == 0 else min(level, 7) * 2"
"""The same for Jinja: the expressions that authors of templates write, sandboxed, compiled once, run often."""

SCRIPT = """\
const [, given, ...scripts] = process.argv;
const fs = require("node:fs"), vm = require("node:vm");
for (const script of scripts) vm.runInThisContext(fs.readFileSync(script, "utf8"), script);
const { one, calculators, library, seconds } = JSON.parse(fs.readFileSync(given, "utf8"));
const rate = (work, times) => {
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < 1000 * seconds) {
    work();
    done += times;
  }
  return (1000 * done) / (performance.now() - start);
};
const formula = () => kismet.evaluate(one, { level: 5 });
const all = () => calculators.forEach(([tree, scope]) => kismet.evaluate(tree, scope, library));
all(); // once, to warm up
console.log(JSON.stringify([rate(formula, 1), rate(all, calculators.length)]));
"""


def formula_table() -> Table:
    """Evaluations a second, the best of some rounds in turns."""
    every, calculators = _calculators()
    one = parse(FORMULA)
    peer = SandboxedEnvironment().compile_expression(PEER)
    small = {"min": min, "max": max}
    assert all(peer(level=level, **small) == evaluate(one, {"level": level}) for level in range(20))
    ways: dict[str, Callable[[], tuple[float, float | None]]] = {
        "Python": lambda: (
            _rate(lambda: evaluate(one, {"level": 5}), 1),
            _rate(lambda: _all(calculators, every), len(calculators)),
        ),
        "Jinja, sandboxed, compiled (peer)": lambda: (_rate(lambda: peer(level=5, **small), 1), None),
    }
    if node := shutil.which("node"):
        ways["node"] = lambda: _in_node(node, one, calculators, every)
    found: dict[str, list[tuple[float, float | None]]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, measure in ways.items():
            found[name].append(measure())
    return _table(
        {name: tuple(map(_best, zip(*rates, strict=True))) for name, rates in found.items()}, len(calculators)
    )


def _calculators() -> tuple[Mapping[str, Any], list[tuple[Tree, Mapping[str, Any]]]]:
    """What formulas look up, and the last formula of every calculator with values for all that it names."""
    pack = compile_game(load_library(ROOT / "content" / "kismet", None, _ignore).games[0], _ignore)
    every = pack.records.scope
    found: list[tuple[Tree, Mapping[str, Any]]] = []
    for calculator in pack.game.calculators.values():
        scope = dict(values_of(pack.records, calculator, {}))
        for step in calculator.steps:
            scope[step.name] = evaluate(step.tree, scope, every)
        found.append((calculator.tree, scope))
    return every, found


def _all(calculators: list[tuple[Tree, Mapping[str, Any]]], every: Mapping[str, Any]) -> None:
    for tree, scope in calculators:
        evaluate(tree, scope, every)


def _rate(work: Callable[[], object], times: int) -> float:
    """How often a second something is done that is done `times` at a time."""
    start = perf_counter()
    done = 0
    while perf_counter() - start < SECONDS:
        work()
        done += times
    return done / (perf_counter() - start)


def _in_node(
    node: str, one: Tree, calculators: list[tuple[Tree, Mapping[str, Any]]], every: Mapping[str, Any]
) -> tuple[float, float]:
    given = {"one": one, "calculators": calculators, "library": every, "seconds": SECONDS}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "given.json"
        file.write_text(json.dumps(given), encoding="utf-8")
        command = [node, "-e", SCRIPT, str(file), str(ROOT / "site" / "assets" / "formula.js")]
        done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    formula, all_ = json.loads(done.stdout)
    return formula, all_


def _best(rates: tuple[float | None, ...]) -> float | None:
    return max((rate for rate in rates if rate is not None), default=None)


def _table(rates: Mapping[str, tuple[float | None, ...]], number: int) -> Table:
    python = rates["Python"][0]
    table = Table(title=f"Evaluations a second, best of {ROUNDS}")
    table.add_column("evaluator")
    for name in ("one formula", "to Python", f"{number} calculators"):
        table.add_column(name, justify="right")
    for name, (one, every) in rates.items():
        assert one is not None
        assert python is not None
        table.add_row(name, f"{one:,.0f}", f"{one / python:.2f}", "" if every is None else f"{every:,.0f}")
    return table


def _ignore(_diagnostic: object) -> None:
    """Take a diagnostic and do nothing: printing is not what is measured."""
