"""Builds report the entries that changed since the last build; a strict build fails if an entry vanished."""

from pathlib import Path
from shutil import copytree

import pytest

from kismet_build.output.entity_changes import compare_entities
from tests.command import kismet, tree
from tests.small_library import KIND, TEXT, write_library

Entity = dict[str, object]


def entity(name: str, *aliases: str, text: str = "") -> Entity:
    return {
        "id": f"fen/bird/{name.lower()}",
        "name": name,
        "aliases": list(aliases),
        "fields": {},
        "effects": [],
        "text": text,
        "backlinks": [],
    }


SAME = entity("Coot")


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ([SAME, entity("Owl")], [SAME], ["bird: 1 fewer: Owl"]),
        ([SAME], [SAME, entity("Owl"), entity("Rail")], ["bird: 2 more: Owl, Rail"]),
        ([SAME, entity("Owl")], [SAME, entity("Owl", text="It hunts.")], ["bird: 1 changed"]),
        # The id of the old name leads to the new one: nothing vanished.
        ([SAME, entity("Owl")], [SAME, entity("Barn", "Owl")], ["bird: 1 changed"]),
        ([entity(name) for name in "ABCDE"], [], ["bird: 5 fewer: A, B, C and 2 more"]),
        # Backlinks belong to other texts: they are not compared.
        ([SAME], [{**SAME, "backlinks": ["fen/bird/owl"]}], []),
        ([SAME], [SAME], []),
    ],
)
def test_each_kind_with_changes_has_one_line(before: list[Entity], after: list[Entity], lines: list[str]) -> None:
    assert [*map(str, compare_entities("fen", {"bird": before}, {"bird": after}))] == lines


def test_build_and_check_report_changes_since_the_last_build(tmp_path: Path) -> None:
    write_library(tmp_path / "game")
    out, text = tmp_path / "out", tmp_path / "game" / "1 Court.md"
    assert "since" not in kismet("build", tmp_path / "game", "--out", out).output
    # A heading on another level is no longer an entry's.
    text.write_text(text.read_text(encoding="utf-8").replace("### Bow", "#### Bow"), encoding="utf-8")
    line = "since the last build: grace: 1 fewer: Bow"
    assert line in kismet("check", tmp_path / "game").output
    assert "since" not in kismet("check", tmp_path / "game", "--format", "json").output
    before = tree(out)
    strict = kismet("build", tmp_path / "game", "--out", out, "--strict")
    assert strict.status == 1
    assert line in strict.output
    assert tree(out) == before, "a strict build keeps the tree"
    accepted = kismet("build", tmp_path / "game", "--out", out, "--strict", "--accept")
    assert line in accepted.output
    assert tree(out) != before
    assert "since" not in kismet("build", tmp_path / "game", "--out", out).output


def test_first_and_unchanged_builds_report_no_changes(tmp_path: Path) -> None:
    write_library(tmp_path / "game")
    for _ in range(2):
        assert "since" not in kismet("build", tmp_path / "game", "--out", tmp_path / "out", "--no-cache").output
    assert "since" not in kismet("check", tmp_path / "game").output


def test_a_kind_whose_entries_all_vanished_is_an_error_until_it_is_accepted(tmp_path: Path) -> None:
    library, out = write_library(tmp_path / "game"), tmp_path / "out"
    # A new kind without entries is a warning.
    (library / "kinds" / "vow.yaml").write_text(
        KIND.replace("Grace", "Vow").replace("Graces", "Vows"), encoding="utf-8"
    )
    first = kismet("build", library, "--out", out)
    assert first.status == 0, first.output
    assert "warning[empty-kind]: no text defines any Vow\n" in first.err
    before = tree(out)
    copytree(out, tmp_path / "b")
    write_library(library, text=TEXT.replace("## Graces", "## Favours"))
    line = "error[empty-kind]: no text defines any Grace, and the last build had 2 entries\n"
    for run in (kismet("check", library), kismet("build", library, "--out", out)):
        assert run.status == 1
        assert line in run.output
    assert tree(out) == before
    assert "published without kind: grace\n" in kismet("build", library, "--out", tmp_path / "b", "--keep-going").output
    accepted = kismet("build", library, "--out", out, "--accept")
    assert accepted.status == 0, accepted.output
    assert "since the last build: grace: 2 fewer: Bow, Whisper" in accepted.out
    assert kismet("check", library).status == 0
    assert kismet("build", library, "--out", out).status == 0


def test_a_kind_whose_entries_are_private_now_is_no_error(tmp_path: Path) -> None:
    library, out = write_library(tmp_path / "game"), tmp_path / "out"
    assert kismet("build", library, "--out", out).status == 0
    write_library(library, text=f"---\npublish: false\n---\n{TEXT}")
    (library / "2 Hall.md").write_text("A hall.", encoding="utf-8")
    run = kismet("build", library, "--out", out)
    assert run.status == 0, run.output
    assert "warning[empty-kind]" in run.err
