"""The laws of random edits: after them, `kismet build` and `kismet serve` give what a build from nothing gives."""

import gc
import json
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, zip_longest
from pathlib import Path
from random import Random

import pytest

from benchmarks.library import write_vault
from kismet_build.config.data_file import UsageError
from kismet_build.driver import build_cache
from kismet_build.driver.build_cache import BuildCache, BuildRequest, is_unchanged, load_build_cache, save_build_cache
from kismet_build.driver.library import build_library
from kismet_build.driver.result import BuildResult
from kismet_build.model.diagnostic import Diagnostic, to_text
from kismet_build.output import search_index
from kismet_build.serve.served_library import ServedLibrary
from tests.command import CONTENT, GAMES, kismet_process, tree
from tests.custom_game import GAME
from tests.laws.edited_library import EDITS, TEXT_SUFFIXES, Edit, EditedLibrary, Method
from tests.sample import RUN_ALL, SAMPLE, sample
from tests.served_files import built_files, served_files, served_paths

SEQUENCES = 1_000
"""Sequences of edits, of which `make test` runs ten and `make test-all` runs all."""
BUILDS = 6
"""Builds of each sequence after the first."""
SERVED_SEQUENCES = 40
"""Sequences of edits while `kismet serve` runs, of which `make test` runs three."""
SERVED_BUILDS = 3
"""Saves of each of these sequences."""
CORRECTIONS = 4 if RUN_ALL else 2
"""Edits of a bundled game."""

TABLE_KIND = """\
title: Bird
x-match: {row: Bird}
x-body: column:Habits
required: [id, name]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: 'column:Bird'}
"""
BIRDS = "# Birds\n\n| Bird | Habits |\n|---|---|\n| Grey Heron | {note} |\n| Bittern | {note} |\n"


@dataclass(frozen=True)
class Outcome:
    files: Mapping[str, bytes]
    """The tree: content by path."""
    diagnostics: Sequence[str]
    summary: Sequence[str] = ()
    """The other lines that the command prints."""

    @property
    def has_errors(self) -> bool:
        return any(diagnostic.startswith("error") for diagnostic in self.diagnostics)


def compare(edited: Outcome, fresh: Outcome) -> str:
    """The first difference between a build after edits and a build from nothing; empty if they are equal."""
    for path in sorted(edited.files.keys() | fresh.files.keys()):
        if path not in fresh.files:
            return f"{path} is left over"
        if path not in edited.files:
            return f"{path} is missing"
        if edited.files[path] != fresh.files[path]:
            lines = (_lines(outcome.files[path]) for outcome in (edited, fresh))
            return f"{path} differs: {_first_difference(*lines)}"
    for name in ("diagnostics", "summary"):
        lines = ([*getattr(outcome, name)] for outcome in (edited, fresh))
        if difference := _first_difference(*lines):
            return f"{name}: {difference}"
    return ""


def _lines(content: bytes) -> list[str]:
    """Lines of a file, which also end after each tag of HTML and each comma of JSON."""
    return re.split(r"(?<=[>,\n])", content.decode("utf-8", "replace"))


def _first_difference(edited: Sequence[str], fresh: Sequence[str]) -> str:
    for number, (wrong, right) in enumerate(zip_longest(edited, fresh, fillvalue="(end)"), 1):
        if wrong != right:
            return f"line {number}\n  after the edits: {wrong}\n  from nothing:    {right}"
    return ""


class Builds:
    def __init__(self, texts: Path, scratch: Path) -> None:
        self.request = BuildRequest(texts, None, scratch / "out", search=False)
        self.fresh_request = BuildRequest(texts, None, scratch / "fresh", search=False)

    def edited(self) -> Outcome:
        """Build as `kismet build` does, with the cache of the last build."""
        previous = load_build_cache(self.request)
        if previous is not None and is_unchanged(previous):
            return _outcome(self.request, previous.result)
        return self._build(self.request, previous)

    def fresh(self) -> Outcome:
        """Build from nothing. A game with errors keeps the pages that the last call of this function wrote."""
        return self._build(self.fresh_request, None)

    def _build(self, request: BuildRequest, previous: BuildCache | None) -> Outcome:
        diagnostics: list[Diagnostic] = []
        try:
            build = build_library(request, diagnostics.append, previous)
        except UsageError as problem:
            return Outcome(tree(request.out), [*map(to_text, diagnostics)], [str(problem)])
        if request is self.request:
            save_build_cache(request, build)
        return _outcome(request, build.result)


