"""The module for Foundry VTT of `kismet build --bundle`: its documents, and what the official tool makes of them."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kismet_build.extensions.packages.foundry import foundry_id, foundry_module
from kismet_build.extensions.packages.foundry_tool import FoundryToolFailed, packed_files
from kismet_build.mechanics.dice import odds, parse
from kismet_build.mechanics.rules import Rules, RulesError
from kismet_build.model.section_text import section_text
from kismet_build.model.titles import subject_title
from tests.command import CONTENT, GAMES, kismet, kismet_process, tree, write_files
from tests.conftest import BuildOnce
from tests.node import node
from tests.npm import npm_package
from tests.small_library import write_library
from tests.stages.mechanics.test_roll_tables import TABLES, written

INLINE_ROLL = re.compile(r"\[\[/roll ([^\]]*)\]\]\{([^}]*)\}")
UUID = re.compile(r"@UUID\[([^\]]*)\]\{([^}]*)\}")
TAG = re.compile(r"<[^>]*>")
SOURCES = "packs/_source/"
KNOWN_KEYS = frozenset(
    (
        *("id", "title", "description", "version", "authors", "license", "url", "manifest", "download"),
        *("compatibility", "packs", "packFolders", "esmodules", "flags"),
    )
)
"""Keys of `module.json` that version 13 of Foundry VTT knows and that we use."""


@pytest.fixture(scope="session")
def data(build_once: BuildOnce) -> Path:
    folder, run = build_once("bundle", CONTENT, "--bundle", "--no-search")
    assert run.status == 0, run.err
    return folder / "data"


@pytest.fixture(scope="session", params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def pack_of(data: Path, game: str) -> dict[str, Any]:
    pack: dict[str, Any] = json.loads((data / game / "pack.json").read_bytes())
    return pack


def module_of(data: Path, game: str) -> dict[str, bytes]:
    with zipfile.ZipFile(data / game / f"downloads/{game}-1.0.0-foundry.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def documents(module: Mapping[str, bytes], pack: str) -> dict[str, Any]:
    files = (content for path, content in module.items() if path.startswith(f"{SOURCES}{pack}/"))
    found = [json.loads(content) for content in files]
    by_key = {document["_key"]: document for document in found}
    assert len(by_key) == len(found)
    return by_key


def journals(module: Mapping[str, bytes]) -> list[Any]:
    rules = documents(module, "rules").values()
    return sorted((document for document in rules if "pages" in document), key=lambda journal: journal["sort"])


def folders_of(collection: Mapping[str, Any]) -> dict[str, Any]:
    return {document["_id"]: document for document in collection.values() if document["_key"].startswith("!folders!")}


def pages_of(module: Mapping[str, bytes]) -> dict[str, str]:
    return {
        next(iter(page["flags"].values()))["id"]: page["text"]["content"]
        for journal in journals(module)
        for page in journal["pages"]
    }


def words(html: str) -> str:
    """The words of HTML without white space, and without links and rolls of Foundry VTT around them."""
    return "".join(unescape(TAG.sub("", UUID.sub(r"\2", INLINE_ROLL.sub(r"\2", html)))).replace("\u2060", "").split())


# --- module.json


def test_module_says_what_foundry_asks_for(data: Path, game: str) -> None:
    files = module_of(data, game)
    module = json.loads(files["module.json"])
    assert set(module) <= KNOWN_KEYS
    assert (module["id"], module["title"]) == (f"{game}-data", pack_of(data, game)["game"]["title"])
    assert re.fullmatch("[a-z0-9-]+", module["id"])
    assert module["compatibility"] == {"minimum": "13", "verified": "13"}
    assert module["license"] in files
    assert pack_of(data, game)["game"]["attribution"] in files["LICENSE"].decode()
    assert all(list(author) == ["name"] for author in module["authors"])
    assert not {"url", "manifest", "download"} & set(module)  # the address of the site is not known
    types = {pack["name"]: pack["type"] for pack in module["packs"]}
    expected = {"rules": "JournalEntry", "tables": "RollTable", "macros": "Macro"}
    assert types == {name: type_ for name, type_ in expected.items() if documents(files, name)}
    for pack in module["packs"]:
        assert pack["path"] == f"packs/{pack['name']}"
        assert pack["ownership"] == {"PLAYER": "OBSERVER", "ASSISTANT": "OWNER"}
    assert [folder["packs"] for folder in module["packFolders"]] == ([list(types)] if len(types) > 1 else [])


def test_module_is_installed_from_the_site_where_its_address_is_known(tmp_path: Path) -> None:
    library = write_library(tmp_path / "court")
    write_files(library, {"library.yaml": "url: https://example.org/rules/\n"})
    build = kismet("build", library, "--bundle", "--no-search", "--out", tmp_path / "out")
    assert build.status == 0, build.err
    downloads = tmp_path / "out/data/ember-court/downloads"
    manifest = json.loads((downloads / "module.json").read_bytes())
    address = "https://example.org/rules/"
    assert {key: manifest[key] for key in ("url", "manifest", "download")} == {
        "url": f"{address}ember-court/",
        "manifest": f"{address}data/ember-court/downloads/module.json",
        "download": f"{address}data/ember-court/downloads/ember-court-1.0.0-foundry.zip",
    }
    with zipfile.ZipFile(downloads / "ember-court-1.0.0-foundry.zip") as archive:
        assert json.loads(archive.read("module.json")) == manifest
    page = (tmp_path / "out/ember-court/downloads/index.html").read_text(encoding="utf-8")
    assert 'href="../../data/ember-court/downloads/module.json"' in page
    assert kismet("data", "verify", tmp_path / "out").status == 0


# --- journals


def test_every_document_has_an_id_and_a_key(data: Path, game: str) -> None:
    module = module_of(data, game)
    for pack, collections in {"rules": ("journal", "pages"), "tables": ("tables", "results")}.items():
        found = documents(module, pack)
        folders = {document["_id"] for document in found.values() if document["_key"].startswith("!folders!")}
        seen = set(folders)
        for document in found.values():
            assert document.get("folder") is None or document["folder"] in folders
            if document["_id"] in folders:
                assert document["_key"] == f"!folders!{document['_id']}"
                continue
            assert document["_key"] == f"!{collections[0]}!{document['_id']}"
            for part in (document, *document[collections[1]]):
                assert re.fullmatch("[A-Za-z0-9]{16}", part["_id"])
                assert part["_id"] not in seen
                seen.add(part["_id"])
            for part in document[collections[1]]:
                assert part["_key"] == f"!{'.'.join(collections)}!{document['_id']}.{part['_id']}"


def test_ids_are_made_from_ours_alone() -> None:
    assert foundry_id("kismet/skill/bluff") == foundry_id("kismet/skill/bluff")
    assert len({foundry_id(f"kismet/skill/{number}") for number in range(1000)}) == 1000


def test_journals_hold_every_section_and_entity_in_the_order_of_the_book(data: Path, game: str) -> None:
    pack, module = pack_of(data, game), module_of(data, game)
    entities = [entity for of_kind in pack["entities"].values() for entity in of_kind]
    pages = pages_of(module)
    assert [*pages] == [item["id"] for item in (*pack["sections"], *entities)]
    kinds = [kind for kind, of_kind in pack["entities"].items() if of_kind]
    paths = [*dict.fromkeys(section["source"]["path"] for section in pack["sections"])]
    names = [section["title"] for section in pack["sections"] if section["level"] == 0]
    assert len(names) == len(paths)
    found = [journal["name"] for journal in journals(module)]
    assert found == [*names, *(pack["kinds"][kind]["plural"] for kind in kinds)]
    for journal in journals(module):
        assert all(1 <= page["title"]["level"] <= 6 for page in journal["pages"])
        assert [page["sort"] for page in journal["pages"]] == sorted({page["sort"] for page in journal["pages"]})


def test_pages_have_all_words_of_the_book(data: Path, game: str) -> None:
    check_words(pack_of(data, game), module_of(data, game))


def check_words(pack: Mapping[str, Any], module: Mapping[str, bytes]) -> None:
    """Each section and entity has its words on its page, except for marks of footnotes on other pages."""
    pages = pages_of(module)
    entities = {entity["id"]: entity for of_kind in pack["entities"].values() for entity in of_kind}
    for section in pack["sections"]:
        html = section_text(section, entities, "html")
        expected, footnotes = re.subn(r'<a [^>]*class="[^"]*footnote-back[^>]*>[^<]*</a>', "", html)
        if not footnotes:
            expected = re.sub(r'<sup class="footnote">.*?</sup>', "", expected)
        assert words(pages[section["id"]]).startswith(words(expected)), section["id"]
    for of_kind in pack["entities"].values():
        for entity in of_kind:
            page = words(pages[entity["id"]])
            for line in entity["text"].split("\n"):
                assert "".join(line.split()) in page, entity["id"]


def test_marks_of_footnotes_on_other_pages_are_left_out(data: Path) -> None:
    assert '<sup class="footnote">' not in pages_of(module_of(data, "kismet"))["kismet/rule/instant-projectile"]


def test_folders_show_the_chapters_apart_from_the_kinds(data: Path) -> None:
    rules = documents(module_of(data, "kismet"), "rules")
    names = {key: folder["name"] for key, folder in folders_of(rules).items()}
    assert sorted(names.values()) == ["Kismet", "Reference"]
    shown = Counter(names[journal["folder"]] for journal in rules.values() if "pages" in journal)
    assert shown == {"Kismet": 2, "Reference": 16}


def test_every_link_leads_to_a_document_of_the_module(data: Path, game: str) -> None:
    module, pack = module_of(data, game), pack_of(data, game)
    targets = set()
    for name, part, type_ in (("rules", "pages", "JournalEntry"), ("tables", "results", "RollTable")):
        for document in documents(module, name).values():
            uuid = f"Compendium.{game}-data.{name}.{type_}.{document['_id']}"
            pages = document.get(part, ()) if part == "pages" else ()
            targets |= {uuid, *(f"{uuid}.JournalEntryPage.{page['_id']}" for page in pages)}
    results = [result["description"] for table in documents(module, "tables").values() for result in table["results"]]
    pages_html = pages_of(module)
    for html in (*pages_html.values(), *results):
        assert html.count("@UUID[") == len(UUID.findall(html))
        for uuid, label in UUID.findall(html):
            assert uuid in targets
            assert label.strip()
        # Other links lead out of the site.
        assert all(address.startswith("https://") for address in re.findall(r'href="([^"]*)"', html))
    # No link of the site is lost: a link that has words and leads to another page.
    rolling = Counter(table["section"] for table in pack["tables"] if table["die"])
    entities = {entity["id"]: entity for of_kind in pack["entities"].values() for entity in of_kind}
    for section in pack["sections"]:
        html = section_text(section, entities, "html")
        links = re.findall(r'<a [^>]*href="(?![a-z]+:|#)[^"]*"[^>]*>(.*?)</a>', html, re.DOTALL)
        below = 0 if html else sum(other["parent"] == section["id"] for other in pack["sections"])
        assert pages_html[section["id"]].count("@UUID[") == len(links) + below + rolling[section["id"]]
        assert pages_html[section["id"]]


def test_link_leads_to_the_page_of_what_it_names(data: Path) -> None:
    module = module_of(data, "kismet")
    by_uuid = {
        f"Compendium.kismet-data.rules.JournalEntry.{journal['_id']}.JournalEntryPage.{page['_id']}": page["name"]
        for journal in journals(module)
        for page in journal["pages"]
    }
    aid = pages_of(module)["kismet/section/combat-rules-aid"]
    (uuid,) = {uuid for uuid, label in UUID.findall(aid) if label == "Modifier"}
    assert by_uuid[uuid] == "Modifier"


NOTE = """\
# Inn

