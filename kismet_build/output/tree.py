"""Put files into a tree: a whole new one in the place of another, or file by file into one that is looked at."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from kismet_build.config.data_file import UsageError
from kismet_build.output.search_index import FOLDER, FullText, searched_of

MANIFEST = "data/manifest.json"
"""A file that every tree of ours has."""
REDIRECT = b'http-equiv="refresh"'
"""Part of the head of a page that leads on from an old address."""
ASIDE = "aside"
"""What a tree is called while another takes its place."""

Progress = Callable[[str, int, int], None]
"""Takes what is done at the moment, how much of it is done, and how much there is of it."""


Last = Callable[[Mapping[str, "FileDigest"]], Iterable[tuple[str, bytes]]]
"""Files that depend on all other files of a tree, such as the service worker, from what is known of those."""


def no_progress(_what: str, _done: int, _of: int) -> None:
    """Tell nobody."""


class FileDigest(NamedTuple):
    """What tells a file of a tree from another version of it."""

    size: int
    """In bytes."""
    digest: str
    """SHA-256, in hex."""
    is_shown: bool
    """It is no data, and does not only lead on from an old address."""


class OutputFile(NamedTuple):
    """What is known of a file that was put into a tree, maybe by another process."""

    path: str
    """From the root of the tree."""
    print: FileDigest
    is_page: bool
    searched: bytes
    """A digest of what is searched of it; empty where nothing is."""


Writer = Callable[[str, bytes], OutputFile]
"""Puts a file at its path into a tree, from this process or a copy of it."""
Files = Callable[[Writer], Iterator[OutputFile]]
"""Puts all files of a tree where they belong."""


def written(path: str, content: bytes) -> OutputFile:
    """What is to be known of a file that is written at a path in a tree."""
    page = is_page(path, content)
    leads_on = path.endswith("/index.html") and not page
    is_shown = not path.startswith("data/") and not leads_on
    one = FileDigest(len(content), sha256(content).hexdigest(), is_shown)
    return OutputFile(path, one, page, searched_of(path, content))


def is_page(path: str, content: bytes) -> bool:
    """Whether a file is a page to be found, and not the way from an old address to one."""
    return path.endswith("index.html") and REDIRECT not in content[:2000]


def nothing(_prints: Mapping[str, FileDigest]) -> Iterable[tuple[str, bytes]]:
    """No file depends on all others."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A tree as it stands now."""

    files: Mapping[str, FileDigest] = field(default_factory=dict)
    """By their paths; nothing where there is no tree."""
    unsearched: str = ""
    """Why its text cannot be searched; empty where it can."""


def replace_tree(
    files: Files,
    out: Path,
    *,
    force: bool = False,
    search: bool = True,
    progress: Progress = no_progress,
    scratch: Path | None = None,
    last: Last = nothing,
) -> Published:
    """Write a tree beside `out`, then put it in its place, so that there is never half a tree, nor one of no files.

    `scratch` is a folder on the same disk for what is there only meanwhile; else there is one beside `out`.
    """
    new = [folder for folder in out.parents if not folder.exists()]
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=scratch or out.parent))
    fresh = beside / "fresh"
    fresh.mkdir()
    text = FullText(fresh, None if force else out) if search else None
    prints: dict[str, FileDigest] = {}
    old = str(out) if out.exists() else ""
    folders: set[str] = set()

    def put(path: str, content: bytes) -> OutputFile:
        # Not as paths: of ten thousand small files these would take as long as the disk.
        folder = path.rpartition("/")[0]
        if folder not in folders:
            os.makedirs(f"{fresh}/{folder}", exist_ok=True)
            folders.add(folder)
        _write(f"{fresh}/{path}", content, old and f"{old}/{path}")
        return written(path, content)

    try:
        for file in files(put):
            prints[file.path] = file.print
            if text:
                text.saw(file.path, file.searched)
        if not prints:
            return Published()
        progress("indexing the text", 0, 0)
        unsearched = text.finish() if text else ""
        prints |= {path: written(path, content).print for path, content in _below(fresh, fresh / FOLDER)}
        prints |= {path: put(path, content).print for path, content in last(prints)}
        _swap(fresh, out, beside)
        return Published(files=prints, unsearched=unsearched)
    finally:
        if text:
            text.stop()
        shutil.rmtree(beside, ignore_errors=True)
        if not out.exists():
            for folder in new:
                with suppress(OSError):
                    folder.rmdir()