def _outcome(request: BuildRequest, result: BuildResult) -> Outcome:
    summary = [f"{game.title}: {game.chapters} chapters, {game.entities} entities" for game in result.games]
    summary += [f"{game} keeps its pages" for game in sorted(result.retained)]
    summary += [f"{game} is not loaded: {reason}" for game, reason in result.load_failures]
    return Outcome(tree(request.out), [*map(to_text, result.diagnostics)], summary)


def next_edits(library: EditedLibrary, was_broken: bool) -> list[Edit]:
    """One or more edits. Most errors are undone immediately, so most builds publish."""
    if was_broken and library.random.random() < 0.7:
        return [library.undo()]
    return [library.edit() for _ in range(library.random.choice((1, 1, 1, 2, 3)))]


@pytest.fixture(autouse=True)
def _garbage_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


# The step is odd, so each sample has even and odd seeds.
@pytest.mark.parametrize("seed", sample(range(SEQUENCES), SEQUENCES // 10 + 1))
def test_a_build_after_edits_equals_a_build_from_nothing(
    scratch: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A build directly follows an edit. The next build need not read the files again.
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)
    library = EditedLibrary(scratch / "vault", seed)
    builds = Builds(library.folder, scratch)
    builds.edited()
    fresh = builds.fresh()
    done: list[str] = []
    for _ in range(BUILDS):
        edits = next_edits(library, fresh.has_errors)
        done.append(" and ".join(map(str, edits)))
        edited, fresh = builds.edited(), builds.fresh()
        if difference := compare(edited, fresh):
            pytest.fail(f"seed {seed}: {difference}\nedits:\n  " + "\n  ".join(done))


@pytest.mark.parametrize("make", sample([*EDITS], 2), ids=lambda make: make.__name__.lstrip("_"))
def test_a_build_after_each_edit_equals_a_build_from_nothing(
    scratch: Path, make: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)
    seed = next(seed for seed in count() if has_effect(make, EditedLibrary(scratch / f"trial {seed}", seed)))
    library = EditedLibrary(scratch / "vault", seed)
    builds = Builds(library.folder, scratch)
    builds.edited()
    builds.fresh()
    make(library)
    if difference := compare(builds.edited(), builds.fresh()):
        pytest.fail(difference)


@pytest.mark.parametrize("order", ["b: 2\na: 1", "a: 1\nb: {d: 4, c: 3}"], ids=["properties", "map"])
def test_a_new_order_of_properties_reaches_the_data(scratch: Path, order: str) -> None:
    (scratch / "vault").mkdir()
    text = scratch / "vault" / "Combat.md"
    first = "a: 1\nb: 2" if order.startswith("b") else "a: 1\nb: {c: 3, d: 4}"
    builds = Builds(text.parent, scratch)
    for properties in (first, order):
        text.write_text(f"---\n{properties}\n---\n\nHit.\n", encoding="utf-8")
        edited = builds.edited()
    assert not compare(edited, builds.fresh())


def has_effect(make: Method, library: EditedLibrary) -> bool:
    before = tree(library.folder)
    return bool(make(library)) or tree(library.folder) != before


class Served:
    """A library as `kismet serve` has it, compared with a build from nothing."""

    def __init__(self, texts: Path, scratch: Path, seed: int) -> None:
        (scratch / "served").mkdir()
        self.library = ServedLibrary(texts, None, scratch / "served")
        self.builds = Builds(texts, scratch)
        self._random = Random(seed)
        self._paths: set[str] = set()
        """Every path that a build or a version had."""

    def save(self, changed: Collection[Path] = ()) -> tuple[str, bool]:
        """Compile what changed, and build from nothing: the first difference, and whether the library has errors."""
        self.library.compile(changed)
        fresh = self.builds.fresh()
        if fresh.has_errors and self.library.newest is None:
            # Its last pages show what is private now: they are not served, but a build reports that its tree has them.
            return "", True
        files = built_files(fresh.files)
        self._paths |= files.keys() | served_paths(self.library)
        # In any order: no answer depends on those before it.
        asked = self._random.sample(sorted(self._paths), len(self._paths))
        answers = served_files(self.library, asked)
        diagnostics = self.library.adopt_check(self.library.check()).diagnostics
        served = Outcome(answers, sorted(map(to_text, diagnostics)))
        return compare(served, Outcome(files, sorted(fresh.diagnostics))), fresh.has_errors


@pytest.mark.parametrize("seed", sample(range(SERVED_SEQUENCES), SERVED_SEQUENCES // 3))
def test_every_file_that_is_served_after_edits_is_that_of_a_build_from_nothing(
    scratch: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "pagefind_program", lambda: None)
    library = EditedLibrary(scratch / "vault", seed)
    served = Served(library.folder, scratch, seed)
    difference, has_errors = served.save()
    assert not difference
    done: list[str] = []
    for _ in range(SERVED_BUILDS):
        edits = next_edits(library, has_errors)
        done.append(" and ".join(map(str, edits)))
        difference, has_errors = served.save(frozenset[Path]().union(*(edit.changed for edit in edits)))
        if difference:
            pytest.fail(f"seed {seed}: {difference}\nedits:\n  " + "\n  ".join(done))


PLAIN_EDITS = ("sentence", "heading", "property", "new note", "removed note")


def edit_plain_vault(edit: str, vault: Path, note: Path, other: Path) -> list[Path]:
    """Make one of `PLAIN_EDITS`. Returns the changed files."""
    text = note.read_text(encoding="utf-8")
    match edit:
        case "sentence":
            note.write_text(f"{text.rstrip()} Und eine Laterne.\n", encoding="utf-8")
        case "heading":  # another note links to the new one
            note.write_text(text.replace("## Ablauf", "## Verlauf"), encoding="utf-8")
            link = f"\nSiehe [[{note.stem}#Verlauf]].\n"
            other.write_text(other.read_text(encoding="utf-8") + link, encoding="utf-8")
            return [note, other]
        case "property":  # which a column of a table shows
            note.write_text(re.sub("(?m)^Stufe: .*", "Stufe: 77", text), encoding="utf-8")
        case "new note":
            new = vault / "Neu" / "Laterne.md"
            new.parent.mkdir()
            new.write_text(f"# Laterne\n\nSiehe [[{note.stem}#Ablauf]].\n", encoding="utf-8")
            return [new]
        case "removed note":
            note.unlink()
    return [note]


@pytest.mark.parametrize("are_records", [True, False], ids=["records", "plain"])
def test_every_file_of_a_plain_vault_that_is_served_is_that_of_a_build_from_nothing(
    scratch: Path, are_records: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "pagefind_program", lambda: None)
    vault = scratch / "vault"
    write_vault(vault, 12, are_records=are_records)
    served, random = Served(vault, scratch, SAMPLE), Random(SAMPLE)
    assert served.save() == ("", False)
    for edit in random.sample(PLAIN_EDITS, len(PLAIN_EDITS)):
        note, other = random.sample(sorted(vault.rglob("*.md")), 2)
        changed = edit_plain_vault(edit, vault, note, other)
        difference, _ = served.save(frozenset(file.resolve() for file in changed))
        assert not difference, f"KISMET_SAMPLE={SAMPLE}: {edit}"


def correct(folder: Path, random: Random) -> str:
    """Move, double or remove a line of a real book, change a number in it, rename a file, or change the version."""
    if random.random() < 0.1:
        (file,) = folder.glob("*/game.yaml")
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"(?m)^version: .*", f"version: 1.{random.randrange(99)}.0", text), encoding="utf-8")
        return "version"
    file = random.choice(sorted(file for file in folder.rglob("*") if file.suffix in TEXT_SUFFIXES))
    if random.random() < 0.2:
        file.rename(file.with_name(f"{random.randrange(9)} Moved{file.suffix}"))
        return f"rename {file.name}"
    lines = file.read_text(encoding="utf-8").split("\n")
    number, other = (random.randrange(len(lines)) for _ in range(2))
    line, value = lines[number], str(random.randrange(2, 30))
    lines[number : number + 1] = random.choice(
        ([], [line, line], [lines[other]], [re.sub(r"\d+", value, line)], [f"{line} Lamp."])
    )
    file.write_text("\n".join(lines), encoding="utf-8")
    return f"line {number} of {file.name}"


@pytest.mark.parametrize("game", sample(GAMES, 4))
def test_a_build_after_edits_of_a_bundled_game_equals_a_build_from_nothing(scratch: Path, game: str) -> None:
    shutil.copytree(CONTENT / game, scratch / "texts" / game)
    shutil.copytree(CONTENT.parent / "schemas", scratch / "schemas")
    builds, random, done = Builds(scratch / "texts", scratch), Random(SAMPLE), list[str]()
    builds.edited()
    builds.fresh()
    for _ in range(CORRECTIONS):
        done.append(correct(scratch / "texts", random))
        if difference := compare(builds.edited(), builds.fresh()):
            pytest.fail(f"KISMET_SAMPLE={SAMPLE}: {difference}\nedits:\n  " + "\n  ".join(done))


@pytest.mark.parametrize("library", sample([CONTENT, CONTENT / "kiss"], 2), ids=lambda path: path.name)
def test_the_command_after_an_edit_of_content_equals_a_build_from_nothing(tmp_path: Path, library: Path) -> None:
    texts = tmp_path / library.relative_to(CONTENT.parent)
    shutil.copytree(library, texts)
    shutil.copytree(CONTENT.parent / "schemas", tmp_path / "schemas")
    kismet_process("build", texts, "--out", tmp_path / "out", "--quiet")
    file = next((tmp_path / "content" / "kiss").glob("*.adoc"))
    file.write_text(file.read_text(encoding="utf-8").replace("Combat", "Battle", 1), encoding="utf-8")
    for out in ("out", "fresh"):
        assert kismet_process("build", texts, "--out", tmp_path / out, "--quiet").status in (0, 1)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


@pytest.mark.parametrize(
    ("edited", "difference"),
    [
        (Outcome({"a": b"1"}, ()), "b is missing"),
        (Outcome({"a": b"1", "b": b"2", "c": b""}, ()), "c is left over"),
        (Outcome({"a": b"1", "b": b"2\n3"}, ()), "b differs: line 1\n  after the edits: 2\n\n  from nothing:    2"),
        (Outcome({"a": b"1", "b": b"2"}, ["x"]), "diagnostics: line 1\n  after the edits: x\n  from nothing:    (end)"),
        (Outcome({"a": b"1", "b": b"2"}, (), ["x"]), "summary: line 1\n  after the edits: x\n  from nothing:    (end)"),
        (Outcome({"a": b"1", "b": b"2"}, ()), ""),
    ],
)
def test_the_first_difference_is_named(edited: Outcome, difference: str) -> None:
    assert compare(edited, Outcome({"a": b"1", "b": b"2"}, ())) == difference


@pytest.mark.parametrize("is_served", [False, True], ids=["build", "serve"])
def test_a_kind_becomes_a_table_and_has_pages_again(
    scratch: Path, is_served: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)
    monkeypatch.setattr(search_index, "pagefind_program", lambda: None)
    folder = scratch / "fen"
    (folder / "kinds").mkdir(parents=True)
    (folder / "game.yaml").write_text(GAME, encoding="utf-8")
    (folder / "kinds" / "bird.yaml").write_text(TABLE_KIND, encoding="utf-8")
    (folder / "1 Walk.md").write_text("# Walk\n\nWe saw a Grey Heron and a Bittern.\n", encoding="utf-8")
    text = folder / "2 Birds.md"
    served = Served(folder, scratch, 0) if is_served else None
    builds = Builds(folder, scratch)
    urls = []
    for note in ("It stands.", "It stands. " * 20, "It stands."):
        text.write_text(BIRDS.format(note=note), encoding="utf-8")
        if served is not None:
            difference, has_errors = served.save(frozenset((text,)))
        else:
            edited, fresh = builds.edited(), builds.fresh()
            difference, has_errors = compare(edited, fresh), fresh.has_errors
        assert not difference
        assert not has_errors
        pack = served.builds.fresh_request.out if served else builds.request.out
        birds = json.loads((pack / "data" / "fen" / "bird.json").read_text(encoding="utf-8"))["entities"]
        urls.append([bird["url"] for bird in birds])
    rows = ["fen/bird/#grey-heron", "fen/bird/#bittern"]
    assert urls == [rows, ["fen/bird/grey-heron/", "fen/bird/bittern/"], rows]
