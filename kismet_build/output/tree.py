"""Write the output tree into a temporary folder, then exchange it with the old tree."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from socket import gethostname
from typing import NamedTuple

from kismet_build.config.data_file import UsageError
from kismet_build.model.cache_folder import cache_folder, create_cache_folder
from kismet_build.output.search_index import INDEX_FOLDER, SearchIndexer, indexed_text_digest, link_or_copy
from kismet_build.output.temporary_folder import FRESH_TREE, UNFINISHED, exchange, temporary_folder

MANIFEST = "data/manifest.json"
"""The list of data files. It also identifies a folder as an output tree."""
TEXTS = ("/index.html.md", "/llms-full.txt")
"""The ends of paths of Markdown files: the text of a page, and the entire text of a game."""
BUFFER_SIZE = 8192
"""Buffer size for writing a file, in bytes. If none is given, Python queries the system for each file."""
REDIRECT = b'http-equiv="refresh"'
"""Part of the head of a redirect page."""
Progress = Callable[[str, int, int], None]
"""Reports progress, given the current step, the number of finished items, and the total (0 if unknown)."""


def no_progress(_step: str, _done: int, _total: int) -> None:
    """Report nothing."""


class FileDigest(NamedTuple):
    """Identifies the content of a written file."""

    size: int
    """Size in bytes."""
    sha256: str
    """SHA-256 in hexadecimal digits."""
    is_site: bool
    """Whether the file is only for the website, and is not data, Markdown or a redirect."""


class OutputFile(NamedTuple):
    """Description of a written file, which worker processes can send back instead of its content."""

    path: str
    """Path from the root of the tree."""
    digest: FileDigest
    is_page: bool
    """Whether the file is a page that search engines may list."""
    text_digest: str
    """Digest of the text that is indexed for search, or an empty string."""

    @property
    def is_data(self) -> bool:
        return self.path.startswith("data/")


Writer = Callable[[str, bytes], OutputFile]
"""Writes content to a path in the tree, in this process or in a worker."""
EmitFiles = Callable[["TreeWriter"], Iterator[OutputFile]]
"""Writes all files of a tree with a writer, and yields each of them."""
FinalFiles = Callable[[Mapping[str, FileDigest]], Iterable[tuple[str, bytes]]]
"""Makes the files that depend on all others, such as the service worker, given the digests of the others by path."""


def describe_file(path: str, content: bytes, *, search: bool = False) -> OutputFile:
    """Description of a file with this content. `search`: whether pages are indexed for search."""
    page = is_page(path, content)
    is_redirect = path.endswith("/index.html") and not page
    is_site = not path.startswith("data/") and not path.endswith(TEXTS) and not is_redirect
    digest = FileDigest(len(content), sha256(content).hexdigest(), is_site)
    return OutputFile(path, digest, page, indexed_text_digest(path, content) if search else "")


def is_page(path: str, content: bytes) -> bool:
    """Whether a file is a page, and not a redirect from an old address."""
    return path.endswith("index.html") and REDIRECT not in content[:2000]


def no_final_files(_digests: Mapping[str, FileDigest]) -> Iterable[tuple[str, bytes]]:
    """No files that depend on all others."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The result of publishing a tree."""

    files: Mapping[str, FileDigest] = field(default_factory=dict)
    """Digests of files by path; empty if no tree was written."""
    search_problem: str = ""
    """Why the pages could not be indexed for search; empty if they were."""
    has_search_failed: bool = False
    """Whether Pagefind was started and failed, in which case another build may succeed."""


