"""Whether files are as they were, by what the system tells of them: so they need not be read again.

Whoever writes to a file, puts another in its place, renames it or sets its times gives it a new time of its last
change, which the system takes from its clock and lets nobody choose; what lies elsewhere has another number. So the
same stamp is the same file with the same bytes. Only of a change that is as young as the clocks of disks are coarse
that is not sure: the next one may get the same time. What is so young has no stamp, and is looked at.
"""

import os
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import time_ns

MTIME_RESOLUTION = 2_000_000_000
"""In nanoseconds; no disk has a coarser clock."""
HAS_CTIME = os.name != "nt"
"""Whether the system tells when a file was last changed; Windows says by that name when it was made."""

Fingerprint = tuple[int, int, int, int, int]
"""Of one file: its size, the times of its last change of content and of anything, its disk, its number there."""


def fingerprint(path: str) -> Fingerprint | None:
    """What tells a file from every other version of it; `None` for one that is not there, or where that is not told."""
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_dev, seen.st_ino) if HAS_CTIME else None


def is_at_rest(one: Fingerprint, time: int) -> bool:
    """Whether what changes a file from a time on will give it another stamp."""
    return max(one[1], one[2]) < time - MTIME_RESOLUTION


@dataclass(frozen=True, slots=True)
class Tree:
    """What is in a folder and in all folders below, at some time."""

    folders: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)
    """By their paths, when each was changed (0 if just now), and the names of the files and the folders in it."""
    files: "array[int]" = field(default_factory=lambda: array("q"))
    """Of all files, folder by folder, the size and the time of the last change of content."""

    def is_still_there(self) -> bool:
        """Whether there are the same files, none of them written again. What nobody saw never is."""
        files = array("q")
        try:
            for path, (changed, names, below) in self.folders.items():
                # As long as nothing comes into a folder or goes from it, it need not be listed.
                if os.lstat(path).st_ctime_ns != changed and _names(path) != (names, below):
                    return False
                _look(path, names, files)
        except OSError:
            return False
        return bool(self.folders) and files == self.files


def tree(folder: str) -> Tree:
    """A folder as it is now; nothing where there is none, or something in it cannot be looked at."""
    at_rest = time_ns() - MTIME_RESOLUTION
    folders: dict[str, tuple[int, str, str]] = {}
    files = array("q")
    waiting = [folder]
    try:
        while waiting:
            path = waiting.pop()
            changed = os.lstat(path).st_ctime_ns
            names, below = _names(path)
            folders[path] = (changed if HAS_CTIME and changed < at_rest else 0, names, below)
            _look(path, names, files)
            waiting += [f"{path}/{name}" for name in below.split("/") if name]
    except OSError:
        return Tree()
    return Tree(folders, files)


def _names(folder: str) -> tuple[str, str]:
    """The names of the files and of the folders in a folder."""
    # As two words and not as lists of them: a tree may have tens of thousands of folders.
    names: tuple[list[str], list[str]] = ([], [])
    with os.scandir(folder) as entries:
        for entry in entries:
            names[entry.is_dir(follow_symlinks=False)].append(entry.name)
    files, folders = names
    return "/".join(sorted(files)), "/".join(sorted(folders))


def _look(folder: str, names: str, files: "array[int]") -> None:
    """Take note of some files of a folder."""
    for name in names.split("/") if names else ():
        seen = os.lstat(f"{folder}/{name}")
        files.append(seen.st_size)
        files.append(seen.st_mtime_ns)