Type @UUID[JournalEntry.x]{me} or [[/roll 1d20]]: a brace {here} too. ![[map.png]] and ![Sun](https://example.org/s.png)

## Cellar

See [the {deep} inn](Inn.md) and [the map](map.png).
"""


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a plain vault with an image, with notes in folders, and with all forms of roll tables."""
    folder = tmp_path_factory.mktemp("foundry")
    tables = {f"Tables/Deep/Deeper/{name}.md": f"Some words.\n\n{text}" for name, (text, _, _) in TABLES.items()}
    write_files(folder / "vault", {"Inn.md": NOTE, **tables})
    (folder / "vault" / "map.png").write_bytes(b"\x89PNG\r\n\x1a\nmap")
    run = kismet("build", folder / "vault", "--bundle", "--no-search", "--out", folder / "out")
    assert run.status == 0, run.output
    return folder / "out" / "data"


def vault_module(vault: Path) -> dict[str, bytes]:
    (file,) = (vault / "vault" / "downloads").glob("*-foundry.zip")
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_what_foundry_would_replace_in_a_text_stays_a_text(vault: Path) -> None:
    pages = pages_of(vault_module(vault))
    (inn,) = (html for html in pages.values() if "brace" in html)
    assert not UUID.search(inn)
    assert "[[" not in inn
    assert "@\u2060UUID[JournalEntry.x]{me}" in inn
    cellar = next(html for id_, html in pages.items() if id_.endswith("cellar"))
    assert [label for _, label in UUID.findall(cellar)] == ["the (deep) inn"]
    assert "the map" in cellar


def test_dice_in_the_text_roll(data: Path, game: str) -> None:
    rolls = [roll for html in pages_of(module_of(data, game)).values() for roll in INLINE_ROLL.findall(html)]
    assert len(rolls) > 15
    assert all(odds(parse(formula.replace("x", "!"))) for formula, _ in rolls if " " not in formula)
    assert not any("[[" in label or "<" in label for _, label in rolls)


ADD_EFFECTS = """\
const [, script, flags, form] = process.argv;
globalThis.CONFIG = { statusEffects: JSON.parse(form) };
globalThis.game = { modules: new Map([["kismet-data", { flags: { "kismet-data": JSON.parse(flags) } }]]) };
globalThis.Hooks = { once: (name, run) => name === "init" && run() };
await import(script);
console.log(JSON.stringify(CONFIG.statusEffects));
"""


def test_conditions_are_status_effects_in_both_forms(data: Path, tmp_path: Path) -> None:
    """A list in version 13, a record in version 14. The effects of the system stay."""
    module = module_of(data, "kismet")
    description = json.loads(module["module.json"])
    (script,) = description["esmodules"]
    flags = description["flags"]["kismet-data"]
    conditions = pack_of(data, "kismet")["entities"]["condition"]
    assert [effect["name"] for effect in flags["statusEffects"]] == [condition["name"] for condition in conditions]
    (tmp_path / "kismet-data").mkdir()
    file = tmp_path / "kismet-data" / script
    file.write_bytes(module[script])
    write_files(tmp_path, {"package.json": '{"type": "module"}'})
    own = {"id": "dead", "name": "Dead"}
    for form in ([own], {"dead": own}):
        arguments = (
            node(),
            "--input-type=module",
            "-e",
            ADD_EFFECTS,
            file.as_uri(),
            json.dumps(flags),
            json.dumps(form),
        )
        done = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=True)
        added = json.loads(done.stdout)
        assert (added[0] if isinstance(form, list) else added["dead"]) == own
        effects = added[1:] if isinstance(form, list) else [added[effect["id"]] for effect in flags["statusEffects"]]
        assert effects == flags["statusEffects"]
        assert all("changes" not in effect for effect in effects)
    assert all(UUID.search(effect["description"]) for effect in flags["statusEffects"])


