"""The pipeline: texts to packs to files. The only writer."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat, starmap
from time import time_ns
from typing import Any

from kismet_build.build.build_cache import (
    BuildCache,
    BuildRequest,
    GameCacheEntry,
    digests,
    exclude_recently_modified,
    fingerprints,
    paths,
    program_digest,
)
from kismet_build.build.document_cache import DocumentCache
from kismet_build.build.fingerprint import tree
from kismet_build.build.process_pool import run_parallel
from kismet_build.build.result import BuildResult, GameResult
from kismet_build.config.game import Game, Library, load_library
from kismet_build.config.library import LibraryConfig
from kismet_build.crossref.autolink import autolink
from kismet_build.crossref.backlinks import mention
from kismet_build.crossref.citations import cite
from kismet_build.extract import extract
from kismet_build.lint import CHECKS
from kismet_build.mechanics.calculator.calculation import available_calculators
from kismet_build.model.diagnostic import Diagnostic, Report, Severity, in_order
from kismet_build.model.nodes import Document
from kismet_build.output.previous_build import PreviousBuild, previous_build
from kismet_build.output.tree import (
    MANIFEST,
    FileDigest,
    Files,
    OutputFile,
    Progress,
    Published,
    Writer,
    no_progress,
    refuse_foreign,
    replace_tree,
    written,
)
from kismet_build.pack import Pack
from kismet_build.render import (
    BESIDE_TEXTS,
    LIBRARY_CONFIG_EMITTERS,
    LIBRARY_EMITTERS,
    Listing,
    ShardResult,
    dice_on,
    emit_sitemap,
    emit_together,
    emit_worker,
    listing,
    shards,
    to_bytes,
)
from kismet_build.resolve import resolve_links

MIN_SHARDS_FOR_WORKERS = 100
"""Of a game of so many parts each process makes only some: what it looks at takes room of its own until it ends."""
SHARDS_PER_WORKER = 16
"""So many."""

OF_ONE_TEXT = frozenset(("invalid-encoding", "invalid-frontmatter", "embed-cycle"))
"""Errors that only warn in a plain vault: one bad file among hundreds must not keep the others from being read."""


def compile_game(
    game: Game, report: Report, progress: Progress = no_progress, cache: DocumentCache | None = None, jobs: int = 1
) -> Pack:
    """Read, link, extract and check one game. Raises `OSError` when a text cannot be read from the disk."""
    found: list[Diagnostic] = []
    documents = (cache or DocumentCache()).of_game(game, found.append, progress, jobs)
    progress(f"{game.title}: linking", 0, 0)
    pack = compile_documents(game, documents, found.append)
    for diagnostic in (diagnostics := tuple(in_order(adjust_severity(game, found)))):
        report(diagnostic)
    return replace(pack, diagnostics=diagnostics)


def adjust_severity(game: Game, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """What was found in a game, as severe as it is there."""
    for one in found:
        yield replace(one, severity=Severity.WARNING) if game.is_plain and one.code in OF_ONE_TEXT else one


def compile_documents(game: Game, documents: Sequence[Document], report: Report) -> Pack:
    """Link, extract and check documents that were read."""
    book = resolve_links(documents, game.kinds, game.attachments)
    entities = extract(book, game, report)
    empty_kinds = {kind for kind, found in entities.items() if not found}
    usable = replace(game, calculators=available_calculators(game.calculators, empty_kinds)) if empty_kinds else game
    pack = cite(autolink(mention(Pack(game=usable, book=book, entities=entities))))
    for fault in game.faults:
        report(fault)
    for check in CHECKS:
        check(pack, report)
    return pack


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """In which way a library is built; the bytes are the same."""

    jobs: int = 1
    """In so many processes at most: they share the games of a library, and of a single game what it becomes."""
    force: bool = False
    """Make also what could be taken from the tree that is there already."""
    progress: Progress = no_progress
    cache: DocumentCache = field(default_factory=DocumentCache)
    publish: "Callable[[Files, BuildRequest, BuildOptions], Published] | None" = None
    """What puts the files into the tree, where that is not done all at once."""


def build_at(
    request: BuildRequest, report: Report, record: BuildCache | None = None, options: BuildOptions | None = None
) -> BuildCache:
    """Build the library at a path; a game that is as a record has it is taken from the tree, which must be whole.

    Raises `UsageError` when there is nothing to build, or `out` holds what this program did not write.
    """
    found: list[Diagnostic] = []

    def both(diagnostic: Diagnostic) -> None:
        found.append(diagnostic)
        report(diagnostic)

    start = time_ns()
    library = load_library(request.path, request.game_file, both)
    # Before any text is read: what changes from now on is for another build.
    below = {root: tuple(paths((root,))) for root in library.roots}
    files = tuple(dict.fromkeys(chain.from_iterable(below.values())))
    at_rest = fingerprints(files, start)
    read_now = exclude_recently_modified(digests(files), start)
    shards = {game.id: {path: read_now[path] for root in game.roots for path in below[root]} for game in library.games}
    known = record.parts if record else {}
    same = {name: part.made for name, part in known.items() if part.read == shards.get(name)}
    built = build(library, request, both, same, options or BuildOptions())
    built = replace(built, broken=tuple((one.id, one.reason) for one in library.broken), found=tuple(found))
    good = {one.id: GameCacheEntry(shards[one.id], one) for one in built.made if one.is_good}
    return BuildCache(program_digest(), library.roots, read_now, tree(str(request.out)), built, good, at_rest)


def build(
    library: Library, request: BuildRequest, report: Report, same: Mapping[str, GameResult], options: BuildOptions
) -> BuildResult:
    """Compile every game and publish those without errors; of the others the last good pages stay.

    Games that are known to be the `same` as in the tree that is there are taken from it.

    Raises `UsageError` when `out` holds what this program did not write.
    """
    out = request.out
    refuse_foreign(out)
    made: dict[str, GameResult] = {}
    stay: list[PreviousBuild] = []

    told: list[Listing] = []

    def of_games(put: Writer) -> Iterator[OutputFile]:
        for game in library.games:
            if game.id in same and (there := previous_build(out, game.id)):
                made[game.id] = same[game.id]
                told.append(there.pack)
                yield from starmap(put, there.files())
        for one in _made([game for game in library.games if game.id not in made], options, put):
            made[one.id] = replace(one, files=(), listing={})
            if one.is_good:
                told.append(one.listing)
            for number, file in enumerate(one.files):
                if number % 100 == 0:
                    options.progress(f"{one.title}: writing", number, 0)
                yield file
        good = {one.id for one in made.values() if one.is_good}
        failed = {game.id for game in library.games}.union(one.id for one in library.broken) - good
        stay.extend(one for one in (previous_build(out, game) for game in sorted(failed)) if one is not None)
        if good:
            told.extend(one.pack for one in stay)
            yield from chain.from_iterable(starmap(put, one.files()) for one in stay)

    def files(put: Writer) -> Iterator[OutputFile]:
        return emit_library_files(of_games(put), told, library.games[0].library_config, put)

    published = options.publish(files, request, options) if options.publish else _publish(files, request, options)
    in_order = tuple(made[game.id] for game in library.games)
    for diagnostic in (diagnostic for one in in_order for diagnostic in one.diagnostics):
        report(diagnostic)
    ids = frozenset(one.pack["game"]["id"] for one in stay)
    written = any(one.is_good for one in in_order)
    return BuildResult(made=in_order, stay=ids, written=written, unsearched=published.unsearched)


def _publish(files: Files, request: BuildRequest, options: BuildOptions) -> Published:
    return replace_tree(
        files, request.out, force=options.force, search=request.search, progress=options.progress, last=service_worker
    )


def service_worker(prints: Mapping[str, FileDigest]) -> Iterator[tuple[str, bytes]]:
    """The service worker and its list of files, from the size and digest of every other file of the tree."""
    games = [shards[1] for path in sorted(prints) if (shards := path.split("/"))[::2] == ["data", "pack.json"]]
    if games:
        # Redirects are not cached on a device.
        shown = {path: (one.size, one.digest) for path, one in prints.items() if one.is_shown}
        yield from emit_worker(shown, games)


def _made(games: Sequence[Game], options: BuildOptions, put: Writer) -> Iterator[GameResult]:
    """Compile and emit games, those with the longest texts first."""
    if len(games) == 1:
        yield _make(games[0], options, put)
        return
    by_length = sorted(games, key=lambda game: -sum(file.stat().st_size for file, _ in game.files))
    alone = replace(options, jobs=1)

    def make(number: int) -> GameResult:
        made = _make(by_length[number], alone, put)
        return replace(made, files=list(made.files))

    yield from (made for _, made in run_parallel(make, range(len(games)), options.jobs))


def _make(game: Game, options: BuildOptions, put: Writer) -> GameResult:
    pack = compile_game(game, lambda _: None, options.progress, options.cache, options.jobs)
    options.progress(f"{game.title}: making pages", 0, 0)
    made = GameResult(
        id=game.id,
        title=game.title,
        chapters=len(pack.book.chapters),
        entities=sum(map(len, pack.entities.values())),
        diagnostics=pack.diagnostics,
    )
    told: dict[str, Any] = {}
    return replace(made, files=put_game(pack, put, told, options.jobs), listing=told) if made.is_good else made


def emit(packs: Sequence[Pack]) -> Iterator[tuple[str, bytes]]:
    """Every file of the tree of some games."""
    waiting: list[bytes] = []

    def put(path: str, content: bytes) -> OutputFile:
        waiting.append(content)
        return written(path, content)

    told: list[dict[str, Any]] = [{} for _ in packs]
    games = chain.from_iterable(map(put_game, packs, repeat(put), told))
    for file in emit_library_files(games, told, packs[0].game.library_config, put):
        yield file.path, waiting.pop(0)


def put_game(pack: Pack, put: Writer, told: dict[str, Any], jobs: int = 1) -> Iterator[OutputFile]:
    """Make every file of one game, in so many processes at most, and put each where it belongs.

    What is `told` of it above all games, its `listing`, is whole when the files are.
    """

    def put_part(number: int) -> tuple[list[OutputFile], ShardResult]:
        files, share = list[OutputFile](), ShardResult()
        # Where it was made: all files of a large game take much more room than what they are made of.
        for path, content in waiting[number](share):
            if path.endswith(".html"):
                share.rolled.update(dice_on(content.decode()))
            files.append(put(path, content))
        return files, share

    waiting = shards(pack)
    numbers = range(len(waiting))
    is_long = len(waiting) > MIN_SHARDS_FOR_WORKERS
    # What looks at all of a long game would have all of it there a second time in another process.
    here = len(BESIDE_TEXTS) if is_long else 0
    first = ((number, put_part(number)) for number in numbers[:here])
    others = run_parallel(put_part, numbers[here:], jobs, SHARDS_PER_WORKER if is_long else 0)
    shares: dict[int, ShardResult] = {}
    pages: list[str] = []
    for number, (files, share) in chain(first, others):
        shares[number] = share
        pages += (file.path for file in files if file.path.endswith(".html"))
        yield from files
    in_order = [shares[number] for number in numbers]
    told.update(listing(pack, chain.from_iterable(share.dice for share in in_order)))
    yield from starmap(put, emit_together(pack, in_order, pages))
    for path in sorted(set(pack.book.files.values())):
        yield put(pack.addresses[path], (pack.game.folder / path).read_bytes())


def emit_library_files(
    games: Iterable[OutputFile], told: Sequence[Listing], library_config: LibraryConfig, put: Writer
) -> Iterator[OutputFile]:
    """The files of some games, then those of all together, the manifest last; nothing where there is no game.

    What is `told` of the games has to be whole when their files are.
    """
    data: list[OutputFile] = []
    pages: list[str] = []

    def noted(files: Iterable[OutputFile]) -> Iterator[OutputFile]:
        for file in files:
            if file.path.startswith("data/"):
                data.append(file)
            elif file.is_page:
                pages.append(file.path)
            yield file

    yield from noted(games)
    if not data:
        return
    packs = sorted(told, key=lambda pack: pack["game"]["id"])
    yield from noted(starmap(put, chain.from_iterable(emit_all(packs) for emit_all in LIBRARY_EMITTERS)))
    yield from noted(
        starmap(put, chain.from_iterable(emit_all(packs, library_config) for emit_all in LIBRARY_CONFIG_EMITTERS))
    )
    yield from starmap(put, emit_sitemap(library_config, sorted(pages)))
    files = [
        {"path": file.path.removeprefix("data/"), "size": file.print.size, "sha256": file.print.digest}
        for file in sorted(data)
    ]
    yield put(MANIFEST, to_bytes({"format": 1, "files": files}))
