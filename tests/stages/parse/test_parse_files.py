"""Parsing the files of a game: an unchanged text is not parsed again, and several processes work like one."""

from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.game import Game
from kismet_build.config.load_library import load_library
from kismet_build.driver import parse_files as module
from kismet_build.driver.compile import compile_game
from kismet_build.driver.included_files import Files
from kismet_build.driver.parse_files import open_files, parse_files
from kismet_build.driver.select import decide_privacy
from kismet_build.model.diagnostic import to_text
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.pack import Pack, ParsedFile
from kismet_build.parse import read
from tests.small_library import write_library

DOCUMENT_COUNT = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = write_library(tmp_path / "court")
    for number in range(2, DOCUMENT_COUNT + 1):
        (folder / f"{number} Yard.md").write_text(f"# Yard {number}\n\nA *walk*.\nA ride.\n", encoding="utf-8")
    (folder / "3 Yard.md").write_text("# Yard 3\n\n%% never closed\n", encoding="utf-8")
    return folder


@pytest.fixture
def parsed_paths(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    paths: list[str] = []

    def recorded(source: Source, *given: Any, **options: Any) -> Document:
        paths.append(source.path)
        return read(source, *given, **options)

    monkeypatch.setattr(module, "read", recorded)
    return paths


def game_in(folder: Path) -> Game:
    return load_library(folder, None, lambda _: None).games[0]


def parse_all(game: Game, previous: Pack | None = None, jobs: int = 1) -> dict[Path, ParsedFile]:
    files = Files(game)
    opened = open_files(game, game.files.texts, files, previous)
    privacy = decide_privacy(game, opened, files, Memo())
    return parse_files(game, opened, privacy.included, previous, jobs=jobs)


def text(files: dict[Path, ParsedFile]) -> list[str]:
    documents = [file.document for file in files.values() if file.document is not None]
    diagnostics = [diagnostic for file in files.values() for diagnostic in file.diagnostics]
    return [*(f"{document.source.path}: {document.blocks!r}" for document in documents), *map(to_text, diagnostics)]


def test_text_is_parsed_again_only_if_it_changed(folder: Path, parsed_paths: list[str]) -> None:
    game = game_in(folder)
    pack = compile_game(game, lambda _: None)
    assert len(parsed_paths) == DOCUMENT_COUNT
    again = parse_all(game, pack)
    assert text(again) == text({**pack.files})
    assert any("warning[unclosed-comment]" in line for line in text(again))
    (folder / "2 Yard.md").write_text("# Yard\n", encoding="utf-8")
    parse_all(game, pack)
    assert parsed_paths[DOCUMENT_COUNT:] == ["2 Yard.md"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dialect: obsidian", "dialect: commonmark"),
        ("kinds: kinds", "kinds: kinds\noptions: {strict_line_breaks: true}"),
    ],
)
def test_all_texts_are_parsed_again_in_another_dialect(folder: Path, old: str, new: str) -> None:
    pack = compile_game(game_in(folder), lambda _: None)
    file = folder / "game.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    game = game_in(folder)
    edited, fresh = parse_all(game, pack), parse_all(game)
    assert text(edited) == text(fresh) != text({**pack.files})


def test_several_processes_give_the_same_documents_as_one(
    folder: Path, parsed_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MIN_FOR_WORKERS", 2)
    monkeypatch.setattr(module, "BATCH_SIZE", 3)
    game = game_in(folder)
    alone = parse_all(game)
    assert len(parsed_paths) == DOCUMENT_COUNT
    assert text(parse_all(game, jobs=3)) == text(alone)
