"""The served library, which is compiled after each save and rendered page by page on request.

Rendered pages are not kept here: docs/decisions/0028-serve-on-demand.md.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from math import inf
from os.path import realpath
from pathlib import Path
from time import perf_counter, time_ns
from urllib.parse import quote

from kismet_build.config.data_file import UsageError, is_inside
from kismet_build.config.game import Game, Library
from kismet_build.config.library import LibraryConfig
from kismet_build.config.load_library import load_library
from kismet_build.driver.build_cache import (
    BuildRequest,
    changed_folders,
    definition_digests,
    exclude_recently_modified,
    file_digests,
    last_tree,
    source_paths,
)
from kismet_build.driver.compile import compile_game
from kismet_build.driver.library import BuildOptions, build_games
from kismet_build.driver.publish import FailedRendering, configured, manifest
from kismet_build.driver.result import advice, doubtful_places, left_out_summary, missing_keys, private_summary
from kismet_build.model.diagnostic import Diagnostic, count_by_severity, ignore
from kismet_build.model.source import read_regular_file
from kismet_build.model.watchdog import TooSlow
from kismet_build.output.entity_changes import EntitySnapshot, KindChanges, compare_with_snapshot, snapshot_entities
from kismet_build.output.search_index import INDEX_FOLDER
from kismet_build.output.temporary_folder import SERVED_TREE
from kismet_build.output.tree import MANIFEST, Progress, describe_file, no_progress
from kismet_build.pack import Pack
from kismet_build.pack.cached import forget_cached
from kismet_build.render.data.listing import LazyListing, data_index
from kismet_build.render.html.templates import author_template_errors
from kismet_build.render.site.outputs import addresses, find, general_schemas, library_files, paths
from kismet_build.serve.memory import release_memory
from kismet_build.serve.urls import INDEX, Redirect

HEAVY = re.compile(
    r"(.*/)?print/.*|data/[^/]+/[^/]+\.json|data/[^/]+\.json|.*-search\.js|llms\.txt|[^/]+/llms(-full)?\.txt"
)
"""Paths of files made from an entire game. Another thread makes these files, so that pages do not wait for them."""

Answer = bytes | Redirect | None
"""The content of a file, or a redirect to a folder; `None` if neither is at the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """Result of a compilation, or of a check of the entire library."""

    diagnostics_by_game: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    """Diagnostics of each game, by game id."""
    unpublished: Mapping[str, str] = field(default_factory=dict)
    """Ids of the games that are not published, with the reason."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """All diagnostics, including those that do not belong to a game."""
    problem: str = ""
    """Why nothing could be compiled, or why the check of the entire library failed; empty if neither happened."""
    changes: Mapping[str, Sequence[KindChanges]] = field(default_factory=dict)
    """The entries of each game that changed since the last `kismet build`, or since the server was started."""
    private: tuple[str, ...] = ()
    """For each game with private texts, a sentence with their number."""
    doubtful: tuple[str, ...] = ()
    """Lines that name the texts that are private because something was not understood, for a terminal."""
    until: float = inf
    """When the next text appears or vanishes, in seconds since 1970."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """For each game published despite errors, the parts that are left out."""
    advice: str = ""
    """Advice on what to set in `game.yaml`; empty if there is none."""
    seconds: float = 0.0
    """Duration of the compilation."""

    def counts(self) -> dict[str, int]:
        return count_by_severity(self.diagnostics)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a build of the entire library."""

    diagnostics: tuple[Diagnostic, ...] = ()
    """Diagnostics that need all pages, such as broken links on the author's own pages."""
    problem: str = ""
    """Why the library could not be built; empty if it was."""
    changes: Mapping[str, Sequence[KindChanges]] = field(default_factory=dict)
    indexed: Set[tuple[str, str]] = frozenset()
    """The texts in the search index, each with the id of its game."""


