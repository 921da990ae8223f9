"""Dice notation is parsed, its odds are exact, and no input takes long."""

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from types import FrameType
from typing import Any

import icepool  # type: ignore[import-untyped]
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kismet_build.mechanics.dice import DiceError, Distribution, odds, parse, to_tree
from kismet_build.mechanics.dice import odds as odds_function
from kismet_build.mechanics.dice.bounds import INVERSE_STOP_CHANCE, MAX_BITS, MAX_WORK, check_bounds, max_rolls
from kismet_build.mechanics.dice.chart import caret_excerpt, to_text
from kismet_build.mechanics.dice.find import read_dice_code
from kismet_build.mechanics.dice.notation import MAX_CHARACTERS
from kismet_build.mechanics.dice.tree import Dice, Number, Primary, Product, Sum
from tests.command import ROOT, kismet, kismet_process

SUCCESS, USAGE_ERROR = 0, 2


def chances(text: str) -> dict[int, Fraction]:
    return dict(odds(parse(text)).outcomes)


def mean(text: str) -> Fraction:
    return odds(parse(text)).mean


# --- by hand


def test_sum_of_two_dice_has_a_triangular_distribution() -> None:
    ways = [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    assert chances("2d6") == {sum_: Fraction(way, 36) for sum_, way in zip(range(2, 13), ways, strict=True)}


def test_keep_highest_three_of_four_dice() -> None:
    assert mean("4d6kh3") == Fraction(15869, 1296)  # 12.2446
    assert chances("4d6kh3")[18] == Fraction(21, 1296)  # four sixes, or three and one of five others in four places
    assert chances("4d6kh3")[3] == Fraction(1, 1296)


def test_single_die_with_modifier_against_a_target() -> None:
    distribution = odds(parse("1d10+3"))
    assert (distribution.low, distribution.high) == (4, 13)
    assert distribution.mean == Fraction(17, 2)
    assert distribution.at_least(9) == Fraction(5, 10)
    assert distribution.at_least(4) == 1
    assert distribution.at_least(14) == 0


def test_bonus_die_is_added_and_penalty_die_is_subtracted() -> None:
    assert mean("bonus(1d10+3)") == 14
    assert mean("penalty(1d10+3)") == 3
    assert chances("penalty(1d10+3)")[12] == Fraction(1, 100)  # a ten less a one
    assert chances("bonus(1d10+3)")[5] == Fraction(1, 100)


def test_crit_applies_to_the_primary_die_only() -> None:
    assert chances("crit(1d10+3, 10, +5)")[18] == Fraction(1, 10)
    assert 13 not in chances("crit(1d10+3, 10, +5)")
    assert chances("bonus(crit(1d10+3, 10, +5))")[28] == Fraction(1, 100)
    assert mean("bonus(crit(1d10+3, 10, +5))") == 14 + Fraction(1, 2)


def test_highest_and_lowest_face_can_both_be_critical() -> None:
    # An Attack: a 10 adds 5, a 1 gives the other side 5; half of the time it reaches 9 either way.
    attack = odds(parse("crit(crit(1d10+3, 10, +5), 1, -5)"))
    assert (attack.low, attack.high) == (-1, 18)
    assert attack.mean == Fraction(17, 2)
    assert attack.at_least(9) == Fraction(5, 10)
    assert dict(attack.outcomes)[-1] == dict(attack.outcomes)[18] == Fraction(1, 10)
    assert chances("bonus(crit(crit(1d10, 10, +5), 1, -5))")[-3] == Fraction(1, 100)


def test_open_ended_d6_never_totals_six() -> None:
    assert chances("d6+")[5] == Fraction(1, 6)
    assert 6 not in chances("d6+")
    assert chances("d6+")[7] == Fraction(1, 36)
    assert float(mean("d6+")) == pytest.approx(4.2)


def test_advantage_is_the_higher_of_two_rolls() -> None:
    assert mean("adv(d20)") == Fraction(553, 40)  # 13.825
    assert mean("dis(d20)") == 21 - Fraction(553, 40)


def test_pool_counts_successes() -> None:
    assert chances("5d6>=5") == {n: Fraction(way, 243) for n, way in enumerate([32, 80, 80, 40, 10, 1])}


def test_exploded_die_counts_separately_and_open_ended_die_counts_once() -> None:
    # Two successes are a six and a five, or two sixes and at most a four.
    assert chances("1d6!>=5")[2] == Fraction(1, 36) + Fraction(4, 216)
    assert max(chances("1d6+>=5")) == 1
    assert chances("1d6+>=7")[1] == Fraction(1, 6)


def test_floor_and_ceil_round_halves() -> None:
    assert chances("floor(d6/2)") == {0: Fraction(1, 6), 1: Fraction(2, 6), 2: Fraction(2, 6), 3: Fraction(1, 6)}
    assert chances("ceil(d6/2)") == {1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)}
    assert chances("floor((d2-4)/2)") == {-2: Fraction(1, 2), -1: Fraction(1, 2)}