def test_each_status_effect_has_its_own_id(data: Path) -> None:
    """Version 14 would replace an effect by another with its id, such as one of the same name in another kind."""
    pack = pack_of(data, "kismet")
    blind = {
        **pack["entities"]["skill"][0],
        "id": "kismet/skill/blind",
        "effects": [{"causes": ["kismet/skill/blind"]}],
    }
    pack["entities"]["skill"].append(blind)
    flags = json.loads(foundry_module(pack, b"", ()).files["module.json"])["flags"]["kismet-data"]
    ids = [effect["id"] for effect in flags["statusEffects"]]
    assert {"kismet-data_condition_blind", "kismet-data_skill_blind"} < {*ids}
    assert len({*ids}) == len(ids)
    assert not any("." in id_ for id_ in ids)


RUN_MACROS = """\
import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync(0, "utf8")), results = [];
globalThis.foundry = { utils: { escapeHTML: (text) => text.replaceAll("<", "&lt;") } };
globalThis.ChatMessage = { create: ({ content }) => results.push(content) };
globalThis.Roll = class { constructor(formula) { results.push(formula); } toMessage() {} };
for (const { command, values } of cases) {
  foundry.applications = { api: { DialogV2: { input: () => values } } };
  await new (async () => {}).constructor(command)();
}
console.log(JSON.stringify(results));
"""


