"""The manual: its pages match the code, every command and snippet runs, and the site has it next to the games."""

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kismet_build.cli.arguments import command_parser
from kismet_build.cli.explain import Entry, diagnostic_codes, explain, reference_entries
from kismet_build.config.data_file import shipped_schema
from kismet_build.config.load_library import load_library, load_manual
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.formula.functions import FUNCTIONS
from kismet_build.mechanics.formula.reading import PRECEDENCE
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.parse.markdown.dialects import DIALECTS
from release.reference.dice_forms import FORMS
from release.reference.pages import GENERATED_NOTE, commands, option_of, pages, shown_actions
from release.reference.schemas import Entry as KeyEntry
from release.reference.schemas import Schema, examples, file_entries, kind_entries
from tests.command import CONTENT, kismet
from tests.manual_page import run_page
from tests.small_library import write_library

MANUAL = CONTENT / "docs"
REFERENCE = MANUAL / "reference"
RUN_PAGES = sorted(
    (
        MANUAL / "index.md",
        *(file for name in ("your-vault", "tutorial", "how-to") for file in (MANUAL / name).glob("*.md")),
    )
)
SHOWN_PAGES = {"serve"}
"""Pages without commands that end. They have no fences."""
INPUT_FILES = ("game", "library", "kind", "calculator", "effects", "corrections", "migrations")
WRITTEN_BY_HAND = {"folders.md", "obsidian.md", "private-notes.md"}
"""Pages of the reference that are not generated: rules of how folders and texts are read."""
NOT_RUN = ("kismet serve", "kismet mcp", "kismet docs", "kismet completion", "kismet build my-game --dask")
"""Commands that do not end, open a browser, are for a shell, or need other machines."""


@cache
def entries() -> dict[str, list[Entry]]:
    by_page: dict[str, list[Entry]] = {}
    for entry in reference_entries():
        by_page.setdefault(entry.page, []).append(entry)
    return by_page


def names(*titles: str) -> set[str]:
    return {entry.name for title in titles for entry in entries()[title]}


def data_file_entries() -> Iterator[tuple[str, Schema, KeyEntry]]:
    """Every key of every data file, with the name and schema of the file."""
    for name in ("game", "library", "calculator", "effects", "corrections", "migrations"):
        root = shipped_schema(name)
        for entry in file_entries(name):
            yield name, root, entry
    for entry in kind_entries():
        yield "kind", shipped_schema("kind"), entry


# --- the reference agrees with the code


def test_reference_is_what_make_docs_writes() -> None:
    written = {name: text + GENERATED_NOTE for name, text in pages()}
    texts = {file.name: file.read_text(encoding="utf-8") for file in REFERENCE.glob("*.md")}
    by_hand = {name for name, text in texts.items() if not text.endswith(GENERATED_NOTE)}
    assert by_hand == WRITTEN_BY_HAND
    committed = {name: text for name, text in texts.items() if name not in by_hand}
    assert committed.keys() == written.keys()
    assert [name for name in written if committed[name] != written[name]] == [], "make docs writes these anew"


def keys_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "properties" and all(isinstance(part, dict) for part in value.values()):
                yield from value
            if name not in ("examples", "default", "const", "enum"):
                yield from keys_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys_in(value)


@pytest.mark.parametrize("name", INPUT_FILES)
def test_every_key_of_a_data_file_has_an_entry(name: str) -> None:
    known = {entry.name.rpartition(".")[2] for file, _, entry in data_file_entries() if file == name}
    inner = {"properties", "items", "anyOf", "oneOf"} if name == "kind" else set()  # of JSON Schema itself
    assert set(keys_in(shipped_schema(name))) - inner <= known
    listed = {part for page in entries().values() for entry in page for part in [entry.name.rpartition(".")[2]]}
    assert known <= listed


def test_every_function_and_operator_of_formulas_has_an_entry() -> None:
    assert {*FUNCTIONS, "dice", "lookup", "where", *PRECEDENCE, "if", "."} == names("Formulas")


def test_every_form_of_dice_has_an_entry() -> None:
    assert {form.name for form in FORMS} == names("Dice")


def test_every_rule_of_a_dialect_has_an_entry() -> None:
    assert {rule.__name__ for dialect in DIALECTS.values() for rule in dialect.rules} <= names("Dialects")