class TreeWriter:
    """Writes and keeps files for a new tree."""

    def __init__(self, fresh: str, old: str, *, search: bool) -> None:
        """`fresh`: the folder of the new tree. `old`: the folder of the tree to be replaced, or an empty string."""
        # Strings, because `Path` is slow for ten thousand small files.
        self._fresh, self._old, self._search = fresh, old, search
        self._folders = {""}

    @property
    def folder(self) -> str:
        return self._fresh

    def __call__(self, path: str, content: bytes) -> OutputFile:
        """Write a file."""
        self._make_folder_of(path)
        unfinished = f"{os.path.dirname(self._fresh)}/{UNFINISHED}{gethostname()}-{os.getpid()}"
        _write_or_link(f"{self._fresh}/{path}", content, self._old and f"{self._old}/{path}", unfinished)
        return describe_file(path, content, search=self._search)

    def keep(self, file: OutputFile) -> OutputFile:
        """Use a file of the old tree, which must exist there, for the new tree."""
        self._make_folder_of(file.path)
        link_or_copy(f"{self._old}/{file.path}", f"{self._fresh}/{file.path}")
        return file

    def _make_folder_of(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            self._make_folder_of(folder)
            # Not `makedirs`: a worker that is still running would create the tree again after it was removed.
            with suppress(FileExistsError):
                os.mkdir(f"{self._fresh}/{folder}")
            self._folders.add(folder)


class NewTree:
    """A tree that is written next to the present one, and then replaces it."""

    def __init__(self, out: Path, temporary: Path, *, force: bool, search: bool) -> None:
        self.old = out
        self.folder = temporary / FRESH_TREE
        self.folder.mkdir()
        self.files: list[OutputFile] = []
        """All files added so far."""
        self.write = TreeWriter(str(self.folder), str(out) if out.exists() else "", search=search)
        self._temporary = temporary
        self._is_published = False
        self._indexer = SearchIndexer(self.folder, None if force else out, temporary) if search else None

    def add(self, files: Iterable[OutputFile]) -> list[OutputFile]:
        """Add files that this or another process has written. Each game is indexed while other files are written."""
        added = []
        for file in files:
            added.append(file)
            if self._indexer:
                self._indexer.add(file.path, file.text_digest)
        self.files += added
        return added

    def publish(self, final_files: FinalFiles = no_final_files, progress: Progress = no_progress) -> Published:
        """Replace the present tree by this one, unless this one has no files."""
        if not self.files:
            return Published()
        progress("indexing the text", 0, 0)
        search_problem = self._indexer.finish() if self._indexer else ""
        index_files = _files_below(self.folder, self.folder / INDEX_FOLDER)
        digests = {file.path: file.digest for file in self.files}
        digests |= {path: describe_file(path, content).digest for path, content in index_files}
        digests |= {path: self.write(path, content).digest for path, content in final_files(digests)}
        exchange(self.folder, self.old, self._temporary)
        self._is_published = True
        has_failed = bool(self._indexer and self._indexer.problems)
        return Published(files=digests, search_problem=search_problem, has_search_failed=has_failed)

    def stop(self) -> None:
        """Stop indexing the text, and remove the folder, so that other machines cannot write to it any more."""
        if self._indexer:
            self._indexer.stop()
        if not self._is_published:
            with suppress(OSError):  # The error that stopped the build is the one to report.
                self.folder.rename(self._temporary / f"{UNFINISHED}tree")


@contextmanager
def new_tree(out: Path, *, force: bool = False, search: bool = True) -> Iterator[NewTree]:
    """A tree to be written into a temporary folder and then published as `out`.

    Unchanged files become hard links to files of the present tree. `force`: build all search indexes again.
    """
    new_parents = [folder for folder in out.parents if not folder.exists()]
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with temporary_folder(f".{out.name}-", out.parent) as temporary:
            tree = NewTree(out, temporary, force=force, search=search)
            try:
                yield tree
            finally:
                tree.stop()
    finally:
        if not out.exists():
            for folder in new_parents:
                with suppress(OSError):
                    folder.rmdir()


def replace_tree(emit: EmitFiles, out: Path, *, force: bool = False, search: bool = True) -> Published:
    """Publish a tree with the files that `emit` writes and yields."""
    with new_tree(out, force=force, search=search) as tree:
        tree.add(emit(tree.write))
        return tree.publish()


def check_output_folder(out: Path) -> None:
    """Raise `UsageError` if `out` is a file, or a folder that is neither empty nor an output tree."""
    if out.exists() and not out.is_dir():
        raise UsageError(f'"{out}" is a file, not a folder')
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise UsageError(f'"{out}" contains files that kismet build did not write: choose an empty folder')


def _write_or_link(file: str, content: bytes, old: str, unfinished: str) -> None:
    """Write a file, or hard-link it to `old` if that has the same content. A link keeps the old modification time.

    `unfinished`: if the file exists already, the path at which it is written before replacing the existing one.
    """
    with suppress(OSError):
        if old and os.stat(old).st_size == len(content) and _has_content(old, content):
            os.link(old, file)
            return
    try:
        with open(file, "xb", BUFFER_SIZE) as opened:
            opened.write(content)
    except FileExistsError:
        # A process that died may have left the file, perhaps as a link to the old tree. Or another machine, which the
        # cluster believes to be dead, is writing the same content. Either way, only a complete file may replace it.
        with open(unfinished, "wb", BUFFER_SIZE) as opened:
            opened.write(content)
        os.replace(unfinished, file)


def _has_content(file: str, content: bytes) -> bool:
    with open(file, "rb", buffering=0) as opened:
        return opened.read() == content


def _files_below(root: Path, folder: Path) -> Iterable[tuple[str, bytes]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield file.relative_to(root).as_posix(), file.read_bytes()


# --- the lock of a tree

NOTICE_DELAY = 0.5
"""Seconds to wait for the lock before a message says which process holds it."""


@contextmanager
def lock_tree(out: Path) -> Iterator[None]:
    """Hold the lock of an output tree, waiting if another process has it.

    The operating system releases the lock if the process dies. Without write access to the cache folder, no lock is
    taken.
    """
    file = cache_folder("locks") / f"{sha256(str(out).encode()).hexdigest()[:32]}.lock"
    owner_file = file.with_suffix(".json")
    from filelock import FileLock, Timeout  # imported when needed: an unchanged build does not need it

    lock = FileLock(file)
    with suppress(OSError):
        create_cache_folder(file.parent)
        try:
            lock.acquire(timeout=NOTICE_DELAY)
        except Timeout:
            print(f"kismet: {_owner(owner_file)} is writing {out}; waiting for it", file=sys.stderr)
            lock.acquire()
    try:
        with suppress(OSError):
            owner_file.write_text(json.dumps({"process": os.getpid(), "since": datetime.now(UTC).isoformat()}))
        yield
    finally:
        with suppress(OSError):
            owner_file.unlink()
        lock.release()


def _owner(owner_file: Path) -> str:
    try:
        owner = json.loads(owner_file.read_bytes())
        age = datetime.now(UTC) - datetime.fromisoformat(owner["since"])
        return f"process {owner['process']}, since {int(age.total_seconds())} seconds,"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"
