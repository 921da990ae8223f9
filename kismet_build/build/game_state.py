"""The compiled and rendered state of a game, stored on disk: the next build compiles and renders only what changed."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from kismet_build.build.build_cache import BuildRequest, program_digest
from kismet_build.build.cached_pickle import UNPICKLING_ERRORS, from_pickles, to_pickles
from kismet_build.build.rendered_game import Bundle
from kismet_build.config.game import Game
from kismet_build.model.book import Book, Outline, ResolvedLinks
from kismet_build.model.cache_folder import cache_folder, open_cached_file, write_cached_file
from kismet_build.model.memo import Memo, Run
from kismet_build.pack import DocumentFacts, Pack, ParsedFile

MIN_DOCUMENTS = 100
"""Minimum number of documents of a game whose state is stored. Building a smaller game from nothing is as fast."""

MAX_OUTDATED = 1 / 16
"""Part of the bundles of a stored state that may be outdated before it is replaced. Each build renders them."""

MAX_STATES = 8
"""Maximum number of states in the cache folder. The state of 1,000 pages has 41 MB."""

DATA_SUFFIXES = (".yaml", ".yml", ".json")
"""Suffixes of files that may define a game; files with others are documents and attachments."""


@dataclass(frozen=True, slots=True)
class GameState:
    """The state of one published game after a build. Later builds use it, too, while few bundles are outdated."""

    build: str
    """The id of the build."""
    digests: Mapping[str, str]
    """The digests of the game's files, by path."""
    game: Game
    pack: Pack
    bundles: Mapping[str, Bundle]


def definition_digests(game: Game, digests: Mapping[str, str]) -> dict[str, str]:
    """The digests of the data files that define a game, of the `digests` of all its files."""
    others = {str(file) for file, _ in game.files}
    others |= {str(game.folder / path) for path in game.attachments if not path.endswith(DATA_SUFFIXES)}
    return {path: digest for path, digest in digests.items() if path not in others}


class _SharedInput(NamedTuple):
    """Stands for an input of several passes that would otherwise be stored with each document."""

    number: int


@dataclass(frozen=True, slots=True)
class _DocumentState:
    """The part of a state that belongs to one source file."""

    path: str
    """The path of its document."""
    file: Path
    parsed: ParsedFile
    runs: Mapping[str, Run]
    """The runs of the passes over its document, by the name of the pass."""
    outline: Outline | None
    """`None` for a file that is not published, as are the next two."""
    links: ResolvedLinks | None
    facts: DocumentFacts | None
    bundle: Bundle | None
    """`None` if it is outdated."""


@dataclass(frozen=True, slots=True)
class _SharedState:
    """The part of a state that belongs to no single file."""

    state: GameState
    """Without what the states of documents hold."""
    inputs: tuple[Any, ...]
    """The inputs that `_SharedInput` numbers."""


def load_game_state(request: BuildRequest, game: str, build: str) -> GameState | None:
    """The state of a game after the build with this id.

    `None` if it was not stored, if another build or another version of the compiler stored it, or if it is damaged.
    """
    file = open_cached_file(_file(request, game), _key(build))
    if file is None:
        return None
    try:
        # Every object that is read stays in use: without garbage collection, reading takes two thirds of the time.
        gc.disable()
        with file:
            state = _joined(from_pickles(file))
        # Nor is it searched for garbage later, which took 8 % of a build after an edit.
        gc.freeze()
    except (OSError, *UNPICKLING_ERRORS):
        return None
    finally:
        gc.enable()
    return state


def save_game_state(request: BuildRequest, state: GameState) -> None:
    """Store the state of a game. If the cache folder cannot be written, the next build starts from nothing."""
    write_cached_file(_file(request, state.game.id), _key(state.build), to_pickles(_parts(state)), MAX_STATES)


def _parts(state: GameState) -> Iterator[_SharedState | _DocumentState]:
    """The shared part of a state, then those of its documents: published ones in reading order, then private ones.

    They are pickled one by one: the state of 1,000 pages as one pickle takes 160 MB more.
    """
    pack, bundles = state.pack, dict(state.bundles)
    runs = pack.memo.runs()
    files = {file: parsed for file, parsed in pack.files.items() if parsed.document is not None}
    paths = {parsed.document.source.path: file for file, parsed in files.items() if parsed.document is not None}
    of_documents = {path: runs.get(path, {}) for path in paths}
    shared = _shared_inputs(of_documents)
    numbers = {key: _SharedInput(number) for number, key in enumerate(shared)}
    documents = [
        _DocumentState(
            path=path,
            file=paths[path],
            parsed=files[paths[path]],
            runs={name: _with_numbers(run, numbers) for name, run in of_documents[path].items()},
            outline=pack.book.outlines.get(path),
            links=pack.book.links.get(path),
            facts=pack.documents.get(path),
            bundle=bundles.pop(path, None),
        )
        for path in (*pack.documents, *(path for path in paths if path not in pack.documents))
    ]
    rest = replace(
        pack,
        book=Book(outlines={}, links={}),
        documents={},
        files={file: parsed for file, parsed in pack.files.items() if file not in files},
        # Without the passes over several documents, which would hold these a second time: they run again.
        memo=Memo.of({"": runs.get("", {})}),
        diagnostics=(),
    )
    yield _SharedState(replace(state, pack=rest, bundles=bundles), tuple(shared.values()))
    yield from documents


def _joined(parts: Iterator[Any]) -> GameState:
    """The state with these parts, the reverse of `_parts`."""
    shared: _SharedState = next(parts)
    pack, inputs = shared.state.pack, shared.inputs
    files, bundles, runs = dict(pack.files), dict(shared.state.bundles), pack.memo.runs()
    outlines, links, facts = {}, {}, {}
    part: _DocumentState
    for part in parts:
        files[part.file] = part.parsed
        runs[part.path] = {name: _without_numbers(run, inputs) for name, run in part.runs.items()}
        if part.outline is not None and part.links is not None and part.facts is not None:
            outlines[part.path], links[part.path], facts[part.path] = part.outline, part.links, part.facts
        if part.bundle is not None:
            bundles[part.path] = part.bundle
    book = Book(outlines=outlines, links=links)
    return replace(
        shared.state,
        pack=replace(pack, book=book, documents=facts, files=files, memo=Memo.of(runs)),
        bundles=bundles,
    )


def _shared_inputs(runs: Mapping[str, Mapping[str, Run]]) -> dict[int, Any]:
    """The inputs of runs for more than one document, by `id`."""
    documents: dict[int, str] = {}
    shared: dict[int, Any] = {}
    for path, of_document in runs.items():
        for run in of_document.values():
            for value in run.inputs:
                if documents.setdefault(id(value), path) != path:
                    shared[id(value)] = value
    return shared


def _with_numbers(run: Run, numbers: Mapping[int, _SharedInput]) -> Run:
    return run._replace(inputs=tuple(numbers.get(id(value), value) for value in run.inputs))


def _without_numbers(run: Run, shared: Sequence[Any]) -> Run:
    inputs = (shared[value.number] if type(value) is _SharedInput else value for value in run.inputs)
    return run._replace(inputs=tuple(inputs))


def _file(request: BuildRequest, game: str) -> Path:
    return cache_folder("games") / f"{request.cache_file.stem}-{game}.pickle"


def _key(build: str) -> bytes:
    return f"{program_digest()} {build}\n".encode()