# --- against icepool

d = icepool.d


def crit(die: "icepool.Die[int]", face: int, amount: int) -> "icepool.Die[int]":
    return die.map(lambda shown: shown + amount if shown == face else shown)


def hits(die: "icepool.Die[int]", test: Callable[[int], bool]) -> "icepool.Die[int]":
    return die.map(lambda shown: int(test(shown)))


def exploding(faces: int) -> "icepool.Die[int]":
    return d(faces).explode(depth=max_rolls(faces) - 1)


def best(die: "icepool.Die[int]") -> "icepool.Die[int]":
    return icepool.highest(die, die)


def worst(die: "icepool.Die[int]") -> "icepool.Die[int]":
    return icepool.lowest(die, die)


ICEPOOL: dict[str, Any] = {
    # Sums
    "d6": lambda: d(6),
    "1d10+3": lambda: d(10) + 3,
    "d%": lambda: d(100),
    "2d%-50": lambda: 2 @ d(100) - 50,
    "2d6-1d4+2": lambda: 2 @ d(6) - d(4) + 2,
    "3d6": lambda: 3 @ d(6),
    "4d7": lambda: 4 @ d(7),
    "20d6": lambda: 20 @ d(6),
    "100d6": lambda: 100 @ d(6),
    "50d10-50d10": lambda: 50 @ d(10) - 50 @ d(10),
    "d4+d6+d8+d10+d12+d20": lambda: d(4) + d(6) + d(8) + d(10) + d(12) + d(20),
    "-d6+7": lambda: 7 - d(6),
    "10-2d4": lambda: 10 - 2 @ d(4),
    "d1+d2": lambda: d(1) + d(2),
    "d1000+d1000": lambda: d(1000) + d(1000),
    "7": lambda: icepool.Die([7]),
    # Keep and drop
    "4d6kh3": lambda: d(6).highest(4, 3),
    "4d6kl1": lambda: d(6).lowest(4, 1),
    "4d6dl1": lambda: d(6).highest(4, 3),
    "4d6dh1": lambda: d(6).lowest(4, 3),
    "4d6dh3": lambda: d(6).lowest(4, 1),
    "2d20kh": lambda: d(20).highest(2, 1),
    "2d20kl": lambda: d(20).lowest(2, 1),
    "10d10kh5": lambda: d(10).highest(10, 5),
    "10d10kl2": lambda: d(10).lowest(10, 2),
    "6d6dl2+4": lambda: d(6).highest(6, 4) + 4,
    "5d8kh5": lambda: 5 @ d(8),
    "12d4kh3-d4": lambda: d(4).highest(12, 3) - d(4),
    "3d6+kh2": lambda: exploding(6).highest(3, 2),
    "3d4+dh1": lambda: exploding(4).lowest(3, 2),
    # Exploding dice
    "d6+": lambda: exploding(6),
    "d6!": lambda: exploding(6),
    "d10+ + d6": lambda: exploding(10) + d(6),
    "d10+ + d6+": lambda: exploding(10) + exploding(6),
    "3d6!": lambda: 3 @ exploding(6),
    "3d6+ + 2": lambda: 3 @ exploding(6) + 2,
    "d2+": lambda: exploding(2),
    "2d20! - 4": lambda: 2 @ exploding(20) - 4,
    # Pools
    "5d6>=5": lambda: 5 @ hits(d(6), lambda shown: shown >= 5),
    "12d10>=8": lambda: 12 @ hits(d(10), lambda shown: shown >= 8),
    "8d10<=3": lambda: 8 @ hits(d(10), lambda shown: shown <= 3),
    "60d6>=5": lambda: 60 @ hits(d(6), lambda shown: shown >= 5),
    "3d6>=7": lambda: icepool.Die([0]),
    "3d6>=1": lambda: icepool.Die([3]),
    "4d6+>=9": lambda: 4 @ hits(exploding(6), lambda shown: shown >= 9),
    "5d6>=5 - 3d6>=6": lambda: 5 @ hits(d(6), lambda n: n >= 5) - 3 @ hits(d(6), lambda n: n >= 6),
    # Factors
    "2*d6": lambda: d(6) * 2,
    "2d4*10+d10": lambda: (2 @ d(4)) * 10 + d(10),
    "2*3*d4*0": lambda: icepool.Die([0]),
    "floor(2d6/2)": lambda: (2 @ d(6)) // 2,
    "floor((2d6-7)/3)": lambda: (2 @ d(6) - 7) // 3,
    "ceil(3d6/4)": lambda: -((-(3 @ d(6))) // 4),
    "ceil((d6-d8)/2)+1": lambda: -((d(8) - d(6)) // 2) + 1,
    "1000000*d6+d6": lambda: d(6) * 1000000 + d(6),
    # The lowest and highest of rolls
    "min(2d6, d12)": lambda: icepool.lowest(2 @ d(6), d(12)),
    "max(2d6, 7)": lambda: icepool.highest(2 @ d(6), icepool.Die([7])),
    "max(d4, d6, d8)": lambda: icepool.highest(d(4), d(6), d(8)),
    "min(max(d6, d8), d10)+1": lambda: icepool.lowest(icepool.highest(d(6), d(8)), d(10)) + 1,
    "max(d6, -d6)": lambda: icepool.highest(d(6), -d(6)),
    "adv(d20)": lambda: best(d(20)),
    "dis(d20+5)": lambda: worst(d(20) + 5),
    "adv(2d6)": lambda: best(2 @ d(6)),
    "adv(adv(d20))": lambda: best(best(d(20))),
    "dis(d10+)": lambda: worst(exploding(10)),
    # The primary die
    "bonus(1d10+3)": lambda: d(10) + 3 + d(10),
    "penalty(1d10+3)": lambda: d(10) + 3 - d(10),
    "bonus(penalty(1d10+3))": lambda: d(10) + 3,
    "bonus(bonus(d8))": lambda: 2 @ d(8),
    "penalty(bonus(bonus(d8)+1))": lambda: d(8) + 1,
    "crit(1d10+3, 10, +5)": lambda: crit(d(10), 10, 5) + 3,
    "bonus(crit(1d10+3, 10, +5))": lambda: crit(d(10), 10, 5) + 3 + d(10),
    "crit(penalty(1d10+3), 10, 5)": lambda: crit(d(10), 10, 5) + 3 - d(10),
    "crit(crit(d20+2, 20, +10), 1, -10)": lambda: crit(crit(d(20), 1, -10), 20, 10) + 2,
    "crit(crit(1d10+1, 10, +5), 1, -5)": lambda: crit(crit(d(10), 10, 5), 1, -5) + 1,
    "penalty(crit(crit(1d10+1, 10, 5), 1, -5))": lambda: crit(crit(d(10), 10, 5), 1, -5) + 1 - d(10),
    "crit(d6+2d6, 6, +6)": lambda: crit(d(6), 6, 6) + 2 @ d(6),
    "adv(bonus(d10))": lambda: best(2 @ d(10)),
    "bonus(step(d6, +1)+1)": lambda: 2 @ d(7) + 1,
    # The dice chain
    "step(d6, +1)": lambda: d(7),
    "step(2d20, -3)": lambda: 2 @ d(12),
    "step(d3, 12)": lambda: d(30),
}


def test_at_least_60_expressions_are_compared_with_icepool() -> None:
    assert len(ICEPOOL) >= 60


@pytest.mark.parametrize("text", ICEPOOL)
def test_odds_equal_those_of_icepool(text: str) -> None:
    die = ICEPOOL[text]()
    assert chances(text) == {value: Fraction(ways, die.denominator()) for value, ways in die.items()}


# --- pools with exploding dice, which icepool does not support; all chains of each die are enumerated

MAX_EXPLOSIONS = 12
"""Maximum number of consecutive explosions of a d4 that are counted; the remaining probability is the tolerance."""


def shown_by_chain(faces: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    for tops in range(MAX_EXPLOSIONS):
        for face in range(1, faces):
            yield (faces,) * tops + (face,), Fraction(1, faces ** (tops + 1))


SELECT: dict[str, Callable[[list[int]], int]] = {
    "kh2": lambda shown: sum(shown[-2:]),
    "kh1": lambda shown: shown[-1],
    "kl1": lambda shown: shown[0],
    "kl2": lambda shown: sum(shown[:2]),
    "dl1": lambda shown: sum(shown[1:]),
    "dl0": sum,
    "dh1": lambda shown: sum(shown[:-1]),
    ">=3": lambda shown: sum(face >= 3 for face in shown),
    ">=4": lambda shown: sum(face >= 4 for face in shown),
    "<=2": lambda shown: sum(face <= 2 for face in shown),
    "<=4": len,
}


@pytest.mark.parametrize("form", SELECT)
def test_exploding_pool_equals_enumeration_of_its_chains(form: str) -> None:
    expected: dict[int, Fraction] = defaultdict(Fraction)
    for chains in product(shown_by_chain(4), repeat=2):
        shown = sorted(face for chain, _ in chains for face in chain)
        value = SELECT[form](shown)
        expected[value] += chains[0][1] * chains[1][1]
    distribution = odds(parse(f"2d4!{form}"))
    outcomes = defaultdict(Fraction, distribution.outcomes)
    tolerance = 2 * Fraction(1, 4**MAX_EXPLOSIONS) + distribution.tail
    assert all(abs(expected[value] - outcomes[value]) <= tolerance for value in [*expected, *outcomes])


@pytest.mark.parametrize("text", ["d6+", "d2!", "8d10+", "10d6!", "adv(d6++d8+)", "8d6!>=5", "4d6!dl1", "40d6!>=2"])
def test_truncated_probability_is_reported_and_negligible(text: str) -> None:
    distribution = odds(parse(text))
    assert 0 < distribution.tail < Fraction(1, 10**12)
    assert sum(chance for _, chance in distribution.outcomes) == 1


def test_truncated_probability_is_bounded_for_any_number_of_dice() -> None:
    for faces in (2, 3, 6, 10, 100, 1000):
        most = MAX_BITS / ((faces ** max_rolls(faces)).bit_length() - 1)
        assert most / INVERSE_STOP_CHANCE < 1e-12


def test_odds_without_open_ended_dice_are_not_truncated() -> None:
    assert odds(parse("max(4d6kh3, 5d6>=5, bonus(d10))")).tail == 0


# --- notation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("D6 + 3", "1d6+3"),
        ("  2 D 6 \n KH 1 ", "2d6kh1"),
        ("d%", "1d100"),
        ("2d6−1", "2d6-1"),
        ("2 × d6", "2*d6"),
        ("d6*2", "2*d6"),
        ("2d20kh", "2d20kh1"),
        ("2d20kh-1", "2d20kh1 - 1"),
        ("d6*2*3", "6*d6"),
        ("((d6))", "d6"),
        ("crit(d10, 10, 5)", "CRIT(d10,10,+5)"),
        ("step(d6, 1)", "d7"),
        ("step(4d6+, -1)", "4d5+"),
        ("bonus(penalty(d10))", "penalty(bonus(d10))"),
        ("bonus(3+d10)", "3+bonus(d10)"),
    ],
)
def test_equivalent_notations_parse_to_the_same_tree(one: str, other: str) -> None:
    assert parse(one) == parse(other)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("d6+3", ""),
        ("d6+d4", ""),
        ("d6+(2)", ""),
        ("d6+max(d4, 1)", ""),
        ("d6+", "+"),
        ("d6++3", "+"),
        ("d6+ + d4", "+"),
        ("(d6+)-2", "+"),
        ("max(d6+, 1)", "+"),
        ("d6+*2", "+"),
        ("floor(d6+/2)", "+"),
        ("d6!", "!"),
        ("d6!+3", "!"),
        ("d6!-3", "!"),
    ],
)
def test_plus_sign_without_an_operand_marks_an_open_ended_die(text: str, again: str) -> None:
    assert re.findall(r"again='(.?)'", str(parse(text)))[0] == again