def test_every_command_and_option_has_an_entry() -> None:
    known = commands(command_parser())
    expected = {f"kismet {name}" for name in known} | {
        f"kismet {name} {option_of(action)[0]}" for name, parser in known.items() for action in shown_actions(parser)
    }
    assert expected == names("Commands")


def test_every_diagnostic_has_an_entry() -> None:
    text = (REFERENCE / "diagnostics.md").read_text(encoding="utf-8")
    assert all(f"\n## `{code}`\n" in text for code in diagnostic_codes())


@pytest.mark.parametrize("page", [page for page in entries() if page != "Addresses and data"])
def test_every_entry_has_a_meaning_and_an_example(page: str) -> None:
    for entry in entries()[page]:
        lines = entry.text.splitlines()[1:]
        prose = [line for line in lines if line and not line.startswith(("```", "`"))]
        assert prose, f"{entry.full_name} has no meaning"
        assert any(line.startswith("```") for line in lines), f"{entry.full_name} has no example"


def test_examples_of_keys_satisfy_their_schemas() -> None:
    for name, root, entry in data_file_entries():
        schema = {**entry.schema, "$defs": root.get("$defs", {})}
        for example in examples(entry):
            faults = [fault.message for fault in Draft202012Validator(schema).iter_errors(example)]
            assert not faults, f"{name} {entry.name}: {faults}"


# --- commands and examples run


@pytest.mark.parametrize("page", RUN_PAGES, ids=lambda page: page.stem)
def test_every_step_of_a_page_comes_out(page: Path, tmp_path: Path) -> None:
    assert run_page(page, tmp_path, tmp_path / "cache") > 1 or page.stem in SHOWN_PAGES


def test_examples_of_commands_run(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    assert kismet("new", "my-game", cwd=tmp_path).status == 0
    assert kismet("build", "my-game", "--out", "my-site", "--bundle", cwd=tmp_path).status == 0
    for number in range(3):
        note = tmp_path / "my-vault" / "Items" / f"Item {number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"---\nweight: {number}\n---\n\nA thing.\n", encoding="utf-8")
    ran = set()
    lines = [line for entry in entries()["Commands"] for line in entry.text.splitlines() if line.startswith("kismet ")]
    for line in lines:
        if line in ran or line.startswith(NOT_RUN) or line == "kismet build my-game --out my-site":
            continue
        ran.add(line)
        shutil.rmtree(tmp_path / ".github", ignore_errors=True)  # each example of publishing writes the workflow
        run = kismet(*shlex.split(line)[1:], cwd=tmp_path)
        assert run.status == 0, f"{line}: {run.err}{run.out}"
    assert len(ran) > len(commands(command_parser()))


def test_help_of_each_command_ends_with_its_examples() -> None:
    for name, parser in commands(command_parser()).items():
        run = kismet(*name.split(), "--help")
        assert run.status == 0
        first, second = parser.examples
        assert run.out.endswith(f"\nexamples:\n  {first}\n  {second}\n")
        assert first != second
        assert all(line.startswith(parser.prog) for line in (first, second))


# --- explain


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("x-body", "The source of the entity's text"),
        ("chance", "chance(dice, target)"),
        ("game.yaml:boards", "Pages of cards and tables"),
        ("kismet build --jobs", "processes"),
        ("jobs", "processes"),
        ("kh", "Keep the highest"),
        ("wiki_link", "[[Document#Heading|label]]"),
        ("game.yaml", "\nlicence "),
        ("library.yaml", "\nsite "),
        ("effects", "\nunsaid "),
        ("aliases", "Other names of a note"),
        ("frontmatter", "YAML between `---` lines"),
        ("glossary", "from A to Z"),
        ("boards.parts.as", "How entities of a kind are shown"),
    ],
)
def test_explain_answers_from_the_reference(word: str, expected: str) -> None:
    run = kismet("explain", word)
    assert (run.status, run.err) == (0, "")
    assert expected in run.out


def test_explain_lists_the_meanings_of_a_common_word() -> None:
    listed = kismet("explain", "title").out
    assert "kismet explain 'game.yaml:title'" in listed
    assert kismet("explain", "game.yaml:title").out.startswith("## `title`\n")