def renew_tree(
    files: Files,
    out: Path,
    known: Mapping[str, FileDigest],
    scratch: Path,
    *,
    search: bool = True,
    progress: Progress = no_progress,
    last: Last = nothing,
) -> Published:
    """Bring a tree up to date file by file, each at once, where others look at it meanwhile.

    Only what differs from the `known` prints is written, so nobody else may write to it. As with a new tree, no files
    at all are no tree, and change nothing.
    """
    prints: dict[str, FileDigest] = {}
    indexes = Path(tempfile.mkdtemp(dir=scratch))
    text = FullText(out, out, indexes) if search else None

    def put(path: str, content: bytes) -> OutputFile:
        return renew(path, content, out, known.get(path), scratch)

    try:
        for file in files(put):
            prints[file.path] = file.print
            if text:
                text.saw(file.path, file.searched)
        if not prints:
            return Published(files=known)
        progress("indexing the text", 0, 0)
        unsearched = text.finish() if text else ""
        for game in text.reused if text else ():
            prints |= {path: one for path, one in known.items() if path.startswith(f"{FOLDER}/{game}/")}
        for path, content in _below(indexes, indexes):
            prints[f"{FOLDER}/{path}"] = put(f"{FOLDER}/{path}", content).print
        prints |= {path: put(path, content).print for path, content in last(prints)}
        for path in known.keys() - prints.keys():
            _remove(out / path, out)
        return Published(files=prints, unsearched=unsearched)
    finally:
        if text:
            text.stop()
        shutil.rmtree(indexes, ignore_errors=True)


def renew(path: str, content: bytes, out: Path, known: FileDigest | None, scratch: Path) -> OutputFile:
    """Write one file of a tree, whole at once, unless it is known to be there as it is."""
    now = written(path, content)
    if now.print != known:
        file = out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # Another file in its place, not other bytes in it: others may have it open, or share it.
        fresh = scratch / f"file-{os.getpid()}"
        fresh.write_bytes(content)
        fresh.replace(file)
    return now


def recover(out: Path, scratch: Path) -> None:
    """Put a tree back that was set aside by a process which was ended before another could take its place."""
    if not out.exists():
        for aside in scratch.glob(f"*/{ASIDE}"):
            aside.rename(out)


def refuse_foreign(out: Path) -> None:
    """Raise `UsageError` rather than replace a folder that this program did not write."""
    if out.exists() and not out.is_dir():
        raise UsageError(f'"{out}" is a file, not a folder')
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise UsageError(f'"{out}" holds files that were not made by kismet build: choose an empty folder')


def _write(file: str, content: bytes, old: str) -> None:
    """Write a file; where the old tree has the very same it is put in both, and keeps the time of its last change."""
    if os.path.lexists(file):
        os.unlink(file)  # whatever a process that was ended made of it: others may share it
    with suppress(OSError):
        if old and os.stat(old).st_size == len(content) and _is(old, content):
            os.link(old, file)
            return
    with open(file, "wb") as opened:
        opened.write(content)


def _is(file: str, content: bytes) -> bool:
    with open(file, "rb", buffering=0) as opened:
        return opened.read() == content


def _below(root: Path, folder: Path) -> Iterable[tuple[str, bytes]]:
    """The files below a folder, by their paths from the root."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield file.relative_to(root).as_posix(), file.read_bytes()


def _remove(file: Path, tree: Path) -> None:
    """Remove a file of a tree, and the folders that are empty then."""
    file.unlink(missing_ok=True)
    for folder in file.parents:
        if folder == tree or any(folder.iterdir()):
            return
        folder.rmdir()


def _swap(fresh: Path, out: Path, beside: Path) -> None:
    """Put a tree in the place of another; if that fails, the other one is back where it was."""
    fresh.chmod(0o755)
    aside = beside / ASIDE
    if out.exists():
        out.rename(aside)
    try:
        fresh.rename(out)
    except OSError:
        if aside.exists():
            aside.rename(out)
        raise
