"""The situation page computes the chance that a count of all throws gives, for every state and for pairs of states.

The scripts and the data are those that the page loads; the counts are those of `test_rolls.py` in this folder, which
use no calculator. Conditions of effects, and which effect replaces another, are read from the pack.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kismet_build.mechanics.rules import Rules
from kismet_build.mechanics.situation import CONDITION_KEYS
from tests.command import GAMES
from tests.conftest import BuiltTree
from tests.node import run_scripts
from tests.stages.mechanics.test_rolls import (
    COUNTED,
    INPUTS,
    Applied,
    Record,
    find,
    read_pack,
    value_of,
    with_enclosing_rolls,
)

ANSWER = """
globalThis.answer = ({game: id, cases, page}) => {
  const {situation, games} = kismet;
  const game = {...page, ...games[id]};
  const short = (lines) => lines.map(({side, id, place}) => [side, id, place]);
  return {
    cases: cases.map(({roll, chosen, values}) => {
      const {result, applied, asked, left} = situation.work(game, roll, chosen, values);
      return {result, applied: short(applied), asked: short(asked), left: short(left)};
    }),
    offered: game.rolls.map(({id}) => situation.SIDES.map((side) => situation.offered(game, id, side))),
  };
};
"""
SIDES = ("on", "target")
PAIRS = 200
"""Random pairs of states of each game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An effect of an entity on a side of a roll."""

    side: str
    entity: Record
    place: int
    effect: Record
    input: str | None
    """The input that it feeds; `None` if the roll has no such input."""
    is_asked: bool
    """Whether it depends on a condition that only the reader can judge."""
    is_exception: bool
    """Whether this condition is only an exception: it counts unless the reader says that the exception applies."""

    is_excepted: bool
    """Whether a chosen state is that exception."""

    @property
    def key(self) -> list[Any]:
        return [self.side, local_id(self.entity), self.place]


@dataclass(frozen=True, slots=True)
class Situation:
    """Chosen states with all answers, and the expected result by a count of all throws."""

    question: Record
    answers: Record
    """The same answers as `yes` and `given` of the states, as the packages take them."""
    expected: Record


def local_id(entity: Record) -> str:
    return str(entity["id"].partition("/")[2])


def is_open(effect: Record, key: str, side: str, chosen: Sequence[tuple[str, Record]]) -> bool:
    """Whether no chosen state answers a condition: own ones for all of `when`, one of the others for `against`."""
    if key not in effect:
        return False
    own = {entity["id"] for its, entity in chosen if its == side}
    other = {entity["id"] for its, entity in chosen if its != side}
    if key == "when":
        return not own.issuperset(effect["when"])
    return key != "against" or other.isdisjoint(effect["against"])


def lines(
    pack: Record, roll: Record, entity: Record, side: str, chosen: Sequence[tuple[str, Record]] = ()
) -> Iterator[Line]:
    """The effects of an entity that concern a roll, and those that concern no roll."""
    for place, effect in enumerate(entity["effects"]):
        is_roller = (effect["whose"] == "own") == (side == "on")
        against = roll["against"] or {"roll": None, "inputs": {}}
        name, inputs = (roll["id"], roll["inputs"]) if is_roller else (against["roll"], against["inputs"])
        named = effect.get("roll", ())
        concerns = bool({*with_enclosing_rolls(pack, name)} & {*named})
        is_narrower = name is not None and any(name in with_enclosing_rolls(pack, other) for other in named)
        if effect["operation"] == "ends" or (named and not concerns and not is_narrower):
            continue
        yield Line(
            side=side,
            entity=entity,
            place=place,
            effect=effect,
            input=inputs.get(effect["operation"]) if named else None,
            is_asked=not concerns or any(is_open(effect, key, side, chosen) for key in CONDITION_KEYS),
            is_exception=(is_exception := concerns and [key for key in CONDITION_KEYS if key in effect] == ["except"]),
            is_excepted=is_exception and any(its == side and other["id"] in effect["except"] for its, other in chosen),
        )


def states(pack: Record, roll: Record) -> list[tuple[str, Record]]:
    entities = [entity for of_kind in pack["entities"].values() for entity in of_kind]
    return [
        (side, entity)
        for side, entity in product(SIDES, entities)
        if any(line.input for line in lines(pack, roll, entity, side))
    ]


def situation(
    pack: Record, roll: Record, chosen: Sequence[tuple[str, Record]], luck: random.Random | None
) -> Situation:
    """A situation in which every condition is met and no exception applies, or at random."""
    sides: dict[str, list[Record]] = {side: [] for side in SIDES}
    many = many_inputs(pack, roll)
    applied: list[Line] = []
    asked: list[Line] = []
    left: list[Line] = []
    answers: Record = {}
    for side, entity in sorted(chosen, key=lambda state: SIDES.index(state[0])):
        state: Record = {"id": local_id(entity), "yes": [], "given": {}}
        sides[side].append(state)
        for line in lines(pack, roll, entity, side, chosen):
            if line.input is None or value_of(entity, line.effect) is None:
                left.append(line)
                continue
            is_given = line.effect[line.effect["operation"]] == "given"
            holds = not line.is_asked or luck is None or luck.random() < 0.7
            if line.is_excepted:
                holds = False
            elif line.is_asked and holds != line.is_exception:
                state["yes"].append(line.place)
                answers[f"{side}/{entity['id']}/{line.place}"] = True
            if is_given and (luck is None or luck.random() < 0.8):
                state["given"][line.place] = [value_of(entity, line.effect)]
                if holds:
                    answers[f"{side}/{entity['id']}/{line.place}"] = value_of(entity, line.effect)
            (applied if holds and (line.place in state["given"] or not is_given) else asked).append(line)
    last = {line.input: value_of(line.entity, line.effect) for line in applied if line.input not in many}
    counted = [
        line
        for line in applied
        if value_of(line.entity, line.effect) == last.get(line.input, value_of(line.entity, line.effect))
    ]
    left += [line for line in applied if line not in counted]
    records: list[Applied] = [(line.entity, line.effect, str(line.input)) for line in counted]
    game = pack["game"]["id"]
    return Situation(
        {"roll": roll["id"], "chosen": sides, "values": INPUTS[game]},
        answers,
        {
            "result": float(COUNTED[game](roll["id"], records)),
            "applied": [line.key for line in counted],
            "asked": [line.key for line in asked],
            "left": [line.key for line in left],
        },
    )


def many_inputs(pack: Record, roll: Record) -> set[str]:
    calculator = find(pack["calculators"], roll["calculator"])
    return {input_["name"] for input_ in calculator["inputs"] if input_.get("many")}


def ask(content: BuiltTree, game: str, situations: Sequence[Situation], folder: Path) -> Record:
    assets, answer = content.folder / "assets", folder / "answer.js"
    answer.write_text(ANSWER, encoding="utf-8")
    scripts = [
        assets / "formula.js",
        assets / "inputs.js",
        assets / game / "situation-data.js",
        assets / "situation.js",
        answer,
    ]
    html = (content.folder / game / "situation/index.html").read_text(encoding="utf-8")
    page = json.loads(unescape(html.partition(' data-situation="')[2].partition('"')[0]))
    cases = [case.question for case in situations]
    answered: Record = run_scripts(scripts, {"game": game, "cases": cases, "page": page}, folder)
    return answered


def ask_library(pack: Record, situations: Sequence[Situation]) -> list[Record]:
    library = Rules({"pack.json": pack, "names.json": {"names": {}}, "migrations.json": []}.get)
    answered = []
    for case in situations:
        question = case.question
        sides = {side: [state["id"] for state in states] for side, states in question["chosen"].items()}
        inputs = find(pack["calculators"], find(pack["rolls"], question["roll"])["calculator"])["inputs"]
        values = {
            each["name"]: question["values"][each["name"]] for each in inputs if each["name"] in question["values"]
        }
        found = library.situation(question["roll"], **sides, values=values, answers=case.answers)
        groups = {"applied": found.applied, "asked": found.asked, "left": found.left}
        answered.append(
            {
                "result": found.calculation.result.value,
                **{name: [_place(line.key) for line in lines] for name, lines in groups.items()},
            }
        )
    return answered


def _place(key: str) -> list[Any]:
    side, _, kind, slug, place = key.split("/")
    return [side, f"{kind}/{slug}", int(place)]


def assert_answers(situations: Sequence[Situation], answers: Sequence[Record]) -> None:
    for case, answer in zip(situations, answers, strict=True):
        assert answer["result"] == pytest.approx(case.expected["result"], abs=1e-6), case.question
        for name in ("applied", "asked", "left"):
            assert answer[name] == case.expected[name], (name, case.question)


@pytest.fixture
def pack(content: BuiltTree, game: str) -> Record:
    return read_pack((content.folder / f"data/{game}/pack.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("game", GAMES)
def test_each_single_state_gives_the_chance_of_all_throws(
    content: BuiltTree, pack: Record, game: str, tmp_path: Path
) -> None:
    situations = [situation(pack, roll, [], None) for roll in pack["rolls"]]
    for roll in pack["rolls"]:
        for state in states(pack, roll):
            situations.append(situation(pack, roll, [state], None))
            # An effect with a condition does not count before the reader answers.
            situations.append(situation(pack, roll, [state], NeverLucky()))
    assert len(situations) >= {"kismet": 150, "kiss": 100, "legend": 50, "marchen": 100}[game]
    answered = ask(content, game, situations, tmp_path)
    assert_answers(situations, answered["cases"])
    assert_answers(situations, ask_library(pack, situations))
    plain = {case.question["roll"]: case.expected["result"] for case in situations[: len(pack["rolls"])]}
    changed = [case for case in situations if case.expected["result"] != plain[case.question["roll"]]]
    assert len(changed) > len(situations) // 5


@pytest.mark.parametrize("game", GAMES)
def test_random_pairs_of_states_give_the_chance_of_all_throws(
    content: BuiltTree, pack: Record, game: str, tmp_path: Path
) -> None:
    luck = random.Random(113)
    situations = []
    for _ in range(PAIRS):
        roll = luck.choice(pack["rolls"])
        situations.append(situation(pack, roll, luck.sample(states(pack, roll), 2), luck))
    both = [case for case in situations if len({tuple(key[:2]) for key in case.expected["applied"]}) == 2]
    assert len(both) > PAIRS // 5
    assert_answers(situations, ask(content, game, situations, tmp_path)["cases"])
    assert_answers(situations, ask_library(pack, situations))


def test_a_chosen_state_answers_an_effect_that_names_it(content: BuiltTree, tmp_path: Path) -> None:
    """A hero die counts if a heroic roll is paid for; an exploding roll is the exception of Average."""
    ids = ("powerup/hero", "karma-use/make-a-roll-heroic", "trait/average", "karma-use/exploding-roll")
    states: list[Record] = [{"id": id_, "yes": [], "given": {0: ["d6"]} if "hero" in id_ else {}} for id_ in ids]
    hero, heroic, average, exploding = states
    sides = [[hero], [hero, heroic], [average], [average, exploding]]
    situations = [Situation({"roll": "test", "chosen": {"on": on, "target": []}, "values": {}}, {}, {}) for on in sides]
    answers = ask(content, "kiss", situations, tmp_path)["cases"]
    counts = [["on", on[0]["id"], 0] in answer["applied"] for on, answer in zip(sides, answers, strict=True)]
    assert counts == [False, True, True, False]


@pytest.mark.parametrize("game", GAMES)
def test_only_states_that_change_the_roll_are_offered(
    content: BuiltTree, pack: Record, game: str, tmp_path: Path
) -> None:
    offered = ask(content, game, [], tmp_path)["offered"]
    for roll, of_roll in zip(pack["rolls"], offered, strict=True):
        expected = states(pack, roll)
        for side, ids in zip(SIDES, of_roll, strict=True):
            assert ids == [local_id(entity) for its_side, entity in expected if its_side == side], (roll["id"], side)


class NeverLucky(random.Random):
    """Answers every question with no."""

    def random(self) -> float:
        return 1.0