def test_syntax_tree_has_no_positions() -> None:
    assert parse("bonus(crit(1d10+3, 10, +5)) - 2d4") == Sum(
        (Sum((Primary(10, bonus=True, criticals=((10, 5),)), Number(3))), Product(-1, Dice(2, 4)))
    )
    assert to_tree(parse("2d6kh1-1")) == {
        "node": "sum",
        "terms": [
            {
                "node": "keep",
                "dice": {"node": "dice", "count": 2, "faces": 6, "again": ""},
                "which": "kh",
                "number": 1,
            },
            {"node": "product", "factor": -1, "operand": {"node": "number", "value": 1}},
        ],
    }


def test_dice_chain_can_be_replaced() -> None:
    assert parse("step(d6, +1)", chain=(4, 6, 8)) == Dice(1, 8)


# --- rejected expressions, with the position of the error

REFUSED = {
    "": (0, "expected a roll or a number, not the end"),
    "d": (1, "expected a number of faces"),
    "2d6-": (4, "not the end"),
    "d6++": (4, "not the end"),
    "d6+-2": (3, "may or may not be"),
    "d6--2": (3, 'not "-"'),
    "0d6": (0, "at least 1, not 0"),
    "1+0d6": (2, "at least 1, not 0"),
    "d0": (1, "at least 1, not 0"),
    "4d-6": (2, 'not "-"'),
    "4d6kh5": (5, "takes 1 to 4"),
    "4d6kh0": (5, "takes 1 to 4"),
    "4d6dl4": (5, "takes 0 to 3"),
    "4d6d1": (3, "does not say which"),
    "4d6k3": (3, "does not say which"),
    "4d6>5": (3, "not used"),
    "4d6kh3>=5": (6, "does not belong here"),
    "d1+": (0, "for ever"),
    "2d1!": (0, "for ever"),
    "2d6/2": (3, "rounded"),
    "floor(2d6)": (9, "one division"),
    "floor(2d6+3/2)": (9, "one division"),
    "floor(d6/0)": (9, "at least 1, not 0"),
    "floor(d6/-2)": (9, "expected a divisor"),
    "ceil(d6/d4)": (8, None),
    "d6*d4": (3, "by a whole number"),
    "foo(d6)": (0, '"foo" is not dice'),
    "d6)": (2, "does not belong here"),
    "(d6": (3, 'expected ")", not the end'),
    "d6 $": (3, '"$" is not used'),
    "d٣": (1, '"٣" is not used'),
    "d6 d6": (3, "does not"),
    "max()": (4, "a roll or a number"),
    "bonus(2d10)": (6, "the primary die"),
    "bonus(d10!)": (6, "the primary die"),
    "bonus(7)": (6, "the primary die"),
    "bonus(2*d10)": (6, "the primary die"),
    "bonus(adv(d20))": (6, "the primary die"),
    "crit(d10, 11, +5)": (10, "no face 11"),
    "crit(d10, 0, +5)": (10, "at least 1"),
    "crit(crit(d10, 10, +5), 10, +5)": (24, "already"),
    "crit(d10, 10)": (12, 'expected ","'),
    "step(d9, +1)": (5, "no d9"),
    "step(d30, +1)": (10, "from d3 to d30"),
    "step(2*d6, +1)": (5, "only plain dice"),
    "1" * 10: (0, "9 digits"),
    "999999999d999999999": (0, "dice are more than"),
    "1+d99999": (2, "faces are more than"),
    "1000d1000": (0, "between the lowest and the highest"),
    "200d20": (0, "steps"),
    "999999999*999999999*d6": (0, "could exceed"),
    "d6*999999999*999999999": (0, "could exceed"),
    "300d6!>=5": (0, "bits"),
    "adv(" * 12 + "d20" + ")" * 12: (None, "bits"),
    "d6+" * 200: (MAX_CHARACTERS, "longer than"),
    "(" * 1000: (MAX_CHARACTERS, "longer than"),
    "(" * 400: (20, "20 deep"),
    "max(" * 50: (83, "20 deep"),
    "9d9+" * 250_000: (MAX_CHARACTERS, "longer than"),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:24])
