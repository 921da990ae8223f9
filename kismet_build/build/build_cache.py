"""The build cache: what the last build read and wrote, stored in the user's cache folder.

A result is reused only if the digests of all its inputs are the same (documents, game files, kinds, this program and
the packages it uses) and its output files are unchanged. This module imports nothing heavy: if nothing changed since
the last build, no other part of the compiler is loaded.
"""

import os
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from kismet_build.build.fingerprint import Fingerprint, TreeSnapshot, fingerprint, is_reliable
from kismet_build.build.result import BuildResult, GameResult
from kismet_build.config.data_file import SHIPPED
from kismet_build.config.discovery import list_files
from kismet_build.model.cache_folder import cache_folder, prune

PACKAGE = Path(__file__).parent.parent
PROGRAM_FOLDERS = (PACKAGE, SHIPPED / "site", SHIPPED / "schemas")
"""Folders whose files decide what the compiler writes."""

MAX_HASHED_SIZE = 2_000_000
"""Largest file, in bytes, whose content is hashed. Of a larger one, such as a map, size and mtime are compared."""

UNPICKLING_ERRORS = (
    OSError,
    pickle.UnpicklingError,
    EOFError,
    ImportError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""Errors that a damaged cache file, or one of another version, raises while it is read."""

Digests = Mapping[str, str]
"""SHA-256 of each file's content, by path; empty if the file does not exist or changed too recently."""
Fingerprints = Mapping[str, Fingerprint]
"""Fingerprint of each file, by path, without files that changed too recently."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """Inputs and output folder of a build. All paths are absolute."""

    path: Path
    game_file: Path | None
    out: Path
    search: bool = True
    """Whether to index the page text."""

    @property
    def cache_file(self) -> Path:
        """Path of the build cache for this request."""
        return cache_folder("builds") / f"{_key(self.path, self.game_file, self.out, self.search)}.pickle"


def last_tree(path: Path, game_file: Path | None) -> Path | None:
    """The output folder of the last build of a library; `None` if there is none."""
    try:
        return Path(os.fsdecode(_last_tree_file(path, game_file).read_bytes()))
    except OSError:
        return None


def _last_tree_file(path: Path, game_file: Path | None) -> Path:
    return cache_folder("trees") / f"{_key(path, game_file)}.txt"


def _key(*parts: object) -> str:
    """A file name for a request with these parts in the present folder."""
    return sha256(os.fsencode("\n".join((*map(str, parts), os.getcwd())))).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class GameCacheEntry:
    """Inputs and result of one published game."""

    digests: Digests
    """Of its source files."""
    result: GameResult
    """Without its files."""
    state: str = ""
    """Id of the build that stored the state of the game; empty if none did."""
    outdated: frozenset[str] = frozenset()
    """Names of the bundles in the stored state that this build or one since then removed or rendered again."""


@dataclass(frozen=True, slots=True)
class BuildCache:
    """Inputs, result and output of one build."""

    program: str
    """`program_digest()` of the compiler that ran it."""
    roots: tuple[str, ...]
    """Files and folders that the library was read from."""
    digests: Digests
    """Of all source files."""
    tree: TreeSnapshot
    """The output folder after the build."""
    result: BuildResult
    games: Mapping[str, GameCacheEntry] = field(default_factory=dict)
    """The published games, by id."""
    fingerprints: Fingerprints = field(default_factory=dict)
    """Of all source files, taken before they were read."""


def load_build_cache(request: BuildRequest) -> BuildCache | None:
    """Cache of the last build of this request.

    `None` if there is none, if another version of the compiler wrote it, or if the output was changed since.
    """
    try:
        build = pickle.loads(request.cache_file.read_bytes())
    except UNPICKLING_ERRORS:
        return None
    if not isinstance(build, BuildCache) or build.program != program_digest():
        return None
    return build if build.result.is_published and build.tree.matches_disk() else None


def is_unchanged(build: BuildCache) -> bool:
    """Whether all source files have the same content as in a cached build."""
    return file_digests(source_paths(build.roots), build) == build.digests


def save_build_cache(request: BuildRequest, build: BuildCache) -> None:
    """Store a build. If the cache folder cannot be written, the next build starts from nothing."""
    with suppress(OSError):
        request.cache_file.parent.mkdir(parents=True, exist_ok=True)
        temporary = request.cache_file.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(pickle.dumps(build, pickle.HIGHEST_PROTOCOL))
        temporary.replace(request.cache_file)
        prune(request.cache_file.parent, "*.pickle")
        last = _last_tree_file(request.path, request.game_file)
        last.parent.mkdir(parents=True, exist_ok=True)
        last.write_bytes(os.fsencode(request.out))
        prune(last.parent, "*.txt")


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


def exclude_recently_modified(digests: Mapping[str, str], since: int) -> dict[str, str]:
    """Replace the digest of each file modified after `since` (nanoseconds) by an empty string.

    Such a file may have been compiled before the digest was taken, so the next build must read it.
    """
    return {path: "" if _mtime(path) >= since else digest for path, digest in digests.items()}


def reliable_fingerprints(paths: Iterable[str], since: int) -> Fingerprints:
    """Fingerprints of the files old enough that any change after `since` (nanoseconds) is detectable."""
    fingerprints = ((path, fingerprint(path)) for path in paths)
    return {path: file for path, file in fingerprints if file is not None and is_reliable(file, since)}


@lru_cache(maxsize=1)
def program_digest() -> str:
    """Digest of the compiler's files, the Python version, and the names and versions of all installed packages."""
    packages = sorted({name for path in sys.path for name in _installed_packages(path)})
    digests = file_digests(source_paths(map(str, PROGRAM_FOLDERS)))
    parts = [sys.version, *packages, *(f"{path} {digest}" for path, digest in sorted(digests.items()))]
    return sha256("\n".join(parts).encode()).hexdigest()


def _installed_packages(path: str) -> list[str]:
    try:
        return [name for name in os.listdir(path or ".") if name.endswith(".dist-info")]
    except OSError:
        return []


def source_paths(roots: Iterable[str]) -> Iterator[str]:
    """Paths of files, and of all files below folders. Hidden files and output trees are left out.

    The paths are spelled like those of `Game.files`.
    """
    for root in roots:
        if os.path.isdir(root):
            # As `str(Path(root) / path)` has them, but `Path` is too slow for ten thousand files.
            folder = "" if str(Path(root)) == "." else str(Path(root)).rstrip("/") + "/"
            yield from (folder + path for path in list_files(Path(root)) if not path.endswith(".pyc"))
        else:
            yield root


def _mtime(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _file_digest(path: str) -> str:
    try:
        stat = os.stat(path)
        if stat.st_size > MAX_HASHED_SIZE:
            return f"{stat.st_size} {stat.st_mtime_ns}"
        with open(path, "rb") as file:
            return sha256(file.read()).hexdigest()
    except OSError:
        return ""
