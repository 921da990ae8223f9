"""`--keep-going` publishes a game that has errors, without the content that they make wrong."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kismet_build.lint.entities import duplicate_id
from kismet_build.model.diagnostic import Diagnostic, Report
from kismet_build.pack import Pack
from tests.command import Run, kismet
from tests.small_library import CALCULATORS, GAME, TEXT, write_library

EFFECTS = """\
grace/bow:
  - kills: true
    citation: {document: 1 Court, heading: Bow, quote: You bend}
"""
EXAMPLE = """
  examples:
    - {inputs: {guests: 3}, result: 5, citation: {document: 1 Court, heading: Whisper, quote: no more}}
"""
BOARD = """\
boards:
  - {id: sheet, title: Sheet, parts: [{kind: grace, only: [bow]}, {kind: grace}]}
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    library = write_library(tmp_path / "game", game=GAME + BOARD)
    (library / "effects.yaml").write_text(EFFECTS, encoding="utf-8")
    (library / "calculators").mkdir()
    (library / "calculators" / "all.yaml").write_text(CALCULATORS, encoding="utf-8")
    return library


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def build(library: Path, *options: str) -> Run:
    return kismet("build", library, "--out", library.parent / "out", *options)


def pack(library: Path) -> dict[str, Any]:
    return dict(json.loads((library.parent / "out/data/ember-court/pack.json").read_bytes()))


def names(library: Path) -> list[str]:
    return [entity["name"] for entity in pack(library)["entities"]["grace"]]


def test_a_library_without_errors_is_complete(library: Path) -> None:
    run = build(library, "--keep-going")
    assert run.status == 0, run.output
    assert "without" not in run.err
    assert names(library) == ["Bow", "Whisper"]


def test_an_entry_with_an_error_is_left_out(library: Path) -> None:
    change(library / "1 Court.md", "**Cost:** 3", "**Cost:** three score")
    assert build(library).status == 1
    assert not (library.parent / "out").exists()
    run = build(library, "--keep-going")
    assert run.status == 1, "the content has errors"
    assert 'kismet: "ember-court" is published without grace: Whisper\n' in run.err
    assert names(library) == ["Bow"]
    assert pack(library)["diagnostics"]["error"] == 1
    page = (library.parent / "out/ember-court/court/index.html").read_text(encoding="utf-8")
    assert "Two people hear you" in page, "the text stays"
    again = build(library, "--keep-going")
    assert (again.status, again.err) == (1, run.err), "an unchanged build reports it again"


def test_what_names_an_entry_that_is_left_out_is_left_out_too(library: Path) -> None:
    change(library / "1 Court.md", "**Cost:** 2", "Free.")
    run = build(library, "--keep-going")
    left_out = "grace: Bow; calculator: far-jump; effect: grace/bow; board part: grace"
    assert f"is published without {left_out}\n" in run.err
    assert "unknown-subject" not in run.err, "the consequences of leaving it out are not errors"
    assert "unknown-part" not in run.err
    assert [calculator["id"] for calculator in pack(library)["calculators"]] == ["ember-court/calculator/share"]
    sheet = (library.parent / "out/ember-court/boards/sheet/index.html").read_text(encoding="utf-8")
    assert "Whisper" in sheet


def test_many_names_are_counted(library: Path) -> None:
    graces = "".join(f"### Nod {number}\n\n**Cost:** many\n\n" for number in range(12))
    (library / "2 Hall.md").write_text(f"## Graces\n\n{graces}###\n\nWithout a name.\n", encoding="utf-8")
    run = build(library, "--keep-going")
    names = ", ".join(f"Nod {number}" for number in range(10))
    assert f"is published without grace: {names} and 3 more\n" in run.err


def test_of_two_entries_with_one_id_the_first_is_published(library: Path) -> None:
    change(library / "1 Court.md", "### Whisper", "### Bow")
    run = build(library, "--keep-going")
    assert "without grace: Bow\n" in run.err
    assert [entity["fields"]["cost"] for entity in pack(library)["entities"]["grace"]] == [2]


@pytest.mark.parametrize(
    ("file", "old", "new", "left_out"),
    [
        ("calculators/all.yaml", "quote: no more}\n", "quote: no more}" + EXAMPLE, "calculator: share"),
        ("calculators/all.yaml", "12 / guests", "12 / gusts", "definition: calculators/all.yaml:27"),
        ("effects.yaml", "grace/bow", "grace/bwo", "effect: grace/bwo"),
        ("game.yaml", "only: [bow]", "only: [bwo]", "board part: grace"),
        ("game.yaml", "only: [bow]", "fields: [price]", "definition: game.yaml:9"),
    ],
)
def test_definitions_with_errors_are_left_out(library: Path, file: str, old: str, new: str, left_out: str) -> None:
    change(library / file, old, new)
    run = build(library, "--keep-going")
    assert run.status == 1
    assert f"is published without {left_out}\n" in run.err
    assert names(library) == ["Bow", "Whisper"]


def test_a_text_that_cannot_be_read_is_left_out(library: Path) -> None:
    (library / "2 Hall.md").write_bytes(b"# Hall\n\nA caf\xe9.\n")
    assert build(library).status == 1
    assert "is published without text: 2 Hall.md\n" in build(library, "--keep-going").err


def test_entries_of_a_text_with_unreadable_properties_are_left_out(library: Path) -> None:
    (library / "2 Hall.md").write_text(f"---\na: [b\n---\n{TEXT.replace('Bow', 'Nod').replace('Whisper', 'Song')}")
    assert build(library).status == 1
    assert "is published without text: 2 Hall.md\n" in build(library, "--keep-going").err
    assert names(library) == ["Bow", "Whisper"]


def test_unreadable_properties_of_a_text_without_entries_are_a_warning(library: Path) -> None:
    (library / "2 Hall.md").write_text("---\na: [b\n---\nA hall.\n")
    run = build(library)
    assert run.status == 0
    assert "warning[invalid-frontmatter]" in run.err


def test_an_error_that_does_not_say_what_it_makes_untrue_stops_the_game(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report_without_subject(report: Report, diagnostic: Diagnostic) -> None:
        report(replace(diagnostic, subject=None))

    def new_check(pack: Pack, report: Report) -> None:
        duplicate_id(pack, partial(report_without_subject, report))

    monkeypatch.setattr("kismet_build.driver.compile.CHECKS", (new_check,))
    change(library / "1 Court.md", "### Whisper", "### Bow")
    run = build(library, "--keep-going")
    assert run.status == 1
    assert "--keep-going cannot publish the rest" in run.err
    assert not (library.parent / "out").exists()