def test_explain_suggests_the_nearest_word() -> None:
    assert 'did you mean "x-body"?' in kismet("explain", "x-bdy").err
    assert kismet("explain", "x-bdy").status == 2


def test_explain_finds_every_entry() -> None:
    for page in entries().values():
        for entry in page:
            text, problem = explain(entry.full_name)
            assert entry.text in text, problem


def test_explain_finds_every_page_by_its_file_name() -> None:
    for file in REFERENCE.glob("*.md"):
        text, problem = explain(file.name)
        assert f"\n# {text.partition(chr(10))[0].removeprefix('# ')}\n" in "\n" + file.read_text("utf-8"), problem


# --- the manual is part of the site, but not a game


def test_manual_has_no_faults() -> None:
    found: list[Diagnostic] = []
    pack = compile_game(load_manual(MANUAL, found.append), found.append)
    assert found == []
    assert len(pack.book.chapters) > 30


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual")
    library = write_library(folder / "library")
    (library / "handbook" / "How to").mkdir(parents=True)
    (library / "library.yaml").write_text("manual: handbook\nurl: https://rules.example/\n", encoding="utf-8")
    (library / "handbook" / "index.md").write_text("# Handbook\n\nSee [Roll](How%20to/Roll.md).\n", encoding="utf-8")
    (library / "handbook" / "How to" / "Roll.md").write_text("# Roll\n\nA quince rolls.\n", encoding="utf-8")
    assert kismet("build", library, "--out", folder / "site").status == 0
    return folder / "site"


def test_manual_is_at_its_address(site: Path) -> None:
    page = (site / "handbook" / "how-to" / "roll" / "index.html").read_text(encoding="utf-8")
    assert 'data-manual="Handbook"' in page
    assert "A quince rolls." in page
    assert 'href="handbook/index.html">Docs for authors</a>' in (site / "index.html").read_text(encoding="utf-8")
    assert "https://rules.example/handbook/how-to/roll/" in (site / "sitemap.xml").read_text(encoding="utf-8")


def test_manual_is_no_game(site: Path) -> None:
    assert not (site / "data" / "handbook").exists()
    listed = json.loads((site / "data" / "index.json").read_bytes())["games"]
    assert "handbook" not in [game["id"] for game in listed]
    assert b"handbook" not in (site / "assets" / "games.js").read_bytes()
    assert "handbook" not in (site / "glossary" / "index.html").read_text(encoding="utf-8").replace(
        'href="../handbook/index.html">Docs for authors', ""
    )
    for name in ("glossary", "downloads", "calculators", "questions", "print", "errata"):
        assert not (site / "handbook" / name).exists()


def test_manual_has_a_search_of_its_own(site: Path) -> None:
    assert b'"handbook"' in (site / "assets" / "handbook-search.js").read_bytes()


def test_folder_of_the_manual_has_to_be_there(tmp_path: Path) -> None:
    library = write_library(tmp_path / "library")
    (library / "library.yaml").write_text("manual: nowhere\n", encoding="utf-8")
    run = kismet("check", library)
    assert run.status == 2
    assert 'there is no folder "nowhere" next to this file' in run.out


def test_texts_of_a_vault_that_are_its_manual_are_no_texts_of_the_game(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "Rules.md").write_text("# Rules\n\nRoll.\n", encoding="utf-8")
    (tmp_path / "docs" / "Guide.md").write_text("# Guide\n\nWrite.\n", encoding="utf-8")
    (tmp_path / "library.yaml").write_text("manual: docs\n", encoding="utf-8")
    library = load_library(tmp_path, None, lambda _: None)
    assert [file.name for file, _ in library.games[0].files.texts] == ["Rules.md"]
    assert library.manual is not None
    assert [file.name for file, _ in library.manual.files.texts] == ["Guide.md"]


def test_docs_prints_the_path_of_the_first_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KISMET_CACHE", str(tmp_path))
    run = kismet("docs", "--print-path")
    first = Path(run.out.strip())
    assert run.status == 0
    assert first.is_file()
    page = first.read_text(encoding="utf-8")
    assert "Manual for authors" in page
    assert (first.parent / "reference" / "kinds" / "index.html").is_file()
    assert kismet("docs", "--print-path").out == run.out