def test_invalid_or_too_large_expression_is_rejected_with_its_position(text: str) -> None:
    place, words = REFUSED[text]
    with pytest.raises(DiceError) as caught:
        odds(parse(text))
    assert place in (None, caught.value.position), caught.value.position
    assert (words or "") in caught.value.message
    assert not caught.value.message.endswith(".")


# --- no text raises anything else or takes long

WORDS = ["d", "d6", "2d6", "d%", "kh", "kl1", "dh", "dl2", "!", "+", "-", "*", "/", ">=", "<=", "(", ")", ",", " ", "3"]
CALLS = ["max(", "min(", "adv(", "dis(", "bonus(", "penalty(", "crit(", "step(", "floor(", "ceil("]
DICE = st.builds(
    "{}d{}{}{}".format,
    st.integers(1, 40),
    st.sampled_from([1, 2, 4, 6, 10, 20, 100, 3000]),
    st.sampled_from(["", "", "!", "+"]),
    st.sampled_from(["", "", "kh2", "kl", "dl1", "dh1", ">=2", "<=5"]),
)
ROLLS = st.recursive(
    DICE | st.integers(0, 10**6).map(str) | st.sampled_from(["1d10", "d6", "d20+3"]),
    lambda inner: st.one_of(
        st.builds("({}) {} {}".format, inner, st.sampled_from("+-"), inner),
        st.builds("{}*({})".format, st.integers(0, 10**4), inner),
        st.builds("{}(({})/{})".format, st.sampled_from(["floor", "ceil"]), inner, st.integers(1, 99)),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
        st.builds("{}({})".format, st.sampled_from(["adv", "dis", "bonus", "penalty"]), inner),
        st.builds("crit({}, {}, {})".format, inner, st.integers(1, 20), st.integers(-(10**6), 10**6)),
        st.builds("step({}, {})".format, inner, st.integers(-3, 3)),
    ),
    max_leaves=8,
)
TEXTS = st.text(max_size=40) | st.lists(st.sampled_from([*WORDS, *CALLS]), max_size=40).map("".join) | ROLLS


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("d6K1")
@example("ⅽrit(d6)")
@example("d6\u2028+1")
def test_any_text_parses_within_limits_or_raises_dice_error(text: str) -> None:
    try:
        expression = parse(text)
        size = check_bounds(expression)
    except DiceError as fault:
        check_place(text, fault)
        return
    lines, distribution = counted(lambda: odds_function(expression))
    assert lines <= size.work <= MAX_WORK
    assert sum(chance for _, chance in distribution.outcomes) == 1
    assert (size.low, size.high) == (distribution.low, distribution.high) or size.span >= len(distribution.outcomes)
    assert size.low <= distribution.low <= distribution.high <= size.high
    assert max(chance.denominator for _, chance in distribution.outcomes).bit_length() <= MAX_BITS + 1
    assert max(map(len, to_text(text, distribution, 0).splitlines()[1:])) <= 80
    json.dumps(to_tree(expression))


