"""The rules of each game of a library or of built data, for commands that answer questions."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from time import time, time_ns
from typing import Any

import orjson

from kismet_build.cli.messages import counted
from kismet_build.config.load_library import load_library
from kismet_build.driver.build_cache import CLOCK_TICK, changed_folders, source_paths
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.rules import Rules
from kismet_build.model.diagnostic import Diagnostic, count_by_severity
from kismet_build.output.tree import MANIFEST as TREE_MANIFEST
from kismet_build.output.verify_bundle import DATA_NAMES, MANIFEST, BadBundle, verify_bundle
from kismet_build.pack import Pack
from kismet_build.render.site.outputs import find

MANIFESTS = (MANIFEST, TREE_MANIFEST)
"""Path of the list of data files, in a folder of data and in a website."""
Times = Mapping[str, tuple[int, int, int, int]]
"""Modification time and change time in nanoseconds, size and inode number of each file, by path."""


class BuiltRules:
    """The rules of each game in a bundle or a built website, which are read again after a change."""

    warning = ""
    """Says that errors affect the answers; empty, because the data of a game with errors is not written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rules: Sequence[Rules] = ()
        self._read: Times | None = None

    def current(self) -> Sequence[Rules]:
        """The rules of each game. Raises `BadBundle` for invalid data, and `OSError` if the data cannot be read."""
        times = _times_of([str(self._path), *(str(self._path / manifest) for manifest in MANIFESTS)])
        if times != self._read:
            self._rules = [*self._games()]
            self._read = times
        return self._rules

    def _games(self) -> Iterator[Rules]:
        for game, files in verify_bundle(self._path).games.items():
            missing = [name for name in DATA_NAMES if f"data/{game}/{name}" not in files and name != "migrations.json"]
            if missing:
                reason = f'has no {missing[0]} of "{game}", which a newer kismet writes: build it again'
                raise BadBundle(f'"{self._path}" {reason}')
            yield Rules(partial(_file, files, game))


def _file(files: Mapping[str, bytes], game: str, name: str) -> Any:
    return orjson.loads(files.get(f"data/{game}/{name}", b"[]"))


class LibraryRules:
    """The rules of each game of a library, which is compiled on first use and again after its files changed."""

    def __init__(self, path: Path, game_file: Path | None) -> None:
        self.warning = ""
        """Says that the last compilation found errors; empty if it found none."""
        self._path = path
        self._game_file = game_file
        self._rules: Sequence[Rules] = ()
        self._roots: Sequence[str] = ()
        self._read: Times | None = None
        """The files of the last compilation; `None` if one may have changed meanwhile."""
        self._until = inf
        """When the next text appears or vanishes, in seconds since 1970."""

    def current(self) -> Sequence[Rules]:
        """The rules of each game that can be loaded, as its files are now. Raises `UsageError`."""
        if self._read is None or time() >= self._until or self._read != _times(self._roots):
            self._compile()
        return self._rules

    def _compile(self) -> None:
        found: list[Diagnostic] = []
        start = time_ns()
        library = load_library(self._path, self._game_file, found.append)
        times = _times((*library.roots, *library.around))
        packs = [compile_game(game, found.append) for game in library.games]
        self._rules = [Rules(partial(_data, pack)) for pack in packs]
        self._until = min((pack.until for pack in packs), default=inf)
        self._roots = (*library.roots, *library.around)
        # A file that changed since then may have been read before or after its change.
        newest = max((max(mtime, ctime) for mtime, ctime, *_ in times.values()), default=0)
        is_settled = newest < start - CLOCK_TICK and not any(changed_folders(library.roots, start))
        self._read = times if is_settled else None
        errors = count_by_severity(found)["error"]
        lacking = "so the answer may lack what they affect: see kismet check"
        self.warning = f"the library has {counted(errors, 'errors')}, {lacking}" if errors else ""


RulesSource = BuiltRules | LibraryRules


def rules_at(path: Path, game_file: Path | None) -> RulesSource:
    """The rules at a path: a bundle, a built website, or a library."""
    is_built = path.is_file() or any((path / manifest).is_file() for manifest in MANIFESTS)
    return BuiltRules(path) if is_built else LibraryRules(path, game_file)


def _times(roots: Iterable[str]) -> Times:
    return _times_of(source_paths(roots))


def _times_of(paths: Iterable[str]) -> Times:
    times = {}
    for path in paths:
        try:
            stat = os.stat(path)
        except (OSError, ValueError):
            continue
        times[path] = (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
    return times


def _data(pack: Pack, name: str) -> Any:
    make = find(pack, f"data/{pack.game.id}/{name}")
    return orjson.loads(make()) if make else []
