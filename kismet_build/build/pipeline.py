"""The pipeline: load -> parse -> resolve -> extract -> crossref -> lint -> render -> write.

`build_library` runs all eight stages for a library. Those from parse to lint are in `compile.py`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat, starmap
from pathlib import Path
from time import time_ns
from typing import Any, NamedTuple

from kismet_build.build.advice import missing_keys
from kismet_build.build.build_cache import (
    BuildCache,
    BuildRequest,
    changed_folders,
    exclude_recently_modified,
    file_digests,
    reliable_fingerprints,
    source_paths,
)
from kismet_build.build.compile import compile_game
from kismet_build.build.exports import FinishedGame, export_games
from kismet_build.build.fingerprint import snapshot_tree
from kismet_build.build.found_kinds import kinds_summary
from kismet_build.build.game_record import BuiltGame, GameRecord, digest_of_digests, read_games
from kismet_build.build.json_values import to_json
from kismet_build.build.processes import run_parallel
from kismet_build.build.result import BuildResult, FailedExport, GameResult
from kismet_build.config.data_file import InvalidData, UsageError
from kismet_build.config.design import Design
from kismet_build.config.game import Game, Library
from kismet_build.config.library import LibraryConfig
from kismet_build.config.load_library import load_library
from kismet_build.model.diagnostic import (
    Diagnostic,
    FailedText,
    Report,
    error,
    warning,
)
from kismet_build.model.downloads import LINKED_EXPORTS
from kismet_build.model.entry_points import Registered
from kismet_build.model.nodes import Document
from kismet_build.model.source import read_source
from kismet_build.model.text_normalization import folder_name
from kismet_build.model.watchdog import watched
from kismet_build.output.previous_build import PreviousBuild, previous_build
from kismet_build.output.tree import (
    MANIFEST,
    FileDigest,
    OutputFile,
    Progress,
    TreeWriter,
    Writer,
    check_output_folder,
    describe_file,
    no_progress,
    replace_tree,
)
from kismet_build.pack import Pack
from kismet_build.parse import read
from kismet_build.render import (
    LazyFiles,
    Listing,
    Parts,
    adopt_parts,
    author_template_errors,
    data_index,
    dead_entries,
    dead_links,
    emit_service_worker,
    files_of_document,
    files_of_game,
    forget_fragments,
    general_schemas,
    in_layout,
    json_file,
    library_files,
    listing,
    pages_of_game,
    parts_of,
    prepare,
    shards,
)

MIN_SHARDS_FOR_WORKERS = 100
"""Number of shards above which workers are replaced regularly, since each copies a part of the large pack."""
SHARDS_PER_WORKER = 16
"""Shards that each worker renders before it is replaced, to bound its memory."""

SITE_DIALECT = "obsidian"
"""The dialect of pages outside of games."""
NAME_INDEX = re.compile(r"assets/([a-z0-9-]+)-names\.js")
"""Path of the name index of a game or manual; the group is its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """Settings of a build that change no output byte."""

    jobs: int = 1
    """Maximum number of processes. They share the games of a library, or the shards of a single game."""
    force: bool = False
    """Make the search indexes anew, even where the pages are unchanged."""
    progress: Progress = no_progress
    packs: Mapping[str, Pack] = field(default_factory=dict)
    """Games that are compiled already, by id."""
    private: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Filled with the `GameResult.private` of each game, before `review` is called."""
    failures: tuple[tuple[str, FailedText], ...] = ()
    """Texts whose rendering failed, each with the id of its game: only their words are published."""
    previous_tree: Path | None = None
    """The tree of the last build: a kind that has entities there and none now is an error; `None` to accept that."""
    exporters: tuple[Registered, ...] = ()
    """They make files of the data of each game."""
    failed_exports: tuple[FailedExport, ...] = ()
    """Exports that failed although pages would link them: the library is built without them."""
    review: Callable[[Path, Path], None] | None = None
    """Called with the old and the new tree before they are exchanged; it may raise an exception to keep the old one."""


class RenderedGame(NamedTuple):
    """A game that was compiled."""

    result: GameResult
    files: Iterable[OutputFile]
    """Each is written when the iterable reaches it. Empty if the game failed."""
    listing: Listing
    """Summary for the library's home page and glossary; complete after the last file. Empty if the game failed."""