def check_place(text: str, fault: DiceError) -> None:
    assert 0 <= fault.position <= len(text)
    assert caret_excerpt(text, fault.position).count("\n") == 1


def counted(run: Callable[[], Distribution]) -> tuple[int, Distribution]:
    """Number of executed lines, which unlike the time is the same on every machine."""
    lines = 0
    usual = sys.gettrace()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.endswith("odds.py"):
            return None
        lines += event == "line"
        return trace

    sys.settrace(trace)
    try:
        distribution = run()
    finally:
        sys.settrace(usual)
    return lines, distribution


# --- the command


def test_odds_command_prints_range_mean_chance_and_chart() -> None:
    run = kismet("odds", "2d6", "--vs", "9")
    assert (run.status, run.err) == (SUCCESS, "")
    head, chance, empty, *bars = run.out.splitlines()
    assert (head, chance, empty) == ("2d6: 2 to 12, mean 7", "9 or more: 5/18 = 27.78%", "")
    assert [bar.split()[0] for bar in bars] == [str(n) for n in range(2, 13)]
    assert max(map(len, bars)) == len(bars[5]) <= 80


def test_chart_of_many_results_is_short_and_complete() -> None:
    run = kismet("odds", "80d6")
    bars = run.out.splitlines()[2:]
    assert len(bars) <= 36
    assert bars[0].lstrip().startswith("80 to ")
    assert " to 480 " in bars[-1]
    shown = sum(float(re.findall(r"([\d.]+)%", bar)[0]) for bar in bars)
    assert shown == pytest.approx(100, abs=0.3)


