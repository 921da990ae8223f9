"""The chance of a roll in a state can be computed from a pack: its `rolls`, effects and formulas.

`chance` is what a reader of a pack does. Each game has a function here that counts all throws by its rules; it reads
the effects and uses no calculator. docs/decisions/0014-effects.md explains the idea.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import pytest

from kismet_build.mechanics.formula import evaluate
from tests.command import GAMES
from tests.conftest import BuiltTree

Record: TypeAlias = dict[str, Any]
Applied: TypeAlias = tuple[Record, Record, str]
"""An entity, one of its effects, and the input that the effect feeds."""
GIVEN = {"hero_die": "d6", "ability": 3, "dm": -2}
"""Values that a reader enters where an effect leaves the value open; 2 for all others."""
INPUTS: dict[str, Record] = {"kismet": {}, "kiss": {"target": 12, "hit": 12}, "legend": {}, "marchen": {}}
"""Inputs that are not the defaults: targets that a base die of 10 reaches only with rerolls, so rerolls matter."""
MAX_REROLLS = 12
"""Rerolls of an open-ended die that are counted; the rest is less likely than 1e-7."""


# --- a reader of packs


@cache
def read_pack(text: str) -> Record:
    pack: Record = json.loads(text)
    return pack


@pytest.fixture
def packs(content: BuiltTree) -> dict[str, Record]:
    return {game: read_pack((content.folder / f"data/{game}/pack.json").read_text(encoding="utf-8")) for game in GAMES}


def formula_library(pack: Record) -> Record:
    entities = {
        kind: [
            {**entity["fields"], "id": entity["id"], "slug": slug_of(entity), "name": entity["name"], "kind": kind}
            | {"effects": entity["effects"]}
            for entity in of_kind
        ]
        for kind, of_kind in pack["entities"].items()
    }
    calculators = {
        slug_of(calculator): {
            "inputs": [input_["name"] for input_ in calculator["inputs"]],
            "steps": [[step["name"], step["ast"]] for step in calculator["steps"]],
            "ast": calculator["ast"],
        }
        for calculator in pack["calculators"]
    }
    return {"entities": entities, "calculators": calculators, "result_cache": {}}


def find(records: Iterable[Record], record_id: str) -> Record:
    return next(record for record in records if record["id"] == record_id)


def slug_of(record: Record) -> str:
    return str(record["id"].rpartition("/")[2])


def input_of(pack: Record, roll: Record, effect: Record, side: str) -> str | None:
    """The input of a roll that an effect feeds; `None` if it feeds none. `side`: who has the effect, `own` or `other`.

    An effect concerns a roll if it names it or a roll that encloses it. With `whose: own` it concerns rolls of the
    entity that has it, otherwise rolls of the opponent.
    """
    is_roller = (effect["whose"] == "own") == (side == "own")
    against = roll["against"] or {"roll": None, "inputs": {}}
    name, inputs = (roll["id"], roll["inputs"]) if is_roller else (against["roll"], against["inputs"])
    return inputs.get(effect["operation"]) if {*with_enclosing_rolls(pack, name)} & {*effect.get("roll", ())} else None


def with_enclosing_rolls(pack: Record, roll: str | None) -> Iterator[str]:
    """A roll and those that enclose it: the roll that `within` names, and so on."""
    by_id = {record["id"]: record for record in pack["rolls"]}
    outer = roll
    while outer is not None:
        yield outer
        outer = by_id[outer]["within"]


def value_of(entity: Record, effect: Record) -> Any:
    """The value of an effect: as stated, of a field of its entity, or entered by the reader."""
    operation = effect["operation"]
    value = effect[operation]
    if value == "given":
        return GIVEN.get(operation, 2)
    found: Any = entity["fields"]
    for name in value.split(".") if isinstance(value, str) else ():
        if not isinstance(found, dict) or name not in found:
            return value
        found = found[name]
    return found if isinstance(value, str) else value


def chance(pack: Record, library: Record, roll: Record, applied: Iterable[Applied], **set_: Any) -> float:
    calculator = find(pack["calculators"], roll["calculator"])
    by_id = {record["id"]: record for of_kind in library["entities"].values() for record in of_kind}
    values: Record = {}
    for input_ in calculator["inputs"]:
        stated = set_.get(input_["name"], input_["default"])
        if fed := [value_of(entity, effect) for entity, effect, name in applied if name == input_["name"]]:
            stated = [*stated, *fed] if input_.get("many") else fed[-1]
        if input_["type"] == "entity":
            stated = by_id.get(stated) or by_id[f"{pack['game']['id']}/{input_['kinds'][0]}/{stated}"]
        values[input_["name"]] = stated
    for step in calculator["steps"]:
        values[step["name"]] = evaluate(step["ast"], values, library)
    result = evaluate(calculator["ast"], values, library)
    assert isinstance(result, int | float)
    return float(result)


def states(pack: Record, roll: Record) -> Iterator[tuple[str, list[Applied]]]:
    """Each entity with effects on a roll, by the side that it is on: that of the one who rolls, or the other."""
    for of_kind in pack["entities"].values():
        for entity, side in product(of_kind, ("own", "other")):
            fed = ((effect, input_of(pack, roll, effect, side)) for effect in entity["effects"])
            if applied := [(entity, effect, name) for effect, name in fed if name is not None]:
                yield f"{entity['id']}, {side}", applied


# --- the rules of each game, counted throw by throw


def said(applied: Iterable[Applied], operation: str) -> list[Any]:
    return [value_of(entity, effect) for entity, effect, _ in applied if effect["operation"] == operation]


def kismet_chance(roll: str, applied: list[Applied]) -> Fraction:
    """A ten counts 15, and in combat a one gives the other side 5. A bonus and a penalty cancel; more add nothing.

    A die of the other side is the opposite die of the Player.
    """
    opposite = {"bonus": "penalty", "penalty": "bonus"}
    dice = {
        opposite[effect["die"]] if name == "opposing" else effect["die"]
        for _, effect, name in applied
        if effect["operation"] == "die"
    }
    sign = 0 if len(dice) != 1 else 1 if dice == {"bonus"} else -1
    is_skill = roll == "skill"
    modifier, target = (3, 9) if is_skill else (5, 10) if roll == "defense" else (5, 9)
    if said(applied, "fails"):
        return Fraction(0)
    modifier = min([modifier, *said(applied, "most")])
    throws = [(first, sign * extra) for first in range(1, 11) for extra in range(1, 11)]
    met = [
        first + (5 if first == 10 else 0) + extra + modifier >= target + (5 if first == 1 and not is_skill else 0)
        for first, extra in throws
    ]
    return Fraction(sum(met), len(met))


@cache
def open_ended(sides: int, is_open: bool) -> dict[int, Fraction]:
    """The results of a die with their chances; each highest face of an open-ended one is rolled again and added."""
    results: dict[int, Fraction] = {}
    for rerolls in range(MAX_REROLLS + 1 if is_open else 1):
        last = sides + 1 if not is_open or rerolls == MAX_REROLLS else sides
        for face in range(1, last):
            results[rerolls * sides + face] = Fraction(1, sides ** (rerolls + 1))
    return results


def kiss_chance(_roll: str, applied: list[Applied]) -> Fraction:
    """d10, open-ended, and the d6 of a Journeyman against 12. Of two base dice, hero dice or armors the last counts."""
    if said(applied, "fails"):
        return Fraction(0)
    if said(applied, "succeeds"):
        return Fraction(1)
    every = bool(said(applied, "open_ended"))
    base = ["d10", *said(applied, "base_die")][-1]
    dice = [(int(base[1:]), every or not said(applied, "closed")), (6, every)]
    dice += [(int(hero[1:]), every) for hero in said(applied, "hero_die")[-1:]]
    reached = reach(tuple(dice), [12, *said(applied, "hit")][-1] + sum(said(applied, "hit_bonus")))
    if said(applied, "twice"):
        reached = 1 - (1 - reached) ** 2
    return chance_with_redo(reached, reached, bool(said(applied, "redo")), bool(said(applied, "redone")))


def chance_with_redo(stands: Fraction, once: Fraction, redo: bool, redone: bool) -> Fraction:
    """The final chance of success: the player may redo a failure once, the GM a success once."""
    success = chance_with_redo(once, once, redo, False) if redone else Fraction(1)
    failure = chance_with_redo(once, once, False, redone) if redo else Fraction(0)
    return stands * success + (1 - stands) * failure


@cache
def reach(dice: tuple[tuple[int, bool], ...], target: int) -> Fraction:
    """The chance that the sum of dice (sides, whether open-ended) reaches a target."""
    sums = {0: Fraction(1)}
    for sides, is_open in dice:
        before, sums = sums, {}
        for value, share in before.items():
            for face, part in open_ended(sides, is_open).items():
                sums[value + face] = sums.get(value + face, Fraction(0)) + share * part
    return sum((share for value, share in sums.items() if value >= target), Fraction(0))


def legend_chance(_roll: str, applied: list[Applied]) -> Fraction:
    """A d20 and 4 against 15. Of one type the best bonus and the worst penalty count, but some types stack."""
    total = 4
    for operation in ("ability", "feat", "item", "racial", "size"):
        numbers = said(applied, operation)
        total += max([0, *numbers]) + min([0, *numbers])
    total += sum(number for operation in ("circumstance", "untyped", "fury") for number in said(applied, operation))
    target = 15 + max([0, *said(applied, "deflection")])
    return Fraction(sum(face + total >= target for face in range(1, 21)), 20)


def marchen_chance(_roll: str, applied: list[Applied], dice: str = "2d6") -> Fraction:
    """The dice and all DMs, with those of the printed table, against 8, 11 or 16. Several advantages count as one.

    Of two difficulties the last counts.
    """
    count, sides, target = {"2d6": (2, 6, 8), "3d6": (3, 6, 11), "4d7": (4, 7, 16)}[dice]
    column = {
        **dict(
            zip(("simple", "easy", "routine", "average"), ((6, 7, 10), (4, 5, 5), (2, 3, 4), (0, 0, 0)), strict=True)
        ),
        **{"difficult": (-2, -3, -4), "very-difficult": (-4, -5, -5), "formidable": (-6, -7, -10)},
        **{"trivial": (None, 9, 15), "heroic": (None, -9, -15)},
        **{"nearly-impossible": (None, None, -25), "godly": (None, None, -30)},
    }
    total = sum(said(applied, "dm"))
    for difficulty in (*said(applied, "difficulty")[-1:], *said(applied, "law")[-1:]):
        slug = difficulty.rpartition("/")[2]
        number = column[slug][("2d6", "3d6", "4d7").index(dice)]
        if slug == "trivial" and number is None:
            return Fraction(1)
        total += number or 0
    reasons = set(said(applied, "twice"))
    sums = [sum(faces) + total for faces in product(range(1, sides + 1), repeat=count)]
    once = Fraction(sum(value >= target for value in sums), len(sums))
    if reasons == {"advantage"}:
        return 1 - (1 - once) ** 2
    return once**2 if reasons == {"disadvantage"} else once


COUNTED: dict[str, Callable[[str, list[Applied]], Fraction]] = {
    "kismet": kismet_chance,
    "kiss": kiss_chance,
    "legend": legend_chance,
    "marchen": marchen_chance,
}


# --- tests


@pytest.mark.parametrize("game", GAMES)
def test_chance_in_each_single_state_is_that_of_all_throws(packs: dict[str, Record], game: str) -> None:
    pack = packs[game]
    library = formula_library(pack)
    tried = 0
    for roll in pack["rolls"]:
        for name, applied in [("no state", []), *states(pack, roll)]:
            expected = COUNTED[game](roll["id"], applied)
            found = chance(pack, library, roll, applied, **INPUTS[game])
            assert found == pytest.approx(float(expected), abs=1e-6), (roll["id"], name)
            tried += bool(applied)
    assert tried >= {"kismet": 30, "kiss": 30, "legend": 20, "marchen": 60}[game]


@pytest.mark.parametrize("game", GAMES)
def test_states_change_the_chance(packs: dict[str, Record], game: str) -> None:
    """Otherwise an operation that feeds no formula would pass the comparison with all throws."""
    pack = packs[game]
    library = formula_library(pack)
    unchanged: set[str] = set()
    changed: set[str] = set()
    for roll in pack["rolls"]:
        plain = chance(pack, library, roll, [], **INPUTS[game])
        for _, applied in states(pack, roll):
            is_same = chance(pack, library, roll, applied, **INPUTS[game]) == plain
            (unchanged if is_same else changed).update(effect["operation"] for _, effect, _ in applied)
    assert unchanged - changed <= {"critical"}  # changes what a hit is, but not the chance to hit


def test_every_hit_on_the_helpless_is_critical(packs: dict[str, Record]) -> None:
    pack = packs["kismet"]
    library = formula_library(pack)
    roll = find(pack["rolls"], "melee-attack")
    applied = dict(states(pack, roll))["kismet/condition/paralyzed, other"]
    wound = chance(pack, library, roll, applied, wanted="Critical Success")
    assert wound == chance(pack, library, roll, applied) > chance(pack, library, roll, [], wanted="Critical Success")


def test_several_effects_add_up_as_the_rules_say(packs: dict[str, Record]) -> None:
    """Dice cancel, bonuses of one type do not stack, several advantages count as one, and a shield adds to a suit."""
    cases: dict[str, list[tuple[str, list[Record]]]] = {
        "kismet": [
            ("attack", [{"die": "bonus"}, {"die": "bonus"}]),
            ("attack", [{"die": "bonus"}, {"die": "penalty"}, {"die": "penalty"}]),
            ("defense", [{"most": 3}, {"most": 0}, {"die": "penalty"}]),
            ("skill", [{"die": "penalty"}, {"die": "penalty"}]),
        ],
        "kiss": [
            ("attack", [{"hit": 10}, {"hit_bonus": 1}, {"base_die": "d6"}]),
            ("test", [{"closed": True}, {"twice": True}]),
        ],
        "legend": [
            ("check", [{"item": 3}, {"item": 2}, {"item": -1}, {"item": -4}]),
            ("save", [{"circumstance": 2}, {"circumstance": 1}, {"untyped": -1}, {"feat": 1}, {"feat": 2}]),
            ("attack", [{"deflection": 2}, {"deflection": 4}, {"fury": 1}, {"fury": 2}]),
        ],
        "marchen": [
            ("check", [{"twice": "advantage"}, {"twice": "advantage"}, {"dm": 1}, {"dm": -2}]),
            ("check", [{"twice": "advantage"}, {"twice": "disadvantage"}, {"twice": "disadvantage"}]),
            ("check", [{"difficulty": "marchen/difficulty/easy"}, {"law": "marchen/difficulty/difficult"}]),
        ],
    }
    for game, of_game in cases.items():
        library = formula_library(packs[game])
        for roll_id, values in of_game:
            roll = find(packs[game]["rolls"], roll_id)
            applied: list[Applied] = [
                ({"fields": {}}, {"operation": (key := next(iter(value))), **value}, roll["inputs"][key])
                for value in values
            ]
            expected = float(COUNTED[game](roll_id, applied))
            assert chance(packs[game], library, roll, applied, **INPUTS[game]) == pytest.approx(expected, abs=1e-6), (
                game,
                values,
            )


@pytest.mark.parametrize("dice", ["2d6", "3d6", "4d7"])
def test_difficulties_hold_for_all_dice(packs: dict[str, Record], dice: str) -> None:
    pack = packs["marchen"]
    library = formula_library(pack)
    for name, applied in states(pack, pack["rolls"][0]):
        if "/difficulty/" in name or "/law-level/" in name:
            found = chance(pack, library, pack["rolls"][0], applied, dice=dice)
            assert found == pytest.approx(float(marchen_chance("check", applied, dice))), name


def test_rolls_name_calculators_and_inputs_of_the_pack(packs: dict[str, Record]) -> None:
    for pack in packs.values():
        calculators = {
            calculator["id"]: {input_["name"] for input_ in calculator["inputs"]} for calculator in pack["calculators"]
        }
        ids = [roll["id"] for roll in pack["rolls"]]
        for roll in pack["rolls"]:
            assert set(roll["inputs"].values()) <= calculators[roll["calculator"]]
            assert roll["within"] is None or roll["within"] in ids
