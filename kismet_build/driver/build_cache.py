"""The build cache: what the last build read and wrote, stored in the user's cache folder.

A result is reused only if the digests of all its inputs are the same (documents, game files, kinds, this program and
its packages) and its output files are unchanged. This module imports nothing heavy, because most of the compiler is
not loaded if nothing changed since the last build. docs/decisions/0027-unchanged-builds.md lists the changes that are
not detected.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from stat import S_IFMT, S_ISLNK, S_ISREG
from time import time
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kismet_build.config.data_file import SHIPPED
from kismet_build.config.discovery import list_files
from kismet_build.driver.fingerprint import Fingerprint, TreeSnapshot, fingerprint, is_reliable
from kismet_build.driver.json_values import UNREADABLE, from_json, to_json
from kismet_build.driver.result import BuildResult, GameResult
from kismet_build.model.cache_folder import cache_folder, read_cached_file, write_cached_file
from kismet_build.model.entry_points import UnusableEntryPoint
from kismet_build.model.source import read_regular_file
from kismet_build.output.exporters import EXPORTERS, note
from kismet_build.output.tree import OutputFile

if TYPE_CHECKING:
    from kismet_build.config.game import Game

PACKAGE = Path(__file__).parent.parent
PROGRAM_FOLDERS = (PACKAGE, SHIPPED / "site", SHIPPED / "schemas")
"""Folders whose files determine what the compiler writes."""

MAX_HASHED_SIZE = 2_000_000
"""Size in bytes of the largest file whose content is hashed.

Of larger files, such as maps, and of the targets of links, only size and mtime are compared.
"""

DATA_SUFFIXES = (".yaml", ".yml", ".json")
"""Suffixes of files that may define a game. All other files are documents and attachments."""

CLOCK_TICK = 20_000_000
"""Nanoseconds that the time of a changed file may lag behind the clock."""

Digests = Mapping[str, str]
"""Digest of each file by path, made from its content or metadata: empty for a missing file, a placeholder for one that
changed too recently."""
Fingerprints = Mapping[str, Fingerprint]
"""Fingerprint of each file, by path, without files that changed too recently."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """Inputs and output folder of a build. `out` is absolute."""

    path: Path
    game_file: Path | None
    out: Path
    search: bool = True
    """Whether to index the page text."""
    keep_going: bool = False
    """Whether a game with errors is published without the data that the errors affect."""
    exports: tuple[str, ...] = ()
    """The names of the exporters that run, sorted."""
    url: str = ""
    """The address of the website, if it replaces the one in `library.yaml`; otherwise empty."""
    untrusted: bool = False
    """Whether strangers wrote the library."""
    books: tuple[str, ...] = ()
    """The formats of the books that are made of each game, sorted."""

    @property
    def cache_file(self) -> Path:
        options = (self.search, self.keep_going, self.url, self.untrusted, self.books)
        key = _key(self.path, self.game_file, self.out, *options)
        return cache_folder("builds") / f"{key}.json"


def last_tree(path: Path, game_file: Path | None) -> Path | None:
    """The output folder of the last build of a library, or `None`."""
    content = read_cached_file(_last_tree_file(path, game_file), b"")
    return None if content is None else Path(os.fsdecode(content))


def _last_tree_file(path: Path, game_file: Path | None) -> Path:
    return cache_folder("trees") / f"{_key(path, game_file)}.txt"


def _key(*parts: object) -> str:
    return sha256(os.fsencode("\n".join((*map(str, parts), os.getcwd())))).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class BuildCache:
    """Inputs, result and output of one build."""

    roots: tuple[str, ...]
    """Files and folders that the library was read from."""
    digests: Digests
    """Digests of all source files."""
    tree: TreeSnapshot
    """The output folder after the build."""
    result: BuildResult
    games: str = ""
    """The published games as JSON, which is read only if something changed."""
    fingerprints: Fingerprints = field(default_factory=dict)
    """Fingerprints of all source files, taken before they were read."""
    exports: tuple[str, ...] = ()
    """The names of the exporters that ran without failing."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What the files of exporters depend on besides the data, by the name of the exporter."""
    until: float | None = None
    """When the next text appears or vanishes, in seconds since 1970; `None` if no text does."""

    @property
    def is_current(self) -> bool:
        """Whether no text has appeared or vanished since the build because of a time in its properties."""
        return self.until is None or time() < self.until


