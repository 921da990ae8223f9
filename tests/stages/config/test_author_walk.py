"""Mistakes that stopped a new author who had only the manual."""

from pathlib import Path

import pytest

from tests.command import kismet, write_files
from tests.small_library import CALCULATORS, GAME, KIND, TEXT, write_library


def test_kinds_beside_a_game_need_no_line(tmp_path: Path) -> None:
    court = write_library(tmp_path / "court", game=GAME.replace("kinds: kinds\n", ""))
    run = kismet("build", court, "--out", tmp_path / "out", "--no-search")
    assert "Ember Court: 1 chapter, 2 entities" in run.out
    assert (tmp_path / "out/data/ember-court/grace/bow.json").is_file()


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("effect.yaml", 'rename it to "effects.yaml"'),
        ("correction.yml", 'rename it to "corrections.yml"'),
        ("calculator/moving.yaml", 'rename it to "calculators"'),
        ("Kinds/grace.yaml", 'rename it to "kinds"'),
    ],
)
def test_data_file_with_a_misspelled_name_is_named(tmp_path: Path, path: str, hint: str) -> None:
    court = write_library(tmp_path / "court")
    write_files(court, {path: "{}\n"})
    run = kismet("check", court)
    assert f'warning[unread-file]: kismet does not read "{path.partition("/")[0]}"' in run.out
    assert hint in run.out


def test_other_data_files_are_nothing_to_speak_of(tmp_path: Path) -> None:
    court = write_library(tmp_path / "court")
    write_files(court, {"notes.yaml": "{}\n", "pictures/list.yaml": "{}\n", "effects.yml": "{}\n"})
    assert "0 errors, 0 warnings" in kismet("check", court).out


def test_sources_that_take_no_text_are_named(tmp_path: Path) -> None:
    court = write_library(tmp_path / "court", game=GAME.replace("**/*.md", "texts/*.md"))
    run = kismet("check", court)
    assert "no text there matches a pattern of `sources` in its game.yaml" in run.err


def test_nothing_is_reported_that_follows_from_a_calculator_that_cannot_be_read(tmp_path: Path) -> None:
    game = GAME + "boards: [{id: court, title: Court, parts: [{calculator: share}]}]\n"
    game += "rolls: {jump: {title: jumps, calculator: far-jump, inputs: {speed: speed}}}\n"
    court = write_library(tmp_path / "court", game=game)
    write_files(court, {"calculators/rules.yaml": CALCULATORS.replace("share:", "\tshare:")})
    run = kismet("check", court)
    assert "there is a tab" in run.out
    assert "1 error, 0 warnings" in run.out


@pytest.mark.parametrize(
    ("result", "is_right"), [("72.2 %", True), ('"72,22%"', True), ("72 %", True), ("72.3 %", False), ("0.722", False)]
)
def test_chance_of_an_example_is_written_as_the_text_prints_it(tmp_path: Path, result: str, is_right: bool) -> None:
    calculator = """\
step:
  title: A step
  inputs:
    mates: {label: Mates, type: integer, min: 0, max: 4, default: 2}
  formula: chance(dice("2d6"), 8 - mates)
  result: {type: chance, sentence: 'It comes in {result}'}
  citation: &bow {document: 1 Court, heading: Bow, quote: You bend}
  examples:
    - {inputs: {mates: 2}, result: RESULT, citation: *bow}
"""
    court = write_library(tmp_path / "court")
    write_files(court, {"calculators/rules.yaml": calculator.replace("RESULT", result)})
    run = kismet("check", court)
    assert ("0 errors, 0 warnings" in run.out) is is_right
    if "%" not in result:
        assert "if the text rounds, write the rounded number: result: 72.2 %" in run.out


@pytest.mark.parametrize("line", ["ifdef::gm[]", "ifndef::gm[Words.]", "endif::[]", "include::other.adoc[]"])
def test_directives_of_asciidoc_are_no_fields(tmp_path: Path, line: str) -> None:
    notes = {f"Ships/{name}.adoc": f"= {name}\n\n{line}\n\nWords.\n" for name in ("Gull", "Tern", "Skua")}
    assert "3 notes are only pages, not entries" in kismet("check", write_files(tmp_path / "vault", notes)).out


def test_texts_of_a_look_are_no_texts_of_the_game(tmp_path: Path) -> None:
    court = write_files(
        tmp_path / "court",
        {
            "game.yaml": GAME.replace("**/*.md", "*.md"),
            "kinds/grace.yaml": KIND,
            "1 Court.md": TEXT,
            "library.yaml": "site: look\n",
            "look/pages/About.md": "# About\n",
        },
    )
    run = kismet("check", court)
    assert "0 errors, 0 warnings, 0 notes" in run.out
