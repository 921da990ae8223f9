"""Exporters, which make files from nothing but the finished data of a game.

An exporter of any package may raise an exception, hang, or name a file that it must not write.
"""

from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from inspect import getdoc
from pathlib import Path
from traceback import extract_tb
from typing import NamedTuple

from kismet_build.model.entry_points import EntryPointGroup, Registered
from kismet_build.model.watchdog import watched
from kismet_build.output.finished_data import FinishedData

EXPORTERS = EntryPointGroup(
    "kismet.exporters",
    "exporter",
    {
        "csv": "kismet_build.extensions.packages.csv_files:export",
        "foundry": "kismet_build.extensions.packages.foundry:exporter",
        "jsonl": "kismet_build.extensions.packages.json_lines:export",
        "npm": "kismet_build.extensions.packages.npm:export",
        "sqlite": "kismet_build.extensions.packages.sqlite:export",
        "types": "kismet_build.extensions.packages.types:export",
        "wheel": "kismet_build.extensions.packages.wheel:export",
        "zip": "kismet_build.extensions.packages.zip:export",
    },
)
"""The exporters. Each is a function `export(data: FinishedData) -> Iterable[tuple[str, bytes]]`: path and content of
each file, below `data/<game>/`. The first line of its docstring is what `kismet build --export` lists."""

MAX_BYTES = 2**30
"""Maximum bytes in all files of one export: as much as `kismet data verify` reads."""
MAX_PATH = 1000
"""Maximum characters in a path. Systems allow at least 1,024 bytes, which include the path of the tree."""
MAX_NAME = 255
"""Maximum bytes in the name of a file or folder."""
FORBIDDEN = frozenset('\\:*?"<>|')
"""Characters that Windows does not allow in names. On Windows, a backslash would also lead to another folder."""


class Exporter(NamedTuple):
    """An exporter whose files depend on more than the data, such as a program. Others register the function alone."""

    export: Callable[[FinishedData], Iterable[tuple[str, bytes]]]
    note: Callable[[], str]
    """What the files depend on, in a sentence that a build prints; empty for nothing. If it changes, an unchanged
    library is built again."""

    def __call__(self, data: FinishedData) -> Iterable[tuple[str, bytes]]:
        return self.export(data)


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
    with _strangers_code():
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
    return files


@contextmanager
def _strangers_code() -> Iterator[None]:
    """Stop code of another package that hangs. Raises `ExportFailed` for whatever the code raises."""
    try:
        with watched():
            yield
    except ExportFailed:
        raise
    except (Exception, SystemExit) as problem:
        raise ExportFailed(_described(problem)) from problem


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
    function = exporter.function.export if isinstance(exporter.function, Exporter) else exporter.function
    return (getdoc(function) or "").partition("\n")[0]


def note(exporter: Registered) -> str:
    """What the files of an exporter depend on besides the data. Raises `ExportFailed`."""
    if not isinstance(exporter.function, Exporter):
        return ""
    with _strangers_code():
        return exporter.function.note()
