"""The law of random edits: a build after edits writes the same tree and diagnostics as a build from nothing."""

import gc
import pickle
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, zip_longest
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kismet_build.build import build_cache, pipeline
from kismet_build.build.build_cache import BuildCache, BuildRequest, is_unchanged, load_build_cache, save_build_cache
from kismet_build.build.pipeline import BuildOptions, build_library, compile_game, render_bundle
from kismet_build.build.rendered_game import Bundle
from kismet_build.build.result import BuildResult
from kismet_build.config.data_file import UsageError
from kismet_build.model.diagnostic import Diagnostic, to_text
from kismet_build.model.source import Source
from kismet_build.output import search_index
from kismet_build.pack import Pack
from kismet_build.render.html.recorded_pack import citation_key
from kismet_build.serve.rebuilder import Rebuilder
from tests.command import CONTENT, GAMES, kismet_process, tree
from tests.edited_library import EDITS, TEXT_SUFFIXES, Edit, EditedLibrary, Method
from tests.sample import RUN_ALL, SAMPLE, sample

SEQUENCES = 1_000
"""Sequences of edits, of which `make test` runs ten and `make test-all` runs all."""
BUILDS = 6
"""Builds of each sequence after the first."""
SERVED_SEQUENCES = 40
"""Sequences of edits while `kismet serve` runs, of which `make test` runs three."""
SERVED_BUILDS = 3
"""Rebuilds of each of these sequences after the first."""
CORRECTIONS = 4 if RUN_ALL else 2
"""Edits of a bundled game."""
RecordProperty = Callable[[str, object], None]