def test_odds_command_prints_truncated_probability_of_open_ended_dice() -> None:
    assert "a limit; the chance that one reaches it is 9.8e-15" in kismet("odds", "d6+").out


@pytest.mark.parametrize("text", ["1d6+2", "d20", "4d6kh3", "2d%", "adv(d20+2)", "5d6>=5", "d6!", "d7"])
def test_odds_reads_german_dice_like_codes_in_texts(text: str) -> None:
    english = json.loads(kismet("odds", text, "--json").out)
    for letter in "Ww":
        german = re.sub(r"d(?=[\d%])", letter, text)
        assert json.loads(kismet("odds", german, "--json").out) == {**english, "expression": german}
        assert read_dice_code(german) == read_dice_code(text) != ""


def test_odds_of_german_dice_point_at_the_fault() -> None:
    assert kismet("odds", "1W6 + 0W4").err == kismet("odds", "1d6 + 0d4").err.replace("1d6 + 0d4", "1W6 + 0W4")


def test_odds_json_follows_the_contract() -> None:
    run = kismet("odds", "1d4 + 3", "--vs", "6", "--json")
    assert (run.status, run.err) == (SUCCESS, "")
    assert json.loads(run.out) == {
        "expression": "1d4 + 3",
        "min": 4,
        "max": 7,
        "mean": 5.5,
        "chance": {"numerator": 1, "denominator": 2},
        "distribution": [{"value": value, "numerator": 1, "denominator": 4} for value in range(4, 8)],
    }


def test_odds_json_without_target_has_no_chance() -> None:
    assert "chance" not in json.loads(kismet("odds", "d6", "--json").out)


def test_invalid_expression_is_printed_with_a_caret() -> None:
    run = kismet("odds", "1d6 + 0d4")
    assert (run.status, run.out) == (USAGE_ERROR, "")
    assert run.err == "kismet: the number of dice must be at least 1, not 0\n  1d6 + 0d4\n        ^\n"


def test_caret_excerpt_of_a_long_expression_shows_the_error() -> None:
    text = "d6+" * 100 + "$" + "+d6" * 50
    shown, caret = caret_excerpt(text, 300).split("\n")
    assert shown[caret.index("^")] == "$"
    assert len(shown) <= 80


def test_odds_json_is_printed_under_the_lowest_integer_digit_limit() -> None:
    run = kismet_process("odds", "500d10>=4", "--json", "--vs", "350", env={"PYTHONINTMAXSTRDIGITS": "640"})
    assert run.status == SUCCESS
    assert max(map(len, re.findall(r"\d+", run.out))) > 490


def test_other_commands_do_not_import_the_dice_module() -> None:
    code = (
        "import sys; from kismet_build.cli import main; main(['explain']); "
        "print('kismet_build.mechanics.dice' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
