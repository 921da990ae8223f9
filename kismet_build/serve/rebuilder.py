"""Rebuild a library while it is served, and report which pages changed."""

import gc
import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from os.path import realpath
from pathlib import Path
from time import perf_counter, time_ns

from kismet_build.build.advice import advice
from kismet_build.build.build_cache import (
    BuildRequest,
    changed_folders,
    exclude_recently_modified,
    file_digests,
    last_tree,
    load_build_cache,
    source_paths,
)
from kismet_build.build.game_state import MIN_DOCUMENTS, definition_digests
from kismet_build.build.pipeline import BuildOptions, build_games, compile_from_state, compile_game, service_worker
from kismet_build.build.processes import BackgroundTask
from kismet_build.build.rendered_game import Bundle, RenderedGame
from kismet_build.build.result import BuildResult, left_out_summary, private_summary
from kismet_build.config.data_file import UsageError, is_inside
from kismet_build.config.game import Game, Library, load_library
from kismet_build.model.diagnostic import Diagnostic, count_by_severity
from kismet_build.output.entity_changes import (
    EntitySnapshot,
    KindChanges,
    compare_with_snapshot,
    snapshot_entities,
)
from kismet_build.output.tree import EmitFiles, FileDigest, Published, recover, renew, renew_tree, replace_tree
from kismet_build.pack import Pack
from kismet_build.render import InvalidPack, in_layout, pages_of_document

NOT_SHOWN = ("data/", "sw.js", "offline.json", "assets/pagefind/")
"""Path prefixes of files that change with every build and need no page reload: no page shows them."""

