"""The compiled and rendered state of a game, stored on disk: the next build compiles and renders only what changed."""

import copyreg
import gc
import os
import pickle
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kismet_build.build.build_cache import UNPICKLING_ERRORS, BuildRequest, program_digest
from kismet_build.build.rendered_game import Bundle
from kismet_build.config.game import Game
from kismet_build.model.cache_folder import cache_folder, prune
from kismet_build.pack import Pack

MIN_DOCUMENTS = 100
"""Minimum number of documents of a game whose state is stored. Building a smaller game from nothing is as fast."""

MAX_OUTDATED = 1 / 16
"""Part of the bundles of a stored state that may be outdated before it is replaced. Each build renders them."""

MAX_STATES = 8
"""Maximum number of states in the cache folder. The state of 1,000 pages has 35 MB."""
DIGEST_SIZE = 32
"""Bytes of the SHA-256 of a stored state."""

DATA_SUFFIXES = (".yaml", ".yml", ".json")
"""Suffixes of files that may define a game; files with others are documents and attachments."""

ADMITTED_NAMES = frozenset(
    (
        *(("builtins", name) for name in ("set", "frozenset")),
        *(("pathlib", name) for name in ("PosixPath", "WindowsPath")),
        ("array", "_array_reconstructor"),
        ("array", "array"),
        ("re", "_compile"),
        ("collections", "Counter"),
        *(("yaml.nodes", name) for name in ("MappingNode", "ScalarNode", "SequenceNode")),
        ("yaml.error", "Mark"),
        ("yaml._yaml", "__pyx_unpickle_Mark"),
        ("yaml._yaml", "Mark"),
    )
)
"""Module and name of the classes and functions, besides those of this program, that a stored state may contain."""


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
    try:
        with _file(request, game).open("rb") as file:
            if file.read(len(_head(build))) != _head(build):
                return None
            digest, content = file.read(DIGEST_SIZE), file.read()
        # A damaged pickle may raise any exception, or be read as something else.
        if sha256(content).digest() != digest:
            return None
        # Every object that is read stays in use: without garbage collection, reading takes two thirds of the time.
        gc.disable()
        state = _Unpickler(BytesIO(content)).load()
    except UNPICKLING_ERRORS:
        return None
    finally:
        gc.enable()
    return state if isinstance(state, GameState) else None


def save_game_state(request: BuildRequest, state: GameState) -> None:
    """Store the state of a game. If the cache folder cannot be written, the next build starts from nothing."""
    # Without cached properties, which the next build computes from other facts.
    pack = replace(state.pack, book=replace(state.pack.book))
    file = _file(request, state.game.id)
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = file.with_suffix(f".{os.getpid()}")
        content = BytesIO()
        pickler = pickle.Pickler(content, pickle.HIGHEST_PROTOCOL)
        pickler.dispatch_table = DISPATCH
        pickler.dump(replace(state, pack=pack))
        with temporary.open("wb") as opened:
            opened.writelines((_head(state.build), sha256(content.getbuffer()).digest(), content.getbuffer()))
        temporary.replace(file)
        prune(file.parent, "*.pickle", MAX_STATES)


def _file(request: BuildRequest, game: str) -> Path:
    return cache_folder("games") / f"{request.cache_file.stem}-{game}.pickle"


def _head(build: str) -> bytes:
    return f"{program_digest()} {build}\n".encode()


def _read_only(mapping: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(mapping)


def _reduce_mapping(mapping: MappingProxyType[Any, Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return _read_only, (dict(mapping),)


DISPATCH = {**copyreg.dispatch_table, MappingProxyType: _reduce_mapping}
"""Pickle reducers. Read-only mappings cannot be pickled without one."""


class _Unpickler(pickle.Unpickler):
    """Admits no other classes than those that a state contains: a pickle may name any function to be called."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("kismet_build.") or (module, name) in ADMITTED_NAMES:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")
