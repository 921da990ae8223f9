"""Backlinks of an entity: from fields, parts of fields, effects and calculators, each with its reason."""

import json
import re
from pathlib import Path

import pytest

from kismet_build.render.pages.backlinks import MAX_VISIBLE_LINKS, _shares
from tests.command import kismet
from tests.conftest import BuiltTree
from tests.custom_game import compile_custom_game
from tests.stages.extract.test_nested_fields import GAME, KINDS, TEXT


def references(folder: Path, page: str) -> dict[str, dict[str, list[str]]]:
    """The backlinks on the page of an entity: names by title of the group and by reason."""
    html = (folder / page / "index.html").read_text(encoding="utf-8")
    section = html.partition('<section class="references"')[2].partition("</section>")[0]
    groups: dict[str, dict[str, list[str]]] = {}
    for title, group in re.findall(r"<h3>(.*?)</h3>(.*?)(?=<h3>|$)", section, re.DOTALL):
        for reason, places in re.findall(r"<dt[^>]*>(.*?)</dt><dd>(.*?)</dd>", group, re.DOTALL):
            groups.setdefault(title, {})[reason] = re.findall(r"<li><a [^>]*>(.*?)</a></li>", places, re.DOTALL)
    return groups


def entity(built: BuiltTree, local: str) -> dict[str, list[str]]:
    file = json.loads((built.folder / "data/kismet" / f"{local}.json").read_bytes())
    record: dict[str, list[str]] = file["entity"]
    return record


@pytest.fixture(scope="module")
def loom(tmp_path_factory: pytest.TempPathFactory) -> Path:
    game = tmp_path_factory.mktemp("loom")
    (game / "kinds").mkdir()
    (game / "game.yaml").write_text(GAME, encoding="utf-8")
    (game / "loom.md").write_text(TEXT, encoding="utf-8")
    for name, text in KINDS.items():
        (game / "kinds" / f"{name}.yaml").write_text(text, encoding="utf-8")
    out = game.parent / f"{game.name}-out"
    assert kismet("build", str(game), "--out", str(out)).status == 0
    return out


def test_label_ending_in_a_preposition_forms_the_reason(content: BuiltTree) -> None:
    skills = references(content.folder, "kismet/defense/social")["Skills"]
    assert skills["Opposed by this"] == [
        *("Bluff", "Haggle", "Handle Animal", "Intimidation", "Leadership", "Persuasion", "Taunt"),
    ]


def test_other_labels_are_left_out(content: BuiltTree) -> None:
    wounds = references(content.folder, "kismet/damage-type/fire")["Damage Type Wounds"]
    assert next(iter(wounds)) == "Used by"


def test_nested_field_is_a_reason(loom: Path) -> None:
    assert references(loom, "loom/grade/hard")["Crafts"] == {"Used by": ["Baking", "Weaving"]}


def test_condition_lists_all_entities_that_inflict_it(content: BuiltTree) -> None:
    groups = references(content.folder, "kismet/condition/prone")
    assert groups["Damage Type Wounds"]["Inflicted by"] == ["Dismember", "Frostbitten"]
    assert groups["Conditions"]["Inflicted by"] == ["Unconscious"]
    assert groups["Positions"]["Inflicted by"] == ["Grappling"]


def test_field_backlink_is_not_repeated_as_text_backlink(content: BuiltTree) -> None:
    for page in (content.folder / "kismet").glob("*/*/index.html"):
        for group in references(content.folder, page.parent.relative_to(content.folder).as_posix()).values():
            text = set(group.pop("In the text", ()))
            assert not any(text & set(names) for names in group.values()), page


def test_calculators_with_the_entity_as_input_are_backlinks(content: BuiltTree) -> None:
    group = references(content.folder, "kismet/condition/prone")["Calculators"]["Also used by"]
    assert "Do you roll a Bonus or a Penalty Die when attacking?" in group
    assert "What is left of Speed under these conditions?" in group
    assert "How far does a Prone Creature crawl?" not in group, "it is shown beside the text"


def test_long_backlink_lists_are_collapsed_with_the_number_of_hidden_links(content: BuiltTree) -> None:
    folded = 0
    for page in content.folder.glob("*/*/*/index.html"):
        visible = 0
        reasons = re.findall(r"</dt><dd>(.*?)</dd>", page.read_text(encoding="utf-8"), re.DOTALL)
        for places in reasons:
            shown, _, rest = places.partition("<details>")
            visible += shown.count("<li>")
            if rest:
                folded += 1
                assert re.search(r"<summary>(\d+) more</summary>", rest)[1] == str(rest.count("<li>"))  # type: ignore[index]
        # A single further link of a reason is visible.
        assert visible <= max(MAX_VISIBLE_LINKS, len(reasons)) + len(reasons), page
    assert folded


def test_links_of_each_reason_are_visible_in_turn() -> None:
    assert _shares([30, 1, 4]) == [5, 1, 4]
    assert _shares([2, 3]) == [2, 3]
    assert _shares([9] * 12) == [1] * 12
    assert _shares([]) == []


def test_effect_references_are_published_as_links_and_backlinks(content: BuiltTree) -> None:
    assert "kismet/condition/prone" in entity(content, "condition/unconscious")["links"]
    assert "kismet/damage-type-wound/frostbitten" in entity(content, "condition/prone")["backlinks"]


def test_every_entity_in_an_effect_is_a_link_and_a_backlink(content: BuiltTree) -> None:
    pack = json.loads((content.folder / "data/kismet/pack.json").read_bytes())
    by_id = {record["id"]: record for records in pack["entities"].values() for record in records}
    checked = 0
    for record in by_id.values():
        for effect in record["effects"]:
            for value in effect.values():
                for name in value if isinstance(value, list) else [value]:
                    if isinstance(name, str) and name in by_id and name != record["id"]:
                        checked += 1
                        assert name in record["links"]
                        assert record["id"] in by_id[name]["backlinks"]
    assert checked > 20


# --- links with the name of an entity as label


ENTITY_NAME = "properties:\n  id: {type: string, x-from: slug}\n  name: {type: string, x-from: title}\n"


def test_label_names_the_entity_below_the_linked_heading(tmp_path: Path) -> None:
    state = "title: State\nx-match: [{heading: 2}, {term: strong, under: States}]\n" + ENTITY_NAME
    text = (
        "## States\n\n**Dazed:** You stumble.\n\n**Fright:** You run.\n\n"
        "# Links\n\n[[#States|Dazed]], [[#States|dazed]], [[#States|Frights]], [[#States|these]]\n"
    )
    pack = compile_custom_game(tmp_path, {"state": state}, {"Rules": text})
    assert [*pack.documents["Rules.md"].link_entities.values()] == [
        *("fen/state/dazed", "fen/state/dazed"),
        *("fen/state/fright", "fen/state/states"),
    ]
