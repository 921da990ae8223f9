"""The compiled and rendered state of a game, stored on disk: the next build compiles and renders only what changed."""

import gc
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kismet_build.build.build_cache import BuildRequest, program_digest
from kismet_build.build.cached_pickle import from_pickle, to_pickle
from kismet_build.build.rendered_game import Bundle
from kismet_build.config.game import Game
from kismet_build.model.cache_folder import cache_folder, read_cached_file, write_cached_file
from kismet_build.pack import Pack

MIN_DOCUMENTS = 100
"""Minimum number of documents of a game whose state is stored. Building a smaller game from nothing is as fast."""

MAX_OUTDATED = 1 / 16
"""Part of the bundles of a stored state that may be outdated before it is replaced. Each build renders them."""

MAX_STATES = 8
"""Maximum number of states in the cache folder. The state of 1,000 pages has 35 MB."""

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


def load_game_state(request: BuildRequest, game: str, build: str) -> GameState | None:
    """The state of a game after the build with this id.

    `None` if it was not stored, if another build or another version of the compiler stored it, or if it is damaged.
    """
    content = read_cached_file(_file(request, game), _key(build))
    try:
        # Every object that is read stays in use: without garbage collection, reading takes two thirds of the time.
        gc.disable()
        state = None if content is None else from_pickle(content)
        # Nor is it searched for garbage later, which took 8 % of a build after an edit.
        gc.freeze()
    finally:
        gc.enable()
    return state if isinstance(state, GameState) else None


def save_game_state(request: BuildRequest, state: GameState) -> None:
    """Store the state of a game. If the cache folder cannot be written, the next build starts from nothing."""
    # Without cached properties, which the next build computes from other facts.
    pack = replace(state.pack, book=replace(state.pack.book))
    content = to_pickle(replace(state, pack=pack))
    write_cached_file(_file(request, state.game.id), _key(state.build), content, MAX_STATES)


def _file(request: BuildRequest, game: str) -> Path:
    return cache_folder("games") / f"{request.cache_file.stem}-{game}.pickle"


def _key(build: str) -> bytes:
    return f"{program_digest()} {build}\n".encode()