def test_macros_calculate_as_the_rules_do(data: Path, game: str) -> None:
    """A dialog asks for the inputs; the chat shows the result. Random values, except those without a result."""
    pack, luck = pack_of(data, game), Random(14)
    rules = Rules({"pack.json": pack, "names.json": {"names": {}}, "migrations.json": []}.get)
    by_id = {calculator["id"]: calculator for calculator in pack["calculators"]}
    found = documents(module_of(data, game), "macros")
    folders = folders_of(found)
    macros = [document for document in found.values() if document["_id"] not in folders]
    assert {folder["type"] for folder in folders.values()} == {"Macro"}
    assert {macro["folder"] for macro in macros} == {*folders}
    assert len(macros) >= {"kismet": 92, "kiss": 6, "legend": 23, "marchen": 14}[game]
    cases, expected = [], []
    for macro in macros:
        calculator = by_id[macro["flags"][f"{game}-data"]["id"]]
        assert (macro["name"], macro["type"]) == (calculator["title"], "script")
        assert folders[macro["folder"]]["name"] == subject_title(calculator["group"])
        fields = [unescape(name) for name in re.findall(r'name=\\"([^"\\]*)', macro["command"])]
        assert fields == [given["name"] for given in calculator["inputs"]]
        for _ in range(20):
            values = {given["name"]: any_value(given, luck) for given in calculator["inputs"]}
            try:
                result = rules.calculate(calculator["id"], values).result
            except RulesError:
                continue
            cases.append({"command": macro["command"], "values": values})
            expected.append((calculator["id"], result))
    command = (node(), "--input-type=module", "-e", RUN_MACROS)
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, encoding="utf-8", check=True)
    for (id, result), shown in zip(expected, json.loads(done.stdout), strict=True):
        if by_id[id]["result"]["type"] == "dice":
            assert odds(parse(shown)) == odds(parse(result.value))
            continue
        words = re.fullmatch(r"<p>.*: <strong>(.*)</strong> .*</p>", shown)
        assert words, shown
        if isinstance(result.value, bool):
            assert words[1] == ("yes" if result.value else "no"), id
        elif isinstance(result.value, str):
            assert words[1] == result.value, id
        else:
            assert float(words[1]) == pytest.approx(result.value), id