class Version:
    """One version of the library, which renders each file of its website on request."""

    def __init__(self, packs: Mapping[str, Pack], library_config: LibraryConfig) -> None:
        """`packs`: the games and the manual, by id. `library_config`: the settings, including the author's pages."""
        self.packs = packs
        self._library_config = library_config
        listings = [LazyListing(pack) for pack in packs.values() if not pack.game.is_manual]
        listings.sort(key=lambda listing: str(listing["game"]["id"]))
        self._shared: dict[str, Callable[[], bytes]] = {}
        if listings:
            self._shared = dict(chain(general_schemas(), library_files(listings, library_config, self._pages)))
            self._shared["data/index.json"] = lambda: data_index(listings, {})
            self._shared[MANIFEST] = self._manifest

    def _pages(self) -> list[str]:
        shared = (path for path in self._shared if path.endswith(INDEX))
        return [*shared, *(address + INDEX for pack in self.packs.values() for address in addresses(pack))]

    def _manifest(self) -> bytes:
        listed = chain(self._shared, *(paths(pack) for pack in self.packs.values()))
        makers = {path: self.find(path) for path in listed if path.startswith("data/") and path != MANIFEST}
        return manifest([describe_file(path, make()) for path, make in makers.items() if make])

    def find(self, path: str) -> Callable[[], bytes] | None:
        """The function that makes the file at this path; `None` if there is no such file."""
        if path in self._shared:
            return self._shared[path]
        # The paths of a game's files contain its id.
        packs = (pack for game, pack in self.packs.items() if game in path)
        return next(filter(None, (find(pack, path) for pack in packs)), None)

    def answer(self, path: str) -> Callable[[], Answer]:
        """The function that makes the answer for a path. The path of a folder ends in a slash; the root is empty."""
        is_folder = path == "" or path.endswith("/")
        make = self.find(path + INDEX if is_folder else path)
        if make is None and not is_folder and self.find(f"{path}/{INDEX}"):
            return lambda: Redirect(f"/{quote(path)}/")
        return make or (lambda: None)

    def make_apart(self, path: str) -> Answer:
        """Make the answer for a path from copies of the packs, in another thread.

        The copies do not share cached results, so neither thread sees what the other has half made.
        """
        apart = Version(_copies(self.packs), self._library_config)
        try:
            return apart.answer(path)()
        finally:
            # Without this, what refers to itself would stay in memory until a garbage collection, which is rare.
            apart._shared.clear()
            _forget(apart.packs)


