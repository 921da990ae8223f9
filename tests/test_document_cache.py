"""The document cache: an unchanged text is loaded from memory or disk instead of parsed."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from kismet_build.build import document_cache
from kismet_build.build.document_cache import DocumentCache
from kismet_build.config.game import Game, load_library
from kismet_build.model.diagnostic import to_text
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse import read
from tests.small_library import write_library

DOCUMENT_COUNT = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game of several texts, one of which has an error."""
    folder = write_library(tmp_path / "court")
    for number in range(2, DOCUMENT_COUNT + 1):
        (folder / f"{number} Yard.md").write_text(f"# Yard {number}\n\nA *walk*.\n", encoding="utf-8")
    (folder / "3 Yard.md").write_text("# Yard 3\n\n%% never closed\n", encoding="utf-8")
    return folder


@pytest.fixture
def parsed_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Paths of the texts parsed in this process. Limits are lowered so that few texts use several processes."""
    monkeypatch.setattr(document_cache, "MIN_DOCUMENTS_FOR_WORKERS", 2)
    monkeypatch.setattr(document_cache, "BATCH_SIZE", 3)
    monkeypatch.setenv("KISMET_CACHE", str(tmp_path / "cache"))
    paths: list[str] = []

    def recorded(source: Source, *given: Any, **options: Any) -> Document:
        paths.append(source.path)
        return read(source, *given, **options)

    monkeypatch.setattr(document_cache, "read", recorded)
    return paths


def game_in(folder: Path) -> Game:
    return load_library(folder, None, lambda _: None).games[0]


def parse_with_cache(folder: Path, cache: DocumentCache, jobs: int = 1) -> list[str]:
    """The documents of a game and their diagnostics, as text."""
    game = game_in(folder)
    files = cache.parse_files(game, game.files, jobs=jobs).values()
    documents = [file.document for file in files if file.document is not None]
    diagnostics = [diagnostic for file in files for diagnostic in file.diagnostics]
    return [*(f"{document.source.path}: {document.blocks!r}" for document in documents), *map(to_text, diagnostics)]


def stores(tmp_path: Path) -> list[Path]:
    return [*(tmp_path / "cache" / "documents").glob("*.sqlite")]


def test_text_is_reparsed_only_if_its_bytes_change(folder: Path, parsed_paths: list[str]) -> None:
    cache = DocumentCache()
    first = parse_with_cache(folder, cache)
    assert len(parsed_paths) == DOCUMENT_COUNT
    assert parse_with_cache(folder, cache) == first
    (folder / "2 Yard.md").write_text("# Yard\n", encoding="utf-8")
    parse_with_cache(folder, cache)
    assert parsed_paths[DOCUMENT_COUNT:] == ["2 Yard.md"]


def test_the_next_process_loads_documents_from_disk(folder: Path, parsed_paths: list[str], tmp_path: Path) -> None:
    first = parse_with_cache(folder, DocumentCache(is_persistent=True))
    assert len(parsed_paths) == DOCUMENT_COUNT
    assert any("warning[unclosed-comment]" in line for line in first)
    assert parse_with_cache(folder, DocumentCache(is_persistent=True)) == first
    (folder / "2 Yard.md").write_text("# Yard\n", encoding="utf-8")
    (folder / "4 Yard.md").unlink()
    parse_with_cache(folder, DocumentCache(is_persistent=True))
    assert parsed_paths[DOCUMENT_COUNT:] == ["2 Yard.md"]
    with sqlite3.connect(stores(tmp_path)[0]) as store:
        assert store.execute("SELECT count(*) FROM documents").fetchone() == (DOCUMENT_COUNT - 1,), (
            "documents of removed files are deleted"
        )


def test_documents_stay_stored_if_only_others_are_parsed(folder: Path, parsed_paths: list[str]) -> None:
    first = parse_with_cache(folder, DocumentCache(is_persistent=True))
    game = game_in(folder)
    for file, _ in game.files[:3]:
        file.write_text(file.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    DocumentCache(is_persistent=True).parse_files(game, game.files[:3])
    seen = len(parsed_paths)
    assert parse_with_cache(folder, DocumentCache(is_persistent=True)) != first
    assert len(parsed_paths) == seen


@pytest.mark.parametrize("spoiled", [b"", b"no database", b"SQLite format 3\0 and no more"])
def test_texts_are_reparsed_if_the_cache_file_is_damaged(
    folder: Path, parsed_paths: list[str], tmp_path: Path, spoiled: bytes
) -> None:
    first = parse_with_cache(folder, DocumentCache(is_persistent=True))
    stores(tmp_path)[0].write_bytes(spoiled)
    assert parse_with_cache(folder, DocumentCache(is_persistent=True)) == first
    assert len(parsed_paths) == 2 * DOCUMENT_COUNT
    for _ in range(2):
        parse_with_cache(folder, DocumentCache(is_persistent=True))
    assert len(parsed_paths) <= 3 * DOCUMENT_COUNT, "the new documents are stored"


def test_texts_are_reparsed_if_cached_documents_are_damaged(
    folder: Path, parsed_paths: list[str], tmp_path: Path
) -> None:
    first = parse_with_cache(folder, DocumentCache(is_persistent=True))
    with sqlite3.connect(stores(tmp_path)[0]) as store:
        store.execute("UPDATE documents SET document = x'00'")
    assert parse_with_cache(folder, DocumentCache(is_persistent=True)) == first
    assert len(parsed_paths) == 2 * DOCUMENT_COUNT


def test_other_versions_of_the_compiler_do_not_share_documents(
    folder: Path, parsed_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parse_with_cache(folder, DocumentCache(is_persistent=True))
    monkeypatch.setattr(document_cache, "program_digest", lambda: "another")
    parse_with_cache(folder, DocumentCache(is_persistent=True))
    assert len(parsed_paths) == 2 * DOCUMENT_COUNT


def test_several_processes_give_the_same_documents_as_one(folder: Path, parsed_paths: list[str]) -> None:
    alone = parse_with_cache(folder, DocumentCache())
    assert parse_with_cache(folder, DocumentCache(), jobs=3) == alone
    assert parse_with_cache(folder, DocumentCache(is_persistent=True), jobs=3) == alone
    seen = len(parsed_paths)
    assert parse_with_cache(folder, DocumentCache(is_persistent=True)) == alone
    assert len(parsed_paths) == seen, "documents parsed by workers are stored as well"
