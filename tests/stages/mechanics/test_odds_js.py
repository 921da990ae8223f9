"""The odds that the script computes equal those of Python to the last bit; both refuse the same input."""

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

from kismet_build.mechanics.dice import DiceError, Distribution, odds, parse, to_tree
from kismet_build.mechanics.dice.tree import Expression
from tests.node import ASSETS, run_scripts
from tests.stages.mechanics.test_dice import ICEPOOL, REFUSED, SELECT

ANSWER = """\
require("node:v8").setFlagsFromString("--no-opt");  // optimized code does not count all of its blocks
const inspector = require("node:inspector");
const session = new inspector.Session();
session.connect();
const profiler = (method, options) => {
  let answer;
  session.post(method, options, (fault, result) => { if (fault) throw new Error(fault.message); answer = result; });
  return answer;
};
profiler("Profiler.enable");
profiler("Profiler.startPreciseCoverage", {callCount: true, detailed: true});
// The executed blocks of the script since the last call: the number does not depend on the machine or its load.
const blocks = () => profiler("Profiler.takePreciseCoverage").result
  .filter(({url}) => url.endsWith("odds.js"))
  .flatMap(({functions}) => functions.flatMap(({ranges}) => ranges.map(({count}) => count)))
  .reduce((sum, count) => sum + count, 0);
globalThis.answer = (trees) => trees.map((tree) => {
  blocks();
  try {
    const answer = kismet.odds(tree);
    return {...answer, blocks: blocks()};
  } catch (fault) {
    if (!fault.code) throw fault;
    return {code: fault.code, message: fault.message, blocks: blocks()};
  }
});
"""
MAX_REFUSAL_BLOCKS = 1_000
"""Maximum executed blocks of the script for a refusal: it only estimates the size of the odds."""
MAX_BLOCKS = 250_000
"""Maximum executed blocks of the script for odds that it computes."""

# --- expressions of all sizes, the same in every run


def random_roll(luck: random.Random, depth: int) -> str:
    """A random expression: usually small, sometimes at the limits, not always valid."""
    if depth == 0 or luck.random() < 0.25:
        return random_dice(luck)
    inner = random_roll(luck, depth - 1)
    other = random_roll(luck, depth - 1)
    return luck.choice(
        [
            f"({inner}) + {other}",
            f"({inner}) - ({other})",
            f"{luck.randint(0, 10 ** luck.randint(0, 7))}*({inner})",
            f"floor(({inner})/{luck.randint(1, 20)})",
            f"ceil(({inner})/{luck.randint(1, 20)})",
            f"min({inner}, {other})",
            f"max({inner}, {other}, {luck.randint(0, 40)})",
            f"adv({inner})",
            f"dis({inner})",
            f"bonus(crit(1d{luck.randint(5, 12)}+{luck.randint(0, 9)}, 5, +5))",
            f"penalty(crit(crit(1d10, 10, +5), 1, -5)) + {inner}",
        ]
    )


def random_dice(luck: random.Random) -> str:
    most = luck.choice([4, 10, 60, 1500])
    dice = f"{luck.randint(1, most)}d{luck.choice([1, 2, 3, 4, 6, 8, 10, 20, 100, luck.randint(1, 6000)])}"
    detail = [
        "",
        "",
        "",
        "!",
        "+",
        "kh2",
        "kl",
        "dl1",
        "dh1",
        "!kh2",
        "!dl1",
        "+kh",
        "!dh1",
        "!kl2",
        ">=2",
        "<=5",
        "!>=4",
    ]
    return luck.choice([f"({dice}{luck.choice(detail)})", dice, str(luck.randint(0, 30))])


def understood(text: str) -> Expression | None:
    try:
        return parse(text)
    except DiceError:
        return None


def every_expression() -> dict[str, Expression]:
    luck = random.Random(4711)
    texts = [*ICEPOOL, *(f"{n}d{faces}!{form}" for form in SELECT for n, faces in [(2, 4), (5, 6)]), *REFUSED]
    texts += ["1000d1000", "500d10>=4", "100d10!kh50", "30d6kh15", "40d6!>=2", "10d1000", "4d5000", "d5000+d5000"]
    texts += [random_roll(luck, luck.randint(0, 4)) for _ in range(600)]
    return {text: expression for text in texts if (expression := understood(text)) is not None}


