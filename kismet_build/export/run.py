"""Run an exporter from any package. An exporter may raise an exception, hang, or name a file that it must not write."""

from collections.abc import Set
from inspect import getdoc
from pathlib import Path
from traceback import extract_tb

from kismet_build.export.finished_data import FinishedData
from kismet_build.model.entry_points import Registered
from kismet_build.model.watchdog import watched

MAX_BYTES = 2**30
"""Maximum bytes in all files of one export: as much as `kismet data verify` reads."""
MAX_PATH = 1000
"""Maximum characters in a path. Systems allow at least 1,024 bytes, which include the path of the tree."""
MAX_NAME = 255
"""Maximum bytes in the name of a file or folder."""
FORBIDDEN = frozenset('\\:*?"<>|')
"""Characters that Windows does not allow in names. On Windows, a backslash would also lead to another folder."""


class ExportFailed(Exception):
    """An exporter made nothing that can be published; the message says why."""


def run_exporter(exporter: Registered, data: FinishedData, present: Set[str]) -> dict[str, bytes]:
    """The files that an exporter makes for a game, by path below `data/<game>/`.

    `present` are the paths of existing files. Raises `ExportFailed`.
    """
    taken = {path.casefold() for path in present}
    folders = {folder for path in taken for folder in _folders(path)}
    files: dict[str, bytes] = {}
    size = 0
    try:
        with watched():
            for item in exporter.function(data):
                path, content = _checked(item)
                if fault := _fault_of_path(path, taken, folders):
                    raise ExportFailed(f"{path!r} {fault}")
                taken.add(path.casefold())
                folders.update(_folders(path.casefold()))
                size += len(content)
                if size > MAX_BYTES:
                    raise ExportFailed(f"its files have more than {MAX_BYTES:,} bytes")
                files[path] = content
    except ExportFailed:
        raise
    except (Exception, SystemExit) as problem:  # code from another package may raise anything
        raise ExportFailed(_described(problem)) from problem
    return files


def _checked(item: object) -> tuple[str, bytes]:
    """The path and content of a file. Raises `ExportFailed` if the exporter yielded anything else."""
    match item:
        case (str() as path, bytes() as content):
            return path, content
        case (str() as path, other):
            raise ExportFailed(f"the content of {path!r} must be bytes, not {type(other).__name__}")
        case _:
            raise ExportFailed(f"it must yield pairs of a path and bytes, not {type(item).__name__}")


def _fault_of_path(path: str, taken: Set[str], folders: Set[str]) -> str:
    """Why a file cannot be written to a path; empty if it can."""
    names = path.split("/")
    folded = path.casefold()
    if path.startswith("/"):
        return "is absolute: paths are relative to the game's data"
    if ".." in names:
        return "points outside the game's folder"
    if not {"", "."}.isdisjoint(names):
        return "has an empty name or a name that is only a dot"
    if not path.isprintable() or not FORBIDDEN.isdisjoint(path):
        return "has a character that some systems do not allow in file names"
    if len(path) > MAX_PATH or any(len(name.encode()) > MAX_NAME for name in names):
        return "is too long"
    if folded in taken:
        return "already exists"
    if folded in folders or not taken.isdisjoint(_folders(folded)):
        return "would be a file and a folder"
    return ""


def _folders(path: str) -> list[str]:
    names = path.split("/")
    return ["/".join(names[:depth]) for depth in range(1, len(names))]


def _described(problem: BaseException) -> str:
    place = extract_tb(problem.__traceback__)[-1]
    return f"{type(problem).__name__}: {problem} ({Path(place.filename).name}:{place.lineno})"


def summary(exporter: Registered) -> str:
    """What an exporter makes, from the first line of its docstring."""
    return (getdoc(exporter.function) or "").partition("\n")[0]
