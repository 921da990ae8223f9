"""`kismet build --bundle`: the same data as SQLite, CSV, JSON Lines, and as packages that install."""

import csv
import gzip
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from html import unescape
from io import BytesIO, StringIO
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
import yaml
from jsonschema import Draft202012Validator

from benchmarks.search_answers import PARTS, questions_of
from kismet_build.config.game import Game
from kismet_build.config.load_library import load_library
from kismet_build.config.pack_schema import pack_schema
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_game
from kismet_build.extensions.packages.npm import npm_version
from kismet_build.extensions.packages.wheel import engine_files
from kismet_build.mechanics.inputs import Fault
from kismet_build.mechanics.rules import Rules, RulesError
from kismet_build.model.downloads import LINKED_EXPORTS, archive_names, module_name, python_version
from kismet_build.model.section_text import FORMS, section_text
from kismet_build.model.text_normalization import normalize
from kismet_build.output.tree import OutputFile, describe_file
from kismet_build.pack import Pack
from tests.browser.host import serve_folder
from tests.command import CONTENT, GAMES, ROOT, kismet, skip_without, tree, write_files
from tests.conftest import BuildOnce
from tests.exports import exported
from tests.manual_page import steps
from tests.node import node
from tests.npm import npm_package
from tests.small_library import KIND, write_library

ARCHIVE = re.compile(r"\.(sqlite|zip|tgz|whl)$")
"""Files of a bundle that are not text."""
QUESTIONS = ROOT / "tests/extensions/packages/questions"
"""The programs that answer the questions of tests/facts/questions.yaml, and those of a tool maker's first hour."""


@pytest.fixture(scope="session")
def data(build_once: BuildOnce) -> Path:
    folder, run = build_once("bundle", CONTENT, "--bundle", "--no-search")
    assert run.status == 0, run.err
    return folder / "data"


def pack_of(data: Path, game: str) -> dict[str, Any]:
    pack: dict[str, Any] = json.loads((data / game / "pack.json").read_bytes())
    return pack


