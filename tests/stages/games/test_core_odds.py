"""The odds of chapter 2 equal an enumeration of all outcomes."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.calculator.calculation import calculate, resolve_inputs
from kismet_build.mechanics.formula.values import to_plain_value
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.pack import Pack
from tests.command import CONTENT

FACES = range(1, 11)
CLOSE = 1e-12

MODIFIERS = st.integers(-3, 20)
LEVELS = st.integers(1, 24)
DICE = st.sampled_from(("neither", "bonus", "penalty"))


@pytest.fixture(scope="module")
def pack() -> Pack:
    diagnostics: list[Diagnostic] = []
    return compile_game(load_library(CONTENT, None, diagnostics.append).games[0], diagnostics.append)


def ask(pack: Pack, calculator: str, **inputs: Any) -> Any:
    definition = pack.game.calculators[calculator]
    return to_plain_value(calculate(pack.records, definition, resolve_inputs(pack.records, definition, inputs)).result)


def value(die: int, modifier: int) -> int:
    return die + modifier + (5 if die == 10 else 0)


def second(die: str) -> Sequence[int]:
    """The changes of the Value by the second die, all equally likely."""
    return {"neither": [0], "bonus": list(FACES), "penalty": [-face for face in FACES]}[die]


def success(modifier: int, dl: int, die: str, faces: Sequence[int] = FACES) -> float:
    """The share of rolls that succeed with one of these faces on the Primary Die."""
    rolls = [value(face, modifier) + more >= dl for face in faces for more in second(die)]
    return sum(rolls) / (10 * len(second(die)))


def at_least_half(chances: Sequence[float]) -> float:
    """The chance that half of a group succeed, member by member."""
    spread = [1.0]
    for chance in chances:
        failed, succeeded = [*spread, 0.0], [0.0, *spread]
        spread = [a * (1 - chance) + b * chance for a, b in zip(failed, succeeded, strict=True)]
    return sum(spread[(len(chances) + 1) // 2 :])


@given(modifier=MODIFIERS, dl=LEVELS, die=DICE)
@settings(max_examples=100)
def test_skill_chance_equals_an_enumeration_of_all_dice(pack: Pack, modifier: int, dl: int, die: str) -> None:
    assert ask(pack, "skill-chance", modifier=modifier, dl=dl, die=die) == pytest.approx(
        success(modifier, dl, die), abs=CLOSE
    )
    assert ask(pack, "skill-critical-chance", modifier=modifier, dl=dl, die=die) == pytest.approx(
        success(modifier, dl, die, [10]), abs=CLOSE
    )


@given(modifier=MODIFIERS, dl=LEVELS)
@settings(max_examples=50)
def test_highest_failing_die_equals_the_number_of_failing_faces(pack: Pack, modifier: int, dl: int) -> None:
    failing = sum(value(face, modifier) < dl for face in FACES)
    assert ask(pack, "failing-die", modifier=modifier, dl=dl) == failing


@given(participants=st.integers(1, 12), modifier=MODIFIERS, dl=LEVELS, die=DICE)
@settings(max_examples=100)
def test_group_succeeds_if_at_least_half_of_its_members_succeed(
    pack: Pack, participants: int, modifier: int, dl: int, die: str
) -> None:
    chance = ask(pack, "group-chance", participants=participants, modifier=modifier, dl=dl, die=die)
    assert chance == pytest.approx(at_least_half([success(modifier, dl, die)] * participants), abs=CLOSE)
