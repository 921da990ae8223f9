"""The script rolls dice with the expected distribution and shows every die of a roll."""

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from kismet_build.mechanics.dice import odds, parse, to_tree
from tests.node import ASSETS, run_scripts

ROLL = """\
// A generator with a seed that is good enough for chi-square tests (splitmix, 32 bits), and nothing more.
const seeded = (state) => () => {
  state = (state + 0x9e3779b9) | 0;
  let mixed = state ^ (state >>> 16);
  mixed = Math.imul(mixed, 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
};
"""
COUNT = """\
globalThis.answer = ({trees, times}) => trees.map((tree, place) => {
  const [random, counts] = [seeded(place + 1), new Map()];
  for (let n = 0; n < times; n++) {
    const { value } = kismet.roll(tree, random);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts];
});
"""
SHOW = """\
globalThis.answer = ({trees, times}) => trees.map((tree, place) => {
  const random = seeded(place + 1);
  return Array.from({length: times}, () => {
    const roll = kismet.roll(tree, random);
    return {...roll, text: kismet.rollText(roll)};
  });
});
"""
SEQUENCE = """\
globalThis.answer = (cases) => cases.map(({tree, draws}) => {
  let used = 0;
  const { value } = kismet.roll(tree, () => draws[used++]);
  return [value, used];
});
"""
ROLL_TO_TEXT = """\
globalThis.answer = (cases) =>
  cases.map(({tree, draws}) => kismet.rollText(kismet.roll(tree, () => draws.shift())));
"""
ROLL_COUNT = 100_000
MAX_DEVIATION = 4.0
"""Standard deviations from the expected value that fail a test; fewer than 1 in 30,000 fair tests exceed them."""

EXPRESSIONS = {
    "1d10+3": 1,
    "3d6-1d4": 4,
    "d%": 1,
    "4d6kh3": 4,
    "5d8dl2+1": 5,
    "d6+": None,
    "3d6!": None,
    "3d4+kh2": None,
    "3d4!dh1": None,
    "6d6>=5": 6,
    "4d6!>=5 + 1": None,
    "4d6+<=3": None,
    "bonus(1d10+3)": 2,
    "penalty(crit(crit(1d10+3, 10, +5), 1, -5))": 2,
    "bonus(penalty(1d10))": 1,
    "min(2d6, d12) - max(d4, 2)": 4,
    "adv(d20+2)": 2,
    "dis(2d6)": 4,
    "2*(d4+1) - floor(2d6/3) + ceil((d6-d8)/2)": 5,
    "-d6+7": 1,
}
"""Expressions of all types, with the number of dice that a roll shows; `None` if that depends on the results."""


COUNTED_EXPRESSIONS = [
    "1d10+3",
    "d%",
    "4d6kh3",
    "d6+",
    "3d4!dh1",
    "3d4+kh2",
    "6d6>=5",
    "4d6!>=5 + 1",
    "penalty(crit(crit(1d10+3, 10, +5), 1, -5))",
    "min(2d6, d12) - max(d4, 2)",
    "adv(d20+2)",
    "2*(d4+1) - floor(2d6/3) + ceil((d6-d8)/2)",
]


def run(folder: Path, what: str, data: Any) -> Any:
    script = folder / "roll.js"
    script.write_text(ROLL + what, encoding="utf-8")
    return run_scripts([ASSETS / "roll.js", script], data, folder)


def trees() -> list[Any]:
    return [to_tree(parse(text)) for text in EXPRESSIONS]


def test_frequencies_of_rolls_match_the_odds(tmp_path: Path) -> None:
    question = {"trees": [to_tree(parse(text)) for text in COUNTED_EXPRESSIONS], "times": ROLL_COUNT}
    for text, pairs in zip(COUNTED_EXPRESSIONS, run(tmp_path, COUNT, question), strict=True):
        counts = Counter(dict(map(tuple, pairs)))
        outcomes = odds(parse(text)).outcomes
        assert counts.total() == ROLL_COUNT
        assert set(counts) <= {value for value, _ in outcomes}, text
        assert abs(deviation(counts, outcomes)) < MAX_DEVIATION, text


def deviation(counts: Counter[int], outcomes: tuple[tuple[int, Fraction], ...]) -> float:
    """Deviation of the counts by chi-square, in standard deviations of a normal distribution (Wilson and Hilferty)."""
    expected, observed, square, groups = 0.0, 0, 0.0, 0
    for place, (value, chance) in enumerate(outcomes):
        expected += float(chance) * ROLL_COUNT
        observed += counts[value]
        # Rare values are grouped with their neighbours, because few counts cannot be compared.
        left = ROLL_COUNT * float(sum(chance for _, chance in outcomes[place + 1 :]))
        if min(expected, left) >= 20 or place == len(outcomes) - 1:
            square += (observed - expected) ** 2 / expected
            expected, observed, groups = 0.0, 0, groups + 1
    free = groups - 1
    return float(((square / free) ** (1 / 3) - (1 - 2 / (9 * free))) / (2 / (9 * free)) ** 0.5)


