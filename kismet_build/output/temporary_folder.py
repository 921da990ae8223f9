"""Temporary folders beside the output tree, and the exchange of trees. What a killed process left is removed.

A lock, not its age or a process id, says whether a folder is in use: docs/decisions/0025-output-folder.md.
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
"""Name of a new tree in a temporary folder."""
REPLACED_TREE = "aside"
"""Name of the old tree while the new one takes its place, where the system cannot exchange them."""
SERVED_TREE = "public"
"""Name of the tree in the temporary folder of `kismet serve`, whose search index is served."""
CONTENT = re.compile(rf"{FRESH_TREE}|{REPLACED_TREE}|{SERVED_TREE}|\.{SERVED_TREE}-.*|pages-.*")
"""Names of what is in a temporary folder. A folder with anything else is not one."""
RENAME_EXCHANGE = 2
"""Flag of the Linux system call `renameat2`."""
AT_FDCWD = -100
"""The same call: paths start in the working directory."""


@contextmanager
def temporary_folder(prefix: str, parent: Path) -> Iterator[Path]:
    """Create a folder, and remove it at the end of the block.

    While this process or one that it forked lives, the folder is locked, so nobody else removes it.
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
    """Whether no process writes a tree or was killed while it did: there is no temporary folder beside it."""
    try:
        return not any(map(_temporary_name(f".{out.name}-").fullmatch, os.listdir(out.parent)))
    except OSError:
        return False


def recover_killed_build(out: Path) -> None:
    """Restore the old tree if a process was killed while it exchanged trees, and remove its temporary folders.

    Call it with the lock of the tree.
    """
    remove_leftovers(f".{out.name}-", out.parent, out)


def remove_leftovers(prefix: str, parent: Path, out: Path | None = None) -> None:
    """Remove the temporary folders with this prefix whose processes have ended.

    If `out` does not exist, the latest of the trees that they replaced is moved there first.
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
    """Put a new tree in the place of `out`. The old tree is in the temporary folder then.

    If that fails, the old tree is at `out`.
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
    """Exchange two folders, so that neither is ever missing. `False` if the system or the disk cannot."""
    if sys.platform != "linux":
        return False
    # Imported here: only a build that writes a tree needs it.
    import ctypes

    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is None:
        return False
    paths = (ctypes.c_char_p(os.fsencode(path)) for path in (first, second))
    old, new = paths
    return bool(renameat2(AT_FDCWD, old, AT_FDCWD, new, RENAME_EXCHANGE) == 0)


def _temporary_name(prefix: str) -> re.Pattern[str]:
    """Names that `tempfile` gives with this prefix."""
    return re.compile(re.escape(prefix) + "[a-z0-9_]{8}")


def _is_temporary_folder(folder: Path) -> bool:
    """Whether a folder of this user has nothing in it that this program does not put there."""
    try:
        is_own = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
        return is_own and not folder.is_symlink() and all(map(CONTENT.fullmatch, os.listdir(folder)))
    except OSError:
        return False


def _lock(folder: Path) -> int | None:
    """Lock a folder until all processes end that have this file descriptor, or close it.

    `None` where that is not possible. Raises `BlockingIOError` if another process has the lock.
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
