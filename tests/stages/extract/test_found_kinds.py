"""Kinds found in a vault: the output of commands about them, their files, and edits that change them."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.language.inflection import plural, singular
from kismet_build.pack import Pack
from tests.command import kismet, tree, write_files

CLEAN, MISUSE = 0, 2


def records(folder: Path) -> Path:
    """A vault of beasts with properties, foes with labels, and a page."""
    beasts = {
        f"Beasts/{name}.md": f"---\nlevel: {level}\nterrain: {terrain}\ntags: [beast]\n---\nIt waits.\n"
        for level, (name, terrain) in enumerate(
            (("Heron", "fen"), ("Otter", "fen"), ("Pike", "moor"), ("Crow", "moor"), ("Hare", "moor: no"))
        )
    }
    foes = {
        f"Foes/{name}.md": f"# {name}\n\n**Guard** {guard} (bark)\n\n**Reach:** {guard} paces\n\nSee [[Heron]].\n"
        for guard, name in enumerate(("Rook", "Knight", "Queen"))
    }
    return write_files(folder, {**beasts, **foes, "README.md": "# Vault\n\nAll of it.\n"})


def compiled(folder: Path) -> Pack:
    return compile_game(load_library(folder, None, lambda _: None).games[0], lambda _: None)


def recompiled(folder: Path, path: str, text: str) -> tuple[Pack, Pack]:
    game = load_library(folder, None, lambda _: None).games[0]
    first = compile_game(game, lambda _: None)
    write_files(folder, {path: text})
    return first, compile_game(game, lambda _: None, previous=first, changed={folder / path})


def test_build_and_check_say_what_was_found(tmp_path: Path) -> None:
    vault = records(tmp_path / "vault")
    run = kismet("build", vault, "--out", tmp_path / "out", "--no-search")
    assert run.status == CLEAN, run.output
    found = "beast: 4 notes in Beasts/, 2 fields; foe: 3 notes in Foes/, 3 fields; 2 notes are only pages, not entries"
    assert found in run.out.splitlines()
    # An unchanged vault is not compiled, but the build prints the same.
    assert found in kismet("build", vault, "--out", tmp_path / "out", "--no-search").out.splitlines()
    checked = kismet("check", vault).out.splitlines()
    assert "beast: 4 notes in Beasts/: level, terrain" in checked
    assert "foe: 3 notes in Foes/: guard, guard_text, reach" in checked
    assert "2 notes are only pages, not entries" in checked


def test_label_of_a_field_defines_no_term(tmp_path: Path) -> None:
    calls = {"Barn": "hoot", "Snow": "hiss", "Wood": "two short hoots.\n\n**Old Saying:** who waits long eats late."}
    owls = {f"Owls/{name}.md": f"---\nsize: {len(name)}\n---\n**Call:** {call}\n" for name, call in calls.items()}
    pack = compiled(write_files(tmp_path / "vault", {**owls, "Rites.md": "**Rite:** all hold hands.\n"}))
    assert [owl.fields["call"] for owl in pack.entities["owl"]] == ["hoot", "hiss", "two short hoots."]
    assert "Call" not in [term.name for term in pack.entities["term"]]
    assert "Rite" in [term.name for term in pack.entities["term"]]


def test_the_data_of_a_chapter_have_its_properties(tmp_path: Path) -> None:
    properties = (
        "Session: 4\nplace:\nweather: 'None'\ncreated: 2024-01-01\nseen: [Heron, 2]\nHit Points: {Max Value: 9}\n"
        "SESSION: five\ntags: [log]\n"
    )
    session = f"---\n{properties}---\nIt rained.\n\n## Later\n\nIt stopped.\n"
    vault = write_files(records(tmp_path / "vault"), {"Session 4.md": session, "library.yaml": "title: Fens\n"})
    assert kismet("build", vault, "--out", tmp_path / "out", "--no-search").status == CLEAN
    pack = json.loads((tmp_path / "out/data/vault/pack.json").read_text())
    by_title = {section["title"]: section for section in pack["sections"]}
    assert by_title["Session 4"]["properties"] == {
        "session": 4,
        "place": None,
        "weather": "None",
        "seen": ["Heron", 2],
        "hit_points": {"max_value": 9},
        "SESSION": "five",
    }
    assert by_title["Session 4"]["tags"] == ["log"]
    # Neither its other sections, nor a note that is an entity, nor one without properties has the key.
    assert [section["title"] for section in pack["sections"] if "properties" in section] == ["Session 4"]
    write_files(vault, {"library.yaml": "properties: {also: [created], never: [session, seen]}\n"})
    assert kismet("build", vault, "--out", tmp_path / "out", "--no-search").status == CLEAN
    pack = json.loads((tmp_path / "out/data/vault/pack.json").read_text())
    (properties,) = (section["properties"] for section in pack["sections"] if "properties" in section)
    assert list(properties) == ["place", "weather", "created", "hit_points"]


def test_library_yaml_changes_which_properties_are_fields(tmp_path: Path) -> None:
    texts = {
        f"Beasts/{name}.md": f"---\nlevel: {level}\nterrain: fen\nDate Created: 2024-01-0{level}\nsort_key: x\n---\n"
        for level, name in enumerate(("Heron", "Otter", "Pike"), 1)
    }
    vault = write_files(tmp_path / "vault", texts)
    assert [*compiled(vault).game.kinds["beast"].rules] == ["id", "name", "aliases", "level", "terrain", "sort_key"]
    write_files(vault, {"library.yaml": "properties: {also: [date created], never: [Sort Key, terrain]}\n"})
    assert [*compiled(vault).game.kinds["beast"].rules] == ["id", "name", "aliases", "level", "date_created"]


def test_game_yaml_changes_which_properties_are_fields(tmp_path: Path) -> None:
    game = "id: vault\ntitle: Vault\nversion: 1\nlicence: none\nvault: true\nsources: [{glob: '**/*.md'}]\n"
    rules = "folders: {Beasts: beast}\nproperties: {also: [tags, layout], never: [level]}\n"
    vault = write_files(
        records(tmp_path / "vault"), {"game.yaml": game + rules, "Beasts/Newt.md": "---\nlayout: wide\n---\n"}
    )
    # The settings of the game take precedence over those of the library.
    write_files(vault, {"library.yaml": "properties: {never: [layout, terrain]}\n"})
    assert [*compiled(vault).game.kinds["beast"].rules] == ["id", "name", "aliases", "tags", "layout"]


def test_order_in_game_yaml_knows_the_kinds_of_folders(tmp_path: Path) -> None:
    game = "id: vault\ntitle: Vault\nversion: 1\nlicence: none\nvault: true\nsources: [{glob: '**/*.md'}]\n"
    vault = write_files(
        records(tmp_path / "vault"), {"game.yaml": f"{game}folders: {{Beasts: beast, Foes: foe}}\norder: [foe]\n"}
    )
    assert [*compiled(vault).game.kinds] == ["foe", "beast"]
    write_files(vault, {"game.yaml": f"{game}folders: {{Beasts: beast}}\norder: [foe]\n"})
    run = kismet("check", vault)
    assert (run.status, 'there is no kind "foe"' in run.output) == (MISUSE, True)


def test_field_that_only_repeats_the_kind_is_data_but_not_shown(tmp_path: Path) -> None:
    gear = {f"Kit/{name}.md": f"---\ntype: gear\nprice: {name}\nbulk: 2\n---\n" for name in ("Rope", "Lamp", "Pole")}
    swords = {f"Kit/{name}.md": "---\ntype: weapon\nreach: 2\nedge: 1\n---\n" for name in ("Saw", "Axe", "Hook")}
    kismet("build", write_files(tmp_path / "vault", gear | swords), "--out", tmp_path / "out", "--no-search")
    data = json.loads((tmp_path / "out/data/vault/gear.json").read_text(encoding="utf-8"))
    assert {entity["fields"]["type"] for entity in data["entities"]} == {"gear"}
    for page in ("gear", "gear/rope", "weapon", "weapon/saw"):
        html = (tmp_path / "out/vault" / page / "index.html").read_text(encoding="utf-8")
        assert ("Type" in html, "Bulk" in html or "Reach" in html) == (False, True), page
    assert "<h1>Gear</h1>" in (tmp_path / "out/vault/gear/index.html").read_text(encoding="utf-8")
    assert "<h1>Weapons</h1>" in (tmp_path / "out/vault/weapon/index.html").read_text(encoding="utf-8")


def test_recurring_values_are_shown_with_their_hyphens(tmp_path: Path) -> None:
    changes = {
        f"Changes/{name}.md": f"---\nflaw: {flaw}\ncost: 2\n---\n"
        for name, flaw in zip("ABCDEF", ["-1 to Charm", "mid-length", "none"] * 2, strict=True)
    }
    kismet("build", write_files(tmp_path / "vault", changes), "--out", tmp_path / "out", "--no-search")
    for page in ("change", "change/a"):
        assert "\N{MINUS SIGN}1 to Charm" in (tmp_path / "out/vault" / page / "index.html").read_text(encoding="utf-8")
    table = (tmp_path / "out/vault/change/index.html").read_text(encoding="utf-8")
    assert ">mid-length</td>" in table
    assert "mid length" not in table


def test_decimals_are_shown_as_the_language_writes_them(tmp_path: Path) -> None:
    game = "id: goods\ntitle: Biens\nversion: 1\nlicence: none\nlanguage: fr\nsources: [{glob: '*/*.md'}]\n"
    weights = {"A": "0,5", "B": 2, "C": "1,25"}
    goods = {f"Goods/{name}.md": f"---\npoids: {weight}\n---\n" for name, weight in weights.items()}
    vault = write_files(tmp_path / "vault", {**goods, "game.yaml": f"{game}folders: {{Goods: bien}}\n"})
    kismet("build", vault, "--out", tmp_path / "out", "--no-search")
    page = (tmp_path / "out/goods/bien/c/index.html").read_text(encoding="utf-8")
    assert ("1,25" in page, "1.25" in page) == (True, False)
    data = json.loads((tmp_path / "out/data/goods/bien/c.json").read_text(encoding="utf-8"))
    assert data["entity"]["fields"] == {"poids": 1.25}


def test_properties_in_toml_are_fields(tmp_path: Path) -> None:
    toml = "+++\ntitle = 'The {}'\ndraft = {}\nlevel = {}\nbuilt = 2024-01-05\n[stats]\nhp = 3\n+++\nIt waits.\n"
    texts = {
        f"Beasts/{name}.md": toml.format(name, "true" if name == "Eel" else "false", level)
        for level, name in enumerate(("Heron", "Otter", "Pike", "Eel"))
    }
    heron, *others = compiled(write_files(tmp_path / "vault", texts)).all_entities()
    assert (heron.name, len(others)) == ("The Heron", 2)
    fields = {name: value for name, value in heron.fields.items() if name not in ("id", "name", "aliases")}
    assert fields == {"level": 0, "built": "2024-01-05", "stats": {"hp": 3}}


def test_build_says_three_lines_at_most(tmp_path: Path) -> None:
    texts = {
        f"{folder} Things/{name}.md": f"---\n{folder.lower()} size: 1\n{folder.lower()} age: 2\n---\nIt is.\n"
        for folder in ("Red", "Blue", "Green", "Gold", "Grey", "Pink", "White", "Brown", "Black")
        for name in ("One", "Two", "Three")
    }
    run = kismet("build", write_files(tmp_path / "vault", texts), "--out", tmp_path / "out", "--no-search")
    (line,) = [line for line in run.out.splitlines() if "notes in" in line]
    assert len(line) <= 300
    assert line.endswith(" more kinds (kismet check lists them); 0 notes are only pages, not entries")


def test_the_published_schema_admits_null(tmp_path: Path) -> None:
    kismet("build", records(tmp_path / "vault"), "--out", tmp_path / "out", "--no-search")
    schema: Any = json.loads((tmp_path / "out/data/schemas/vault/beast.json").read_text(encoding="utf-8"))
    text = json.dumps(schema)
    assert '"level": {"title": "Level", "type": ["integer", "null"]}' in text
    assert '"enum": ["fen", "moor", null]' in text


@pytest.mark.parametrize("language", ["en", "de"])
def test_written_kinds_give_the_same_tree(tmp_path: Path, language: str) -> None:
    vault = records(tmp_path / "vault")
    kind = "beasts" if language == "de" else "beast"
    if language == "de":
        german = "Die Burg ist alt, und der Weg zu ihr ist nicht kurz, denn er geht durch den Wald und über das Moor.\n"
        write_files(vault, {f"Burg {number}.md": german for number in range(9)})
    write_files(
        vault,
        {
            "Beasts/Deep/Heron.md": "---\nlevel:\nterrain: fen\n---\nAnother.\n",
            "Beasts/Hidden.md": "---\nlevel: 9\nterrain: cave\nsecret: 1\npublish: false\n---\nSecret.\n",
            "Secret/Plan.md": "Secret.\n",
            "Words.md": "**Word:** It names what it is not.\n",
            "library.yaml": "title: All\nexclude: [Secret]\n",
        },
    )
    run = kismet("new", "--from", vault, tmp_path / "definition")
    assert run.status == CLEAN, run.output
    assert "# 4 of 5 notes" in (tmp_path / f"definition/kinds/{kind}.yaml").read_text(encoding="utf-8")
    assert b"secret" not in (tmp_path / f"definition/kinds/{kind}.yaml").read_bytes()
    found = kismet("build", vault, "--out", tmp_path / "found", "--no-search")
    game = tmp_path / "definition/game.yaml"
    written = kismet("build", vault, "--game", game, "--out", tmp_path / "written", "--no-search")
    assert (found.status, written.status) == (CLEAN, CLEAN), written.output
    assert tree(tmp_path / "found") == tree(tmp_path / "written")
    assert Counter(found.err.splitlines()) == Counter(written.err.splitlines())


def published_fields(folder: Path, vault: Path, *options: str | Path) -> Any:
    """The published schema of the fields of beasts, by field, with objects in place; and the output of the build."""
    run = kismet("build", vault, *options, "--out", folder / "out", "--no-search", "--no-cache")
    assert run.status == CLEAN, run.output
    schema = json.loads((folder / "out" / "data" / "schemas" / "vault" / "beast.json").read_text())
    fields = schema["$defs"]["BeastFields"]["properties"]
    for name, part in fields.items():
        for option in part.get("anyOf", ()):
            if "$ref" in option:
                fields[name] = schema["$defs"][option["$ref"].removeprefix("#/$defs/")]
    return fields, run.output


def test_published_schemas_have_the_bounds_of_the_numbers_in_found_kinds(tmp_path: Path) -> None:
    lines = "same: 4\nsizes: [{hands}, 9]\nspeed: {{walk: {hands}, fly: 2}}\nweight: {hands}.5\nodd: {odd}\n"
    names = ("Heron", "Otter", "Pike", "Crow", "Hare")
    texts = {
        f"Beasts/{name}.md": f"---\n{lines.format(hands=hands, odd='many' if hands == 3 else hands)}---\n"
        for hands, name in enumerate(names, 1)
    }
    vault = write_files(tmp_path / "vault", texts)
    fields, _ = published_fields(tmp_path, vault)
    bounds = {
        name: (schema.get("minimum"), schema.get("maximum"))
        for name, schema in (
            *fields.items(),
            *(("sizes items", fields["sizes"]["items"]),),
            *((f"speed {name}", part) for name, part in fields["speed"]["properties"].items()),
        )
        if "minimum" in schema
    }
    # No bounds: numbers that are all the same, and fewer than five. The bounds of a field with texts are for numbers.
    assert bounds == {"weight": (1.5, 5.5), "sizes items": (1, 9), "speed walk": (1, 5)}


USUAL = (
    "size: {n}\nmood: {mood}\nborn: 2020-01-0{n}\nbite: {n}d6\ntame: {tame}\nteeth: [{n}, 4]\nspeed: {{walk: {n}}}\n"
)
ODD = ("900", "-1", "2.5", "many", "2d", "2020-1", "true", "[1, many]", "[]", "{walk: far}", "{walk: [2]}", "'1,5'")
"""YAML values that none of the notes had from which the definition was made."""


def test_written_definition_describes_and_limits_nothing(tmp_path: Path) -> None:
    """What is inferred is not a rule of the author: a note that is added later keeps all its values in the data."""
    texts = {
        f"Beasts/B{n}.md": f"---\n{USUAL.format(n=n, mood=('calm', 'wild')[n % 2], tame=('yes', 'no')[n % 2])}---\n"
        for n in range(1, 9)
    }
    vault = write_files(tmp_path / "vault", texts)
    assert kismet("new", "--from", vault, tmp_path / "definition").status == CLEAN
    kind = (tmp_path / "definition" / "kinds" / "beast.yaml").read_text(encoding="utf-8")
    assert not re.search("enum|minimum|maximum", kind)
    assert "# 8 of 8 notes: calm, wild" in kind
    assert "# 8 of 8 notes: 1 to 8" in kind
    options = ("--game", tmp_path / "definition" / "game.yaml")
    before, _ = published_fields(tmp_path, vault, *options)
    assert before == published_fields(tmp_path, vault)[0]
    assert before["mood"]["enum"] == ["calm", "wild", None]
    assert (before["size"]["minimum"], before["size"]["maximum"]) == (1, 8)
    keys = re.findall(r"^(\w+):", USUAL, re.MULTILINE)
    odd = {f"{key} {number}": f"{key}: {value}" for key in keys for number, value in enumerate(ODD)}
    write_files(vault, {f"Beasts/{name}.md": f"---\n{usual_but(line)}---\n" for name, line in odd.items()})
    _, said = published_fields(tmp_path, vault, *options)  # the build validates all data with the published schema
    beasts = json.loads((tmp_path / "out" / "data" / "vault" / "beast.json").read_text(encoding="utf-8"))["entities"]
    fields = {beast["name"]: beast["fields"] for beast in beasts}
    for name, line in odd.items():
        key, value = yaml.safe_load(line).popitem()
        assert shown(fields[name][key]) == shown(value), line
    assert "error" not in said.replace("0 errors", "")
    assert '"size" is "many", but must be' in said


def usual_but(line: str) -> str:
    """The usual properties with another line in place of that of the same key."""
    key = line.partition(":")[0]
    usual = USUAL.format(n=1, mood="calm", tame="yes")
    return re.sub(rf"^{key}: .*$", lambda _: line, usual, flags=re.MULTILINE)


def shown(value: Any) -> Any:
    """A value as it counts in a comparison: a list of one is its item, a number or map its words."""
    match value:
        case list():
            return shown(value[0]) if len(value) == 1 else ", ".join(str(shown(item)) for item in value)
        case dict():
            return "; ".join(f"{key}: {shown(item)}" for key, item in value.items())
        case _:
            return "" if value is None else str(value).lower()


def test_new_from_a_vault_keeps_other_files(tmp_path: Path) -> None:
    vault = records(tmp_path / "vault")
    assert kismet("new", "--from", vault, cwd=tmp_path).status == CLEAN
    assert (tmp_path / "vault-game/game.yaml").is_file()
    assert kismet("new", "--from", vault, vault).status == MISUSE
    assert kismet("new", "--from", tmp_path / "none").status == MISUSE
    assert kismet("new").status == MISUSE


def test_an_edited_paragraph_runs_one_document(tmp_path: Path) -> None:
    vault = records(tmp_path / "vault")
    first, second = recompiled(vault, "Beasts/Heron.md", "---\nlevel: 0\nterrain: fen\ntags: [beast]\n---\nIt flies.\n")
    assert second.game.kinds is first.game.kinds
    assert second.memo.counts["extract_document"] == 1
    assert second.memo.counts["found_kinds"] == 0


def test_an_edited_value_finds_the_same_kinds(tmp_path: Path) -> None:
    vault = records(tmp_path / "vault")
    first, second = recompiled(vault, "Beasts/Heron.md", "---\nlevel: 7\nterrain: fen\n---\nIt waits.\n")
    assert second.memo.counts["found_kinds"] == 1
    assert second.game.kinds is first.game.kinds
    assert second.memo.counts["extract_document"] == 1


def test_an_edit_may_change_the_kinds(tmp_path: Path) -> None:
    vault = records(tmp_path / "vault")
    first, second = recompiled(vault, "Beasts/Heron.md", "---\nlevel: high\nterrain: fen\n---\nIt waits.\n")
    levels = {entity.name: entity.fields["level"] for entity in second.entities["beast"]}
    assert levels == {"Heron": "high", "Otter": 1, "Pike": 2, "Crow": 3}
    assert second.game.kinds["beast"] is not first.game.kinds["beast"]
    assert second.game.kinds["term"] is first.game.kinds["term"]


@pytest.mark.parametrize(
    ("texts", "entities"),
    [
        ({f"A/n{n}.md": f"---\nitems: [{', '.join(['x'] * 10_000)}]\n---\n" for n in range(3)}, 3),
        ({f"A/n{n}.md": f"---\nmap: {'{a: ' * 90}1{'}' * 90}\nsize: 1\n---\n" for n in range(3)}, 3),
        ({f"A/{n}/Same.md": "---\nsize: 1\nage: 2\n---\nIt.\n" for n in range(300)}, 300),
        ({f"A/n{n}.md": "---\n" + "".join(f"k{k}: 1\n" for k in range(500)) + "---\n" for n in range(3)}, 3),
        ({f"A/n{n}.md": '---\n"a\\u0001b: {": 1\n"[x]": 2\n"q\\"": 3\n---\n' for n in range(3)}, 3),
        (
            {
                f"A/n{n}.md": f"---\nmap: {value}\nsize: 1\n---\n"
                for n, value in enumerate(("{a: 1}", "{a: {b: 1}}", "3", "{a: [{c: 1}, {c: {d: 1}}, {c: [1]}]}"))
            },
            4,
        ),
    ],
    ids=["a long list", "deep maps", "equal names", "many properties", "odd names", "maps and values"],
)
def test_odd_properties_have_a_bounded_result(tmp_path: Path, texts: dict[str, str], entities: int) -> None:
    pack = compiled(write_files(tmp_path / "vault", texts))
    ids = [entity.id for entity in pack.all_entities()]
    assert len(ids) == len(set(ids)) == entities
    assert all(len(kind.rules) <= 210 for kind in pack.game.kinds.values())
    assert not [d for d in pack.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        *(("Spells", "Spell"), ("Magic Items", "Magic Item"), ("Classes", "Class"), ("Abilities", "Ability")),
        *(("Zombies", "Zombie"), ("Boxes", "Box"), ("Statuses", "Status"), ("Houses", "House"), ("Heroes", "Hero")),
        *(
            ("Elves", "Elf"),
            ("Knives", "Knife"),
            ("People", "Person"),
            ("Species", "Species"),
            ("Bestiary", "Bestiary"),
        ),
        *(("Chaos", "Chaos"), ("Status", "Status"), ("NPCs", "NPC"), ("Zauber", "Zauber"), ("Prizes", "Prize")),
    ],
)
def test_singular_of_folder_names(plural: str, expected: str) -> None:
    assert singular(plural) == expected


@pytest.mark.parametrize(
    ("one", "many"),
    [
        *(("Spell", "Spells"), ("Magic Item", "Magic Items"), ("Ability", "Abilities"), ("Class", "Classes")),
        *(("Equipment", "Equipment"), ("Light Armour", "Light Armour"), ("magic", "magic"), ("Wildlife", "Wildlife")),
        *(("Child", "Children"), ("Half-Elf", "Half-Elves"), ("Wolf", "Wolves"), ("Thief", "Thieves")),
        *(("Status", "Statuses"), ("Arms", "Arms"), ("NPC", "NPCs"), ("Zauberschläge", "Zauberschläge")),
    ],
)
def test_plural_of_kinds(one: str, many: str) -> None:
    assert plural(one) == many