def any_value(given: Mapping[str, Any], luck: Random) -> Any:
    if given["type"] == "boolean":
        return luck.random() < 0.5
    return luck.choice(given["options"]) if given["type"] == "choice" else luck.randint(given["min"], given["max"])


@pytest.mark.parametrize("game", ["kiss", "legend"])
def test_a_game_that_causes_no_states_has_those_that_change_a_roll(data: Path, game: str) -> None:
    pack = pack_of(data, game)
    files = {"pack.json": pack, "names.json": {"names": {}}, "migrations.json": []}
    rules = Rules(files.get)
    effects = json.loads(module_of(data, game)["module.json"])["flags"][f"{game}-data"]["statusEffects"]
    with_effects = [entity for kind in pack["entities"].values() for entity in kind if entity["effects"]]
    expected = []
    for entity in with_effects:
        sides: list[dict[str, Any]] = [{"on": entity["id"]}, {"target": entity["id"]}]
        found = (rules.situation(roll["id"], **side) for roll in pack["rolls"] for side in sides)
        if any(line.input for _, *groups in found for group in groups for line in group):
            expected.append(entity["name"])
    assert [effect["name"] for effect in effects] == expected
    assert len(expected) > 10


def test_games_without_states_have_no_script(vault: Path) -> None:
    module = vault_module(vault)
    assert "esmodules" not in json.loads(module["module.json"])
    assert "foundry.js" not in module


def test_images_of_the_book_are_in_the_module(vault: Path) -> None:
    module = vault_module(vault)
    (inn,) = (html for html in pages_of(module).values() if "brace" in html)
    of_module, of_web = re.findall(r'<img src="([^"]*)"', inn)
    assert of_web == "https://example.org/s.png"
    name = json.loads(module["module.json"])["id"]
    assert module[of_module.removeprefix(f"modules/{name}/")] == b"\x89PNG\r\n\x1a\nmap"


