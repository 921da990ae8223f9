"""Build a library: load its games, compile and render the changed ones, and publish the tree.

`compile.py` has the stages from parse to lint; `publish.py` renders the files.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, starmap
from math import inf
from pathlib import Path
from time import time_ns
from types import MappingProxyType
from typing import NamedTuple

from kismet_build.config.data_file import UsageError
from kismet_build.config.game import Game, Library
from kismet_build.config.load_library import load_library
from kismet_build.driver.books import MadeBook, NoBook, make_book
from kismet_build.driver.build_cache import (
    BuildCache,
    BuildRequest,
    BuiltGame,
    GameRecord,
    changed_folders,
    digest_of_digests,
    exclude_recently_modified,
    file_digests,
    read_games,
    reliable_fingerprints,
    source_paths,
)
from kismet_build.driver.compile import compile_game, private_texts
from kismet_build.driver.exports import FinishedGame, GameExports, export_games
from kismet_build.driver.fingerprint import snapshot_tree
from kismet_build.driver.found_kinds import kinds_summary
from kismet_build.driver.json_values import to_json
from kismet_build.driver.processes import run_parallel
from kismet_build.driver.publish import FailedRendering, render_files, render_game, service_worker, shared_files
from kismet_build.driver.result import BuildResult, FailedExport, GameResult, missing_keys
from kismet_build.driver.workers import Lost, Sources, Workers
from kismet_build.model.diagnostic import Diagnostic, FailedText, Report
from kismet_build.model.downloads import LINKED_EXPORTS
from kismet_build.model.entry_points import Registered
from kismet_build.output.entity_changes import KindChanges, PreviousBuild, compare_trees, previous_build
from kismet_build.output.tree import (
    NewTree,
    OutputFile,
    Progress,
    TreeWriter,
    check_output_folder,
    new_tree,
    no_progress,
)
from kismet_build.pack import Pack
from kismet_build.render.data.listing import Listing, listing, published_listing
from kismet_build.render.html.addresses import book_address
from kismet_build.render.site.outputs import general_schemas


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """Settings of a build beyond its `BuildRequest`."""

    jobs: int = 1
    """Maximum number of processes. The processes share the games of a library, or the shards of a single game."""
    force: bool = False
    """Rebuild all search indexes, even for unchanged pages."""
    packs: Mapping[str, Pack] = field(default_factory=dict)
    """Games that are already compiled, by id."""
    failures: tuple[tuple[str, FailedText], ...] = ()
    """Texts whose rendering failed, each with the id of its game: only their words are published."""
    previous_tree: Path | None = None
    """The tree of the last build, to report kinds that have lost all their entities; `None` accepts such a loss."""
    keeps_entities: bool = False
    """Whether the tree stays unchanged if entities of the last build vanished."""
    before_publishing: Callable[[Path], None] | None = None
    """Called with the folder of the new tree before it replaces the present one. An exception prevents that."""
    exporters: tuple[Registered, ...] = ()
    """The exporters to run for each game."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What the files of these exporters depend on besides the data, by name; without those that depend on nothing."""
    books: tuple[Registered, ...] = ()
    """The formats of the books that are made of each game."""
    failed_exports: tuple[FailedExport, ...] = ()
    """Failed exports that pages would link to. The library is built without them."""
    workers: Workers | None = None
    """The machines that build the games; `None` if this one does."""


DEFAULT_OPTIONS = BuildOptions()


class VanishedEntities(Exception):
    """Entities of the last build are not in the new one, which is not published."""

    def __init__(self, changes: Sequence[KindChanges]) -> None:
        super().__init__(changes)
        self.changes = changes


class FailedLinkedExports(Exception):
    """Exports that pages link to have failed."""

    def __init__(self, failures: Sequence[FailedExport]) -> None:
        super().__init__(failures)
        self.failures = tuple(failures)


class RenderedGame(NamedTuple):
    """The result of rendering a game."""

    result: GameResult
    files: Sequence[OutputFile]
    """The files of the game; empty if the game failed."""
    listing: Listing
    """Summary for the library's home page and glossary. Empty if the game failed, and for the manual."""


