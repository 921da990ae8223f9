"""What makes a tree of a library again and again, and knows what is new in it."""

import gc
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from time import perf_counter

from kismet_build.build.build_cache import BuildCache, BuildRequest, paths
from kismet_build.build.document_cache import DocumentCache
from kismet_build.build.draft import Draft
from kismet_build.build.pipeline import BuildOptions, build_at, compile_game, service_worker
from kismet_build.build.result import BuildResult, has_errors
from kismet_build.config.data_file import UsageError
from kismet_build.config.game import Game, load_library
from kismet_build.model.book import Chapter
from kismet_build.model.diagnostic import Diagnostic, count, in_order
from kismet_build.output.tree import FileDigest, Files, Published, recover, renew, renew_tree, replace_tree
from kismet_build.render import InvalidPack
from kismet_build.serve.build_process import Worker

APART = ("data/", "sw.js", "offline.json", "assets/pagefind/")
"""How the paths begin of what differs with every change and is shown on no page. Search asks for its index anew."""

Digests = Mapping[str, str]
"""Of the files of a tree that pages ask for: styles, scripts, pictures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What became of one rebuild."""

    pages: tuple[str, ...] = ()
    """The paths in the tree of new and changed pages."""
    assets: tuple[str, ...] = ()
    """The same of styles, scripts, pictures."""
    gone: tuple[str, ...] = ()
    """What is no longer there."""
    of_game: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    """What was found in each game, by its id."""
    unpublished: Mapping[str, str] = field(default_factory=dict)
    """The ids of games that are not published as they stand now, and why."""
    found: tuple[Diagnostic, ...] = ()
    """All that was found, that of no game included."""
    problem: str = ""
    """Why nothing could be built at all; empty where something could."""
    seconds: float = 0.0
    is_first: bool = False
    """It is only what can be said at once; the rest follows."""

    def counts(self) -> dict[str, int]:
        """How many diagnostics of each severity there are."""
        return count(self.found)


@dataclass(frozen=True, slots=True)
class _Whole:
    """What a process gives back that has made everything."""

    update: Update
    record: BuildCache | None
    prints: Mapping[str, FileDigest]
    """Of the tree."""
    is_sure: bool
    """Whether these are the prints of all that is in it."""