def load_build_cache(request: BuildRequest) -> BuildCache | None:
    """The cache of the last build of this request.

    `None` if it is missing or damaged, if another version of the compiler wrote it, if nothing was published, or if the
    output, or what an exporter depends on, has changed since then.
    """
    content = read_cached_file(request.cache_file, program_digest().encode())
    try:
        build = None if content is None else from_json(BuildCache, content)
    except UNREADABLE:
        return None
    is_same = build and build.result.is_published and build.tree.matches_disk() and _has_same_notes(build)
    return build if is_same else None


def _has_same_notes(build: BuildCache) -> bool:
    try:
        ours = {name: said for name, said in build.notes.items() if name in EXPORTERS.ours}  # others always run
        return all(note(EXPORTERS.load(name)) == said for name, said in ours.items())
    except UnusableEntryPoint:  # an exporter of ours was deleted
        return False


def is_unchanged(build: BuildCache, exports: Sequence[str] = ()) -> bool:
    """Whether a cached build is current, complete and with these exports, and no source file has changed since.

    An exporter from another package always runs, because it may read more than the data.
    """
    if (
        not build.is_current
        or not build.result.is_complete
        or build.exports != exports
        or not EXPORTERS.ours.keys() >= {*exports}
    ):
        return False
    return file_digests(source_paths(build.roots), build) == build.digests


def save_build_cache(request: BuildRequest, build: BuildCache) -> None:
    """Store a build. If the cache folder cannot be written, the next build starts from scratch."""
    write_cached_file(request.cache_file, program_digest().encode(), [to_json(build)])
    write_cached_file(_last_tree_file(request.path, request.game_file), b"", [os.fsencode(request.out)])


def file_digests(paths: Iterable[str], previous: BuildCache | None = None) -> dict[str, str]:
    """Digest of each file. A file whose fingerprint is the same as in `previous` is not read."""
    fingerprints: Fingerprints = previous.fingerprints if previous else {}
    digests: Digests = previous.digests if previous else {}
    return {
        path: digests.get(path, "")
        if path in fingerprints and fingerprint(path) == fingerprints[path]
        else _file_digest(path)
        for path in dict.fromkeys(paths)
    }


def definition_digests(game: "Game", digests: Mapping[str, str]) -> dict[str, str]:
    """The digests of the files that may define a game. `digests` has those of all its files."""
    others = {str(file) for file, _ in game.files.texts}
    others |= {str(game.files.file(path)) for path in game.files.attachments if not path.endswith(DATA_SUFFIXES)}
    return {path: digest for path, digest in digests.items() if path not in others}


def exclude_recently_modified(digests: Mapping[str, str], since: int) -> dict[str, str]:
    """Replace the digest of each file that changed after `since` (nanoseconds) with a string that equals no digest.

    The file may have changed between the time of its digest and its compilation, so the next build must read it.
    """
    return {
        path: f"changed after {since}" if _time_of_change(path) >= since - CLOCK_TICK else digest
        for path, digest in digests.items()
    }


def changed_folders(roots: Iterable[str], since: int) -> Iterator[str]:
    """Paths of the folders that changed after `since` (nanoseconds), with a slash at the end.

    If a file in a folder was read and then removed, only this path tells the next build to read the folder. For a root
    that is a file or does not exist, the parent folder is checked.
    """
    for root in roots:
        if os.path.isdir(root):
            folders = [os.path.join(root, folder, "") for folder in list_files(Path(root)).folders]
        else:
            folders = [os.path.join(os.path.dirname(root) or ".", "")]
        yield from (folder for folder in folders if _time_of_change(folder) >= since - CLOCK_TICK)


