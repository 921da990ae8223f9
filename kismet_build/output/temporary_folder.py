"""Temporary folders next to the output tree, and the exchange of trees. Leftovers of killed processes are removed.

A lock shows whether a folder is in use, not its age or a process id: docs/decisions/0025-output-folder.md.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FRESH_TREE = "fresh"
"""Name of the new tree in a temporary folder."""
REPLACED_TREE = "aside"
"""Name of the old tree while it is being replaced, on systems that cannot exchange two folders."""
SERVED_TREE = "public"
"""Name of the tree in the temporary folder of `kismet serve`, from which the search index is served."""
UNFINISHED = "unfinished-"
"""Prefix of the names of files that are being written."""
CONTENT = re.compile(rf"{FRESH_TREE}|{REPLACED_TREE}|{SERVED_TREE}|\.{SERVED_TREE}-.*|pages-.*|{UNFINISHED}.*")
"""Names that a temporary folder may contain. A folder with any other name in it is not a temporary one."""
RENAME_EXCHANGE = 2
"""Flag of the Linux system call `renameat2`."""
AT_FDCWD = -100
"""Argument of `renameat2`: paths are relative to the working directory."""


@contextmanager
def temporary_folder(prefix: str, parent: Path) -> Iterator[Path]:
    """Create a folder, and remove it at the end of the block.

    The folder is locked, if the system can do that, while this process or one forked from it is alive, so no other
    process removes it.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    lock = None
    try:
        lock = _lock(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def is_at_rest(out: Path) -> bool:
    """Whether no temporary folder is next to the tree: no process is writing it, and none was killed while doing so."""
    try:
        return not any(map(_temporary_name(f".{out.name}-").fullmatch, os.listdir(out.parent)))
    except OSError:
        return False


def recover_killed_build(out: Path) -> None:
    """Restore the old tree if a process was killed while exchanging trees, and remove its temporary folders.

    The caller must hold the lock of the tree.
    """
    remove_leftovers(f".{out.name}-", out.parent, out)


def remove_leftovers(prefix: str, parent: Path, out: Path | None = None) -> None:
    """Remove the temporary folders with this prefix whose processes have ended.

    If `out` does not exist, the newest replaced tree in these folders is moved to `out` first.
    """
    name = _temporary_name(prefix)
    locks: dict[Path, int | None] = {}
    with suppress(OSError), os.scandir(parent) as entries:
        folders = [Path(entry.path) for entry in entries if name.fullmatch(entry.name)]
        for folder in filter(_is_temporary_folder, folders):
            with suppress(BlockingIOError):
                locks[folder] = _lock(folder)
    if out is not None and not os.path.lexists(out):
        replaced = (folder / REPLACED_TREE for folder in locks if (folder / REPLACED_TREE).exists())
        for tree in sorted(replaced, key=lambda tree: tree.stat().st_mtime_ns)[-1:]:
            tree.rename(out)
    for folder, lock in locks.items():
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def exchange(fresh: Path, out: Path, temporary: Path) -> None:
    """Replace `out` by a new tree, and move the old tree into the temporary folder.

    If this fails, the old tree is still at `out`.
    """
    fresh.chmod(0o755)
    if out.exists() and _exchange_in_one_step(fresh, out):
        return
    replaced = temporary / REPLACED_TREE
    try:
        if out.exists():
            out.rename(replaced)
        fresh.rename(out)
    finally:
        if replaced.exists() and not out.exists():
            replaced.rename(out)


def _exchange_in_one_step(first: Path, second: Path) -> bool:
    """Exchange two folders such that neither is ever missing. `False` if the system or the disk cannot do this."""
    if sys.platform != "linux":
        return False
    # Imported late, because only a build that writes a tree needs it.
    import ctypes

    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is None:
        return False
    paths = (ctypes.c_char_p(os.fsencode(path)) for path in (first, second))
    old, new = paths
    return bool(renameat2(AT_FDCWD, old, AT_FDCWD, new, RENAME_EXCHANGE) == 0)


def _temporary_name(prefix: str) -> re.Pattern[str]:
    return re.compile(re.escape(prefix) + "[a-z0-9_]{8}")


def _is_temporary_folder(folder: Path) -> bool:
    try:
        is_own = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
        return is_own and not folder.is_symlink() and all(map(CONTENT.fullmatch, os.listdir(folder)))
    except OSError:
        return False


def _lock(folder: Path) -> int | None:
    """Lock a folder until every process with the returned file descriptor has closed it or ended.

    `None` if the system cannot lock folders. Raises `BlockingIOError` if another process holds the lock.
    """
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except (ImportError, OSError):  # Windows
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as failure:
        os.close(descriptor)
        if isinstance(failure, BlockingIOError):
            raise
        return None
    return descriptor
