"""Detect changed files from their file system metadata, without reading them.

A write, rename, replacement or change of times gives a file a new change time (ctime), which programs cannot set; a
replaced file has another inode number. Equal fingerprints mean equal bytes, except after a change within one tick of
the disk's clock after the fingerprint was taken, which does not change the time. Files that changed that recently
have no fingerprint and are read.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import time_ns

MTIME_RESOLUTION = 2_000_000_000
"""Longest clock tick of a file system, in nanoseconds (FAT: 2 seconds). docs/decisions/0027-unchanged-builds.md lists
the changes that are still not detected."""
HAS_CTIME = os.name != "nt"
"""Whether `st_ctime_ns` is the time of the last change. On Windows it is the time of creation."""

Fingerprint = tuple[int, int, int, int, int]
"""Size in bytes, mtime and ctime in nanoseconds, device number, and inode number of a file."""


def fingerprint(path: str) -> Fingerprint | None:
    """Fingerprint of a file; `None` if it cannot be read, or on a system without change times."""
    try:
        stat = os.stat(path)
    except (OSError, ValueError):  # ValueError: the path has a null character
        return None
    return (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_dev, stat.st_ino) if HAS_CTIME else None


def is_reliable(file: Fingerprint, since: int) -> bool:
    """Whether every change after `since`, in nanoseconds since the epoch, gives the file another fingerprint."""
    return max(file[1], file[2]) < since - MTIME_RESOLUTION


@dataclass(frozen=True, slots=True)
class TreeSnapshot:
    """Metadata of a folder and everything below it."""

    folders: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)
    """By folder path: the folder's ctime in nanoseconds (0 if too recent), its file names, its folder names."""
    files: tuple[int, ...] = ()
    """Size and mtime of each file, folder by folder in the order of `folders`."""

    def paths(self) -> set[str]:
        """The paths of all files, relative to the folder."""
        start = len(next(iter(self.folders), "")) + 1
        return {
            f"{folder}/{name}"[start:]
            for folder, (_, names, _) in self.folders.items()
            for name in names.split("/")
            if name
        }

    def matches_disk(self) -> bool:
        """Whether the same files are on the disk and have not been written since. False for an empty snapshot."""
        files: list[int] = []
        try:
            for path, (ctime, file_names, folder_names) in self.folders.items():
                # A folder's ctime changes when an entry is added or removed. Only then must the folder be listed again.
                if os.lstat(path).st_ctime_ns != ctime and _list_names(path) != (file_names, folder_names):
                    return False
                _append_file_stats(path, file_names, files)
        except (OSError, ValueError):
            return False
        return bool(self.folders) and tuple(files) == self.files


def snapshot_tree(root: str) -> TreeSnapshot:
    """Snapshot of a folder; empty if it does not exist or a part of it cannot be read."""
    newest_reliable = time_ns() - MTIME_RESOLUTION
    folders: dict[str, tuple[int, str, str]] = {}
    files: list[int] = []
    pending = [root]
    try:
        while pending:
            path = pending.pop()
            ctime = os.lstat(path).st_ctime_ns
            file_names, folder_names = _list_names(path)
            folders[path] = (ctime if HAS_CTIME and ctime < newest_reliable else 0, file_names, folder_names)
            _append_file_stats(path, file_names, files)
            pending += [f"{path}/{name}" for name in folder_names.split("/") if name]
    except OSError:
        return TreeSnapshot()
    return TreeSnapshot(folders, tuple(files))


def _list_names(folder: str) -> tuple[str, str]:
    """Names of the files and of the folders in a folder, each joined by `/`."""
    # Two strings take less memory than two lists: a tree may have tens of thousands of folders.
    names: tuple[list[str], list[str]] = ([], [])
    with os.scandir(folder) as entries:
        for entry in entries:
            names[entry.is_dir(follow_symlinks=False)].append(entry.name)
    files, folders = names
    return "/".join(sorted(files)), "/".join(sorted(folders))


def _append_file_stats(folder: str, file_names: str, stats: list[int]) -> None:
    for name in file_names.split("/") if file_names else ():
        stat = os.lstat(f"{folder}/{name}")
        stats.append(stat.st_size)
        stats.append(stat.st_mtime_ns)
