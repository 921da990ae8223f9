"""The forms of dice that players write at tables, on the command line and in the dice roller of the website."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import icepool  # type: ignore[import-untyped]
import pytest

from kismet_build.mechanics.dice import DiceError, odds, parse
from kismet_build.mechanics.dice.find import code_with_english_dice
from kismet_build.mechanics.dice.table_notation import VERSUS, contest, in_dice_notation
from tests.command import kismet
from tests.node import ASSETS, run_scripts

SUCCESS, USAGE_ERROR = 0, 2
d = icepool.d
FATE = icepool.Die([-1, 0, 1])
ADVANTAGE = d(20).highest(2, 1)

ROLLS: dict[str, Any] = {
    "d20 adv": ADVANTAGE,
    "D20ADV": ADVANTAGE,
    "d20 dis": d(20).lowest(2, 1),
    "d20 adv + 5": ADVANTAGE + 5,
    "d20+5 adv": ADVANTAGE + 5,
    "d20 adv + d4 - 1": ADVANTAGE + d(4) - 1,
    "2d6 adv": icepool.highest(2 @ d(6), 2 @ d(6)),
    "d20+d4 dis": icepool.lowest(d(20) + d(4), d(20) + d(4)),
    "dF": FATE,
    "4dF": 4 @ FATE,
    "4df+2": 4 @ FATE + 2,
    "3d6>4": 3 @ d(6).map(lambda shown: int(shown > 4)),
    "3W6 < 3": 3 @ d(6).map(lambda shown: int(shown < 3)),
    "5d10>7 - 1": 5 @ d(10).map(lambda shown: int(shown > 7)) - 1,
    "4d6>=5": 4 @ d(6).map(lambda shown: int(shown >= 5)),
    "4d6kh3 + 1": d(6).highest(4, 3) + 1,
}
CONTESTS = {
    "1d6 vs 1d8": (d(6), d(8)),
    "d20 adv vs d20+2": (ADVANTAGE, d(20) + 2),
    "4dF VS. 3d6>4": (4 @ FATE, ROLLS["3d6>4"]),
}
BEFORE = "Object.assign(globalThis.kismet ??= {}, {make: () => ({})});"
ANSWER = """\
globalThis.answer = (texts) => texts.map((text) => {
  const tree = kismet.readDice(text);
  return tree && kismet.odds(tree).outcomes;
});
"""


COUNTED = "globalThis.answer = (texts) => texts.map((text) => Object.values(kismet.impossibleCount(text)));"


def chances(die: "icepool.Die[int]") -> dict[int, Fraction]:
    return {value: Fraction(ways, die.denominator()) for value, ways in die.items()}


def asked(texts: list[str], folder: Path) -> list[list[tuple[int, float]] | None]:
    (before := folder / "before.js").write_text(BEFORE, encoding="utf-8")
    (answer := folder / "answer.js").write_text(ANSWER, encoding="utf-8")
    answers: list[list[tuple[int, float]] | None] = run_scripts(
        [before, ASSETS / "odds.js", ASSETS / "dice.js", answer], texts, folder
    )
    return answers


@pytest.mark.parametrize("text", ROLLS)
def test_a_roll_of_the_table_has_the_odds_of_icepool(text: str) -> None:
    assert dict(odds(parse(code_with_english_dice(in_dice_notation(text)))).outcomes) == chances(ROLLS[text])


@pytest.mark.parametrize("text", CONTESTS)
def test_a_contest_has_the_odds_of_icepool(text: str) -> None:
    first, second = map(chances, CONTESTS[text])
    expected = {"win": Fraction(), "tie": Fraction(), "lose": Fraction()}
    for one, other in product(first, second):
        name = "win" if one > other else "tie" if one == other else "lose"
        expected[name] += first[one] * second[other]
    rolls = [parse(in_dice_notation(roll)) for roll in VERSUS.split(text)]
    assert contest(*rolls)._asdict() == expected


def test_the_roller_reads_the_same_rolls(tmp_path: Path) -> None:
    contests = {text: chances(first - second) for text, (first, second) in CONTESTS.items()}
    expected = {**{text: chances(die) for text, die in ROLLS.items()}, **contests}
    found = asked([*expected], tmp_path)
    for (text, outcomes), pairs in zip(expected.items(), found, strict=True):
        assert {value: float(chance) for value, chance in outcomes.items()} == dict(pairs or ()), text


@pytest.mark.parametrize("text", ["adv", "vs", "d6 vs", "d6 vs d8 vs d10", "3d6>4>2", "d20 adv adv", "dFF", "d6 > d4"])
def test_what_is_no_roll_is_refused(text: str, tmp_path: Path) -> None:
    run = kismet("odds", text)
    assert (run.status, run.out) == (USAGE_ERROR, "")
    assert len(run.err.splitlines()) == 3
    assert asked([text], tmp_path) == [None]


@pytest.mark.parametrize("text", ["3d6 >= 12", "3d6>11", "3d6 <= 12", "2d8+3d6>=12", "d20 vs 3d6!>=12"])
def test_a_sum_meant_as_a_count_is_explained(text: str, tmp_path: Path) -> None:
    reason = "no d6 shows 12, and a comparison counts dice: write"
    run = kismet("odds", text)
    assert (run.status, run.out) == (USAGE_ERROR, "")
    assert reason in run.err
    (answer := tmp_path / "counted.js").write_text(COUNTED, encoding="utf-8")
    (before := tmp_path / "before.js").write_text(BEFORE, encoding="utf-8")
    ((die, number, sum_of_dice),) = run_scripts(
        [before, ASSETS / "odds.js", ASSETS / "dice.js", answer], [text], tmp_path
    )
    assert f'no {die} shows {number}, and a comparison counts dice: write "{sum_of_dice}"' in run.err


def test_the_command_says_how_it_read_the_roll() -> None:
    run = kismet("odds", "d20 adv + 5")
    assert run.out.startswith("read as adv(d20) + 5\nd20 adv + 5: 6 to 25, mean 18.825\n")
    assert "read as" not in kismet("odds", "1W6").out
    assert kismet("odds", "1d6 vs 1d8").out == "1d6 vs 1d8\nwin    31.25%\ntie    12.50%\nlose   56.25%\n"


def test_json_of_a_contest_follows_the_contract() -> None:
    run = kismet("odds", "1d6 vs 1d8", "--json")
    assert run.status == SUCCESS
    assert json.loads(run.out) == {
        "expression": "1d6 vs 1d8",
        "win": {"numerator": 5, "denominator": 16},
        "tie": {"numerator": 1, "denominator": 8},
        "lose": {"numerator": 9, "denominator": 16},
    }
    assert kismet("odds", "1d6 vs 1d8", "--vs", "3").status == USAGE_ERROR


def test_formulas_and_texts_do_not_read_forms_of_the_table() -> None:
    for text in ("d20 adv", "4dF", "3d6>4", "1d6 vs 1d8"):
        with pytest.raises(DiceError):
            parse(text)


@pytest.mark.parametrize("part", ["d", "dF", "1", "d6>", " ", "adv ", "d6adv-", "vs ", "kh"])
def test_time_to_rewrite_does_not_grow_with_a_long_text(part: str) -> None:
    start = process_time()
    in_dice_notation(part * 200_000)
    VERSUS.split(part * 200_000, maxsplit=1)
    assert process_time() - start < 1