def reliable_fingerprints(paths: Iterable[str], since: int) -> Fingerprints:
    """Fingerprints of the files that are old enough for any change after `since` (nanoseconds) to be detected."""
    fingerprints = ((path, fingerprint(path)) for path in paths)
    return {path: file for path, file in fingerprints if file is not None and is_reliable(file, since)}


@lru_cache(maxsize=1)
def program_digest() -> str:
    """Digest of the compiler's files, the Python version, and the names and versions of all installed packages."""
    packages = sorted({name for path in sys.path for name in _installed_packages(path)})
    parts = [sys.version, *packages]
    for folder in PROGRAM_FOLDERS:
        # Paths are relative, because on another machine the program may be in another folder.
        digests = file_digests(source_paths([str(folder)]))
        parts += (f"{path.removeprefix(str(folder))} {digest}" for path, digest in sorted(digests.items()))
    return sha256("\n".join(parts).encode()).hexdigest()


def _installed_packages(path: str) -> list[str]:
    try:
        return [name for name in os.listdir(path or ".") if name.endswith(".dist-info")]
    except OSError:
        return []


def source_paths(roots: Iterable[str]) -> Iterator[str]:
    """Paths of files, and of everything below folders, including links and devices. Hidden files and output trees are
    left out.

    The paths are written like the paths in `Game.files`.
    """
    for root in roots:
        if os.path.isdir(root):
            # Like `str(Path(root) / path)`, but `Path` is too slow for ten thousand files.
            folder = "" if str(Path(root)) == "." else str(Path(root)).rstrip("/") + "/"
            listed = list_files(Path(root))
            yield from (folder + path for path in (*listed.files, *listed.unread) if not path.endswith(".pyc"))
        else:
            yield root


def _time_of_change(path: str) -> int:
    """The mtime or ctime of a file, whichever is later: a file that replaced another may have an old mtime."""
    try:
        stat = os.stat(path)
    except OSError:
        return 0
    return max(stat.st_mtime_ns, stat.st_ctime_ns)


def _file_digest(path: str) -> str:
    try:
        stat = os.lstat(path)
        if S_ISLNK(stat.st_mode):
            # Never opened, because it may lead out of the folder.
            target = os.path.realpath(path)
            return f"{target} {_metadata(os.stat(target))}" if os.path.exists(target) else target
        if not S_ISREG(stat.st_mode):
            return f"type {S_IFMT(stat.st_mode)}"
        if stat.st_size > MAX_HASHED_SIZE:
            return _metadata(stat)
        return sha256(read_regular_file(path)).hexdigest()
    except (OSError, ValueError):  # ValueError: the path has a null character
        return ""


def _metadata(stat: os.stat_result) -> str:
    return f"{stat.st_size} {stat.st_mtime_ns}"


# --- what a build wrote for each game: the next build takes the files of an unchanged game from the tree


class BuiltGame(NamedTuple):
    """A game after a build. A game that cannot be published has no files."""

    result: GameResult
    files: tuple[OutputFile, ...]
    exports: Mapping[str, tuple[OutputFile, ...]] = MappingProxyType({})
    """The files that exporters made for it, by the exporter's name."""


class GameRecord(NamedTuple):
    """A published game and its inputs."""

    digest: str
    """The digest of the digests of the game's source files."""
    linked_exports: frozenset[str]
    """The exports that the pages of the game link to."""
    game: BuiltGame


def digest_of_digests(digests: Digests) -> str:
    """A single digest, made from the digests of many files."""
    return sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()


def read_games(build: BuildCache) -> Mapping[str, GameRecord]:
    """The published games of a build by id, except games with files that are missing from the tree.

    Empty if the record is damaged.
    """
    try:
        records = from_json(dict[str, GameRecord], build.games.encode())
    except UNREADABLE:
        return {}
    paths = build.tree.paths()
    return {
        game: record
        for game, record in records.items()
        if all(file.path in paths for file in chain(record.game.files, *record.game.exports.values()))
    }