def in_python(expression: Expression) -> Distribution | str:
    try:
        return odds(expression)
    except DiceError as fault:
        return fault.message


Comparison = tuple[str, Distribution | str, dict[str, Any]]
"""An expression, with the answer of Python and that of the script."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[Comparison]:
    folder = tmp_path_factory.mktemp("odds")
    expressions = every_expression()
    script_answers = ask([to_tree(expression) for expression in expressions.values()], folder)
    return [
        (text, in_python(expressions[text]), answer) for text, answer in zip(expressions, script_answers, strict=True)
    ]


def ask(trees: list[Any], folder: Path) -> list[dict[str, Any]]:
    (folder / "answer.js").write_text(ANSWER, encoding="utf-8")
    answers = run_scripts([ASSETS / "odds.js", folder / "answer.js"], trees, folder)
    assert isinstance(answers, list)
    return answers


def as_doubles(distribution: Distribution) -> list[list[float]]:
    return [[value, float(chance)] for value, chance in distribution.outcomes]


def test_script_odds_are_the_doubles_nearest_to_the_exact_odds(answers: list[Comparison]) -> None:
    computed = [(text, mine, answer) for text, mine, answer in answers if isinstance(mine, Distribution)]
    assert len(computed) >= 400
    for text, distribution, answer in computed:
        assert "code" not in answer, f"{text}: {answer}"
        # Below the range of normal doubles, zero is accepted for a tiny probability.
        for (value, chance), (other, expected) in zip(answer["outcomes"], as_doubles(distribution), strict=True):
            assert (value, chance) == (other, expected) or (value == other and 0 <= chance <= expected < 1e-300), text
        assert (answer["low"], answer["high"]) == (distribution.low, distribution.high), text
        assert answer["mean"] == float(distribution.mean), text
        assert answer["tail"] == pytest.approx(float(distribution.tail), rel=1e-9, abs=1e-300), text


def test_script_rejects_the_same_expressions_quickly_with_the_same_messages(answers: list[Comparison]) -> None:
    refused = [(text, mine, answer) for text, mine, answer in answers if isinstance(mine, str)]
    for text, message, answer in refused:
        assert (answer.get("code"), answer.get("message")) == ("large", message), text
        assert answer["blocks"] < MAX_REFUSAL_BLOCKS, text
    # Every limit is tested: dice, faces, results, span, bits, steps.
    assert {message.lstrip("0123456789, ")[:22] for _, message, _ in refused} == {
        "dice are more than the",
        "faces are more than th",
        "the result could excee",
        "there are more than 20",
        "too many dice: roll fe",
        "the odds would take mo",
    }


def test_script_computes_odds_within_the_time_limit(answers: list[Comparison]) -> None:
    slow = {text: answer["blocks"] for text, _, answer in answers if answer["blocks"] > MAX_BLOCKS}
    assert not slow


def test_script_rejects_trees_that_no_notation_can_produce(tmp_path: Path) -> None:
    deep: dict[str, Any] = {"node": "number", "value": 1}
    for _ in range(5_000):
        deep = {"node": "product", "factor": -1, "operand": deep}
    wide = {"node": "sum", "terms": [{"node": "number", "value": 1}] * 100_000}
    again = {"node": "dice", "count": 1, "faces": 1, "again": "+"}
    answers = ask([wide, again], tmp_path)
    assert [answer["code"] for answer in answers] == ["large"] * 2
    text = '{"node":"product","factor":-1,"operand":' * 5_000 + '{"node":"number","value":1}' + "}" * 5_000
    (tmp_path / "deep.js").write_text(f"globalThis.deep = JSON.parse({text!r});", encoding="utf-8")
    (tmp_path / "ask.js").write_text(ANSWER + "const ask = answer; answer = () => ask([deep]);", encoding="utf-8")
    scripts = [ASSETS / "odds.js", tmp_path / "deep.js", tmp_path / "ask.js"]
    assert [answer["code"] for answer in run_scripts(scripts, [], tmp_path)] == ["large"]
    assert deep["node"] == "product"


def test_odds_script_is_smaller_than_5000_bytes_compressed() -> None:
    assert len(gzip.compress((ASSETS / "odds.js").read_bytes(), 9)) < 5_000
