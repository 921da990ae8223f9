"""An incremental build writes the same tree and prints the same messages as a full build."""

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kismet_build.build import build_cache, pipeline
from kismet_build.build.build_cache import BuildRequest, is_unchanged, load_build_cache, save_build_cache
from kismet_build.build.document_cache import DocumentCache
from kismet_build.build.pipeline import BuildOptions, build_library, compile_game
from kismet_build.config.data_file import UsageError
from kismet_build.config.game import Game, Library, load_library
from kismet_build.model.diagnostic import Diagnostic, to_text
from kismet_build.output import search_index
from kismet_build.pack import Pack
from kismet_build.serve.rebuilder import Rebuilder
from tests.command import CONTENT, GAMES, Run, kismet, kismet_process, tree
from tests.sample import sample
from tests.small_library import GAME, KIND, TEXT, write_library

SEQUENCES = range(int(os.environ.get("KISMET_SEQUENCES", "12")))
"""Seeds of the sequences of edits, of which `make test` runs one in three. A thousand take a quarter of an hour."""


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A library of two small games."""
    folder = tmp_path / "content"
    for name in ("ember", "ash"):
        write_library(folder / name, game=GAME.replace("ember", name).replace("Ember", name.title()))
        (folder / name / "2 Other.md").write_text("# Other", encoding="utf-8")
    return folder


def built(texts: Path, out: Path, *options: str, command: Callable[..., Run] = kismet) -> Run:
    run = command("build", texts, "--out", out, *options)
    assert run.status in (0, 1), run.output
    return run


def times(out: Path) -> dict[str, int]:
    return {file.relative_to(out).as_posix(): file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file()}


def test_unchanged_library_writes_no_file_and_prints_the_same(texts: Path, tmp_path: Path) -> None:
    first = built(texts, tmp_path / "out", command=kismet_process)
    before = times(tmp_path / "out")
    assert built(texts, tmp_path / "out", command=kismet_process).output == first.output
    assert times(tmp_path / "out") == before
    built(texts, tmp_path / "out", "--no-cache")
    assert times(tmp_path / "out") != before, "--no-cache writes all files"


CHANGES: dict[str, dict[str, str | None]] = {
    "a text": {"content/ash/1 Court.md": TEXT.replace("bend", "bow")},
    "a text added": {"content/ash/2 More.md": "# More"},
    "a text removed": {"content/ash/2 Other.md": None},
    "a text renamed": {"content/ash/2 Other.md": None, "content/ash/2 Same.md": "# Other"},
    "a kind": {"content/ash/kinds/grace.yaml": KIND.replace("title: Grace", "title: Favour")},
    "the library": {"content/library.yaml": "title: All"},
    "a game removed": {"content/ash/game.yaml": None},
    "a page of the tree": {"out/ash-court/index.html": "another"},
    "a page of the tree removed": {"out/ash-court/index.html": None},
    "a foreign file": {"out/foreign.txt": "x"},
}


def test_unchanged_page_is_not_written(texts: Path, tmp_path: Path) -> None:
    built(texts, tmp_path / "out")
    before = times(tmp_path / "out")
    file = texts / "ash/1 Court.md"
    file.write_text(TEXT.replace("You bend", "You nod"), encoding="utf-8")
    built(texts, tmp_path / "out")
    after = times(tmp_path / "out")
    written = {path for path, time in after.items() if before.get(path) != time}
    assert "ash-court/grace/bow/index.html" in written
    assert not written & {"ash-court/grace/whisper/index.html", "ember-court/index.html", "assets/site.css"}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_output_after_a_change_equals_a_full_build(texts: Path, tmp_path: Path, change: dict[str, str | None]) -> None:
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    built(texts, out)
    for path, text in change.items():
        if text is None:
            (tmp_path / path).unlink()
        else:
            (tmp_path / path).write_text(text, encoding="utf-8")
    printed = built(texts, out).output
    assert printed.replace(str(out), "") == built(texts, fresh).output.replace(str(fresh), "")
    assert tree(out) == tree(fresh)


def test_unchanged_game_is_not_compiled(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)
    request = BuildRequest(texts, None, tmp_path / "out")
    save_build_cache(request, build_library(request, lambda _: None))
    (texts / "ash/1 Court.md").write_text(TEXT.replace("bend", "bow"), encoding="utf-8")
    record = load_build_cache(request)
    assert record is not None
    assert not is_unchanged(record)
    compiled = []

    def recorded(game: Game, *rest: Any) -> Pack:
        compiled.append(game.id)
        return compile_game(game, *rest)

    monkeypatch.setattr("kismet_build.build.pipeline.compile_game", recorded)
    build_library(request, lambda _: None, record)
    assert compiled == ["ash-court"]


def test_file_changed_during_a_build_invalidates_the_build_cache(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_and_edit(*given: Any) -> Library:
        library = load_library(*given)
        file = texts / "ash" / "game.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("Ash Court", "Late Court"), encoding="utf-8")
        return library

    monkeypatch.setattr("kismet_build.build.pipeline.load_library", load_and_edit)
    record = build_library(BuildRequest(texts, None, tmp_path / "out"), lambda _: None)
    assert [game.title for game in record.result.games] == ["Ash Court", "Ember Court"]
    assert not is_unchanged(record)


def test_damaged_build_cache_is_ignored(texts: Path, tmp_path: Path) -> None:
    request = BuildRequest(texts, None, tmp_path / "out")
    save_build_cache(request, build_library(request, lambda _: None))
    assert load_build_cache(request) is not None
    request.cache_file.write_bytes(b"not this")
    assert load_build_cache(request) is None


# --- any sequence of edits

WORDS = ("a lamp", "[[#Bow]]", "[[Nowhere]]", "**Cost:** 9", "2d6+1", "### Nod\n\nShort.\n\n**Cost:** 1", "Whisper", "")


class Author:
    """An author who makes random edits in a library."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)

    def edit(self) -> str:
        """Make one edit, and return its description."""
        done = self.random.choice(
            (self._words, self._words, self._words, self._more, self._less, self._move, self._data)
        )
        return f"{done.__name__} {done()}"

    def _text(self) -> Path:
        return self.random.choice(sorted(self.folder.rglob("*.md")) or [self._more()])

    def _words(self) -> Path:
        file = self._text()
        lines = file.read_text(encoding="utf-8").split("\n")
        lines[self.random.randrange(len(lines))] = self.random.choice(WORDS)
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    def _more(self) -> Path:
        game = self.random.choice(sorted(file.parent for file in self.folder.glob("*/game.yaml")))
        file = game / f"{self.random.randrange(9)} {self.random.choice(('More', 'Notes', 'Märchen'))}.md"
        file.write_text(f"# More\n\n{self.random.choice(WORDS)}\n\nSee [[1 Court]].\n", encoding="utf-8")
        return file

    def _less(self) -> Path:
        file = self._text()
        if len(list(file.parent.glob("*.md"))) > 1:
            file.unlink()
        return file

    def _move(self) -> Path:
        file = self._text()
        return file.rename(file.with_name(f"{self.random.randrange(9)} Moved.md"))

    def _data(self) -> Path:
        file = self.random.choice(sorted(self.folder.rglob("*.yaml")))
        text = file.read_text(encoding="utf-8")
        old, new = self.random.choice(
            (("Court", "Yard"), ("Grace", "Favour"), ("version: 1", "version: 2"), ("id", "id"))
        )
        file.write_text(text.replace(old, new), encoding="utf-8")
        return file