def test_loaded_die_fails_the_chi_square_test() -> None:
    fair = odds(parse("d6")).outcomes
    loaded = Counter({1: 16_000, 2: 16_667, 3: 16_667, 4: 16_666, 5: 16_667, 6: 17_333})
    assert deviation(loaded, fair) > MAX_DEVIATION


def test_shown_dice_add_up_to_the_result(tmp_path: Path) -> None:
    for text, rolls in zip(EXPRESSIONS, run(tmp_path, SHOW, {"trees": trees(), "times": 300}), strict=True):
        for roll in rolls:
            dice = [piece for piece in roll["shown"] if not isinstance(piece, str)]
            assert all(1 <= die["face"] <= die["faces"] for die in dice)
            assert len(dice) == (EXPRESSIONS[text] or len(dice)) > 0, (text, roll)
            if "=5" not in text and "<=" not in text:
                assert computed(roll["text"]) == roll["value"], (text, roll["text"])
            else:
                assert roll["value"] - text.endswith("+ 1") == roll["text"].count("✓"), (text, roll["text"])


def computed(text: str) -> int:
    """The value of the text of a roll: an expression without dice, and remarks in brackets."""
    plain = re.sub(r" \((?:[a-z ]+|(?:[^()a-z]|\([^()]*\))* dropped)\)", "", text.split(" = ")[0])
    (outcome,) = odds(parse(plain)).outcomes
    return outcome[0]


ROLL_TEXTS = {
    "1d10+3": ([6], "7 + 3 = 10"),
    "d20": ([11], "12"),
    "2d6": ([2, 4], "3 + 5 = 8"),
    "4d6kh3": ([5, 0, 3, 2], "6 + 4 + 3 (1 dropped) = 13"),
    "4d6dl1+2": ([5, 0, 3, 2], "6 + 4 + 3 (1 dropped) + 2 = 15"),
    "d6+": ([5, 5, 2], "6 + 6 + 3 = 15"),
    "2d6+kh1": ([5, 2, 4], "6 + 3 (5 dropped) = 9"),
    "2d6!": ([5, 2, 4], "6 + 3 + 5 = 14"),
    "3d6>=5": ([5, 1, 4], "6 ✓, 2, 5 ✓ = 2"),
    "3d6>=5 + 1": ([5, 1, 4], "(6 ✓, 2, 5 ✓) + 1 = 3"),
    "bonus(1d10+3)": ([6, 1], "7 + 2 (bonus) + 3 = 12"),
    "penalty(1d10+3)": ([0, 8], "1 − 9 (penalty) + 3 = −5"),
    "bonus(penalty(1d10))": ([6], "7 (bonus and penalty cancel) = 7"),
    "crit(crit(1d10+3, 10, +5), 1, -5)": ([9], "10 + 5 (critical) + 3 = 18"),
    "crit(crit(1d10+2, 10, +5), 1, -5)": ([0], "1 − 5 (critical) + 2 = −2"),
    "adv(d20+2)": ([12, 3], "max(13 + 2, 4 + 2) = 15"),
    "7-2d4": ([0, 1], "7 − (1 + 2) = 4"),
    "2*2d4": ([0, 1], "2 × (1 + 2) = 6"),
    "floor(2d6/2)": ([2, 1], "floor((3 + 2) / 2) = 2"),
}
"""The text of a roll for the numbers drawn for its dice; a face is the drawn number plus one."""


def test_text_of_a_roll_shows_all_dice_and_operations(tmp_path: Path) -> None:
    cases = [{"tree": to_tree(parse(text)), "draws": draws} for text, (draws, _) in ROLL_TEXTS.items()]
    assert run(tmp_path, ROLL_TO_TEXT, cases) == [words for _, words in ROLL_TEXTS.values()]


@pytest.mark.parametrize("faces", [1, 2, 3, 6, 10, 100, 4096, 5000])
def test_random_numbers_with_modulo_bias_are_redrawn(tmp_path: Path, faces: int) -> None:
    fair = 2**32 - 2**32 % faces
    tree = to_tree(parse(f"1d{faces}"))
    beyond = [drawn for drawn in (fair, 2**32 - 1) if drawn < 2**32 and drawn >= fair]
    cases = [
        {"tree": tree, "draws": [0]},
        {"tree": tree, "draws": [fair - 1]},
        {"tree": tree, "draws": [*beyond, fair - 1]},
    ]
    assert run(tmp_path, SEQUENCE, cases) == [[1, 1], [faces, 1], [faces, 1 + len(beyond)]]
