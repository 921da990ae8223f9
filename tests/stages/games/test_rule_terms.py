"""Rules of the four games: every term is an entry with its definition, and names lead to it."""

import json
from typing import Any

import pytest
import yaml

from kismet_build.model.text_normalization import folder_name, normalize
from tests.command import GAMES, ROOT
from tests.conftest import BuildEdition

FACTS = ROOT / "tests/facts"


def load(built: Any, path: str) -> Any:
    return json.loads((built.folder / "data" / built.game / path).read_text(encoding="utf-8"))


def rules(built: Any) -> dict[str, dict[str, Any]]:
    return {rule["id"]: rule for rule in load(built, "rule.json")["entities"]}


def facts(game: str) -> dict[str, tuple[str, list[str]]]:
    """By id, the section that defines a rule, and its names."""
    sections = yaml.safe_load((FACTS / "rules.yaml").read_text(encoding="utf-8"))[game]
    names = [(section, entry.split(" / ")) for section, entries in sections.items() for entry in entries]
    return {f"{game}/rule/{folder_name(of_rule[0])}": (section, of_rule) for section, of_rule in names}


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_stands_in_the_section_that_defines_it(game: str, build_edition: BuildEdition) -> None:
    found = {
        rule["id"]: (rule["source"]["headings"][-1], [rule["name"], *rule["aliases"]])
        for rule in rules(build_edition(game, "restated")).values()
    }
    assert found == facts(game)


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_has_a_text_with_its_name_or_is_a_section(game: str, build_edition: BuildEdition) -> None:
    built = build_edition(game, "restated")
    for rule in rules(built).values():
        assert len(rule["text"].split()) >= 7, rule
        section = built.texts / rule["source"]["path"]
        line = section.read_text(encoding="utf-8").splitlines()[rule["source"]["line"] - 1]
        # "Bonus Spell" is also found by "bonus spells", "Ability" by "Abilities".
        stems = [normalize(name).rstrip("ey")[:12] for name in (rule["name"], *rule["aliases"])]
        assert any(stem in normalize(rule["text"]) or stem in normalize(line) for stem in stems), rule["id"]


@pytest.mark.parametrize("game", GAMES)
def test_original_has_no_other_rules(game: str, build_edition: BuildEdition) -> None:
    found = rules(build_edition(game, "original")).keys()
    assert found <= facts(game).keys()
    assert len(found) > 0.7 * len(facts(game))


@pytest.mark.parametrize("game", GAMES)
def test_names_that_people_look_up_lead_to_their_definition(game: str, build_edition: BuildEdition) -> None:
    built = build_edition(game, "restated")
    names, pack = load(built, "names.json")["names"], load(built, "pack.json")
    by_id = {entity["id"]: entity for entities in pack["entities"].values() for entity in entities}
    wanted = yaml.safe_load((FACTS / "names.yaml").read_text(encoding="utf-8"))[game]
    assert len(wanted) == 15
    for name, (entity_id, words) in wanted.items():
        first = names[normalize(name)][0]
        assert first == f"{game}/{entity_id}", name
        assert words in " ".join(by_id[first]["text"].split()), name


def test_name_of_an_open_question_is_applied_to_nothing_and_reviewed(build_edition: BuildEdition) -> None:
    built = build_edition("kismet", "restated")
    assert "staggered" not in load(built, "names.json")["names"]
    reviewed = [mention for mention in load(built, "doubtful.json") if mention["reason"] == "inflected"]
    assert {(mention["words"], *mention["candidates"]) for mention in reviewed} == {
        ("Staggered", "kismet/wound/stagger")
    }