def test_folders_are_those_of_the_texts_and_three_deep(vault: Path) -> None:
    rules = documents(vault_module(vault), "rules")
    folders = folders_of(rules)

    def path(key: str | None) -> list[str]:
        return [*path(folders[key]["folder"]), folders[key]["name"]] if key else []

    paths = {journal["name"]: path(journal["folder"]) for journal in rules.values() if "pages" in journal}
    title = paths["Inn"][0]
    assert paths["Inn"] == [title]
    assert paths["die"] == [title, "Tables", "Deep"]
    assert len(folders) == 3


# --- tables


@pytest.mark.parametrize("name", TABLES)
def test_each_result_of_the_dice_leads_to_the_rows_of_the_book(vault: Path, name: str) -> None:
    pack = json.loads((vault / "vault" / "pack.json").read_bytes())
    (table,) = (table for table in pack["tables"] if table["source"]["path"].endswith(f"/{name}.md"))
    rolling = documents(vault_module(vault), "tables").values()
    found = [
        document
        for document in rolling
        if next(iter(document["flags"].values()))["id"].partition("#")[0] == table["id"]
    ]
    _, die, ranges = TABLES[name]
    assert written(table) == ranges
    assert len(found) == (3 if name == "side-by-side" else 1)
    outcomes = [value for value, _ in odds(parse(die)).outcomes]
    for roll_table in found:
        assert roll_table["formula"] == ("1d6 * 10 + 1d6" if die == "d66" else die)
        for result in roll_table["results"]:
            low, high = result["range"]
            assert outcomes[0] <= low <= high <= outcomes[-1]
            assert result["weight"] == high - low + 1
            assert result["type"] == "text"
            assert result["description"]
    # Ranges are written as `1-3@0,5@2`: the part behind `@` is the column.
    columns = sorted({part.partition("@")[2] for row in ranges.split(" ") for part in row.split(",") if part})
    groups = [{column} for column in columns] if name == "side-by-side" else [set(columns)]
    for roll_table, group in zip(found, groups, strict=True):
        for outcome in outcomes:
            drawn = sum(result["range"][0] <= outcome <= result["range"][1] for result in roll_table["results"])
            parts = [part for row in ranges.split(" ") for part in row.split(",") if part]
            expected = sum(covers(part, outcome) for part in parts if part.partition("@")[2] in group)
            assert drawn == expected, (name, outcome)
            # The page of these tables reports what is wrong with them; all others have a row for each result.
            assert drawn == 1 or name in ("twice", "missing", "german-gap")


def covers(part: str, outcome: int) -> bool:
    low, _, high = part.partition("@")[0].partition("-")
    low, high = low, high or low
    return (low == "*" or int(low) <= outcome) and (high == "*" or outcome <= int(high))


def test_wounds_chart_of_kismet_rolls(data: Path) -> None:
    module = module_of(data, "kismet")
    (chart,) = documents(module, "tables").values()
    assert (chart["name"], chart["formula"]) == ("WOUNDS CHART", "1d10")
    found = {tuple(result["range"]): words(result["description"]) for result in chart["results"]}
    assert [*found] == [(1, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10)]
    assert found[7, 7].startswith("FesteringWound")
    assert "RollTable." + chart["_id"] in pages_of(module)["kismet/section/combat-rules-wounds-chart"]


def test_dice_of_foundry_mean_the_same() -> None:
    pack = {
        "format": 3,
        "game": {"id": "g", "title": "G", "version": "", "description": "", "authors": [], "url": None},
        "kinds": {},
        "entities": {},
        "sections": [
            {
                **{
                    "id": "g/section/a",
                    "title": "A",
                    "level": 0,
                    "parent": None,
                    "content": [],
                    "url": "g/a/",
                    "entities": [],
                },
                "source": {"path": "a.md"},
            }
        ],
        "tables": [],
        "calculators": [],
    }
    dice = {"4d6kh3": "4d6kh3", "d6!": "d6x", "adv(d20)": "2d20kh", "dis(1d20+2)": "2d20kl+2", "2*d6": None}
    for die, formula in dice.items():
        table = {
            **{"id": "g/table/a", "caption": "A", "columns": ["d", "x"], "rows": [["1-40", "x"]], "die": die},
            **{"ranges": [[{"min": 1, "max": 40}]], "section": "g/section/a"},
        }
        files = foundry_module({**pack, "tables": [table]}, b"", ()).files
        assert [table["formula"] for table in documents(files, "tables").values()] == [formula] * (formula is not None)
        assert json.loads(files["module.json"])["version"] == "0"


