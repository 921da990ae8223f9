"""The combat odds of Kismet, compared with an enumeration of all rolls by the rules."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.calculator.calculation import calculate, resolve_inputs
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.pack import Pack
from tests.command import CONTENT

DIE = range(1, 11)
EXTRA = {"neither": 0, "bonus": 1, "penalty": -1}
MODIFIERS = range(-5, 21, 5)
VALUES = range(0, 31, 5)


@pytest.fixture(scope="module")
def pack() -> Pack:
    diagnostics: list[Diagnostic] = []
    return compile_game(load_library(CONTENT / "kismet", None, diagnostics.append).games[0], diagnostics.append)


def result(pack: Pack, slug: str, **given: Any) -> Any:
    calculator = pack.game.calculators[slug]
    return calculate(pack.records, calculator, resolve_inputs(pack.records, calculator, given)).result


def throws(die: str) -> Iterator[tuple[int, int, Fraction]]:
    """Each face of the Primary Die with the value of the extra die, and the probability of both."""
    extra = [EXTRA[die] * face for face in DIE] if EXTRA[die] else [0]
    for primary in DIE:
        for added in extra:
            yield primary, added, Fraction(1, len(DIE) * len(extra))


def played(modifier: int, against: int, die: str) -> dict[str, Fraction]:
    """The probability that a roll meets a value, that it does so with a 10, and that it fails with a 1."""
    chances = dict.fromkeys(("meets", "with a 10", "short with a 1"), Fraction(0))
    for primary, added, share in throws(die):
        value = primary + modifier + added + (5 if primary == 10 else 0)
        opponent = against + (5 if primary == 1 else 0)
        if value >= opponent:
            chances["meets"] += share
            chances["with a 10"] += share if primary == 10 else 0
        elif primary == 1:
            chances["short with a 1"] += share
    return chances


@pytest.mark.parametrize("die", EXTRA)
def test_attack_chances_equal_an_enumeration_of_all_rolls(pack: Pack, die: str) -> None:
    for modifier in MODIFIERS:
        for defense in VALUES:
            expected = played(modifier, defense, die)
            inputs = {"modifier": modifier, "defense": defense, "die": die}
            assert result(pack, "chance-to-hit", **inputs) == pytest.approx(float(expected["meets"]), abs=1e-12)
            assert result(pack, "chance-of-critical-hit", **inputs) == pytest.approx(float(expected["with a 10"]))
            assert result(pack, "chance-of-stagger", **inputs) == pytest.approx(float(expected["short with a 1"]))


@pytest.mark.parametrize("die", EXTRA)
def test_defense_chances_equal_an_enumeration_of_all_rolls(pack: Pack, die: str) -> None:
    for modifier in MODIFIERS:
        for attack in VALUES:
            expected = played(modifier, attack, die)
            inputs = {"modifier": modifier, "attack": attack, "die": die}
            assert result(pack, "chance-to-defend", **inputs) == pytest.approx(float(expected["meets"]), abs=1e-12)
            assert result(pack, "chance-of-critical-defense", **inputs) == pytest.approx(float(expected["with a 10"]))
            wound = result(pack, "chance-of-critical-hit-taken", **inputs)
            assert wound == pytest.approx(float(expected["short with a 1"]))


def test_ties_between_players_are_rerolled(pack: Pack) -> None:
    for attack in range(0, 21, 4):
        for defense in range(0, 21, 4):
            above = ties = 0
            for attack_roll in DIE:
                for other in DIE:
                    value = attack_roll + attack + (5 if attack_roll == 10 else 0) + (5 if other == 1 else 0)
                    opponent = other + defense + (5 if other == 10 else 0) + (5 if attack_roll == 1 else 0)
                    above += value > opponent
                    ties += value == opponent
            chance = result(pack, "versus-player", attack=attack, defense=defense)
            assert chance == pytest.approx(above / (100 - ties), abs=1e-12)


def test_least_die_to_hit_equals_an_enumeration_of_faces(pack: Pack) -> None:
    for modifier in MODIFIERS:
        for defense in VALUES:
            hits = [roll for roll in DIE if roll + modifier + 5 * (roll == 10) >= defense + 5 * (roll == 1)]
            assert result(pack, "least-die-to-hit", modifier=modifier, defense=defense) == min(hits, default=11)


def test_bonus_and_penalty_dice_of_both_sides_are_combined(pack: Pack) -> None:
    def die(attacker: list[str], target: list[str], slug: str = "attacker-die", **given: Any) -> Any:
        return result(pack, slug, attacker=attacker, target=target, **given)

    assert die([], []) == "neither"
    assert die([], ["condition/prone"]) == "bonus"
    assert die([], ["condition/prone"], roll="ranged attack") == "penalty"
    assert die(["condition/poisoned"], ["condition/prone"]) == "neither"
    assert die([], ["position/cover"]) == "penalty"
    assert die([], ["condition/poisoned"], defense="fortitude") == "bonus"
    assert die([], ["condition/charmed"], defense="social") == "neither"
    assert die([], ["condition/charmed"], defense="social", special=True) == "bonus"
    assert die([], ["condition/prone"], "defender-die") == "penalty"
    assert die(["condition/blind"], ["position/guard"], "defender-die") == "bonus"


def test_encounter_result_equals_that_of_its_single_calculators(pack: Pack) -> None:
    calculator = pack.game.calculators["encounter"]
    inputs = {
        "attacker_level": 5,
        "attack_bonus": 1,
        "weapon_damage": 2,
        "target_level": 4,
        "defense_bonus": 1,
        "worn": 2,
        "hit_points": 10,
    }
    values = resolve_inputs(pack.records, calculator, {**inputs, "target": ["condition/prone"]})
    run = calculate(pack.records, calculator, values)
    steps = {step.name: value for step, value in run.steps}
    # 6 against 5 + 5 with a Bonus Die; 5 + 4 + 2 Damage against 4 + 2; two hits of any damage end it.
    assert steps["die"] == "bonus"
    assert steps["hit"] == pytest.approx(float(played(6, 10, "bonus")["meets"]))
    assert [value for value, _ in steps["damages"]] == [0, 5, 7]
    assert run.result == pytest.approx(2 / steps["hit"])


def test_defending_player_is_hit_if_the_defense_roll_fails(pack: Pack) -> None:
    calculator = pack.game.calculators["encounter"]
    values = resolve_inputs(pack.records, calculator, {"player": "defends", "target": ["condition/paralyzed"]})
    steps = {step.name: value for step, value in calculate(pack.records, calculator, values).steps}
    assert steps["die"] == "penalty"
    assert steps["hit"] == pytest.approx(1 - float(played(5, 11, "penalty")["meets"]))
    assert steps["wound"] == steps["hit"], "every hit on the Paralyzed is a Critical Success"


@pytest.mark.parametrize(
    ("first", "second", "size", "flanked"),
    [
        ((-1, 1), (1, -1), 1, True),
        ((0, 1), (0, -1), 1, True),
        ((-1, 0), (1, 0), 1, True),
        ((-1, 0), (1, 1), 1, True),
        ((-1, 0), (0, 1), 1, False),
        ((1, 0), (2, 0), 1, False),
        ((-1.5, 0.5), (1.5, -0.5), 2, True),
        ((-1.5, 0.5), (1.5, 0.5), 2, True),
    ],
)
def test_target_is_flanked_on_a_line_through_its_space(
    pack: Pack, first: tuple[float, float], second: tuple[float, float], size: int, flanked: bool
) -> None:
    inputs = {"east_a": first[0], "north_a": first[1], "east_b": second[0], "north_b": second[1]}
    assert result(pack, "flanked", size=size, **inputs) is flanked