@dataclass(frozen=True)
class Outcome:
    """The output of a build."""

    files: Mapping[str, bytes]
    """The tree: content by path."""
    diagnostics: Sequence[str]
    summary: Sequence[str] = ()
    """The other lines that the command prints."""
    ran: Counter[str] = field(default_factory=Counter)
    """Number of documents that were compiled, and of bundles that were rendered."""

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
    """Builds a library after edits, and from nothing."""

    def __init__(self, texts: Path, scratch: Path) -> None:
        self.request = BuildRequest(texts, None, scratch / "out", search=False)
        self.fresh_request = BuildRequest(texts, None, scratch / "fresh", search=False)
        self.ran = Counter[str]()
        """Documents and bundles that were compiled and rendered since the last build."""

    def count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Count the documents that are compiled and the bundles that are rendered."""

        def compile_and_count(*arguments: Any, **options: Any) -> Pack:
            pack = compile_game(*arguments, **options)
            self.ran["documents"] += pack.memo.counts["anchors"]
            return pack

        def render_and_count(*arguments: Any) -> Bundle:
            self.ran["bundles"] += 1
            return render_bundle(*arguments)

        monkeypatch.setattr(pipeline, "compile_game", compile_and_count)
        monkeypatch.setattr(pipeline, "render_bundle", render_and_count)

    def edited(self) -> Outcome:
        """Build as `kismet build` does, with the cache of the last build."""
        previous = load_build_cache(self.request)
        if previous is not None and is_unchanged(previous):
            return _outcome(self.request, previous.result, Counter())
        return self._build(self.request, previous)

    def fresh(self) -> Outcome:
        """Build from nothing. A game with errors keeps the pages that the last call of this function wrote."""
        return self._build(self.fresh_request, None)

    def _build(self, request: BuildRequest, previous: BuildCache | None) -> Outcome:
        diagnostics: list[Diagnostic] = []
        try:
            options = BuildOptions(stores_states=request is self.request)
            build = build_library(request, diagnostics.append, previous, options)
        except UsageError as problem:
            return Outcome(tree(request.out), [*map(to_text, diagnostics)], [str(problem)])
        if request is self.request:
            save_build_cache(request, build)
        ran, self.ran = self.ran, Counter()
        return _outcome(request, build.result, ran)


def _outcome(request: BuildRequest, result: BuildResult, ran: Counter[str]) -> Outcome:
    summary = [f"{game.title}: {game.chapters} chapters, {game.entities} entities" for game in result.games]
    summary += [f"{game} keeps its pages" for game in sorted(result.retained)]
    summary += [f"{game} is not loaded: {reason}" for game, reason in result.load_failures]
    return Outcome(tree(request.out), [*map(to_text, result.diagnostics)], summary, ran)


def next_edits(library: EditedLibrary, was_broken: bool) -> list[Edit]:
    """One or more edits. Most errors are undone at once, so that most builds publish."""
    if was_broken and library.random.random() < 0.7:
        return [library.undo()]
    return [library.edit() for _ in range(library.random.choice((1, 1, 1, 2, 3)))]


@pytest.fixture(autouse=True)
def _garbage_collection() -> Iterator[None]:
    """Without garbage collection during a sequence, which takes a seventh of the time of a build."""
    gc.disable()
    yield
    gc.enable()


# In steps of an odd number, so that even and odd seeds run each day.
@pytest.mark.parametrize("seed", sample(range(SEQUENCES), SEQUENCES // 10 + 1))
def test_a_build_after_edits_equals_a_build_from_nothing(
    scratch: Path, seed: int, record_property: RecordProperty, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Small games have stored states, too.
    monkeypatch.setattr(pipeline, "MIN_DOCUMENTS", 0)
    # A build follows an edit at once. Its files need not be read again by the next build.
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)
    # In half of the sequences each build stores its state, in the others all later builds use the first one.
    stores_each = seed % 2 == 0
    monkeypatch.setattr(pipeline, "MAX_OUTDATED", 0 if stores_each else 100)
    library = EditedLibrary(scratch / "vault", seed)
    builds = Builds(library.folder, scratch)
    builds.count(monkeypatch)
    builds.edited()
    fresh = builds.fresh()
    done: list[str] = []
    for _ in range(BUILDS):
        had_errors = fresh.has_errors
        edits = next_edits(library, had_errors)
        done.append(" and ".join(map(str, edits)))
        edited, fresh = builds.edited(), builds.fresh()
        if difference := compare(edited, fresh):
            pytest.fail(f"seed {seed}: {difference}\nedits:\n  " + "\n  ".join(done))
        if len(edits) == 1:
            record_property("edit", (edits[0].name, dict(edited.ran)))
        if [edit.name for edit in edits] == ["change_words"] and not had_errors and stores_each:
            assert edited.ran["documents"] <= 1, (seed, "the state of the last build was not used")


@pytest.mark.parametrize("make", sample([*EDITS], 2), ids=lambda make: make.__name__.lstrip("_"))
def test_a_build_after_each_edit_equals_a_build_from_nothing(
    scratch: Path, make: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MIN_DOCUMENTS", 0)
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
def test_a_new_order_of_properties_reaches_the_data(scratch: Path, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "MIN_DOCUMENTS", 0)
    (scratch / "vault").mkdir()
    text = scratch / "vault" / "Combat.md"
    first = "a: 1\nb: 2" if order.startswith("b") else "a: 1\nb: {c: 3, d: 4}"
    builds = Builds(text.parent, scratch)
    for properties in (first, order):
        text.write_text(f"---\n{properties}\n---\n\nHit.\n", encoding="utf-8")
        edited = builds.edited()
    assert not compare(edited, builds.fresh())


def has_effect(make: Method, library: EditedLibrary) -> bool:
    """Whether an edit writes a file of this library."""
    before = tree(library.folder)
    return bool(make(library)) or tree(library.folder) != before


def test_key_of_a_citation_is_the_same_in_another_process() -> None:
    span = Source("effects.yaml", "quote: the bed is old").span(7, 21)
    copy = pickle.loads(pickle.dumps(span))
    assert copy != span
    assert citation_key(copy) == citation_key(span)


@pytest.mark.parametrize("seed", sample(range(SERVED_SEQUENCES), SERVED_SEQUENCES // 3))
def test_pages_written_at_once_and_a_rebuild_equal_a_build_from_nothing(
    scratch: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "pagefind_program", lambda: None)
    library = EditedLibrary(scratch / "vault", seed)
    builds = Builds(library.folder, scratch)
    (scratch / "new").mkdir()
    rebuilder = Rebuilder(library.folder, None, scratch / "out", scratch / "new")
    rebuilder.rebuild()
    fresh = builds.fresh()
    done: list[str] = []
    for _ in range(SERVED_BUILDS):
        edits = next_edits(library, fresh.has_errors)
        done.append(" and ".join(map(str, edits)))
        changed = frozenset[Path]().union(*(edit.changed for edit in edits))
        early = {
            path: (rebuilder.tree / path).read_bytes()
            for update in rebuilder.write_changed_pages(sorted(changed))
            for path in update.pages
        }
        update, fresh = rebuilder.rebuild(), builds.fresh()
        served = Outcome(tree(rebuilder.tree), [*map(to_text, update.diagnostics)])
        difference = compare(served, replace(fresh, summary=()))
        if not difference and not fresh.has_errors:
            # Pages of entities may wait for the rebuild: they also show mentions of other documents.
            chapters = {
                path: content for path, content in fresh.files.items() if path in early and _is_chapter(content)
            }
            difference = compare(Outcome({path: early[path] for path in chapters}, ()), Outcome(chapters, ()))
        if difference:
            pytest.fail(f"seed {seed}: {difference}\nedits:\n  " + "\n  ".join(done))
    assert not [*(scratch / "new").iterdir()], "no temporary file is left"


def _is_chapter(page: bytes) -> bool:
    return b'<body class="chapter' in page


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
def test_a_build_after_edits_of_a_bundled_game_equals_a_build_from_nothing(
    scratch: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MIN_DOCUMENTS", 0)
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