CACHE = DocumentCache()
"""A cache that is shared by all builds, as in `kismet serve`: unchanged texts are parsed once."""


def build_and_report(texts: Path, out: Path, *, force: bool) -> list[str]:
    """Build, and return all diagnostics as text."""
    request, diagnostics = BuildRequest(texts, None, out), list[Diagnostic]()
    record = None if force else load_build_cache(request)
    if record is not None and is_unchanged(record):
        diagnostics = list(record.result.diagnostics)
    else:
        try:
            build_options = BuildOptions(force=force, cache=CACHE, stores_states=not force)
            save_build_cache(request, build_library(request, diagnostics.append, record, build_options))
        except UsageError as misuse:
            return [*map(to_text, diagnostics), str(misuse)]
    return list(map(to_text, diagnostics))


@pytest.mark.parametrize("seed", sample(SEQUENCES, 3))
def test_incremental_builds_after_random_edits_equal_full_builds(
    texts: Path, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No search index: tests/test_search.py compares it.
    monkeypatch.setattr(search_index, "pagefind_program", lambda: None)
    author = Author(texts, seed)
    build_and_report(texts, tmp_path / "out", force=False)
    done, compared = list[str](), 0
    for step in range(5):
        done += [author.edit() for _ in range(author.random.randrange(3))]
        printed = build_and_report(texts, tmp_path / "out", force=False)
        if any("error[" in line for line in printed) or not any((tmp_path / "out").glob("data/*/pack.json")):
            continue  # the previous pages are kept, which a build into an empty folder cannot have
        assert printed == build_and_report(texts, tmp_path / f"fresh {step}", force=True), done
        assert tree(tmp_path / "out") == tree(tmp_path / f"fresh {step}"), done
        compared += 1
    # Some seeds break the library with the first edit; none of the first dozen does.
    assert compared > 0 or seed >= 12


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def chapters_of(out: Path) -> set[str]:
    """Paths of the pages of all chapters in a tree."""
    packs = (json.loads(file.read_bytes()) for file in out.glob("data/*/pack.json"))
    return {f"{section['url']}index.html" for pack in packs for section in pack["sections"] if section["level"] == 0}


@pytest.mark.parametrize("seed", sample(SEQUENCES, 3))
def test_pages_written_before_the_full_rebuild_equal_a_full_build(
    texts: Path, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "pagefind_program", lambda: None)
    (tmp_path / "scratch").mkdir()
    author, out = Author(texts, seed), tmp_path / "out"
    rebuilder = Rebuilder(texts, None, out, tmp_path / "scratch")
    rebuilder.rebuild()
    done = list[str]()
    for step in range(6):
        before = contents(texts)
        done += [author.edit() for _ in range(author.random.randrange(1, 3))]
        after = contents(texts)
        changed = {file for file in before.keys() | after.keys() if before.get(file) != after.get(file)}
        first = {
            path: (out / path).read_bytes()
            for update in rebuilder.write_changed_pages(changed)
            for path in update.pages
        }
        whole = rebuilder.rebuild()
        if whole.problem or whole.unpublished:
            unexpected = {path for path in first if path.partition("/")[0] in whole.unpublished}
            assert not unexpected, (done, "an unpublished game keeps its previous pages")
            continue
        fresh = tmp_path / f"fresh {step}"
        build_library(BuildRequest(texts, None, fresh), lambda _: None)
        assert tree(out) == tree(fresh), done
        for path in first.keys() & chapters_of(fresh):
            assert first[path] == (fresh / path).read_bytes(), (path, done)
    assert not [*(tmp_path / "scratch").iterdir()]


class Corrector(Author):
    """An author who moves, duplicates and removes lines of a real book, and changes numbers in it."""

    def _text(self) -> Path:
        return self.random.choice(sorted([*self.folder.rglob("*.md"), *self.folder.rglob("*.adoc")]))

    def _words(self) -> Path:
        file = self._text()
        lines = file.read_text(encoding="utf-8").split("\n")
        place, other = (self.random.randrange(len(lines)) for _ in range(2))
        number = str(self.random.randrange(2, 30))
        lines[place : place + 1] = self.random.choice(
            ([], [lines[place]] * 2, [lines[other]], [re.sub(r"\d+", number, lines[place])], [f"{lines[place]} Lamp."])
        )
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    def _less(self) -> Path:
        return self._words()

    def _move(self) -> Path:
        file = self._text()
        return file.rename(file.with_name(f"{self.random.randrange(9)} Moved{file.suffix}"))


@pytest.mark.parametrize("game", sample(GAMES, 2))
@pytest.mark.parametrize("seed", SEQUENCES[: -(-len(SEQUENCES) // 12)])
def test_incremental_builds_of_a_bundled_game_equal_full_builds(
    tmp_path: Path, game: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "pagefind_program", lambda: None)
    monkeypatch.setattr(pipeline, "MIN_DOCUMENTS", 0)
    texts, out = tmp_path / "texts", tmp_path / "out"
    shutil.copytree(CONTENT / game, texts / game)
    shutil.copytree(CONTENT.parent / "schemas", tmp_path / "schemas")
    corrector = Corrector(texts, seed)
    build_and_report(texts, out, force=False)
    done, compared = list[str](), 0
    for step in range(4):
        done.append(corrector.edit())
        printed = build_and_report(texts, out, force=False)
        if any("error[" in line for line in printed) or load_build_cache(BuildRequest(texts, None, out)) is None:
            continue  # the previous pages are kept, or no game is left
        assert printed == build_and_report(texts, tmp_path / f"fresh {step}", force=True), done
        assert tree(out) == tree(tmp_path / f"fresh {step}"), done
        compared += 1
    assert compared > 0 or seed > 0


def test_incremental_build_of_all_content_equals_a_full_build(tmp_path: Path) -> None:
    texts = tmp_path / "content"
    shutil.copytree(CONTENT, texts)
    shutil.copytree(CONTENT.parent / "schemas", tmp_path / "schemas", dirs_exist_ok=True)
    built(texts, tmp_path / "out", "--quiet", command=kismet_process)
    file = next((texts / "kiss").glob("*.adoc"))
    file.write_text(file.read_text(encoding="utf-8").replace("Combat", "Battle", 1), encoding="utf-8")
    built(texts, tmp_path / "out", "--quiet", command=kismet_process)
    built(texts, tmp_path / "fresh", "--quiet", command=kismet_process)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")