class FailedRendering(Exception):
    """The bundle of one text of a game cannot be rendered: a fault of this program."""

    def __init__(self, game: str, text: FailedText) -> None:
        super().__init__(game, text)
        self.game, self.text = game, text


class FailedLinkedExports(Exception):
    """Exports failed that pages link."""

    def __init__(self, failures: Sequence[FailedExport]) -> None:
        super().__init__(failures)
        self.failures = tuple(failures)


# --- load


def build_library(
    request: BuildRequest, report: Report, previous: BuildCache | None = None, options: BuildOptions | None = None
) -> BuildCache:
    """Run all stages for the library at `request.path`. The result is the `previous` build of the next call.

    A game whose source files are the same as in the `previous` build is copied from the tree, which must be intact.
    Raises `UsageError` if there is nothing to build, or if `out` holds files that this program did not write.
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
    # Taken before any document is read: a file that changes from now on is read by the next build.
    paths = {root: tuple(source_paths((root,))) for root in library.roots}
    all_paths = tuple(dict.fromkeys(chain.from_iterable(paths.values())))
    fingerprints = reliable_fingerprints(all_paths, start)
    digests = file_digests(all_paths, previous)
    # Listed last: a file that was removed before its digest was taken has changed its folder.
    folders = {root: tuple(changed_folders((root,), start)) for root in library.roots}
    digests = exclude_recently_modified(digests | file_digests(chain.from_iterable(folders.values())), start)
    game_digests = {
        game.id: {path: digests[path] for root in game.files.roots for path in (*paths[root], *folders[root])}
        for game in library.with_manual
    }
    records = read_games(previous) if previous else {}
    options = options or BuildOptions()
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
            result, built = build_games(library, request, report_and_collect, unchanged, options)
        except FailedLinkedExports as failure:
            failed = {failed.exporter for failed in failure.failures}
            options = replace(
                options,
                exporters=tuple(exporter for exporter in options.exporters if exporter.name not in failed),
                failed_exports=(*options.failed_exports, *failure.failures),
            )
        except FailedRendering as failure:
            # From the start, because other pages link to those of the text.
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
        game_id: GameRecord(digest_of_digests({path: digests[path] for path in game_digests[game_id]}), linked, game)
        for game_id, game in built.items()
        if game.result.is_publishable and game_id not in unchanged
    }
    return BuildCache(
        roots=library.roots,
        digests=digests,
        tree=snapshot_tree(str(request.out)),
        result=result,
        exports=tuple(sorted(set(request.exports) - {failed.exporter for failed in result.failed_exports})),
        games=to_json(kept | made).decode(),
        fingerprints=fingerprints,
    )


def build_games(
    library: Library,
    request: BuildRequest,
    report: Report,
    unchanged: Mapping[str, BuiltGame],
    options: BuildOptions,
) -> tuple[BuildResult, Mapping[str, BuiltGame]]:
    """Compile, render and publish all games. A game with errors keeps its previous pages.

    Returns the result, and what the tree has of each game and of the manual, by id. `unchanged` has the same of those
    whose files are taken over from the present tree.
    Raises `UsageError` if `out` holds files that this program did not write.
    """
    out = request.out
    check_output_folder(out)
    built: dict[str, BuiltGame] = {}
    retained: list[PreviousBuild] = []
    exposing: list[PreviousBuild] = []
    listings: list[Listing] = []
    failed_exports: list[FailedExport] = []

    def kept(game: BuiltGame, write: TreeWriter) -> RenderedGame:
        return RenderedGame(game.result, map(write.keep, game.files), {})

    def collect(rendered: RenderedGame) -> Iterator[OutputFile]:
        result, files, _ = rendered
        written = []
        for number, file in enumerate(files):
            if number % 100 == 0:
                options.progress(f"{result.title}: writing", number, 0)
            written.append(file)
            yield file
        built[result.id] = BuiltGame(result, tuple(written), {})

    def emit_games(write: TreeWriter) -> Iterator[OutputFile]:
        for game in library.games:
            if game.id in unchanged and (previous := previous_build(out, game.id)):
                listings.append(previous.pack)
                yield from collect(kept(unchanged[game.id], write))
        changed = [game for game in library.games if game.id not in built]
        for rendered in _build_changed_games(changed, options, write):
            if rendered.result.is_publishable:
                listings.append(rendered.listing)
            yield from collect(rendered)
        options.private.update({game: made.result.private for game, made in built.items()})
        published = {game for game, made in built.items() if made.result.is_publishable}
        games = {game.id for game in library.games}.union(failure.id for failure in library.broken)
        for previous in filter(None, (previous_build(out, game) for game in sorted(games - published))):
            holds_private = _holds_private_texts(previous, built.get(previous.pack["game"]["id"]))
            (exposing if holds_private else retained).append(previous)
        if published:
            listings.extend(previous.pack for previous in retained)
            yield from chain.from_iterable(starmap(write, previous.files()) for previous in retained)

    def emit_exports(write: TreeWriter, schemas: Sequence[OutputFile]) -> Iterator[OutputFile]:
        games = [
            FinishedGame(
                game.id,
                [file.path for file in (*built[game.id].files, *schemas)],
                unchanged[game.id].exports if game.id in unchanged else {},
            )
            for game in library.games
            if game.id in built and built[game.id].result.is_publishable
        ]
        for game_id, exports in export_games(games, options.exporters, write, options.jobs):
            built[game_id] = built[game_id]._replace(exports=exports.made)
            failed_exports.extend(exports.failures)
            yield from chain.from_iterable(exports.made.values())
        if linked := [failure for failure in failed_exports if failure.exporter in LINKED_EXPORTS]:
            raise FailedLinkedExports(linked)

    def emit_manual(write: TreeWriter) -> Iterator[OutputFile]:
        manual = library.manual
        if manual is not None and manual.id in unchanged:
            yield from collect(kept(unchanged[manual.id], write))
        elif manual is not None:
            yield from collect(_build_game(manual, replace(options, jobs=1), write))

    def emit(write: TreeWriter) -> Iterator[OutputFile]:
        config = library.games[0].library_config
        return emit_library_files(
            emit_games(write),
            listings,
            config,
            write,
            partial(emit_manual, write),
            partial(emit_exports, write),
            report,
        )

    published = replace_tree(
        emit,
        out,
        force=options.force,
        search=request.search,
        progress=options.progress,
        final_files=service_worker,
        review=options.review,
    )
    games = tuple(built[game.id].result for game in library.games)
    manual = built[library.manual.id].result if library.manual and library.manual.id in built else None
    for diagnostic in chain.from_iterable(game.diagnostics for game in (*games, *([manual] if manual else ()))):
        report(diagnostic)
    result = BuildResult(
        games=games,
        retained=frozenset(previous.pack["game"]["id"] for previous in retained),
        exposing=frozenset(previous.pack["game"]["id"] for previous in exposing),
        is_published=any(game.is_publishable for game in games),
        manual=manual,
        failed_exports=(*options.failed_exports, *failed_exports),
        search_problem=published.search_problem,
        has_search_failed=published.has_search_failed,
    )
    return result, built


def _holds_private_texts(previous: PreviousBuild, game: BuiltGame | None) -> bool:
    """Whether the published files of a game that has errors show a text that is private now."""
    sources = {source["path"] for source in previous.pack["game"]["sources"]}
    return game is not None and not sources.isdisjoint(game.result.private)


def _build_changed_games(games: Sequence[Game], options: BuildOptions, write: Writer) -> Iterator[RenderedGame]:
    """Compile and render games in parallel, largest first."""
    if len(games) == 1:
        yield _build_game(games[0], options, write)
        return
    by_size = sorted(games, key=lambda game: -sum(file.stat().st_size for file, _ in game.files.texts))
    one_process = replace(options, jobs=1)

    def build(number: int) -> RenderedGame:
        built = _build_game(by_size[number], one_process, write)
        return built._replace(files=list(built.files))

    for _, built in run_parallel(build, range(len(games)), options.jobs):
        yield built


def _build_game(game: Game, options: BuildOptions, write: Writer) -> RenderedGame:
    pack = options.packs.get(game.id)
    if pack is None:
        pack = compile_game(
            game,
            lambda _: None,
            options.progress,
            options.jobs,
            previous_tree=options.previous_tree,
            failures=[text for game_id, text in options.failures if game_id == game.id],
        )
    options.progress(f"{game.title}: making pages", 0, 0)
    result = GameResult(
        id=game.id,
        title=game.title,
        chapters=len(pack.book.chapters),
        entities=sum(map(len, pack.entities.values())),
        diagnostics=pack.diagnostics,
        private=pack.private,
        left_out=pack.left_out,
        kinds_summary=kinds_summary(pack),
        missing_keys=missing_keys(game),
    )
    # Nothing of this game is compiled again: what its passes got and gave is a quarter of its memory.
    pack = replace(pack, memo=None, files={})
    if not result.is_publishable:
        return RenderedGame(result, (), {})
    game_listing: dict[str, Any] = {}
    return RenderedGame(result, render_game(pack, write, game_listing, options.jobs), game_listing)


# --- render


def render_game(pack: Pack, write: Writer, game_listing: dict[str, Any], jobs: int = 1) -> Iterator[OutputFile]:
    """Render every file of one game with at most `jobs` processes, each of which writes what it renders.

    `game_listing` is filled with the game's summary for the library's pages; it is complete after the last file.
    """
    prepare(pack)
    # The first task: pages of the whole game take longest.
    tasks: list[Sequence[str]] = [(), *shards(pack)]
    is_large = len(tasks) > MIN_SHARDS_FOR_WORKERS
    # They read the whole pack, and a worker would copy all of a large one into its own memory.
    local = 1 if is_large else 0

    def render_task(number: int) -> tuple[list[OutputFile], dict[str, Parts]]:
        paths = tasks[number]
        if not number:
            return [*render_files(write, in_layout(pack, pages_of_game(pack)))], {}
        files = [file for path in paths for file in _render_document(pack, path, write)]
        parts = {path: parts_of(pack, path) for path in paths}
        for path in paths if is_large else ():
            forget_fragments(pack, path)
        return files, parts

    for number in range(local):
        yield from render_task(number)[0]
    numbers = range(local, len(tasks))
    for _, (files, parts) in run_parallel(render_task, numbers, jobs, SHARDS_PER_WORKER if is_large else 0):
        adopt_parts(pack, parts)
        yield from files
    game_listing.update(listing(pack))
    yield from render_files(write, files_of_game(pack))


def _render_document(pack: Pack, path: str, write: Writer) -> Iterator[OutputFile]:
    """Render the files of a document. Raises `FailedRendering` for a fault of this program."""
    try:
        for file, make in files_of_document(pack, path):
            with watched():
                written = [*render_files(write, iter([(file, make)]))]
            yield from written
    except (OSError, UsageError):
        raise
    except Exception as problem:
        raise FailedRendering(pack.game.id, FailedText(path, "render", problem)) from problem


def render_files(write: Writer, files: LazyFiles) -> Iterator[OutputFile]:
    """Render and write files, one after the other: together they take far more memory than the pack."""
    with author_template_errors():
        for path, make in files:
            yield write(path, make())


def emit_library_files(
    game_files: Iterable[OutputFile],
    listings: Sequence[Listing],
    library_config: LibraryConfig,
    write: Writer,
    emit_manual: Callable[[], Iterator[OutputFile]] | None = None,
    emit_exports: Callable[[Sequence[OutputFile]], Iterator[OutputFile]] | None = None,
    report: Report = lambda _: None,
) -> Iterator[OutputFile]:
    """Yield the files of all games, then write those of the library, the manifest last. No games: no files.

    `listings` must be complete after the last of `game_files`. `emit_manual` writes the pages of the manual.
    `emit_exports` writes what exporters make of all games; it gets the schemas of all games, which are written by then.
    `report` gets the diagnostics of the author's pages.
    """
    data: list[OutputFile] = []
    pages: list[str] = []
    paths: set[str] = set()

    def collect(files: Iterable[OutputFile]) -> Iterator[OutputFile]:
        for file in files:
            paths.add(file.path)
            if file.path.startswith("data/"):
                data.append(file)
            elif file.is_page:
                pages.append(file.path)
            yield file

    yield from collect(game_files)
    if not data:
        return
    schemas = tuple(collect(render_files(write, general_schemas())))
    yield from schemas
    yield from collect(emit_exports(schemas)) if emit_exports else ()
    manual = tuple(collect(emit_manual())) if emit_manual else ()
    yield from manual
    packs = sorted(listings, key=lambda pack: pack["game"]["id"])
    titles = [(pack["game"]["title"], pack["game"]["id"]) for pack in packs]
    library_config = configured(library_config, titles, report, has_manual=bool(manual))
    digests = {file.path.removeprefix("data/"): (file.digest.size, file.digest.sha256) for file in data}
    yield from collect((write("data/index.json", data_index(packs, digests)),))
    yield from collect(render_files(write, library_files(packs, library_config, lambda: pages)))
    for span, address, hint in dead_links(library_config, paths):
        report(warning("unresolved-link", span, f'nothing is published at "{address}"', hint))
    _check_entries(library_config, paths, report)
    yield write(MANIFEST, manifest(data))


def manifest(data: Iterable[OutputFile]) -> bytes:
    """The list of all data files, each with its size and digest."""
    files = [
        {"path": file.path.removeprefix("data/"), "size": file.digest.size, "sha256": file.digest.sha256}
        for file in sorted(data)
    ]
    return json_file({"format": 1, "files": files})


def configured(
    library_config: LibraryConfig, titles: Sequence[tuple[str, str]], report: Report, *, has_manual: bool
) -> LibraryConfig:
    """The settings of a library with the author's pages, and the ids of its games by title.

    Without a manual there is no link to it, as where it has errors. Raises `UsageError` if a page is unreadable.
    """
    return replace(
        library_config,
        manual=library_config.manual if has_manual else None,
        pages=tuple(_read_site_pages(library_config.design, report)),
        games={folder_name(title): game for title, game in titles},
    )


def _check_entries(library_config: LibraryConfig, paths: Collection[str], report: Report) -> None:
    """Report entries of `nav` and `links` that lead to none of these files. Raises `InvalidData`."""
    dead = [*dead_entries(library_config, paths)]
    for link, hint, is_folder_there in dead:
        if is_folder_there:
            message = f'"{link.title}" leads to nothing: no page or file is at "{link.target}"'
            report(error("invalid-library", link.span, message, hint))
        else:  # a game or manual with errors does not keep back the others
            message = f'"{link.title}" leads to nothing, because what is at "{link.target}" has errors'
            report(warning("unresolved-link", link.span, message, "mend its errors, which are reported too"))
    for link in (link for link, _, is_folder_there in dead if is_folder_there):
        raise InvalidData(link.span.source.display_path)


def _read_site_pages(design: Design, report: Report) -> Iterator[tuple[str, Document]]:
    """Read the author's pages outside of games: addresses with documents. Raises `UsageError` if one is unreadable."""
    for address, path in design.pages:
        file = Path(design.folder, path)
        try:
            source = read_source(file, path, file.as_posix())
        except (OSError, UnicodeDecodeError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
            raise UsageError(f"{file} cannot be read: {why}") from None
        yield address, read(source, SITE_DIALECT, report)


def render_library(packs: Sequence[Pack], report: Report = lambda _: None) -> Iterator[tuple[str, bytes]]:
    """Path and content of every file of a library, in memory. `report` is as in `emit_library_files`."""
    contents: list[bytes] = []

    def collect(path: str, content: bytes) -> OutputFile:
        contents.append(content)
        return describe_file(path, content)

    listings: list[dict[str, Any]] = [{} for _ in packs]
    game_files = chain.from_iterable(map(render_game, packs, repeat(collect), listings))
    for file in emit_library_files(game_files, listings, packs[0].game.library_config, collect, report=report):
        yield file.path, contents.pop(0)


# --- write


def service_worker(digests: Mapping[str, FileDigest]) -> Iterator[tuple[str, bytes]]:
    """The service worker and its list of files, from the digests of all other files of the tree."""
    # Each game has an index of names, and so has the manual.
    games = [match[1] for path in sorted(digests) if (match := NAME_INDEX.fullmatch(path))]
    if games:
        # Redirects and data files are not cached on a device.
        cached = {path: (digest.size, digest.sha256) for path, digest in digests.items() if digest.is_site}
        yield from emit_service_worker(cached, games)