# --- the tool of Foundry VTT


@pytest.fixture(scope="session")
def tool() -> str:
    modules = npm_package("@foundryvtt/foundryvtt-cli").parents[1]
    program = shutil.which("fvtt", path=str(modules / ".bin"))
    assert program
    return program


def unpacked(tool: str, folder: Path, pack: str) -> dict[str, Any]:
    out = folder / "unpacked" / pack
    command = (tool, "package", "unpack", pack, "--type", "Module", "--id", "module")
    home = dict.fromkeys(("HOME", "APPDATA", "XDG_DATA_HOME", "USERPROFILE"), str(folder))
    arguments = ("--in", str(folder / "packs"), "--out", str(out))
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env={**os.environ, **home}, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(file.read_bytes()) for file in out.iterdir()]
    return {document["_key"]: document for document in found}


def test_tool_unpacks_what_it_packed(data: Path, game: str, tool: str, tmp_path: Path) -> None:
    module = {path: content for path, content in module_of(data, game).items() if path.startswith(SOURCES)}
    packed = packed_files(module, tool)
    assert {path.rpartition("/")[2] for path in packed} >= {"CURRENT", "000005.ldb"}
    assert not {path for path in packed if path.rpartition("/")[2].startswith(("LOCK", "LOG"))}
    for path, content in packed.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    for pack in sorted({path.split("/")[1] for path in packed}):
        assert unpacked(tool, tmp_path, pack) == documents(module, pack)
    if game == "legend":
        assert packed_files(module, tool) == packed


def test_build_packs_with_the_tool_in_path(tool: str, tmp_path: Path) -> None:
    path = os.pathsep.join((str(Path(tool).parent), os.environ["PATH"]))
    library = write_library(tmp_path / "court")
    arguments = ("build", library, "--bundle", "--no-search", "--out", tmp_path / "out")
    build = kismet_process(*arguments, env={"PATH": path})
    assert build.status == 0, build.err
    assert f"the modules for Foundry VTT are packed by {tool}\n" in build.out
    file = tmp_path / "out/data/ember-court/downloads/ember-court-1.0.0-foundry.zip"
    names = zipfile.ZipFile(file).namelist()
    assert "packs/rules/CURRENT" in names
    sources = {path for path in names if path.startswith(SOURCES)}
    assert kismet("data", "verify", file).status == 0
    # Without the tool, the same sources and no packs.
    build = kismet(*arguments)
    assert "to pack them, run npm install --global @foundryvtt/foundryvtt-cli" in build.out or shutil.which("fvtt")
    assert {path for path in zipfile.ZipFile(file).namelist() if path.startswith("packs/")} == sources


@pytest.mark.parametrize(
    ("script", "reason"),
    [("exit 0", 'packed 0 of 1 documents of "rules"'), ("echo one >&2; exit 1", "one"), ("kill -9 $$", "cannot pack")],
)
def test_a_tool_that_fails_is_named_with_the_reason(script: str, reason: str, tmp_path: Path) -> None:
    program = broken_tool(tmp_path, script)
    with pytest.raises(FoundryToolFailed, match=reason):
        packed_files({f"{SOURCES}rules/a.json": b"{}"}, str(program))


def test_a_build_with_a_tool_that_fails_has_no_module_and_no_link_to_it(tmp_path: Path) -> None:
    program = broken_tool(tmp_path, "echo one >&2; echo two >&2; exit 1")
    path = os.pathsep.join((str(program.parent), os.environ["PATH"]))
    library = write_library(tmp_path / "court")
    build = kismet_process("build", library, "--bundle", "--no-search", "--out", tmp_path / "out", env={"PATH": path})
    assert build.status == 3
    (line,) = build.err.splitlines()
    assert line.startswith('kismet: the exporter "foundry" failed for "ember-court", and its files are left out: ')
    assert f'"{program}" cannot pack the module for Foundry VTT: one' in line
    assert "two" in line
    files = tree(tmp_path / "out")
    assert not [path for path in files if "foundry" in path]
    assert "data/ember-court/ember-court.sqlite" in files
    page = files["ember-court/downloads/index.html"]
    assert b"ember-court.sqlite" in page
    assert b"foundry.zip" not in page


def broken_tool(folder: Path, script: str) -> Path:
    program = folder / "bin" / "fvtt"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return program
