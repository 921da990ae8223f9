"""What builds read and wrote, kept in the cache of the user, so that what is the same need not be made again.

A result is taken again only where all that it was made from has the same digests (texts, game files, kinds, this
program with what it uses) and its files are still as they were written. Nothing heavy is imported here: where nothing
changed this is all that runs.
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

from kismet_build.build.fingerprint import Fingerprint, Tree, fingerprint, is_at_rest
from kismet_build.build.result import BuildResult, GameResult
from kismet_build.config.data_file import SHIPPED
from kismet_build.config.discovery import TEMPLATES, files
from kismet_build.model.cache_folder import cache, prune

PROGRAM = Path(__file__).parent.parent
OF_THE_PROGRAM = (PROGRAM, SHIPPED / "site", SHIPPED / "schemas")

LARGE = 2_000_000
"""In bytes; of what is larger, such as the picture of a map, the size and the time of the last change are enough."""

UNREADABLE = (
    OSError,
    pickle.UnpicklingError,
    EOFError,
    ImportError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""What is raised by a record that is broken, or of another version."""

Digests = Mapping[str, str]
"""For each file, by its path, the SHA-256 of what is in it; empty for one that is not there."""
Fingerprints = Mapping[str, Fingerprint]
"""For each file that has been as it is for a while, by its path, what tells that without reading it."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What a build was asked for; all paths are absolute."""

    path: Path
    game_file: Path | None
    out: Path
    search: bool = True
    """Whether the text is to be searched."""

    @property
    def place(self) -> Path:
        """Where its record is kept."""
        told = "\n".join((str(self.path), str(self.game_file), str(self.out), str(self.search), os.getcwd()))
        return cache("builds") / f"{sha256(told.encode()).hexdigest()[:32]}.pickle"


@dataclass(frozen=True, slots=True)
class GameCacheEntry:
    """One game as it was built."""

    read: Digests
    made: GameResult
    """Without its files."""


@dataclass(frozen=True, slots=True)
class BuildCache:
    """One build."""

    program: str
    roots: tuple[str, ...]
    """The files and folders that it read, whole."""
    read: Digests
    wrote: Tree
    built: BuildResult
    parts: Mapping[str, GameCacheEntry] = field(default_factory=dict)
    """Its games that were published, by their ids."""
    fingerprints: Fingerprints = field(default_factory=dict)
    """Of what it read, from before it was read."""


def load_build_cache(request: BuildRequest) -> BuildCache | None:
    """The record of the last build that was asked for this, by this very program, whose tree is still whole."""
    try:
        record = pickle.loads(request.place.read_bytes())
    except UNREADABLE:  # whatever is wrong with what is kept, it can be made again
        return None
    if not isinstance(record, BuildCache) or record.program != program_digest():
        return None
    return record if record.built.written and record.wrote.is_still_there() else None


def is_unchanged(record: BuildCache) -> bool:
    """Whether a build would read what it read before."""
    return digests(paths(record.roots), record) == record.read


def save_build_cache(request: BuildRequest, record: BuildCache) -> None:
    """Keep a record; where that cannot be, the next build makes everything."""
    with suppress(OSError):
        request.place.parent.mkdir(parents=True, exist_ok=True)
        fresh = request.place.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(pickle.dumps(record, pickle.HIGHEST_PROTOCOL))
        fresh.replace(request.place)
        prune(request.place.parent, "*.pickle")


def digests(files: Iterable[str], known: BuildCache | None = None) -> dict[str, str]:
    """What is in some files. What a record knows, and is as it was then, is not read."""
    before: Fingerprints = known.fingerprints if known else {}
    read: Digests = known.read if known else {}
    return {
        path: read.get(path, "") if path in before and fingerprint(path) == before[path] else _digest(path)
        for path in dict.fromkeys(files)
    }


def exclude_recently_modified(found: Mapping[str, str], since: int) -> dict[str, str]:
    """The same, with no digest for files that changed since a time in nanoseconds: they may have been read before."""
    return {path: "" if _changed(path) >= since else digest for path, digest in found.items()}


def fingerprints(files: Iterable[str], since: int) -> Fingerprints:
    """Of some files those of which it will be seen by their stamps if they changed since a time."""
    seen = ((path, fingerprint(path)) for path in files)
    return {path: one for path, one in seen if one is not None and is_at_rest(one, since)}


@lru_cache(maxsize=1)
def program_digest() -> str:
    """A digest of this program as it was loaded, and of the names and versions of what is installed beside it."""
    installed = sorted({name for path in sys.path for name in _installed(path)})
    told = [
        sys.version,
        *installed,
        *(f"{path} {digest}" for path, digest in sorted(digests(paths(map(str, OF_THE_PROGRAM))).items())),
    ]
    return sha256("\n".join(told).encode()).hexdigest()


def _installed(path: str) -> list[str]:
    try:
        return [name for name in os.listdir(path or ".") if name.endswith(".dist-info")]
    except OSError:
        return []


def paths(roots: Iterable[str]) -> Iterator[str]:
    """Some files, and all files of some folders but those that are hidden and trees of ours."""
    for root in roots:
        if os.path.isdir(root):
            within = root.rstrip("/")  # joined by hand: there may be ten thousand
            yield from (f"{within}/{path}" for path in files(Path(root)) if not path.endswith(".pyc"))
            # Hidden, and still read: where a vault keeps its patterns.
            yield from (f"{within}/.obsidian/{name}" for name in TEMPLATES)
        else:
            yield root


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _digest(path: str) -> str:
    try:
        seen = os.stat(path)
        if seen.st_size > LARGE:
            return f"{seen.st_size} {seen.st_mtime_ns}"
        with open(path, "rb") as file:
            return sha256(file.read()).hexdigest()
    except OSError:
        return ""