@pytest.fixture(scope="session", params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


# --- files


def test_bundle_adds_exactly_the_files_of_the_contract(data: Path, game: str) -> None:
    pack = pack_of(data, game)
    kinds = pack["kinds"]
    expected = {
        *(f"{kind}.json" for kind in kinds),
        *(
            f"{name}.json"
            for name in ("pack", "names", "calculators", "diagnostics", "doubtful", "questions", "search")
        ),
        *(f"{kind}.jsonl" for kind in kinds),
        *(f"csv/{kind}.csv" for kind in kinds),
        *(f"csv/tables/{table['id'].rpartition('/')[2]}.csv" for table in pack["tables"]),
        *(f"types/{game}.{suffix}" for suffix in ("d.ts", "py")),
        *("migrations.json", f"{game}.sqlite"),
        *(f"downloads/{game}-1.0.0.{suffix}" for suffix in ("zip", "tgz")),
        f"downloads/{game}-1.0.0-foundry.zip",
        f"downloads/{game}_data-1.0.0-py3-none-any.whl",
        *(f"{entity['id'].partition('/')[2]}.json" for entities in pack["entities"].values() for entity in entities),
    }
    assert set(tree(data / game)) == expected
    listed = {file["path"] for file in json.loads((data / "manifest.json").read_bytes())["files"]}
    assert {f"{game}/{path}" for path in expected} <= listed


def test_index_lists_the_archives_with_size_and_digest(data: Path) -> None:
    index = json.loads((data / "index.json").read_bytes())
    Draft202012Validator(json.loads((data / "schemas/index.schema.json").read_bytes())).validate(index)
    assert [listed["id"] for listed in index["games"]] == sorted(GAMES)
    for listed in index["games"]:
        game = listed["id"]
        assert {use: archive["path"] for use, archive in listed["archives"].items()} == {
            "zip": f"{game}/downloads/{game}-1.0.0.zip",
            "npm": f"{game}/downloads/{game}-1.0.0.tgz",
            "wheel": f"{game}/downloads/{game}_data-1.0.0-py3-none-any.whl",
            "foundry": f"{game}/downloads/{game}-1.0.0-foundry.zip",
        }
        for archive in listed["archives"].values():
            content = (data / archive["path"]).read_bytes()
            assert (archive["size"], archive["sha256"]) == (len(content), sha256(content).hexdigest())


def test_data_page_links_the_bundle_where_it_was_built(data: Path) -> None:
    page = data.parent / "kismet" / "downloads" / "index.html"
    links = {link for link in re.findall(r'href="([^"]*)"', page.read_text(encoding="utf-8")) if ARCHIVE.search(link)}
    assert len(links) == 5
    for link in links:
        assert (page.parent / link).is_file()


def test_no_bundle_is_made_or_linked_without_the_option(tmp_path: Path) -> None:
    build = kismet("build", write_library(tmp_path / "court"), "--no-search", "--out", tmp_path / "out")
    assert build.status == 0, build.err
    files = tree(tmp_path / "out")
    assert not [path for path in files if ARCHIVE.search(path) or path.endswith((".csv", ".jsonl", ".d.ts"))]
    assert b".sqlite" not in files["ember-court/downloads/index.html"]
    assert json.loads(files["data/index.json"])["games"][0]["archives"] == {}


def test_service_worker_keeps_nothing_of_a_bundle(data: Path) -> None:
    for name in ("sw.js", "offline.json", "assets/kismet-offline.json"):
        kept = (data.parent / name).read_text(encoding="utf-8")
        assert not re.search(r'"data/|\.(sqlite|zip|tgz|whl|csv|jsonl)"', kept)


def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    library = write_library(tmp_path / "court")
    trees = []
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        build = kismet("build", library, "--bundle", "--no-search", "--no-cache", "--jobs", jobs, "--out", out)
        assert build.status == 0, build.err
        trees.append(tree(out / "data"))
    assert trees[0] == trees[1]
    assert any(ARCHIVE.search(path) for path in trees[0])


def test_edit_changes_only_the_files_of_kinds_that_changed(tmp_path: Path) -> None:
    library = write_library(tmp_path / "court")
    nod = KIND.replace("title: Grace", "title: Vow").replace("Graces", "Vows")
    write_files(library, {"kinds/vow.yaml": nod, "2 Vows.md": "## Vows\n\n### Silence\n\n**Cost:** 4\n"})
    game = linking_game(library)
    pack = compile_game(game, lambda _: None)
    before = rendered(pack)
    text = library / "2 Vows.md"
    text.write_text(text.read_text(encoding="utf-8").replace("4", "5"), encoding="utf-8")
    edited = compile_game(game, lambda _: None, previous=pack, changed=[text])
    after = rendered(edited)
    changed = {path for path in after if after[path] != before[path]}
    assert {"data/ember-court/csv/vow.csv", "data/ember-court/vow.jsonl"} < changed
    assert not {"data/ember-court/csv/grace.csv", "data/ember-court/grace.jsonl"} & changed
    fresh = compile_game(linking_game(library), lambda _: None)
    assert after == rendered(fresh)


def linking_game(library: Path) -> Game:
    return load_library(library, None, lambda _: None).games[0].with_options(linked_exports=LINKED_EXPORTS)


def rendered(pack: Pack) -> dict[str, bytes]:
    files: dict[str, bytes] = {}

    def write(path: str, content: bytes) -> OutputFile:
        files[path] = content
        return describe_file(path, content)

    list(render_game(pack, write))
    return {**files, **exported(files, pack.game.id)}


# --- CSV, JSON Lines, types


def test_each_line_of_a_kind_is_an_entity_with_its_licence(data: Path, game: str) -> None:
    pack = pack_of(data, game)
    rights = {key: pack["game"][key] for key in ("licence_id", "attribution")}
    assert all(rights.values())
    for kind, entities in pack["entities"].items():
        lines = (data / game / f"{kind}.jsonl").read_text(encoding="utf-8").split("\n")
        assert lines.pop() == ""
        assert [json.loads(line) for line in lines] == [{**entity, **rights} for entity in entities]


def test_csv_of_a_kind_has_every_field(data: Path, game: str) -> None:
    pack = pack_of(data, game)
    for kind, entities in pack["entities"].items():
        text = (data / game / f"csv/{kind}.csv").read_text(encoding="utf-8")
        rows = [
            {re.sub(r" \(.*\)$", "", title): cell for title, cell in row.items()}  # without units
            for row in csv.DictReader(StringIO(text, newline=""))
        ]
        assert len(rows) == len(entities)
        for row, entity in zip(rows, entities, strict=True):
            assert (row["id"], row["name"], row["text"]) == (entity["id"], entity["name"], entity["text"])
            assert row["licence_id"] == pack["game"]["licence_id"]
            assert row["attribution"] == pack["game"]["attribution"]
            for name, value in entity["fields"].items():
                assert_csv_value(row, name, value)


def assert_csv_value(row: Mapping[str, str], name: str, value: Any) -> None:
    column = name if name in row and name not in ("id", "name", "text") else f"field_{name}"
    if isinstance(value, dict) and column not in row:
        for part, inner in value.items():
            assert_csv_value(row, f"{name}_{part}", inner)
    elif value is None:
        assert row.get(column, "") == ""  # or its parts have the columns
    elif isinstance(value, str):
        assert row[column] == value
    else:
        assert json.loads(row[column]) == value


def test_csv_of_a_table_is_the_table_as_printed(data: Path, game: str) -> None:
    for table in pack_of(data, game)["tables"]:
        file = data / game / f"csv/tables/{table['id'].rpartition('/')[2]}.csv"
        rows = [*csv.reader(StringIO(file.read_text(encoding="utf-8"), newline=""))]
        assert rows == [table["columns"], *table["rows"]]


# --- SQLite


def query(data: Path, game: str, sql: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(f"file:{data / game / game}.sqlite?mode=ro", uri=True)) as connection:
        return connection.execute(sql, values).fetchall()


def test_database_is_sound(data: Path, game: str) -> None:
    assert query(data, game, "PRAGMA integrity_check") == [("ok",)]
    assert query(data, game, "PRAGMA foreign_key_check") == []


def test_database_has_every_entity_in_the_table_of_its_kind(data: Path, game: str) -> None:
    pack = pack_of(data, game)
    for kind, entities in pack["entities"].items():
        rows = query(data, game, f'SELECT id, name, text, html, url FROM "{kind.replace("-", "_")}" ORDER BY rowid')
        keys = ("id", "name", "text", "html", "url")
        assert rows == [tuple(entity[key] for key in keys) for entity in entities]
    assert query(data, game, "SELECT id, kind FROM entity ORDER BY rowid") == [
        (entity["id"], entity["kind"]) for entities in pack["entities"].values() for entity in entities
    ]


def test_database_has_every_section_link_name_and_cell(data: Path, game: str) -> None:
    pack = pack_of(data, game)
    entities = [entity for of_kind in pack["entities"].values() for entity in of_kind]
    by_id = {entity["id"]: entity for entity in entities}
    keys = ("id", "title", "level", "parent", "url", "markdown")
    expected = [
        tuple(section[key] for key in keys) + tuple(section_text(section, by_id, form) for form in FORMS)
        for section in pack["sections"]
    ]
    assert query(data, game, f"SELECT {', '.join((*keys, *FORMS))} FROM section ORDER BY position") == expected
    links = [
        (item["id"], target) for item in (*entities, *pack["sections"], *pack["tables"]) for target in item["links"]
    ]
    assert sorted(query(data, game, "SELECT origin, target FROM link")) == sorted(links)
    found = {(entity["id"], target) for entity in entities for target in entity["found_links"]}
    assert set(query(data, game, "SELECT origin, target FROM link WHERE found")) == found
    names = json.loads((data / game / "names.json").read_bytes())["names"]
    rows = query(data, game, "SELECT name, id FROM name ORDER BY name, position")
    assert rows == sorted(((name, id_) for name, ids in names.items() for id_ in ids), key=lambda row: row[0])
    for table in pack["tables"]:
        cells = query(
            data,
            game,
            'SELECT row, "column", text, value FROM printed_cell WHERE printed_table = ? ORDER BY row, "column"',
            table["id"],
        )
        assert [cell[2] for cell in cells] == [text for row in table["rows"] for text in row]
        values = [json.loads(value) if isinstance(value, str) else value for _, _, _, value in cells]
        assert values == [value for row in table["cells"] for value in row]
        ranges = query(
            data,
            game,
            "SELECT row, min, max FROM printed_range WHERE printed_table = ? ORDER BY row, position",
            table["id"],
        )
        assert ranges == [
            (row, span["min"], span["max"]) for row, spans in enumerate(table["ranges"]) for span in spans
        ]


def test_columns_have_the_types_and_targets_of_their_fields(data: Path) -> None:
    columns = {row[1]: row[2] for row in query(data, "kismet", "PRAGMA table_info(difficulty)")}
    assert (columns["dl"], columns["pace"], columns["pace_multiplier"]) == ("INTEGER", "TEXT", "REAL")
    columns = {row[1]: row[2] for row in query(data, "kismet", "PRAGMA table_info(wound)")}
    assert (columns["roll_min"], columns["roll_max"]) == ("INTEGER", "INTEGER")
    targets = {(row[3], row[2]) for row in query(data, "kismet", "PRAGMA foreign_key_list(damage_type_wound)")}
    assert ("damage_type", "damage_type") in targets
    rows = query(
        data,
        "kismet",
        "SELECT skill.name, defense.name FROM skill_opposed_by o "
        "JOIN skill ON skill.id = o.id JOIN defense ON defense.id = o.defense WHERE skill.name = 'Bluff'",
    )
    assert rows == [("Bluff", "Social")]


def test_full_text_search_finds_words_without_their_accents(data: Path) -> None:
    found = query(data, "kismet", "SELECT id FROM fts WHERE fts MATCH 'initiative' ORDER BY rank")
    assert any("initiative" in id_ for (id_,) in found[:5])
    assert query(data, "marchen", "SELECT count(*) FROM fts WHERE fts MATCH 'marchen'")[0][0] > 0


def test_database_has_summaries_and_rulings_of_entities(data: Path, game: str) -> None:
    entities = [entity for of_kind in pack_of(data, game)["entities"].values() for entity in of_kind]
    columns = ("id", "kind", "name", "section", "summary")
    assert query(data, game, "SELECT * FROM entity") == [tuple(entity[key] for key in columns) for entity in entities]
    rulings = [(entity["id"], *each.values()) for entity in entities for each in entity.get("rulings", ())]
    assert query(data, game, "SELECT * FROM ruling ORDER BY rowid") == rulings
    assert rulings


def test_database_joins_effects_to_their_conditions(data: Path, game: str) -> None:
    pack = pack_of(data, game)
    entities = [entity for of_kind in pack["entities"].values() for entity in of_kind]
    lists = {
        (entity["id"], at, key): value
        for entity in entities
        for at, effect in enumerate(entity["effects"])
        for key, value in effect.items()
        if isinstance(value, list)
    }
    found: dict[tuple[Any, ...], list[Any]] = {}
    for entity, at, key, item in query(
        data, game, "SELECT entity, position, key, item FROM effect_item ORDER BY rowid"
    ):
        found.setdefault((entity, at, key), []).append(item)
    assert found == {place: items for place, items in lists.items() if items}
    titles = {id: each["title"] for id, each in pack["circumstances"].items()} | {
        each["id"]: each["name"] for each in entities
    }
    titled = (
        "SELECT coalesce(title, name) FROM effect_item LEFT JOIN circumstance ON circumstance.id = item "
        "LEFT JOIN entity ON entity.id = item WHERE key = 'when' ORDER BY effect_item.rowid"
    )
    conditions = [titles.get(item) for (_, _, key), items in lists.items() if key == "when" for item in items]
    assert [title for (title,) in query(data, game, titled)] == conditions
    assert any(conditions)
    assert query(data, game, "SELECT id, title FROM word") == [*pack["words"].items()]
    keys = ("id", "title", "calculator", "within")
    rolls = [tuple(roll[key] for key in keys) for roll in pack["rolls"]]
    assert query(data, game, "SELECT id, title, calculator, within FROM roll") == rolls


def test_search_in_sql_finds_forms_and_synonyms(data: Path, game: str) -> None:
    """The statement of the manual finds at least four of five answers."""
    fences = steps(ROOT / "content" / "docs" / "how-to" / "use-the-data.md")
    (statement,) = (step.text for step in fences if step.paragraph == "Write `search.sql`:")
    asked = {typed: ids for part in PARTS for typed, ids in questions_of(game, part).items()}
    answered = {typed: ids for typed, ids in asked.items() if not all(id.startswith("unwritten/") for id in ids)}
    with closing(sqlite3.connect(data / game / f"{game}.sqlite")) as database:
        found = {typed: database.execute(statement, {"question": typed}).fetchall() for typed in answered}
        for odd in ("", '"', "* ( ^", "骰子", "x" * 10_000):
            assert database.execute(statement, {"question": odd}).fetchall() == [], odd
    right = [
        typed for typed, ids in answered.items() if {f"{game}/{id}" for id in ids} & {id for (id,) in found[typed]}
    ]
    assert len(right) >= 0.8 * len(answered)


def test_database_rolls_on_a_chart(data: Path) -> None:
    rows = query(
        data,
        "kismet",
        "SELECT cell.text FROM printed_table t JOIN printed_range r ON r.printed_table = t.id "
        'JOIN printed_cell cell ON cell.printed_table = t.id AND cell.row = r.row AND cell."column" = 1 '
        "WHERE t.caption = 'WOUNDS CHART' AND ? BETWEEN r.min AND r.max",
        7,
    )
    assert rows == [("Festering Wound",)]


AWKWARD_KIND = """\
title: Link
x-match: {{heading: 3, under: {title}}}
additionalProperties: false
properties:
  id: {{type: string, x-from: slug}}
  name: {{type: string, x-from: title}}
  text: {{type: string, x-from: 'label:Text'}}
  order: {{type: integer, x-from: 'label:Order'}}
  field_text: {{type: string, x-from: 'label:Field text'}}
"""
AWKWARD_TEXT = """\
### {name}

**Text:** =1+1

**Order:** {number}

**Field text:** "quoted", ‘curly’
"""


def test_awkward_names_and_values_are_kept(tmp_path: Path) -> None:
    library = write_library(tmp_path / "court")
    kinds = {"link": "Links", "order": "Orders", "fts-data": "Searches", "game": "Games"}
    write_files(
        library,
        {f"kinds/{kind}.yaml": AWKWARD_KIND.format(title=title) for kind, title in kinds.items()}
        | {
            f"{title}.md": f"## {title}\n\n" + AWKWARD_TEXT.format(name=f"A {kind}", number=2**70)
            for kind, title in kinds.items()
        },
    )
    build = kismet("build", library, "--bundle", "--no-search", "--out", tmp_path / "out")
    assert build.status == 0, build.err
    data = tmp_path / "out" / "data"
    tables = dict(query(data, "ember-court", "SELECT id, table_name FROM kind"))
    assert tables == {
        "grace": "grace",
        "link": "kind_link",
        "order": "order",
        "fts-data": "kind_fts_data",
        "game": "kind_game",
    }
    for kind, table in tables.items():
        if kind != "grace":
            (row,) = query(data, "ember-court", f'SELECT field_text, "order", field_field_text, text FROM "{table}"')
            assert row[:3] == ("=1+1", str(2**70), '"quoted", ‘curly’')
            assert row[3].startswith("Text: =1+1")
    (line,) = csv.DictReader(StringIO((data / "ember-court/csv/link.csv").read_text(encoding="utf-8"), newline=""))
    assert line["field_text"] == "=1+1"
    assert line["order"] == str(2**70)


def data_page_program(data: Path, game: str, language: str) -> str:
    page = (data.parent / game / "downloads" / "index.html").read_text(encoding="utf-8")
    return unescape(page.partition(f"<b>{language}</b>")[2].partition("<code>")[2].partition("</code>")[0])


def test_program_of_the_data_page_prints_the_names_of_a_kind(data: Path, game: str) -> None:
    sql = data_page_program(data, game, "SQL")
    entities = next(filter(None, pack_of(data, game)["entities"].values()))
    assert query(data, game, sql) == [(entity["name"],) for entity in entities]


# --- packages


@pytest.fixture(scope="session")
def python_packages(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    wheels = [str(data / game / archive_names(game, "1.0.0").wheel) for game in GAMES]
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index")
    done = run((*pip, "--target", str(folder), *wheels), folder)
    assert done.returncode == 0, done.stderr
    return folder


def run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=200, check=False
    )


def run_python(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-X", "utf8", "-c", program]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", cwd=folder, timeout=60, check=False
    )


def test_wheel_loads_the_pack_and_finds_every_name(data: Path, game: str, python_packages: Path) -> None:
    program = f"""if True:
        import json, {game}_data as data
        pack = data.load()
        found = {{name: [item["id"] for item in data.find(name)] for name in data.names()}}
        print(json.dumps([pack["game"]["id"], found, data.fold("  BLÓW—Æ ")]))
    """
    done = run_python(python_packages, program)
    assert done.returncode == 0, done.stderr
    names = json.loads((data / game / "names.json").read_bytes())["names"]
    assert json.loads(done.stdout) == [game, names, "blow-ae"]


def test_programs_of_the_data_page_read_the_packages(data: Path, python_packages: Path, npm_packages: Path) -> None:
    in_python = run_python(python_packages, data_page_program(data, "kismet", "Python package")).stdout
    in_node = run_module(npm_packages, data_page_program(data, "kismet", "npm package")).stdout
    sections = len(pack_of(data, "kismet")["sections"])
    assert in_python == in_node
    assert in_python.split() == ["kismet/skill/acrobatics", str(sections)]


def test_packages_explain_themselves_with_a_program_that_runs(
    data: Path, game: str, python_packages: Path, npm_packages: Path
) -> None:
    in_python = (python_packages / f"{game}_data-1.0.0.dist-info" / "METADATA").read_text(encoding="utf-8")
    in_node = (npm_packages / "node_modules" / f"{game}-data" / "README.md").read_text(encoding="utf-8")
    for text, language, run_program, yes in (
        (in_python, "python", partial(run_python, python_packages), "True"),
        (in_node, "js", partial(run_module, npm_packages), "true"),
    ):
        (program,) = re.findall(f"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        done = run_program(program)
        assert done.returncode == 0, done.stderr
        found, *_, kinds = done.stdout.splitlines()
        assert found.startswith(f"{game}/")
        assert f" {yes}\n" in done.stdout
        assert set(kinds.split()) == {*pack_of(data, game)["entities"]}


def printed_programs(data: Path, python: Path, npm: Path) -> Iterator[tuple[str, str]]:
    """The language and the text of each program that reads data: in packages, in the manual and on the pages Data."""
    texts = list((ROOT / "content" / "docs").rglob("*.md"))
    texts += python.glob("*.dist-info/METADATA")
    texts += (npm / "node_modules" / f"{game}-data" / "README.md" for game in GAMES)
    for text in texts:
        found = re.findall(r"^```(python|js)\n(.*?)^```", text.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        assert found or text.parent.is_relative_to(ROOT), text
        yield from found
    for game in GAMES:
        for name in ("Python", "Python package"):
            yield "python", data_page_program(data, game, name)
        for name in ("JavaScript", "npm package"):
            yield "js", data_page_program(data, game, name)


def test_printed_programs_pass_strict_type_checks(
    data: Path, python_packages: Path, npm_packages: Path, tmp_path: Path
) -> None:
    for packages in (npm_packages, python_packages):
        shutil.copytree(packages, tmp_path, symlinks=True, dirs_exist_ok=True)
    suffixes = {"python": "py", "js": "mts"}
    programs = {
        f"program_{number}.{suffixes[language]}": f"{program}\n"
        for number, (language, program) in enumerate(printed_programs(data, python_packages, npm_packages))
    }
    write_files(tmp_path, programs)
    compiler = str(npm_package("typescript") / "bin" / "tsc")
    options = ("--strict", "--noUncheckedIndexedAccess", "--noEmit", "--target", "es2022", "--module", "nodenext")
    done = run((node(), compiler, *options, *(name for name in programs if name.endswith(".mts"))), tmp_path)
    assert done.returncode == 0, done.stdout
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", str(tmp_path / "cache"))
    done = run((*mypy, *(name for name in programs if name.endswith(".py"))), tmp_path)
    assert done.returncode == 0, done.stdout


def test_names_of_types_can_be_imported_at_run_time(python_packages: Path) -> None:
    program = """if True:
        import kismet_data
        from kismet_data import Condition, Pack
        from kismet_data import *
        print(Condition.__name__, hasattr(kismet_data, "nothing"))
        help(kismet_data)
    """
    done = run_python(python_packages, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Condition False\n")


def test_wheel_is_typed(python_packages: Path, tmp_path: Path) -> None:
    consumer = """\
import kismet_data

pack: kismet_data.Pack = kismet_data.load()
for item in kismet_data.find("stunned"):
    print(item["id"], kismet_data.fold("x").upper(), kismet_data.names()["stunned"][0].upper())
print(kismet_data.load().nothing)
"""
    write_files(tmp_path, {"consumer.py": consumer})
    options = ("--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"))
    loader = python_packages / "kismet_data" / "__init__.py"
    done = run(
        (sys.executable, "-m", "mypy", *options, str(loader), str(QUESTIONS / "hour.py"), "consumer.py"), tmp_path
    )
    (line,) = done.stdout.splitlines()
    assert line.startswith("consumer.py:6: error:")
    assert "nothing" in line


def test_types_know_kinds_and_inputs(python_packages: Path, npm_packages: Path, tmp_path: Path) -> None:
    """A checker refuses a field of another kind, and an input or an option that a calculator does not have."""
    in_typescript = """\
import { calculate, get, pack, type Condition, type Skill } from "kismet-data";
declare const typed: string;
const prone: Condition | undefined = get("kismet/condition/prone");
const skill: Skill | undefined = get(`kismet/skill/${typed}`) ?? get(typed, "skill");
for (const { name } of Object.values(pack.entities).flat()) console.log(name.length);
export const chance: number = calculate("attack-odds", { modifier: 3, dice: ["bonus"] });
calculate("kismet/calculator/attack-odds", { wanted: "Critical Success" });
for (const { id } of pack.calculators) calculate(id, { anything: 1 });
calculate(typed, { anything: 1 });
console.log(prone?.fields, get(typed)?.id, skill?.fields.opposed_by);
// Each of these lines is wrong.
calculate("attack-ods");
calculate("kismet/calculator/attack-ods");
calculate("attack-odds", { strength: 3 });
calculate("attack-odds", { wanted: "miss" });
calculate("kismet/calculator/attack-odds", { modifier: "3" });
get("kismet/condition/prone")?.fields.opposed_by;
get("Prone", "state");
for (const { nothing } of Object.values(pack.entities).flat()) console.log(nothing);
export const outcome: number = calculate("attack-roll");
"""
    in_python = """\
import sys
from kismet_data import AttackOddsInputs, Condition, calculate, get

prone: Condition | None = get("kismet/condition/prone", kind="condition")
skill = get("kismet/skill/" + sys.argv[1], "skill")
values: AttackOddsInputs = {"modifier": 3, "dice": ["bonus"]}
calculate("attack-odds", values)
print(prone and prone["effects"], get(sys.argv[1]), skill and skill["fields"]["opposed_by"])
# Each of these lines is wrong.
values["strength"] = 3
values["wanted"] = "miss"
values["modifier"] = "3"
prone and prone["fields"]["opposed_by"]
get("kismet/condition/prone", kind="state")
"""
    for packages in (npm_packages, python_packages):
        shutil.copytree(packages, tmp_path, symlinks=True, dirs_exist_ok=True)
    write_files(tmp_path, {"program.mts": in_typescript, "program.py": in_python, "package.json": '{"type": "module"}'})
    compiler = str(npm_package("typescript") / "bin" / "tsc")
    options = ("--strict", "--noUncheckedIndexedAccess", "--noEmit", "--target", "es2022", "--module", "nodenext")
    found = run((node(), compiler, *options, "program.mts"), tmp_path).stdout
    wrong = {int(line) for line in re.findall(r"^program\.mts\((\d+),", found, re.MULTILINE)}
    assert wrong == {*range(12, 21)}, found
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", str(tmp_path / "cache"))
    found = run((*mypy, "program.py"), tmp_path).stdout
    wrong = {int(line) for line in re.findall(r"^program\.py:(\d+): error", found, re.MULTILINE)}
    assert wrong == {*range(10, 15)}, found


def test_wheel_says_what_it_cannot_read(python_packages: Path, tmp_path: Path) -> None:
    shutil.copytree(python_packages / "kismet_data", tmp_path / "kismet_data")
    pack = tmp_path / "kismet_data" / "pack.json"
    load = "import kismet_data as data\ntry: data.load()\nexcept data.UnreadableData as problem: print(problem)"
    known = pack_schema()["properties"]["format"]["const"]
    for content, message in (
        ('{"format": 99}', f"pack.json has the format 99; this package reads format {known}\n"),
        ("[]", f"pack.json has the format None; this package reads format {known}\n"),
        ('{"format"', "pack.json cannot be read: "),
    ):
        pack.write_text(content, encoding="utf-8")
        done = run_python(tmp_path, load)
        assert done.stdout.startswith(message), done.stderr


@pytest.fixture(scope="session")
def npm_packages(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        skip_without("npm")
    folder = tmp_path_factory.mktemp("npm")
    write_files(folder, {"package.json": '{"name": "consumer", "version": "1.0.0", "type": "module"}'})
    files = [data / game / archive_names(game, "1.0.0").npm for game in GAMES]
    command = [npm, "install", "--offline", "--no-audit", "--no-fund", *map(str, files)]
    done = run(command, folder)
    assert done.returncode == 0, done.stderr
    return folder


def run_module(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    command = [node(), "--input-type=module", "--eval", program]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )


def test_npm_package_finds_names_and_computes_every_example(data: Path, game: str, npm_packages: Path) -> None:
    program = f"""
        import {{ calculate, find, fold, names, pack }} from "{game}-data";
        const ids = (name) => find(name).map((item) => item.id);
        const found = Object.fromEntries(Object.keys(names.names).map((name) => [name, ids(name)]));
        const results = pack.calculators.flatMap(({{ id, examples }}) =>
          examples.map(({{ inputs, result }}) => [id, result, calculate(id, inputs)]));
        console.log(JSON.stringify([pack.game.id, found, fold("  BLÓW—Æ "), results]));
    """
    done = run_module(npm_packages, program)
    assert done.returncode == 0, done.stderr
    game_id, found, folded, results = json.loads(done.stdout)
    names = json.loads((data / game / "names.json").read_bytes())["names"]
    assert (game_id, found, folded) == (game, names, "blow-ae")
    assert len(results) == sum(len(entry["examples"]) for entry in pack_of(data, game)["calculators"])
    types = {entry["id"]: entry["result"]["type"] for entry in pack_of(data, game)["calculators"]}
    python_types = {"number": int | float, "chance": int | float, "boolean": bool}
    for calculator, expected, computed in results:
        assert computed == pytest.approx(expected), calculator
        assert isinstance(computed, python_types.get(types[calculator], str)), calculator


def test_packages_answer_questions_alike(data: Path, game: str, python_packages: Path, npm_packages: Path) -> None:
    """The first ten results, with their passages and addresses, and the answer are equal."""
    asked = [*questions_of(game, "tuned"), "", "xyzzy", "__proto__", "x" * 300, "骰子", "12"]
    in_python = f"""if True:
        import json, {game}_data as data
        plain = lambda found: found and found._asdict()
        answers = [data.ask(question) for question in {asked}]
        print(json.dumps([
            [[plain(found) for found in data.search(question)] for question in {asked}],
            [[plain(found), plain(calculator), [*map(plain, nearest)]] for found, calculator, nearest in answers],
        ]))
    """
    in_node = f"""
        import {{ ask, search }} from "{game}-data";
        const asked = {json.dumps(asked)};
        const answers = asked.map(ask).map(({{ found, calculator, nearest }}) => [found, calculator, nearest]);
        console.log(JSON.stringify([asked.map((question) => search(question)), answers]));
    """
    first, second = run_python(python_packages, in_python), run_module(npm_packages, in_node)
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    results, answers = json.loads(first.stdout)
    assert [results, answers] == json.loads(second.stdout)
    known = {item["id"] for kind in pack_of(data, game)["entities"].values() for item in kind}
    assert {found["id"] for of_one in results for found in of_one} & known
    assert [found for found, _, _ in answers[len(asked) - 6 : len(asked) - 4]] == [None] * 2


def printed_table(die: str | None, columns: str, *rows: str, starts: Sequence[int] = ()) -> dict[str, Any]:
    """A table as in `pack.json`. `rows`: the cells, then the ranges after `:`. `starts`: the column of each range."""
    parts = [row.partition(":") for row in rows]
    ends = [[each.split("-") for each in ranges.split(",") if each] for _, _, ranges in parts]
    return {
        "die": die,
        "columns": columns.split("|"),
        "rows": [cells.split("|") for cells, _, _ in parts],
        "ranges": [[{"min": int(low), "max": int(high) if high else None} for low, high in row] for row in ends],
        **({"range_columns": [[*starts]] * len(rows)} if starts else {}),
    }


TABLES = {
    "plain": printed_table("1d10", "Roll|Find", "1-5|a:1-5", "6|b:6-6", "7+|c:7-"),
    "with a gap": printed_table("2d6", "2d6|Find|Worth", "2-3|a|1:2-3", "||:", "11-12|b|2:11-12"),
    "continued": printed_table("1d4", "d4|Find|d4|Find", "1|a|3|c:1-1,3-3", "2|b|4|d:2-2,4-4", starts=(0, 2)),
    "parallel": printed_table("d66", "Easy|Hard|Find", "-33|11|a:11-33,11-11", "-66|-66|b:34-66,12-66", starts=(0, 1)),
    "without dice": printed_table(None, "Roll", "1:"),
    "without results": printed_table("1d6", "Roll", "1:"),
}


def test_packages_roll_on_tables_alike(python_packages: Path, npm_packages: Path) -> None:
    """Every result of tables of every form, refusals included, and rolls that lead to each row."""
    id = "kismet/table/combat-rules-wounds-chart"
    asked = [*itertools.product(TABLES, range(-1, 70), (None, "easy", "HARD", "Find")), ("nothing", 1, None)]
    in_python = f"""if True:
        import json, kismet_data as data
        table, tables, answers = data.get("{id}"), {TABLES!r}, []
        for name, value, column in {asked!r}:
            table.pop("range_columns", None)
            table.update(tables.get(name, {{}}))
            try: answers.append(data.roll_table("{id}" if name in tables else name, value, column)._asdict())
            except data.RulesError as problem: answers.append([problem.code, problem.message])
        rolled = {{}}
        for name in tables:
            table.pop("range_columns", None)
            table.update(tables[name])
            if tables[name]["ranges"][0] and tables[name]["die"]:
                rolled[name] = sorted({{data.roll_table("{id}").row for _ in range(400)}})
        print(json.dumps([answers, rolled]))
    """
    in_node = f"""
        import {{ get, rollTable }} from "kismet-data";
        const table = get("{id}"), tables = {json.dumps(TABLES)}, answers = [], rolled = {{}};
        for (const [name, value, column] of {json.dumps(asked)}) {{
          delete table.range_columns;
          Object.assign(table, tables[name]);
          try {{ answers.push(rollTable(name in tables ? "{id}" : name, {{ value, column: column ?? undefined }})); }}
          catch (problem) {{ answers.push([problem.code, problem.message]); }}
        }}
        for (const name in tables) {{
          delete table.range_columns;
          Object.assign(table, tables[name]);
          if (!tables[name].ranges[0].length || !tables[name].die) continue;
          rolled[name] = [...new Set(Array.from({{ length: 400 }}, () => rollTable("{id}").row))].sort();
        }}
        console.log(JSON.stringify([answers, rolled]));
    """
    first, second = run_python(python_packages, in_python), run_module(npm_packages, in_node)
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    answers, rolled = json.loads(first.stdout)
    assert [answers, rolled] == json.loads(second.stdout)
    assert rolled == {"plain": [0, 1, 2], "with a gap": [0, 2], "continued": [0, 1], "parallel": [0, 1]}
    found = {(name, value, column): answer for (name, value, column), answer in zip(asked, answers, strict=True)}
    assert found["plain", 70 - 1, None]["cells"] == ["c"]
    assert (found["continued", 3, None]["row"], found["continued", 3, None]["cells"]) == (0, ["c"])
    assert [found["parallel", 20, column]["cells"] for column in (None, "HARD")] == [["a"], ["b"]]
    codes = {answer[0] for answer in answers if isinstance(answer, list)}
    assert codes == {"unknown-table", "no-dice", "unknown-column", "no-row"}


def test_packages_judge_situations_alike(data: Path, game: str, python_packages: Path, npm_packages: Path) -> None:
    """Random states on both sides, by id, kind and slug, or name, with no answers, all answers, or wrong ones."""
    pack, luck = pack_of(data, game), Random(40)
    rules = Rules({"pack.json": pack, "names.json": {"names": {}}, "migrations.json": []}.get)
    states = [entity for kind in pack["entities"].values() for entity in kind if entity["effects"]]
    asked: list[dict[str, Any]] = [{"roll": "nothing"}, {"roll": pack["rolls"][0]["id"], "on": ["nothing"]}]
    for roll in pack["rolls"]:
        for _ in range(12):
            sides = {side: luck.sample(states, luck.randint(0, 2)) for side in ("on", "target")}
            names = (lambda entity: entity["id"], lambda entity: entity["id"].partition("/")[2])
            spelled = {side: [luck.choice(names)(entity) for entity in entities] for side, entities in sides.items()}
            plain = rules.situation(roll["id"], spelled["on"], spelled["target"])
            lines = (*plain.asked, *plain.left[:1])
            kinds: dict[bool, list[Any]] = {True: [2, [1, 3]], False: [True, False]}
            answers = {line.key: luck.choice(kinds["given" in line.asks]) for line in lines}
            asked += [{"roll": roll["id"], **spelled, "answers": given} for given in ({}, answers)]
    asked.append({**asked[-1], "answers": {"on/nothing/0": True}})
    judged = ((state, rules.situation(pack["rolls"][0]["id"], [state["id"]])) for state in states)
    state, key = next(
        (state["id"], line.key)
        for state, (_, *groups) in judged
        for group in groups
        for line in group
        if "given" not in line.asks
    )
    asked.append({"roll": pack["rolls"][0]["id"], "on": state, "answers": {key: "no"}})
    in_python = f"""if True:
        import json, {game}_data as data
        def line(found): return [found.key, found.input, [*found.asks], [*found.values], found.effect["operation"]]
        answers = []
        for case in {asked!r}:
            try: done = data.situation(**case)
            except data.RulesError as problem: answers.append([problem.code, problem.message])
            else: answers.append([done.calculation.id, done.calculation.inputs, done.calculation.result.value,
                                  *([*map(line, lines)] for lines in (done.applied, done.asked, done.left))])
        print(json.dumps(answers))
    """
    in_node = f"""
        import {{ situation }} from "{game}-data";
        const line = ({{ key, input, asks, values, effect }}) => [key, input, asks, values, effect.operation];
        const answers = {json.dumps(asked)}.map(({{ roll, ...options }}) => {{
          try {{
            const {{ calculator, inputs, result, applied, asked, left }} = situation(roll, options);
            return [calculator, inputs, result, ...[applied, asked, left].map((lines) => lines.map(line))];
          }} catch ({{ code, message }}) {{
            return [code, message];
          }}
        }});
        console.log(JSON.stringify(answers));
    """
    first, second = run_python(python_packages, in_python), run_module(npm_packages, in_node)
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    answers = json.loads(first.stdout)
    assert answers == json.loads(second.stdout)
    codes = [answer[0] for answer in (*answers[:2], *answers[-2:])]
    assert codes == ["unknown-roll", "unknown-state", "unknown-effect", "wrong-type"]
    assert sum(len(answer) > 2 and bool(answer[3]) for answer in answers) > len(answers) // 8


def test_packages_give_the_same_odds(python_packages: Path, npm_packages: Path) -> None:
    asked = [
        "2d6+1",
        "d20 adv",
        "adv(3d6)",
        "Dis(d20+2)",
        "4d6kh3",
        "5d6>=5",
        "d%",
        "1d6 vs 1d8",
        "3d6!",
        "d10!",
        "4d6!>=5",
        "4dF",
        "nothing",
        "",
        "2000d6",
    ]
    in_python = f"""if True:
        import json, kismet_data as data
        answers = []
        for roll in {asked!r}:
            try: odds = data.odds(roll)
            except data.RulesError as problem: answers.append(problem.code)
            else: answers.append([odds.low, odds.high, float(odds.mean), "%.5e" % float(odds.tail),
                                  [[n, float(c)] for n, c in odds.outcomes]])
        print(json.dumps(answers))
    """
    in_node = f"""
        import {{ odds }} from "kismet-data";
        const exponent = (number) => number.toExponential(5).replace(/(?<=[+-])\\d$/, "0$&");
        const answers = {json.dumps(asked)}.map((roll) => {{
          try {{
            const {{ low, high, mean, tail, outcomes }} = odds(roll);
            return [low, high, mean, exponent(tail), outcomes];
          }} catch ({{ code }}) {{
            return code;
          }}
        }});
        console.log(JSON.stringify(answers));
    """
    first, second = run_python(python_packages, in_python), run_module(npm_packages, in_node)
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert json.loads(first.stdout) == json.loads(second.stdout)


def test_wheel_has_the_engine_of_this_repository(python_packages: Path) -> None:
    package = python_packages / "kismet_data"
    for path in engine_files():
        assert (package / path).read_bytes() == (ROOT / "kismet_build" / path).read_bytes()


def test_packages_calculate_alike(data: Path, game: str, python_packages: Path, npm_packages: Path) -> None:
    """Every calculator with its examples, and with values that inputs refuse and formulas have no result for."""
    random = Random(7)
    odd: list[Any] = [*(None, True, "", "yes", "2", "10", "nothing", 0, 1, 2, 3, 7, 0.5, -1, 1e9, [], [1], ["bonus"])]
    asked: list[tuple[str, Any]] = [("nothing", {}), ("atack-rol", {}), ("attack-roll", {"nothing": 1, "modifer": 1})]
    for calculator in pack_of(data, game)["calculators"]:
        names = [given["name"] for given in calculator["inputs"]]
        asked += ((calculator["id"], example["inputs"]) for example in calculator["examples"])
        asked += (
            (calculator["id"], {name: random.choice(odd) for name in names if random.random() < 0.4}) for _ in range(60)
        )
    program = f"""if True:
        import json, sys, {game}_data as data
        named = {{"unknown-calculator", *{[*get_args(Fault)]}}}
        def run(id, values):
            try: return data.calculate(id, values)
            except data.RulesError as problem:
                return [problem.code, problem.message if problem.code in named else "", problem.input]
        print(json.dumps([run(*each) for each in json.load(open("asked.json", encoding="utf-8"))]))
    """
    module = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ calculate }} from "{game}-data";
        const named = new Set(["unknown-calculator", ...{[*get_args(Fault)]}]);
        const run = ([id, values]) => {{
          try {{ return calculate(id, values); }}
          catch ({{ code, message, input }}) {{ return [code, named.has(code) ? message : "", input ?? null]; }}
        }};
        console.log(JSON.stringify(JSON.parse(readFileSync("asked.json", "utf-8")).map(run)));
    """
    for folder in (python_packages, npm_packages):
        (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    first, second = run_python(python_packages, program), run_module(npm_packages, module)
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    for each, ours, theirs in zip(asked, json.loads(first.stdout), json.loads(second.stdout), strict=True):
        assert ours == theirs, each


def test_packages_put_sections_together(data: Path, game: str, python_packages: Path, npm_packages: Path) -> None:
    pack = pack_of(data, game)
    by_id = {entity["id"]: entity for of_kind in pack["entities"].values() for entity in of_kind}
    parts = [part for section in pack["sections"] for part in section["content"]]
    forms = {("entity",), ("entity", "lines"), ("html", "text"), ("question", "html", "text")}
    assert {tuple(part) for part in parts} == forms
    texts = {section["id"]: [section_text(section, by_id, form) for form in FORMS] for section in pack["sections"]}
    texts |= {id_: [entity[form] for form in FORMS] for id_, entity in by_id.items()}
    texts |= {record["id"]: [""] * 2 for record in (*pack["tables"], *pack["calculators"])}
    in_python = f"""if True:
        import json, {game}_data as data
        print(json.dumps({{id: [data.text_of(data.get(id), form) for form in {[*FORMS]}] for id in {[*texts]}}}))
    """
    in_node = f"""
        import {{ get, textOf }} from "{game}-data";
        const texts = {json.dumps([*texts])}.map((id) => [id, {[*FORMS]}.map((form) => textOf(get(id), form))]);
        console.log(JSON.stringify(Object.fromEntries(texts)));
    """
    for done in (run_python(python_packages, in_python), run_module(npm_packages, in_node)):
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == texts


def test_engine_of_the_npm_package_is_small(npm_packages: Path) -> None:
    scripts = sorted((npm_packages / "node_modules" / "kismet-data").glob("*.js"))
    assert sum(len(gzip.compress(script.read_bytes())) for script in scripts) < 25 * 1024


def test_npm_package_says_what_it_cannot_read(npm_packages: Path, tmp_path: Path) -> None:
    package = tmp_path / "node_modules" / "kismet-data"
    shutil.copytree(npm_packages / "node_modules" / "kismet-data", package)
    (package / "pack.json").write_text('{"format": 99}', encoding="utf-8")
    done = run_module(tmp_path, 'import "kismet-data"')
    known = pack_schema()["properties"]["format"]["const"]
    assert f"pack.json has the format 99; this package reads format {known}" in done.stderr


def test_zip_holds_the_data_and_the_schemas_that_they_name(data: Path, game: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(data / game / archive_names(game, "1.0.0").zip) as archive:
        archive.extractall(tmp_path)
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    pack = json.loads((tmp_path / game / "pack.json").read_bytes())
    for schema in (pack["$schema"], *(kind["schema"] for kind in pack["kinds"].values())):
        assert (tmp_path / game / schema).is_file()
    licence = (tmp_path / "LICENSE").read_text(encoding="utf-8")
    assert pack["game"]["licence_id"] in licence
    assert pack["game"]["attribution"] in licence
    published = {path: content for path, content in tree(data).items() if path.startswith(f"{game}/")}
    for path, content in tree(tmp_path / game).items():
        assert published[f"{game}/{path}"] == content


def test_versions_and_names_are_what_npm_and_pip_accept() -> None:
    versions = ("1.0.0", "2", "1.10", "2nd Edition / beta", "", "007", "1.2.3.4", "1.0rc1", "Ä")
    assert [*map(npm_version, versions)] == [
        *("1.0.0", "2.0.0", "1.10.0", "0.0.0-v2nd-Edition-beta", "0.0.0", "7.0.0", "0.0.0-v1-2-3-4"),
        *("0.0.0-v1-0rc1", "0.0.0"),
    ]
    assert [*map(python_version, versions)] == [
        *("1.0.0", "2", "1.10", "0+2nd.edition.beta", "0", "007", "1.2.3.4", "1.0rc1", "0"),
    ]
    assert archive_names("5e-notes", "2nd Edition / beta") == (
        "downloads/5e-notes-2nd-Edition-beta.zip",
        "downloads/5e-notes-2nd-Edition-beta.tgz",
        "downloads/5e_notes_data-0+2nd.edition.beta-py3-none-any.whl",
        "downloads/5e-notes-2nd-Edition-beta-foundry.zip",
    )
    assert module_name("5e-notes").isidentifier()


# --- migrations


def test_migrations_are_published_with_whole_ids(tmp_path: Path) -> None:
    library = write_library(tmp_path / "court")
    entry = "- {from: grace/nod, to: grace/bow, date: 2026-11-23, reason: The name of the second edition}\n"
    write_files(library, {"migrations.yaml": entry})
    build = kismet("build", library, "--bundle", "--no-search", "--out", tmp_path / "out")
    assert build.status == 0, build.err
    published = json.loads((tmp_path / "out/data/ember-court/migrations.json").read_bytes())
    reason = "The name of the second edition"
    assert published == [
        {"from": "ember-court/grace/nod", "to": "ember-court/grace/bow", "date": "2026-11-23", "reason": reason}
    ]


def test_a_calculator_is_found_by_its_ids_and_earlier_ones(data: Path) -> None:
    old, new = "kismet/calculator/leap", "kismet/calculator/long-jump"
    migrations = [{"from": old, "to": new}]
    files = {"pack.json": pack_of(data, "kismet"), "names.json": {"names": {}}, "migrations.json": migrations}
    rules = Rules(files.get)
    for id in (new, "long-jump", "calculator/long-jump", old, "leap", "Long-Jump"):
        assert rules.calculate(id).id == new
        assert rules.get(id)["id"] == new
    for id in ("jump", "", "kismet/condition/prone"):
        with pytest.raises(RulesError, match=f'unknown calculator "{id}": '):
            rules.calculate(id)


def test_packages_know_what_a_name_means(data: Path, game: str, python_packages: Path, npm_packages: Path) -> None:
    """By every id and name, with and without a kind: an entity before a section before a table, or an error."""
    pack, names = pack_of(data, game), json.loads((data / game / "names.json").read_bytes())["names"]
    entities = [entity for of_kind in pack["entities"].values() for entity in of_kind]
    items = {item["id"]: item for item in (*entities, *pack["sections"], *pack["tables"], *pack["calculators"])}
    slugs = {id.rpartition("/")[2] for id in items if id.split("/")[1] == "calculator"}
    typos = {name[:-2] + name[-1] for name in (*names, *slugs)}
    asked = [
        *items,
        *(id.partition("/")[2] for id in items),
        *names,
        *map(str.upper, names),
        *slugs,
        *typos,
        "",
        "constructor",
    ]
    (first_kind, *_) = pack["entities"]
    in_python = f"""if True:
        import json, {game}_data as data
        def run(name, kind):
            try: return (data.get(name, kind) or {{"id": None}})["id"]
            except data.RulesError as problem: return [problem.code, problem.message]
        def refused(call, name):
            try: call(name)
            except data.RulesError as problem: return [problem.code, problem.message]
        asked = json.load(open("asked.json", encoding="utf-8"))
        found = [run(name, kind) for name in asked for kind in (None, "{first_kind}")]
        calls = (data.calculate, data.roll_table)
        print(json.dumps([found, [refused(call, name) for name in asked[-300:] for call in calls]]))
    """
    in_node = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ calculate, get, rollTable }} from "{game}-data";
        const attempt = (run) => {{
          try {{ return run() ?? null; }} catch ({{ code, message }}) {{ return [code, message]; }}
        }};
        const asked = JSON.parse(readFileSync("asked.json", "utf-8"));
        const refused = (call, name) => attempt(() => {{ call(name); }});
        console.log(JSON.stringify([
          asked.flatMap((name) => [undefined, "{first_kind}"].map((kind) => attempt(() => get(name, kind)?.id))),
          asked.slice(-300).flatMap((name) => [calculate, rollTable].map((call) => refused(call, name)))]));
    """
    for folder in (python_packages, npm_packages):
        (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    first, second = run_python(python_packages, in_python), run_module(npm_packages, in_node)
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    found, refused = json.loads(first.stdout)
    assert [found, refused] == json.loads(second.stdout)
    meant = dict(zip(asked, found[::2], strict=True))
    assert [meant[id] for id in items] == [*items]

    def sort(id: str) -> str:
        return "entity" if "kind" in items[id] else id.split("/")[1]

    for name in names.keys() - slugs - items.keys():
        alike = [id for id in names[name] if sort(id) == sort(names[name][0])]
        if len(alike) == 1:
            assert meant[name] == alike[0]
        else:
            assert meant[name] == ["ambiguous-name", f'"{name}" has several meanings: choose from {", ".join(alike)}']
    assert any("did you mean" in message for _, message in filter(None, refused))
    assert {code for code, _ in filter(None, refused)} <= {"unknown-calculator", "unknown-table", "no-dice", "no-row"}


def test_no_migrations_are_an_empty_list(data: Path, game: str) -> None:
    assert json.loads((data / game / "migrations.json").read_bytes()) == []
    with zipfile.ZipFile(BytesIO((data / game / archive_names(game, "1.0.0").zip).read_bytes())) as archive:
        assert json.loads(archive.read(f"{game}/migrations.json")) == []


# --- questions


def answer_in_python(packages: Path, questions: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    answers = {}
    for game, asked in questions.items():
        command = (sys.executable, "-B", "-X", "utf8", str(QUESTIONS / "answer.py"), f"{game}_data")
        answers[game] = answer(command, packages, asked, PYTHONPATH=str(packages))
    return answers


def answer_in_typescript(folder: Path, questions: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Compile a program for the packages in a folder, with all checks, and run it."""
    imports = "".join(f'import * as {game} from "{game}-data";\n' for game in questions)
    games = f"export const games: Readonly<Record<string, Data>> = {{ {', '.join(questions)} }};\n"
    write_files(folder, {"games.ts": f'import type {{ Data }} from "./answer.js";\n{imports}{games}'})
    for name in ("answer.ts", "npm.js", "hour.ts"):
        shutil.copy(QUESTIONS / name, folder)
    checks = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes")
    compiler = str(npm_package("typescript") / "bin" / "tsc")
    done = run(
        (node(), compiler, *checks, "--target", "es2022", "--module", "nodenext", "answer.ts", "games.ts", "hour.ts"),
        folder,
    )
    assert done.returncode == 0, done.stdout
    return {game: answer((node(), "npm.js", game), folder, asked) for game, asked in questions.items()}


def answer_in_sql(data: Path, questions: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    program = (QUESTIONS / "answer.sql").read_text(encoding="utf-8")
    answers: dict[str, Any] = {}
    for game, asked in questions.items():
        with closing(sqlite3.connect(data / game / f"{game}.sqlite")) as database:
            rows = [database.execute(program, {"question": question}).fetchone() for question in asked]
        answers[game] = [[*row] for row in rows]
    return answers


def answer_from_files(data: Path, folder: Path, questions: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Run the program in a folder that has `answer.js`, with the data at an address."""
    shutil.copy(QUESTIONS / "fetch.js", folder)
    with serve_folder(data.parent) as address:
        return {game: answer((node(), "fetch.js", address, game), folder, asked) for game, asked in questions.items()}


def answer(command: Sequence[str], folder: Path, questions: Any, **environment: str) -> Any:
    done = subprocess.run(
        command,
        cwd=folder,
        input=json.dumps(questions),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_programs_in_four_languages_answer_questions_alike(
    data: Path, python_packages: Path, npm_packages: Path, tmp_path: Path
) -> None:
    pages = yaml.safe_load((ROOT / "tests" / "facts" / "questions.yaml").read_text(encoding="utf-8"))
    rows = {game: [row for group in groups.values() for row in group] for game, groups in pages.items()}
    questions = {game: [row[0] for row in asked] for game, asked in rows.items()}
    shutil.copytree(npm_packages, tmp_path / "npm", symlinks=True)
    answers = {
        "Python": answer_in_python(python_packages, questions),
        "SQL": answer_in_sql(data, questions),
        "TypeScript": answer_in_typescript(tmp_path / "npm", questions),
        "fetch": answer_from_files(data, tmp_path / "npm", questions),
    }
    wrong = [
        f"{language}: {question} -> {id}: {text[:80]}"
        for language, games in answers.items()
        for game, asked in rows.items()
        for (question, expected, fact), (id, text) in zip(asked, games[game], strict=True)
        if id != f"{game}/{expected}" or normalize(fact) not in normalize(text)
    ]
    assert wrong == []
    # With the programs that are compiled now.
    assert_first_hour(data, python_packages, tmp_path / "npm")


def assert_first_hour(data: Path, python: Path, npm: Path) -> None:
    """First steps of a tool maker: the type of a wound, effects by condition, a roll on a chart, a section's links."""
    file = str(QUESTIONS / "hour.py")
    in_python = answer((sys.executable, "-B", file, "8"), python, None, PYTHONPATH=str(python))
    damage_type, conditions, row, text, links = in_python
    assert damage_type == "kismet/damage-type/air"
    assert conditions == ["Blind", "Charmed", "Paralyzed", "Prone", "Restrained", "Surprised", "Unconscious"]
    assert row[:2] == ["8", "Stagger"]
    assert text.startswith("Each Round of combat needs a Turn order")
    assert links == ["Surprise Round", "Trust Fate", "DICE ROLLS", "Round", "Turn"]
    program = 'import { hour } from "./hour.js"; console.log(JSON.stringify(hour(8)))'
    assert json.loads(run_module(npm, program).stdout) == in_python
    with serve_folder(data.parent) as address:
        assert answer((node(), str(QUESTIONS / "hour_fetch.mjs"), address, "8"), npm, None) == in_python
    with closing(sqlite3.connect(data / "kismet" / "kismet.sqlite")) as database:
        found = database.execute((QUESTIONS / "hour.sql").read_text(encoding="utf-8"), {"result": 8}).fetchone()
    in_sql = [found[0], json.loads(found[1]), json.loads(found[2]), found[3], json.loads(found[4])]
    assert in_sql == in_python


# --- the manual


def test_examples_of_the_manual_run(data: Path, python_packages: Path, npm_packages: Path) -> None:
    page = (ROOT / "content/docs/how-to/use-the-data.md").read_text(encoding="utf-8").partition("## Packages")[2]
    examples = dict(re.findall(r"^```(\w+)\n(.*?)^```", page.partition("\n## ")[0], re.MULTILINE | re.DOTALL))
    assert sorted(examples) == ["js", "python", "sql"]
    conditions = pack_of(data, "kismet")["entities"]["condition"]
    text = next(condition["text"] for condition in conditions if condition["name"] == "Stunned")
    done = run_python(python_packages, examples["python"])
    answer = f"Stunned: {text}"
    assert done.stdout == f"{answer} kismet/condition/stunned kismet/condition/stunned/\n{text}\n", done.stderr
    done = run_module(npm_packages, examples["js"])
    assert done.stdout.startswith(f"{answer}\n{text}\na Critical Success"), done.stderr
    named, found, rolled, joined = (query(data, "kismet", sql) for sql in examples["sql"].split(";")[:4])
    assert named == [("Stunned", "condition")]
    assert found[0][0] == "kismet/rule/initiative"
    assert any("[initiative]" in words.casefold() for _, words in found[:3])
    assert rolled == [("Festering Wound", 7, 7)]
    circumstances = pack_of(data, "kismet")["circumstances"].values()
    assert {title for _, title in joined} <= {each["title"] for each in circumstances}
    assert joined