Digests = Mapping[str, str]
"""SHA-256 of each file that pages load (style sheets, scripts, images), by its path in the tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """Result of a rebuild."""

    pages: tuple[str, ...] = ()
    """Paths of new and changed pages."""
    assets: tuple[str, ...] = ()
    """Paths of new and changed style sheets, scripts and images."""
    removed: tuple[str, ...] = ()
    """Paths of removed pages and assets."""
    diagnostics_by_game: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    """Diagnostics of each game, by game id."""
    unpublished: Mapping[str, str] = field(default_factory=dict)
    """Ids of the games that are not published, with the reason."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """All diagnostics, those of no game included."""
    problem: str = ""
    """Why nothing could be built; empty if something was."""
    changes: Mapping[str, Sequence[KindChanges]] = field(default_factory=dict)
    """The entries of each game that changed since the last `kismet build`, or since the first build of this server."""
    private: tuple[str, ...] = ()
    """For each game with private texts, how many there are."""
    advice: str = ""
    """One line for authors, which no page for readers has; empty if there is none."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """For each game that is published in spite of errors, the parts that are left out."""
    seconds: float = 0.0
    """Since the rebuild started."""
    is_partial: bool = False
    """Whether it covers the changed documents only. A full update follows."""

    def counts(self) -> dict[str, int]:
        """Number of diagnostics of each severity."""
        return count_by_severity(self.diagnostics)


@dataclass(frozen=True, slots=True)
class _FullBuild:
    """Result of a full build, as the child process returns it."""

    update: Update
    digests: Mapping[str, FileDigest]
    """Digests of the files of the tree, by path."""
    is_complete: bool
    """Whether `digests` describes the tree exactly."""
    bundles: Mapping[str, Mapping[str, Bundle]] = field(default_factory=dict)
    """The bundles that it rendered, by the id of the game and their names."""


class Rebuilder:
    """Builds a library into a tree repeatedly. No other program may write to the tree."""

    def __init__(self, path: Path, game: Path | None, tree: Path, scratch: Path, *, keep_going: bool = False) -> None:
        """Prepare to build the library at `path`; nothing is read yet.

        `scratch` is an empty folder on the disk of the tree.
        """
        self.tree = tree
        self.scratch = scratch
        self.request = BuildRequest(path, game, tree, keep_going=keep_going)
        self.update = Update()
        """Result of the last full build."""
        self.digests: Digests = {}
        """Digests of the assets in the tree."""
        self._file_digests: dict[str, FileDigest] = {}
        self._is_tree_known = False
        """Whether `_file_digests` describes the tree exactly: no process was killed while it wrote."""
        self._library: Library | None = None
        self._library_diagnostics: tuple[Diagnostic, ...] = ()
        """Diagnostics of the data files."""
        self._failure: Exception | None = None
        """Why the library could not be loaded or compiled."""
        self._definitions: dict[str, Mapping[str, str]] = {}
        """The digests of the data files of each game, by its id."""
        self._rendered: dict[str, RenderedGame] = {}
        """The compiled games and manual with their bundles, by id."""
        self._documents: dict[Path, tuple[str, Path]] = {}
        """For each source file, by its resolved path: the id of its game, and its path as the game has it."""
        self._source_files: set[Path] = set()
        """Resolved paths of all files of the library."""
        self._is_loaded = False
        """Whether the library is loaded, and no file but documents has changed since."""
        self._task: BackgroundTask[_FullBuild] | None = None
        """The build in the child process."""
        last = last_tree(path, game)
        self._snapshot: EntitySnapshot = snapshot_entities(last) if last else {}
        """The entities with which new ones are compared."""

    # --- full build

    def rebuild(self) -> Update:
        """Run a full build in this process. Errors of the library are in the update; the tree stays valid."""
        self._load()
        return self._apply(self._run())

    def start(self) -> None:
        """Start a full build of the present source files in a child process; a running one is killed."""
        self.stop()
        self._snapshot = self._snapshot or snapshot_entities(self.tree)
        if not self._is_loaded:
            self._load()  # before the fork, because this process needs the packs too
        self._task = BackgroundTask(self._run)
        self._task.start()

    def result(self) -> Update | None:
        """Result of the build in the child process, once; `None` before it is there and after it was returned."""
        if self._task is None or not self._task.is_done:
            return None
        full_build, self._task = self._task.result(), None
        return self._apply(full_build)

    def stop(self) -> None:
        """Kill the build in the child process."""
        if self._task is not None:
            self._task.stop()
            # It may have written a part of the tree.
            self._task, self._is_tree_known = None, False
            recover(self.tree, self.scratch)

    def _load(self) -> None:
        """Load the library, and compile all games. Results of the last compilation are reused."""
        self._is_loaded, self._failure, self._documents = True, None, {}
        diagnostics: list[Diagnostic] = []
        start = time_ns()
        try:
            self._library = library = load_library(
                self.request.path, self.request.game_file, diagnostics.append, keep_going=self.request.keep_going
            )
            self._source_files = {Path(realpath(path)) for path in source_paths(library.roots)}
            self._rendered = {game.id: self._compile(game, start) for game in library.with_manual}
            games = [self._rendered[game.id].game for game in library.games]
            self._library = replace(library, games=tuple(games))
            texts = [(file.resolve(), (game.id, file)) for game in self._library.games for file, _ in game.files]
            # A text that links lead to has several paths: after an edit, all games are loaded.
            paths = Counter(file for file, _ in texts)
            self._documents = {file: document for file, document in texts if paths[file] == 1}
        except (UsageError, OSError) as failure:
            self._failure = failure
            # An editor may be replacing a file: the next change reloads all files.
            self._is_loaded = False
        self._library_diagnostics = tuple(diagnostics)
        # The packs are large and long-lived: exclude them from garbage collection.
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def _compile(self, game: Game, start: int) -> RenderedGame:
        """Compile a game. Results of its last compilation, or else of the last `kismet build`, are reused.

        `start`: time before the game was loaded, in nanoseconds. A file may have changed since.
        """
        digests = file_digests(source_paths(game.roots))
        # Listed last: a file that was removed before its digest was taken has changed its folder.
        digests = exclude_recently_modified(digests | file_digests(changed_folders(game.roots, start)), start)
        definitions = definition_digests(game, digests)
        is_same = self._definitions.get(game.id) == definitions
        self._definitions[game.id] = definitions
        jobs = os.cpu_count() or 1
        known = self._rendered.get(game.id)
        if known is None:
            return self._compiled_from_state(game, digests, jobs) or RenderedGame(
                game, compile_game(game, _ignore, jobs=jobs)
            )
        if is_same:
            game = known.game.with_files_of(game)
        known.replace_pack(game, compile_game(game, _ignore, jobs=jobs, previous=known.pack))
        return known

    def _compiled_from_state(self, game: Game, digests: Mapping[str, str], jobs: int) -> RenderedGame | None:
        """A large game, compiled from the state that the last `kismet build` of this path stored; `None` without one.

        It has no bundles: their files are in the tree of that build. `digests`: of the game's files.
        """
        last = last_tree(self.request.path, self.request.game_file) if len(game.files) >= MIN_DOCUMENTS else None
        if last is None:
            return None
        request = replace(self.request, out=last)
        build = load_build_cache(request)
        entry = build.games.get(game.id) if build else None
        stored = compile_from_state(game, request, entry, digests, BuildOptions(jobs=jobs))
        return RenderedGame(stored[0].game, stored[0].pack) if stored else None

    def _run(self) -> _FullBuild:
        start = perf_counter()
        for leftover in self.scratch.iterdir():  # of a killed process
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)
        diagnostics = list(self._library_diagnostics)
        digests, is_complete = self._file_digests, self._is_tree_known

        def publish(emit: EmitFiles, request: BuildRequest, _options: BuildOptions) -> Published:
            nonlocal digests, is_complete
            known = digests if is_complete else None
            is_complete = False
            if known is None:
                published = replace_tree(emit, request.out, scratch=self.scratch, final_files=service_worker)
            else:
                published = renew_tree(emit, request.out, known, self.scratch, final_files=service_worker)
            digests = dict(published.files) or digests
            is_complete = bool(published.files)
            return published

        before = {game: set(rendered.bundles) for game, rendered in self._rendered.items()}
        try:
            if self._failure is not None or self._library is None:
                raise self._failure or UsageError("the library is not loaded")
            options = BuildOptions(jobs=os.cpu_count() or 1, publish=publish, rendered=self._rendered)
            result = build_games(self._library, self.request, diagnostics.append, {}, options)
            update = _update(result, self._library, diagnostics)
            private = {game.id: game.private for game in result.games}
            update = replace(update, changes=compare_with_snapshot(self._snapshot, self.tree, private))
        except (UsageError, InvalidPack, OSError) as failure:
            update = self._failed_update(failure, diagnostics)
            for rendered in self._rendered.values():
                rendered.bundles = {}  # the tree may lack some of their files
        bundles = {
            game: {name: bundle for name, bundle in rendered.bundles.items() if name not in before[game]}
            for game, rendered in self._rendered.items()
        }
        return _FullBuild(replace(update, seconds=perf_counter() - start), digests, is_complete, bundles)

    def _apply(self, full_build: _FullBuild) -> Update:
        before, after = _shown_digests(self._file_digests), _shown_digests(full_build.digests)
        self._file_digests = {**full_build.digests}
        self._is_tree_known = full_build.is_complete
        for game, bundles in full_build.bundles.items():
            self._rendered[game].bundles.update(bundles)
        # Without pages: `write_changed_pages` changes only these, so the digests stay right until the next full build.
        self.digests = {path: digest for path, digest in after.items() if not path.endswith(".html")}
        changed = sorted(path for path, digest in after.items() if before.get(path) != digest)
        self.update = replace(
            full_build.update,
            pages=tuple(path for path in changed if path.endswith(".html")),
            assets=tuple(path for path in changed if not path.endswith(".html")),
            removed=tuple(sorted(before.keys() - after.keys())),
        )
        return self.update

    def _failed_update(self, failure: Exception, diagnostics: Sequence[Diagnostic]) -> Update:
        """Update for a library that could not be built. Published games keep their pages."""
        match failure:
            case InvalidPack():
                problem = f"the data denies its own schema, which is a fault of kismet: {failure}"
            case OSError():
                # For example while an editor replaces a file; that change starts another build.
                file = f": {failure.filename}" if failure.filename else ""
                problem = f"{failure.strerror or failure}{file}"
            case _:
                problem = str(failure)
        games = sorted(file.parent.name for file in self.tree.glob("data/*/pack.json"))
        return Update(
            diagnostics_by_game=dict.fromkeys(games, tuple(diagnostics)),
            unpublished=dict.fromkeys(games, problem),
            diagnostics=tuple(diagnostics),
            problem=problem,
        )

    # --- partial update

    def write_changed_pages(self, changed: Collection[Path]) -> Iterator[Update]:
        """Write the pages of changed documents, first those of the documents, then those of their entities.

        The bytes are those of a full build. Yields nothing if other files changed, or if the game is not published.
        In any case a full build must follow, for the other pages.
        """
        start = perf_counter()
        by_game: dict[str, list[Path]] = {}
        try:
            # Without the temporary files of editors.
            changed = [file for file in changed if file in self._source_files or file.exists()]
            for file in changed:
                game, path = self._documents.get(file, ("", file))
                # A text that has become a link, a folder or a pipe is not read.
                if not game or not is_inside(path, self.request.path.resolve()):
                    self._is_loaded = False
                    return
                by_game.setdefault(game, []).append(path)
        except OSError:
            self._is_loaded = False
            return
        self.stop()
        packs: dict[str, Pack] = {}
        for game, files in by_game.items():
            known = self._rendered[game]
            try:
                packs[game] = compile_game(known.game, _ignore, previous=known.pack, changed=files)
            except OSError:
                self._is_loaded = False
                return
        try:
            for update in self._write_pages(packs, by_game):
                yield replace(update, seconds=perf_counter() - start, is_partial=True)
        except OSError:
            self._is_tree_known = False  # a full disk, for example: the full build reports it
        finally:
            # After the pages, because finding the outdated bundles takes longer than to render one page.
            for game, pack in packs.items():
                self._rendered[game].replace_pack(self._rendered[game].game, pack)

    def _write_pages(self, packs: Mapping[str, Pack], changed: Mapping[str, Sequence[Path]]) -> Iterator[Update]:
        """Write the pages of changed documents, unless their game has errors or is not published."""
        published = {game: pack for game, pack in packs.items() if game not in self.update.unpublished}
        if not published:
            return
        self.update = self._update_with(tuple(published.values()))
        if not all(pack.is_publishable for pack in published.values()):
            yield self.update
            return
        page_iterators: list[Iterator[tuple[str, bytes]]] = []
        for game, pack in published.items():
            parsed = (pack.files[file].document for file in changed[game])
            paths = (document.source.path for document in parsed if document is not None)
            page_iterators += [
                ((page, make()) for page, make in in_layout(pack, pages_of_document(pack, path)))
                for path in paths
                if path not in pack.private
            ]
        # The chapter pages are published before the entity pages are rendered.
        chapter_pages = chain.from_iterable(islice(pages, 1) for pages in page_iterators)
        for pages in (chapter_pages, chain.from_iterable(page_iterators)):
            if changed_pages := tuple(self._write(pages)):
                yield replace(self.update, pages=changed_pages)

    def _write(self, files: Iterator[tuple[str, bytes]]) -> Iterator[str]:
        """Write pages, and yield the paths of those that differ."""
        for path, content in files:
            known = self._file_digests.get(path)
            in_tree = known if self._is_tree_known else None
            self._file_digests[path] = renew(path, content, self.tree, in_tree, self.scratch).digest
            if self._file_digests[path] != known:
                yield path

    def _update_with(self, packs: Sequence[Pack]) -> Update:
        """The last update without its pages, with the diagnostics of new packs."""
        diagnostics_by_game = {**self.update.diagnostics_by_game, **{pack.game.id: pack.diagnostics for pack in packs}}
        reasons = {pack.game.id: _reason(pack.diagnostics) for pack in packs if not pack.is_publishable}
        games = {pack.game.id for pack in packs}
        # Diagnostics of the library belong to no game.
        of_games = {id(diagnostic) for game in games for diagnostic in self.update.diagnostics_by_game.get(game, ())}
        others = (diagnostic for diagnostic in self.update.diagnostics if id(diagnostic) not in of_games)
        return replace(
            self.update,
            pages=(),
            assets=(),
            removed=(),
            diagnostics_by_game=diagnostics_by_game,
            unpublished={**self.update.unpublished, **reasons},
            diagnostics=(*others, *chain.from_iterable(pack.diagnostics for pack in packs)),
        )


def _shown_digests(digests: Mapping[str, FileDigest]) -> dict[str, str]:
    """SHA-256 of the pages, and of the files that pages load."""
    return {path: digest.sha256 for path, digest in digests.items() if not path.startswith(NOT_SHOWN)}


def _ignore(_: Diagnostic) -> None:
    """Suppress diagnostics here; the full build reports them."""


def _update(result: BuildResult, library: Library, diagnostics: Sequence[Diagnostic]) -> Update:
    """Update for a build that did not fail, with all diagnostics."""
    diagnostics_by_game = {game.id: game.diagnostics for game in result.games}
    unpublished = {game.id: _reason(game.diagnostics) for game in result.games if not game.is_publishable}
    for failure in library.broken:
        unpublished[failure.id] = failure.reason
        # The reason names the data file with the errors.
        in_data_file = (error for error in diagnostics if error.span.source.display_path in failure.reason)
        diagnostics_by_game.setdefault(failure.id, tuple(in_data_file))
    return Update(
        diagnostics_by_game=diagnostics_by_game,
        unpublished=unpublished,
        diagnostics=tuple(diagnostics),
        private=tuple(f"{game.title}: {private_summary(game.private)}" for game in result.games if game.private),
        advice=advice((game.title, game.missing_keys) for game in result.games),
        left_out={game.id: left_out_summary(game.left_out) for game in result.games if game.left_out},
    )


def _reason(diagnostics: Sequence[Diagnostic]) -> str:
    errors = count_by_severity(diagnostics)["error"]
    return "it has 1 error" if errors == 1 else f"it has {errors} errors"