class ServedLibrary:
    """Compiles a library whenever asked, and keeps the newest version that can be published."""

    def __init__(self, path: Path, game: Path | None, scratch: Path, *, keep_going: bool = False) -> None:
        """Prepare to serve the library at `path`, which is not read yet. `scratch` is an empty folder."""
        self.tree = scratch / SERVED_TREE
        """The tree of the last check, whose search index is served."""
        self.request = BuildRequest(path, game, self.tree, keep_going=keep_going)
        self.update = Update()
        """Result of the last compilation."""
        self.newest: Version | None = None
        """The newest version; `None` if nothing can be published."""
        self._library: Library | None = None
        self._library_diagnostics: tuple[Diagnostic, ...] = ()
        """Diagnostics of the data files."""
        self._library_config = LibraryConfig()
        self._games: dict[str, tuple[Game, Pack]] = {}
        """Each game as loaded and as compiled, by id. In contrast to the first, `Pack.game` lacks calculators that
        cannot run. Replaced, never changed, because a check in another thread may be reading it."""
        self._good: dict[str, Pack] = {}
        """The last pack of each game that could be published, by id."""
        self._definitions: dict[str, Mapping[str, str]] = {}
        """The digests of each game's data files, by game id."""
        self._documents: dict[Path, tuple[str, Path]] = {}
        """The id of the game and the path within it of each source file, by resolved path."""
        self._source_files: set[Path] = set()
        """Resolved paths of all files of the library."""
        self._is_loaded = False
        """Whether the library is loaded, and only documents have changed since then."""
        self._checked = CheckResult()
        self._indexed: Set[tuple[str, str]] = frozenset()
        """The texts that may be in the search index, each with the id of its game."""
        last = last_tree(path, game)
        self._snapshot: EntitySnapshot = snapshot_entities(last) if last else {}
        """The entities of the last build, or of the first check, to compare new ones with."""

    # --- compile

    def compile(self, changed: Collection[Path] = ()) -> Update:
        """Compile these texts, or everything if other files changed. Errors in the library are part of the update."""
        start = perf_counter()
        by_game = self._changed_texts(changed) if self._is_loaded and changed else None
        try:
            if by_game is None:
                self._is_loaded = False
                self._load()
            else:
                for game_id, files in by_game.items():
                    game, pack = self._games[game_id]
                    compiled = compile_game(game, ignore, previous=pack, changed=files)
                    self._games = {**self._games, game_id: (game, compiled)}
            self._exchange()
            self._is_loaded = True
        except (UsageError, OSError, TooSlow) as failure:
            self._is_loaded = False  # An editor may be replacing a file. The next change reloads everything.
            self.update = self._failed_update(failure)
        self.update = replace(self.update, seconds=perf_counter() - start)
        if by_game is None:
            # The packs are large and long-lived, so exclude them from garbage collection. After the edit of a text, do
            # not: objects that a later edit replaces would stay in memory.
            release_memory()
        return self.update

    def _changed_texts(self, changed: Collection[Path]) -> dict[str, list[Path]] | None:
        """The changed texts of each game, by its id; `None` if other files changed."""
        by_game: dict[str, list[Path]] = {}
        try:
            # This skips the temporary files of editors.
            for file in (file for file in changed if file in self._source_files or file.exists()):
                game, path = self._documents.get(file, ("", file))
                # Load everything if a text has become a link, a folder or a pipe, which is not read.
                if not game or not is_inside(path, self.request.path.resolve()):
                    return None
                by_game.setdefault(game, []).append(path)
        except OSError:
            return None
        return by_game

    def _load(self) -> None:
        """Results of the last compilation are reused."""
        self._documents = {}
        diagnostics: list[Diagnostic] = []
        start = time_ns()
        try:
            library = load_library(
                self.request.path, self.request.game_file, diagnostics.append, keep_going=self.request.keep_going
            )
        finally:
            self._library_diagnostics = tuple(diagnostics)
        self._source_files = {Path(realpath(path)) for path in source_paths(library.roots)}
        self._games = {game.id: self._compiled(game, start) for game in library.with_manual}
        self._library = library
        texts = [
            (file.resolve(), (game.id, file))
            for game, _ in self._games.values()
            if not game.is_manual
            for file, _ in game.files.texts
        ]
        # A text that a link also leads to has several paths. After an edit of such a text, all games are loaded.
        paths = Counter(file for file, _ in texts)
        self._documents = {file: document for file, document in texts if paths[file] == 1}

    def _compiled(self, game: Game, start: int) -> tuple[Game, Pack]:
        """A game and its pack.

        `start`: the time before the game was loaded, in nanoseconds; files may have changed since.
        """
        digests = file_digests((*source_paths(game.files.roots), *game.files.around))
        # Folders are listed last: if a file was removed before its digest was taken, its folder has changed.
        digests = exclude_recently_modified(digests | file_digests(changed_folders(game.files.roots, start)), start)
        definitions = definition_digests(game, digests)
        is_same = self._definitions.get(game.id) == definitions
        self._definitions[game.id] = definitions
        known = self._games.get(game.id)
        if known is None:
            return game, compile_game(game, ignore, jobs=os.cpu_count() or 1)
        if is_same:
            game = known[0].with_files_of(game)
        return game, compile_game(game, ignore, jobs=os.cpu_count() or 1, previous=known[1])

    def _exchange(self) -> None:
        """Make a version from the packs, with the last good pack of each game that has errors now.

        Raises `UsageError`.
        """
        library = self._library
        assert library is not None
        packs = {game: pack for game, (_, pack) in self._games.items()}
        self._good |= {game: pack for game, pack in packs.items() if pack.is_publishable}
        known = {*packs, *(failure.id for failure in library.broken)}
        self._good = {game: pack for game, pack in self._good.items() if game in known and not _exposes(pack, packs)}
        former, self.update = self.newest, self._update(library, packs)
        if former and any(_exposes(pack, packs) for pack in former.packs.values()):
            self.newest = None
        if library.games:
            titles = [(pack.game.title, game) for game, pack in self._good.items() if not pack.game.is_manual]
            has_manual = any(pack.game.is_manual for pack in self._good.values())
            self._library_config = configured(library.games[0].library_config, titles, ignore, has_manual=has_manual)
        if any(not pack.game.is_manual for pack in self._good.values()):
            version = Version(dict(self._good), self._library_config)
            if not self._is_loaded:
                self._try(version)
            self.newest = version
        if former:
            kept = self.newest.packs if self.newest else {}
            _forget({game: pack for game, pack in former.packs.items() if kept.get(game) is not pack})

    def _try(self, version: Version) -> None:
        """Make the home pages, to find errors in the author's design, which affect all pages. Raises `UsageError`."""
        with author_template_errors():
            for address in ("", *(f"{game}/" for game in version.packs)):
                version.answer(address)()

    def _update(self, library: Library, all_packs: Mapping[str, Pack]) -> Update:
        packs = [all_packs[game.id] for game in library.games]
        diagnostics_by_game = {pack.game.id: pack.diagnostics for pack in packs}
        unpublished = {pack.game.id: _reason(pack.diagnostics) for pack in packs if not pack.is_publishable}
        for failure in library.broken:
            unpublished[failure.id] = failure.reason
            # A failure's reason names the data file with the errors.
            found = self._library_diagnostics
            in_data_file = (error for error in found if error.span.source.display_path in failure.reason)
            diagnostics_by_game.setdefault(failure.id, tuple(in_data_file))
        return Update(
            diagnostics_by_game=diagnostics_by_game,
            unpublished=unpublished,
            diagnostics=(
                *self._library_diagnostics,
                *chain.from_iterable(pack.diagnostics for pack in all_packs.values()),
                *self._checked.diagnostics,
            ),
            problem=self._checked.problem,
            changes=self._checked.changes,
            private=tuple(f"{pack.game.title}: {private_summary(pack.private)}" for pack in packs if pack.private),
            doubtful=tuple(chain.from_iterable(doubtful_places(pack.private) for pack in packs)),
            until=min((pack.until for pack in all_packs.values()), default=inf),
            left_out={pack.game.id: left_out_summary(pack.left_out) for pack in packs if pack.left_out},
            advice=advice((pack.game.title, missing_keys(pack.game)) for pack in packs),
        )

    def _failed_update(self, failure: Exception) -> Update:
        """The update for a library that could not be compiled. Its pages stay unchanged."""
        problem = str(failure)
        if isinstance(failure, OSError):
            # An editor may be replacing a file, for example. That change will start another compilation.
            problem = f"{failure.strerror or failure}{f': {failure.filename}' if failure.filename else ''}"
        games = sorted(self._good)
        return Update(
            diagnostics_by_game=dict.fromkeys(games, self._library_diagnostics),
            unpublished=dict.fromkeys(games, problem),
            diagnostics=self._library_diagnostics,
            problem=problem,
        )

    # --- check

    @property
    def has_snapshot(self) -> bool:
        """Whether there are earlier entities to compare new ones with."""
        return bool(self._snapshot)

    def check(self, progress: Progress = no_progress) -> CheckResult:
        """Build the tree of the library as it was last loaded, with its search index, and check all data.

        This may run in another thread. To end it, raise an exception in `progress`.
        """
        library, diagnostics = self._library, list[Diagnostic]()
        if library is None:
            return CheckResult()
        packs = _copies({game: pack for game, (_, pack) in self._games.items()})
        indexed = {(game, path) for game, pack in packs.items() for path in pack.documents}
        self._indexed |= indexed  # The check may end after the tree is exchanged, but without a result.
        try:
            options = BuildOptions(packs=packs)
            result, _ = build_games(library, self.request, diagnostics.append, {}, options, progress)
        except (UsageError, OSError) as failure:
            return CheckResult(tuple(diagnostics), str(failure))
        except (FailedRendering, TooSlow) as failure:
            return CheckResult(problem=f"internal error in kismet, please report it: {failure!r}")
        finally:
            _forget(packs)
        # The diagnostics of packs are already in the update.
        games = (*result.games, *([result.manual] if result.manual else ()))
        known = {id(diagnostic) for game in games for diagnostic in game.diagnostics}
        private = {game.id: game.private for game in result.games}
        return CheckResult(
            diagnostics=tuple(found for found in diagnostics if id(found) not in known),
            changes=compare_with_snapshot(self._snapshot, self.tree, private),
            indexed=indexed,
        )

    def adopt_check(self, result: CheckResult) -> Update:
        """Add what a check found to the update."""
        before, self._checked = self._checked, result
        self._indexed = result.indexed
        self._snapshot = self._snapshot or snapshot_entities(self.tree)
        shown = {id(diagnostic) for diagnostic in before.diagnostics}
        diagnostics = (found for found in self.update.diagnostics if id(found) not in shown)
        self.update = replace(
            self.update,
            diagnostics=(*diagnostics, *result.diagnostics),
            problem=result.problem if self.update.problem in ("", before.problem) else self.update.problem,
            changes=result.changes,
        )
        return self.update

    # --- answer

    def answer(self, path: str) -> Callable[[], Answer]:
        """The function that makes the answer for a path."""
        if path.startswith(f"{INDEX_FOLDER}/"):
            return lambda: None if self._is_private_indexed() else _read(self.tree, path)
        return self.newest.answer(path) if self.newest else lambda: None

    def _is_private_indexed(self) -> bool:
        """Whether a text that is private now may be in the search index, until the next check."""
        return any((game, path) in self._indexed for game, (_, pack) in self._games.items() for path in pack.private)


def is_heavy(path: str) -> bool:
    """Whether making the file at this path takes much longer than making a page."""
    return HEAVY.fullmatch(path) is not None


def _copies(packs: Mapping[str, Pack]) -> dict[str, Pack]:
    """The packs without cached results."""
    return {game: replace(pack) for game, pack in packs.items()}


def _forget(packs: Mapping[str, Pack]) -> None:
    for pack in packs.values():
        forget_cached(pack)


def _read(tree: Path, path: str) -> bytes | None:
    try:
        return read_regular_file(tree / path)
    except OSError:
        return None


def _exposes(pack: Pack, packs: Mapping[str, Pack]) -> bool:
    newest = packs.get(pack.game.id)
    return newest is not None and not newest.private.keys().isdisjoint(pack.documents)


def _reason(diagnostics: Sequence[Diagnostic]) -> str:
    errors = count_by_severity(diagnostics)["error"]
    return "it has 1 error" if errors == 1 else f"it has {errors} errors"