def build_library(
    request: BuildRequest,
    report: Report,
    previous: BuildCache | None = None,
    options: BuildOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> BuildCache:
    """Run all stages for the library at `request.path`.

    The result is the `previous` build of the next call. A game whose source files are the same as in the `previous`
    build is copied from the tree, which must be intact. Raises `VanishedEntities`, and `UsageError` if there is nothing
    to build or if `out` holds files that this program did not write.
    """
    diagnostics: list[Diagnostic] = []

    def report_and_collect(diagnostic: Diagnostic) -> None:
        diagnostics.append(diagnostic)
        report(diagnostic)

    start = time_ns()
    library = load_library(
        request.path,
        request.game_file,
        report_and_collect,
        keep_going=request.keep_going,
        url=request.url,
        untrusted=request.untrusted,
    )
    # Taken before any document is read, so the next build reads a file that changes from now on.
    paths = {root: tuple(source_paths((root,))) for root in library.roots}
    all_paths = tuple(dict.fromkeys((*chain.from_iterable(paths.values()), *library.around)))
    fingerprints = reliable_fingerprints(all_paths, start)
    digests = file_digests(all_paths, previous)
    # Folders are listed last: the removal of a file before its digest was taken has changed the folder.
    folders = {root: tuple(changed_folders((root,), start)) for root in library.roots}
    sources = {
        game.id: Sources(
            game.files.roots,
            digest_of_digests({path: digests[path] for root in game.files.roots for path in paths[root]}),
        )
        for game in library.games
    }
    digests = exclude_recently_modified(digests | file_digests(chain.from_iterable(folders.values())), start)
    game_digests = {
        game.id: {path: digests[path] for root in game.files.roots for path in (*paths[root], *folders[root])}
        | {path: digests[path] for path in game.files.around}
        for game in library.with_manual
    }
    records = read_games(previous) if previous and previous.is_current else {}
    while True:
        linked = LINKED_EXPORTS & {exporter.name for exporter in options.exporters}
        unchanged = {
            game: records[game].game
            for game, now in game_digests.items()
            if game in records
            and records[game].digest == digest_of_digests(now)
            and records[game].linked_exports == linked
        }
        library = replace(library, games=tuple(game.with_options(linked_exports=linked) for game in library.games))
        try:
            result, built = build_games(library, request, report_and_collect, unchanged, options, progress, sources)
        except FailedLinkedExports as failure:
            failed = {failed.exporter for failed in failure.failures}
            options = replace(
                options,
                exporters=tuple(exporter for exporter in options.exporters if exporter.name not in failed),
                failed_exports=(*options.failed_exports, *failure.failures),
            )
        except FailedRendering as failure:
            # Build again from the start, because other pages link to the pages of the failed text.
            failures = (*options.failures, (failure.game, failure.text))
            options = replace(options, failures=failures)
        else:
            break
    load_failures = tuple((failure.id, failure.reason) for failure in library.broken)
    result = replace(result, load_failures=load_failures, diagnostics=tuple(diagnostics))
    # A file may have been changed after its digest was taken, compiled, and restored.
    digests = exclude_recently_modified(digests, start)
    kept = {game: records[game] for game in (*result.retained, *unchanged) if game in records}
    made = {
        game_id: GameRecord(
            records[game_id].digest
            if game_id in unchanged
            else digest_of_digests({path: digests[path] for path in game_digests[game_id]}),
            linked,
            game,
        )
        for game_id, game in built.items()
        if game.result.is_publishable
    }
    results = (*result.games, *([result.manual] if result.manual else ()))
    return BuildCache(
        roots=(*library.roots, *library.around),
        digests=digests,
        tree=snapshot_tree(str(request.out)),
        result=result,
        exports=tuple(sorted(set(request.exports) - {failed.exporter for failed in result.failed_exports})),
        games=to_json(kept | made).decode(),
        fingerprints=fingerprints,
        notes=options.notes,
        until=min((game.until for game in results if game.until), default=None),
    )


def build_games(
    library: Library,
    request: BuildRequest,
    report: Report,
    unchanged: Mapping[str, BuiltGame],
    options: BuildOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
    sources: Mapping[str, Sources] = MappingProxyType({}),
) -> tuple[BuildResult, Mapping[str, BuiltGame]]:
    """Compile, render and publish all games.

    A game with errors keeps its previous pages, unless they show a text that is private now. Returns the result and, by
    id, a record of each game and of the manual. `unchanged` has the records of the games whose files are taken from the
    present tree. `sources` has the source files of each game, for other machines. Raises `VanishedEntities`, or
    `UsageError` if `out` holds files that this program did not write.
    """
    check_output_folder(request.out)
    with new_tree(request.out, force=options.force, search=request.search) as tree:
        built: dict[str, BuiltGame] = {}
        listings: list[Listing] = []
        for game in _games(library, unchanged, options, tree, progress, sources):
            built[game.result.id] = BuiltGame(game.result, tuple(tree.add(game.files)), {})
            if game.result.is_publishable:
                listings.append(game.listing)
        is_published = bool(listings)
        previous = [*_previous_builds(library, built, request.out)]
        # Without its settings, nobody can tell which texts of a game are private now.
        unread = {failure.id for failure in library.broken}
        exposing = frozenset(
            build.id for build in previous if build.id in unread or _holds_private_texts(build, built.get(build.id))
        )
        retained = [build for build in previous if build.id not in exposing]
        failed_exports: list[FailedExport] = []
        manual: RenderedGame | None = None
        changes: list[KindChanges] = []
        if is_published:
            for build in retained:
                tree.add(starmap(tree.write, build.files()))
                listings.append(published_listing(build.pack))
            schemas = tree.add(render_files(tree.write, general_schemas()))
            exports = _export(built, unchanged, schemas, options, tree)
            built |= {game: built[game]._replace(exports=of_game.made) for game, of_game in exports.items()}
            failed_exports = [failure for of_game in exports.values() for failure in of_game.failures]
            if library.manual is not None:
                manual = _manual(library.manual, unchanged, options, tree, progress)
                built[library.manual.id] = BuiltGame(manual.result, tuple(tree.add(manual.files)), {})
            library_config = library.games[0].library_config
            has_manual = bool(manual and manual.files)
            tree.add(shared_files(tree.files, listings, library_config, tree.write, report, has_manual=has_manual))
            private = {game_id: game.result.private for game_id, game in built.items()}
            changes = compare_trees(request.out, tree.folder, private)
            if options.keeps_entities and any(change.vanished for change in changes):
                raise VanishedEntities(changes)
            if options.before_publishing:
                options.before_publishing(tree.folder)
        published = tree.publish(service_worker, progress)
    games = tuple(built[game.id].result for game in library.games)
    for diagnostic in chain.from_iterable(game.diagnostics for game in (*games, *([manual.result] if manual else ()))):
        report(diagnostic)
    result = BuildResult(
        games=games,
        retained=frozenset(build.id for build in retained),
        exposing=exposing,
        is_published=is_published,
        changes=tuple(changes),
        manual=manual.result if manual else None,
        failed_exports=(*options.failed_exports, *failed_exports),
        search_problem=published.search_problem,
        has_search_failed=published.has_search_failed,
    )
    return result, built


def _games(
    library: Library,
    unchanged: Mapping[str, BuiltGame],
    options: BuildOptions,
    tree: NewTree,
    progress: Progress,
    sources: Mapping[str, Sources],
) -> Iterator[RenderedGame]:
    """Write the games of a library: first the unchanged games, then all other games in parallel, largest first."""
    changed = []
    for game in library.games:
        if game.id in unchanged and (previous := previous_build(tree.old, game.id)):
            yield _kept(unchanged[game.id], tree, published_listing(previous.pack))
        else:
            changed.append(game)
    if len(changed) == 1 and not options.workers:
        yield _rendered(changed[0], options, tree.write, progress)
        return
    by_size = sorted(changed, key=lambda game: -sum(file.stat().st_size for file, _ in game.files.texts))
    if options.workers:
        elsewhere = replace(options, jobs=1, before_publishing=None, workers=None)
        work = partial(_rendered, options=elsewhere, write=tree.write, progress=no_progress)
        raised = (UsageError, FailedRendering)
        made = options.workers.run(work, by_size, tree.folder, lambda game: sources[game.id], raised)
        for number, (game, rendered) in enumerate(made):
            progress("building the games on other machines", number, len(by_size))
            yield _lost(game, rendered) if isinstance(rendered, Lost) else rendered
        return
    one_process = replace(options, jobs=1)
    numbers = range(len(by_size))
    for _, rendered in run_parallel(
        lambda number: _rendered(by_size[number], one_process, tree.write, progress), numbers, options.jobs
    ):
        yield rendered


def _lost(game: Game, failure: Lost) -> RenderedGame:
    """A game that the workers could not build. Its pages stay unless they show a text that is private now."""
    result = GameResult(
        id=game.id,
        title=game.title,
        chapters=0,
        entities=0,
        diagnostics=(),
        private=private_texts(game),
        failure=failure.reason,
    )
    return RenderedGame(result, (), {})


def _export(
    built: Mapping[str, BuiltGame],
    unchanged: Mapping[str, BuiltGame],
    schemas: Sequence[OutputFile],
    options: BuildOptions,
    tree: NewTree,
) -> dict[str, GameExports]:
    """Raises `FailedLinkedExports` if an export fails that pages link to."""
    finished = [
        FinishedGame(
            game_id,
            [file.path for file in (*game.files, *schemas)],
            unchanged[game_id].exports if game_id in unchanged else {},
        )
        for game_id, game in built.items()
        if game.result.is_publishable
    ]
    exports = dict(export_games(finished, options.exporters, tree.write, options.jobs, options.workers))
    for of_game in exports.values():
        tree.add(chain.from_iterable(of_game.made.values()))
    failures = chain.from_iterable(of_game.failures for of_game in exports.values())
    if linked := [failure for failure in failures if failure.exporter in LINKED_EXPORTS]:
        raise FailedLinkedExports(linked)
    return exports


def _manual(
    manual: Game, unchanged: Mapping[str, BuiltGame], options: BuildOptions, tree: NewTree, progress: Progress
) -> RenderedGame:
    if manual.id in unchanged:
        return _kept(unchanged[manual.id], tree, {})
    return _rendered(manual, replace(options, jobs=1), tree.write, progress)


def _kept(game: BuiltGame, tree: NewTree, pack: Listing) -> RenderedGame:
    return RenderedGame(game.result, [*map(tree.write.keep, game.files)], pack)


def _rendered(game: Game, options: BuildOptions, write: TreeWriter, progress: Progress) -> RenderedGame:
    pack = options.packs.get(game.id)
    if pack is None:
        failures = [text for game_id, text in options.failures if game_id == game.id]
        pack = compile_game(
            game, lambda _: None, progress, options.jobs, previous_tree=options.previous_tree, failures=failures
        )
    progress(f"{game.title}: making pages", 0, 0)
    result = GameResult(
        id=game.id,
        title=pack.game.title,
        chapters=len(pack.book.chapters),
        entities=sum(map(len, pack.entities.values())),
        diagnostics=pack.diagnostics,
        private=pack.private,
        until=None if pack.until == inf else pack.until,
        left_out=pack.left_out,
        kinds_summary=kinds_summary(pack),
        missing_keys=missing_keys(game),
    )
    if not result.is_publishable:
        return RenderedGame(result, (), {})
    made, failed = _books(pack, options, write, progress)
    if options.books:
        # A picture may be missing in both formats.
        found = dict.fromkeys(chain(pack.diagnostics, *(book.diagnostics for book, _ in made.values())))
        warnings = tuple(chain.from_iterable(book.warnings for book, _ in made.values()))
        result = replace(result, failed_books=failed, book_warnings=warnings, diagnostics=(*found,))
        pack = replace(pack, game=pack.game.with_options(books=tuple(made)))
    if game.id not in options.packs:
        # The game will not be compiled again, and the inputs and results of its steps take much memory.
        pack = replace(pack, memo=None)
    files = [*render_game(pack, write, options.jobs, progress), *(file for _, file in made.values())]
    return RenderedGame(result, files, {} if game.is_manual else dict(listing(pack)))


def _books(
    pack: Pack, options: BuildOptions, write: TreeWriter, progress: Progress
) -> tuple[Mapping[str, tuple[MadeBook, OutputFile]], tuple[tuple[str, str], ...]]:
    """Returns the books by format, and for each format that failed, why."""
    made, failed = {}, []
    for book_format in options.books if not pack.game.is_manual else ():
        progress(f"{pack.game.title}: making the book", 0, 0)
        try:
            book = make_book(book_format, pack)
        except NoBook as problem:
            failed.append((book_format.name, str(problem)))
        else:
            made[book_format.name] = (book, write(book_address(pack.game.id, book_format.name), book.content))
    return made, tuple(failed)


def _previous_builds(library: Library, built: Mapping[str, BuiltGame], out: Path) -> Iterator[PreviousBuild]:
    published = {game for game, made in built.items() if made.result.is_publishable}
    games = {game.id for game in library.games}.union(failure.id for failure in library.broken)
    yield from filter(None, (previous_build(out, game) for game in sorted(games - published)))


def _holds_private_texts(previous: PreviousBuild, game: BuiltGame | None) -> bool:
    sources = {source["path"] for source in previous.pack["game"]["sources"]}
    return game is not None and not sources.isdisjoint(game.result.private)