class Rebuilder:
    """Builds a library into a tree as often as it is asked to. Nobody else may write to the tree meanwhile."""

    def __init__(self, path: Path, game: Path | None, tree: Path, scratch: Path) -> None:
        """Prepare to build the library at `path`; nothing is read yet.

        `scratch` is an empty folder on the disk of the tree.
        """
        self.tree = tree
        self.scratch = scratch
        self.request = BuildRequest(path, game, tree)
        self.cache = DocumentCache(is_persistent=True)
        self.update = Update()
        """What was said last."""
        self.digests: Digests = {}
        """Of the tree as it stands now."""
        self._record: BuildCache | None = None
        self._prints: dict[str, FileDigest] = {}
        self._is_sure = False
        """Whether the tree is just as the prints say, and nobody was ended who wrote to it."""
        self._drafts: dict[str, Draft] = {}
        self._texts: dict[Path, tuple[Game, Path, str]] = {}
        """For each text its game, how that calls it, and its dialect."""
        self._there: set[Path] = set()
        """All files of the library."""
        self._is_prepared = False
        """Whether the drafts are as the texts are."""
        self._worker: Worker[_Whole] = Worker()

    # --- all of it

    def rebuild(self) -> Update:
        """Build once. Whatever is wrong with the library is in the update; nothing of the tree is lost by it."""
        return self._take(self._make())

    def begin(self) -> None:
        """Build in another process, from what there is now; one that is still at it is ended."""
        self.stop()
        if not self._is_prepared:
            self._read_texts()  # here, because both processes need them
        self._worker.begin(self._make)

    def made(self) -> Update | None:
        """What came of the build in the other process; `None` as long as it goes on, and after it was told."""
        whole = self._worker.result()
        return None if whole is None else self._take(whole)

    def stop(self) -> None:
        """End the build in the other process."""
        if self._worker.stop():
            # Nobody knows how far it came.
            self._record, self._is_sure = None, False
            recover(self.tree, self.scratch)

    def _make(self) -> _Whole:
        start = perf_counter()
        for left in self.scratch.iterdir():  # by one that was ended
            shutil.rmtree(left, ignore_errors=True)
        found: list[Diagnostic] = []
        prints, is_sure = self._prints, self._is_sure

        def publish(files: Files, request: BuildRequest, _how: BuildOptions) -> Published:
            nonlocal prints, is_sure
            known = prints if is_sure else None
            is_sure = False
            if known is None:
                published = replace_tree(files, request.out, scratch=self.scratch, last=service_worker)
            else:
                published = renew_tree(files, request.out, known, self.scratch, last=service_worker)
            prints = dict(published.files) or prints
            is_sure = bool(published.files)
            return published

        record = None
        try:
            options = BuildOptions(jobs=self._worker.jobs, cache=self.cache, publish=publish)
            record = build_at(self.request, found.append, self._record, options)
            update = _told(record.built)
        except (UsageError, InvalidPack, OSError) as fault:
            update = self._failed(fault, found)
        return _Whole(replace(update, seconds=perf_counter() - start), record, prints, is_sure)

    def _take(self, whole: _Whole) -> Update:
        before, now = _shown(self._prints), _shown(whole.prints)
        self._record, self._prints, self._is_sure = whole.record, {**whole.prints}, whole.is_sure
        # What is written at once are pages, so that these stay as they are until all is made again.
        self.digests = {path: digest for path, digest in now.items() if not path.endswith(".html")}
        new = sorted(path for path, digest in now.items() if before.get(path) != digest)
        self.update = replace(
            whole.update,
            pages=tuple(path for path in new if path.endswith(".html")),
            assets=tuple(path for path in new if not path.endswith(".html")),
            gone=tuple(sorted(before.keys() - now.keys())),
        )
        return self.update

    def _failed(self, fault: Exception, loaded: Sequence[Diagnostic]) -> Update:
        """The update of a library that could not be built: every game that has pages keeps them."""
        match fault:
            case InvalidPack():
                problem = f"the data denies its own schema, which is a fault of kismet: {fault}"
            case OSError():
                # An editor may be in the middle of replacing a file: its next change starts another build.
                where = f": {fault.filename}" if fault.filename else ""
                problem = f"{fault.strerror or fault}{where}"
            case _:
                problem = str(fault)
        games = sorted(file.parent.name for file in self.tree.glob("data/*/pack.json"))
        return Update(
            of_game=dict.fromkeys(games, tuple(loaded)),
            unpublished=dict.fromkeys(games, problem),
            found=tuple(loaded),
            problem=problem,
        )

    # --- at once

    def prepare(self) -> None:
        """Get ready to say at once what becomes of the next change of a text, where that is not so yet.

        It takes about as long as a build.
        """
        if self._is_prepared:
            return
        self._drafts, self._texts = {}, {}
        self._is_prepared = True
        try:
            library = load_library(self.request.path, self.request.game_file, _nobody)
            self._there = {Path(path).resolve() for path in paths(library.roots)}
            for game in library.games:
                self._texts |= {file.resolve(): (game, file, dialect) for file, dialect in game.files}
                pack = compile_game(game, _nobody, cache=self.cache)
                if not has_errors(pack.diagnostics):
                    self._drafts[game.id] = Draft(pack)
        except (UsageError, OSError):
            self._drafts = {}
        # All of this stays, and is large: nobody should look through it for what can go.
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def write_changed_pages(self, changed: Collection[Path]) -> Iterator[Update]:
        """Write the pages of changed texts, each first, then those of their entries, as they will be in the whole tree.

        Nothing comes where more than texts changed, or a text in a way that shows on many pages. The build of all that
        has to follow must be begun after it.
        """
        start = perf_counter()
        # Programs save by way of files that are gone when one looks for them, and were never part of the library.
        changed = [file for file in changed if file in self._there or file.exists()]
        documents = [self._texts.get(file) for file in changed]
        if not changed or not all(one is not None and one[0].id in self._drafts for one in documents):
            self._is_prepared = False
            return
        self.stop()
        chapters: list[tuple[Draft, Chapter]] = []
        errors: dict[str, list[Diagnostic]] = {}
        for game, file, dialect in (one for one in documents if one is not None):
            draft = self._drafts[game.id]
            chapter = self._read(file, game, dialect, draft)
            if chapter is None:
                self._is_prepared = False
                return
            chapters.append((draft, chapter))
            if draft.errors:
                errors[game.id] = [one for found in draft.errors.values() for one in found]
        if errors:
            yield replace(self._with_errors(errors), seconds=perf_counter() - start)
        waiting = [draft.files(chapter) for draft, chapter in chapters if not draft.errors]
        # Those of the entries are not made before somebody can see the first.
        for files in ((next(files) for files in waiting), chain.from_iterable(waiting)):
            if pages := tuple(self._written(files)):
                yield replace(self.update, pages=pages, seconds=perf_counter() - start, is_first=True)

    def _written(self, files: Iterator[tuple[str, bytes]]) -> Iterator[str]:
        """Write pages; the paths of those that differ."""
        for path, content in files:
            known = self._prints.get(path)
            self._prints[path] = renew(path, content, self.tree, known if self._is_sure else None, self.scratch).print
            if self._prints[path] != known:
                yield path

    def _read_texts(self) -> None:
        with suppress(UsageError, OSError):
            for game in load_library(self.request.path, self.request.game_file, _nobody).games:
                self.cache.of_game(game, _nobody, jobs=self._worker.jobs)

    def _read(self, file: Path, game: Game, dialect: str, draft: Draft) -> Chapter | None:
        found: list[Diagnostic] = []
        try:
            document = self.cache.document(game, file, dialect, found.append)
        except OSError:
            return None
        return None if document is None else draft.take(document, found)

    def _with_errors(self, errors: Mapping[str, Sequence[Diagnostic]]) -> Update:
        """What was said last, with errors in place of what was found in the same texts."""
        of_game = dict(self.update.of_game)
        for game, found in errors.items():
            paths = {one.span.source.path for one in found}
            others = [one for one in of_game.get(game, ()) if one.span.source.path not in paths]
            of_game[game] = tuple(in_order([*others, *found]))
        return replace(
            self.update,
            pages=(),
            assets=(),
            gone=(),
            of_game=of_game,
            unpublished={**self.update.unpublished, **{game: _reason(of_game[game]) for game in errors}},
            found=tuple(one for found in of_game.values() for one in found),
            is_first=True,
        )


def _shown(prints: Mapping[str, FileDigest]) -> dict[str, str]:
    """The digests of what pages are, or ask for."""
    return {path: one.digest for path, one in prints.items() if not path.startswith(APART)}


def _nobody(_: Diagnostic) -> None:
    """Tell nobody: the build of all tells it."""


def _told(built: BuildResult) -> Update:
    """What a build that went through has to say of each game."""
    of_game = {made.id: made.diagnostics for made in built.made}
    unpublished = {made.id: _reason(made.diagnostics) for made in built.made if not made.is_good}
    for game, reason in built.broken:
        unpublished[game] = reason
        # What was found in the data file that keeps it from being loaded, which the reason names.
        of_game.setdefault(game, tuple(one for one in built.found if one.span.source.shown in reason))
    return Update(of_game=of_game, unpublished=unpublished, found=built.found)


def _reason(diagnostics: Sequence[Diagnostic]) -> str:
    errors = count(diagnostics)["error"]
    return "it has 1 error" if errors == 1 else f"it has {errors} errors"
