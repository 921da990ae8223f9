"""Bad input around a build: damaged and locked caches, full disks, files that change during a build, wrong clocks.

The law of this page: a build writes and prints what a build from nothing does, or it prints one line and writes
nothing. The library is small; the limits below which nothing is cached are lowered.
"""

import builtins
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from errno import EACCES, EIO, ENOSPC, EROFS
from itertools import product
from pathlib import Path
from shutil import copytree, rmtree
from time import time_ns
from typing import Any
from unittest.mock import patch

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver import build_cache, fingerprint, parse_files
from kismet_build.driver import library as library_builds
from kismet_build.driver.build_cache import BuildRequest
from kismet_build.driver.library import build_library
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source, read_regular_file
from kismet_build.parse import read
from kismet_build.serve import served_library
from kismet_build.serve.served_library import ServedLibrary
from tests.command import ROOT, Run, kismet, kismet_process, tree
from tests.sample import sample
from tests.served_files import built_files, served_files
from tests.small_library import write_library

CACHES = ("builds",)
"""Folders of the caches that a build reads."""
CHANGES = re.compile(r"^(since the last build: |[a-z-]+: the data changed under version ).*\n", re.MULTILINE)
"""Lines about the difference between two builds."""


class Library:
    """A small library, and builds of it with and without caches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts = write_library(folder / "court")
        self.text = self.texts / "1 Court.md"
        (self.texts / "2 Yard.md").write_text("# Yard\n\nSee [[#Bow]] and [[Court]].\n", encoding="utf-8")
        (self.texts / "3 Hall.md").write_text("# Hall\n\n%% never closed\n", encoding="utf-8")
        self.cache = folder / "cache"
        self.out = folder / "out"

    def build(self, *options: str) -> Run:
        return kismet("build", self.texts, "--out", self.out, "--no-search", "--jobs", "1", *options)

    def edit(self) -> None:
        self.text.write_text(self.text.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")

    def cache_file(self, name: str) -> Path:
        (file,) = (self.cache / name).iterdir()
        return file

    def check(self, run: Run) -> None:
        """Assert that a build wrote and printed what a build from nothing does."""
        fresh = self.folder / "fresh"
        with patch.dict(os.environ, KISMET_CACHE=str(self.folder / "fresh cache")):
            expected = kismet("build", self.texts, "--out", fresh, "--no-search", "--jobs", "1", "--no-cache")
        printed = expected.output.replace(str(fresh), str(self.out))
        assert (run.status, CHANGES.sub("", run.output)) == (expected.status, CHANGES.sub("", printed))
        assert tree(self.out) == tree(fresh)

    def check_unwritten(self, run: Run, before: dict[str, bytes]) -> None:
        """Assert that a build printed one line, and left everything but the caches as it was."""
        assert run.status == 3
        assert run.output.startswith("kismet: "), run.output
        assert run.output.count("\n") == 1, run.output
        assert tree(self.out) == before
        assert {path.name for path in self.folder.iterdir()} <= {"court", "cache", "out", "fresh", "fresh cache"}


@pytest.fixture
def library(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(parse_files, "MIN_FOR_WORKERS", 0)
    # Files that are written directly before a build need not be read again by the next.
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)
    library = Library(scratch)
    monkeypatch.setenv("KISMET_CACHE", str(library.cache))
    return library


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    paths: list[str] = []

    def recorded(source: Source, dialect: str, *rest: Any) -> Document:
        paths.append(source.path)
        return read(source, dialect, *rest)

    monkeypatch.setattr(parse_files, "read", recorded)
    return paths


def test_this_library_uses_all_caches(library: Library, parsed: list[str]) -> None:
    library.check(library.build())
    assert {name: len([*(library.cache / name).iterdir()]) for name in CACHES} == dict.fromkeys(CACHES, 1)
    assert {(library.cache / name).stat().st_mode & 0o777 for name in CACHES} == {0o700}
    parsed.clear()
    library.build()
    assert parsed == []


# --- damage

DAMAGED_BYTES = 24
"""Bytes of each cache, at equal distances, that are damaged one after another."""
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut in half": lambda content: content[: len(content) // 2],
    "without the last byte": lambda content: content[:-1],
    "with another first byte": lambda content: bytes([content[0] ^ 1]) + content[1:],
    "with another middle byte": lambda content: (
        content[: (half := len(content) // 2)] + bytes([content[half] ^ 1]) + content[half + 1 :]
    ),
    "with another last byte": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "with more bytes": lambda content: content + b"more",
    "text": lambda _: b"not this\n" * 1000,
    "other JSON": lambda _: json.dumps({"program": ""}).encode(),
}


@pytest.mark.parametrize("name", CACHES)
@pytest.mark.parametrize("damage", sample([*DAMAGES], 3))
def test_damaged_cache_is_ignored(library: Library, name: str, damage: str) -> None:
    library.build()
    file = library.cache_file(name)
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    for _ in range(2):
        library.edit()
        library.check(library.build())


@pytest.mark.parametrize("name", CACHES)
def test_cache_with_any_byte_damaged_is_ignored(library: Library, name: str) -> None:
    library.build()
    library.edit()
    saved = [(folder, library.folder / "saved" / folder.name) for folder in (library.cache, library.out)]
    for folder, copy in saved:
        copytree(folder, copy)
    file = library.cache_file(name)
    content = file.read_bytes()
    for number in sample(range(DAMAGED_BYTES), 4):
        for folder, copy in saved:
            rmtree(folder)
            copytree(copy, folder)  # with the times of the files
            position = number * len(content) // DAMAGED_BYTES + number
        damaged = bytes([content[position] ^ 1 << number % 8])
        file.write_bytes(content[:position] + damaged + content[position + 1 :])
        library.check(library.build())


@pytest.mark.skipif(os.name == "nt", reason="owners of files are those of Unix")
def test_caches_of_another_user_are_ignored(
    library: Library, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    library.build()
    library.edit()
    parsed.clear()
    with monkeypatch.context() as patches:
        patches.setattr(os, "geteuid", lambda: os.getuid() + 1)
        run = library.build()
    assert len(parsed) == 3, "every text is parsed"
    library.check(run)


class FailingFile(io.BufferedReader):
    """A file of a disk that fails after the digest was compared."""

    is_compared = False

    def seek(self, *place: int) -> int:
        self.is_compared = True
        return super().seek(*place)

    def read(self, size: int | None = -1, /) -> bytes:
        if self.is_compared:
            raise OSError(EIO, os.strerror(EIO))
        return super().read(size)

    def peek(self, size: int = 0, /) -> bytes:
        return self.read(size)


@pytest.mark.parametrize("name", CACHES)
def test_cache_on_a_failing_disk_is_ignored(library: Library, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library.build()
    library.edit()
    open_path, failed = Path.open, []

    def open_failing(file: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if mode != "rb" or file.parent != library.cache / name:
            return open_path(file, mode, *rest, **options)
        failed.append(file)
        return FailingFile(io.FileIO(file))

    with monkeypatch.context() as patches:
        patches.setattr(Path, "open", open_failing)
        run = library.build()
    library.check(run)
    assert {*failed} == {library.cache_file(name)}


def test_damaged_compiled_templates_are_ignored(library: Library) -> None:
    # In new processes: templates are compiled once in a process.
    build = ("build", library.texts, "--out", library.out, "--no-search", "--no-cache")
    kismet_process(*build)
    for file in (library.cache / "templates").iterdir():
        content = file.read_bytes()
        half = len(content) // 2
        file.write_bytes(content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :])
    library.check(kismet_process(*build))


# --- a cache folder that cannot be written


@pytest.mark.parametrize("name", [*CACHES, "locks", "templates", "trees", ""])
def test_file_in_the_place_of_a_cache_folder_is_left_alone(library: Library, name: str) -> None:
    folder = library.cache / name
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file", encoding="utf-8")
    for _ in range(2):
        library.edit()
        library.check(library.build())
    assert folder.read_text(encoding="utf-8") == "a file"


@pytest.mark.parametrize("is_filled", [True, False], ids=["with caches", "without caches"])
def test_read_only_cache_folder_is_read_and_left_alone(
    library: Library, is_filled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_filled:
        library.build()
    before = tree(library.cache)
    with monkeypatch.context() as patches:
        make_read_only(library.cache, patches)
        for _ in range(2):
            library.edit()
            library.check(library.build())
    assert tree(library.cache) == before


@pytest.mark.parametrize("free", [0, 100, 5_000, 50_000, 500_000])
def test_full_disk_of_the_cache_folder_changes_nothing(
    library: Library, free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patches:
        limit_disk(library.cache, free, patches)
        for _ in range(2):
            library.edit()
            library.check(library.build())
    assert not [path for path in tree(library.cache) if path.endswith(f".{os.getpid()}")], "no unfinished file is left"
    for _ in range(2):
        library.edit()
        library.check(library.build())


# --- an output folder that cannot be written


@pytest.mark.parametrize("free", [0, 1_000, 10_000, 100_000])
def test_full_disk_of_the_output_folder_leaves_the_old_tree(
    library: Library, free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patches:
        limit_disk(library.folder / ".out", free, patches)  # temporary folders of the new tree
        library.check_unwritten(library.build(), {})
    library.check(library.build())
    before = tree(library.out)
    library.edit()
    with monkeypatch.context() as patches:
        limit_disk(library.folder / ".out", 0, patches)
        library.check_unwritten(library.build(), before)
    library.check(library.build())


def limit_disk(folder: Path, free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the disk of a folder, named by the start of its path, this number of free bytes."""

    class LimitedFile(io.FileIO):
        def write(self, data: Any) -> int:
            nonlocal free
            free -= memoryview(data).nbytes
            if free < 0:
                raise OSError(ENOSPC, os.strerror(ENOSPC), self.name)
            return super().write(data)

    def limited_open(path: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if set(mode).isdisjoint("wax") or not str(path).startswith(str(folder)):
            return open_file(path, mode, *rest, **options)
        file = io.BufferedWriter(LimitedFile(path, mode.replace("b", "").replace("t", "")))
        return file if "b" in mode else io.TextIOWrapper(file, encoding="utf-8")

    open_file = open
    monkeypatch.setattr(builtins, "open", limited_open)
    monkeypatch.setattr(io, "open", limited_open)


def make_read_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing below a folder be written, also by a user whom the modes of files do not stop."""

    def refuse(path: Any) -> None:
        if str(path).startswith(str(folder)):
            raise OSError(EROFS, os.strerror(EROFS), str(path))

    def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, **options: Any) -> Any:
            refuse(path)
            return function(path, *rest, **options)

        return call

    def read_only_open(path: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if not set(mode).isdisjoint("wax"):
            refuse(path)
        return open_file(path, mode, *rest, **options)

    def read_only_os_open(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
            refuse(path)
        return os_open(path, flags, *rest, **options)

    open_file, os_open = open, os.open
    monkeypatch.setattr(builtins, "open", read_only_open)
    monkeypatch.setattr(io, "open", read_only_open)
    monkeypatch.setattr(os, "open", read_only_os_open)
    for name in ("mkdir", "chmod", "unlink", "rename", "replace"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))


# --- files that change during a build, and wrong clocks


def restore_times(file: Path, before: os.stat_result) -> None:
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def change(file: Path) -> None:
    content = file.read_bytes()
    for words in ((b"bend", b"bows"), (b"title: Grace", b"title: Graze"), (b"title: Ember", b"title: Amber")):
        for old, new in (words, words[::-1]):
            if old in content:
                file.write_bytes(content.replace(old, new))
                return
    raise AssertionError(content)


def change_without_times(file: Path) -> None:
    """Change a file, and keep its size and its time of modification, as a copy of an older file does."""
    before = file.stat()
    change(file)
    restore_times(file, before)


def grow(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\n")


def shrink(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


EDITS = (change, change_without_times, grow, shrink)
MOMENTS = ("load_library", "compile_game", "render_game", "shared_files", "snapshot_tree")
"""Functions of a build, before and after which a file changes."""
CHANGED_FILES = ("1 Court.md", "kinds/grace.yaml", "game.yaml")


@pytest.mark.parametrize(
    ("moment", "is_before", "is_undone", "edit", "path"),
    sample([*product(MOMENTS, (True, False), (False, True), EDITS, CHANGED_FILES)], 19),
)
def test_file_that_changes_during_a_build_is_read_by_the_next(
    library: Library,
    moment: str,
    is_before: bool,
    is_undone: bool,
    edit: Callable[[Path], None],
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library.build()
    library.edit()
    file = library.texts / path
    content, times = file.read_bytes(), file.stat()
    function = getattr(library_builds, moment)

    def edit_and_call(*arguments: Any, **options: Any) -> Any:
        if is_before:
            edit(file)
        result = function(*arguments, **options)
        if not is_before:
            edit(file)
        return result

    with monkeypatch.context() as patches:
        patches.setattr(library_builds, moment, edit_and_call)
        library.build()
    if is_undone:
        file.write_bytes(content)
        restore_times(file, times)
    for _ in range(2):
        library.check(library.build())


DAY = 86_400 * 10**9
"""Nanoseconds."""


@pytest.mark.parametrize("path", ["1 Court.md", "kinds/grace.yaml"])
@pytest.mark.parametrize("shift", [-DAY, 0, DAY], ids=["yesterday", "the same time", "tomorrow"])
def test_changed_file_of_any_time_is_read(library: Library, shift: int, path: str) -> None:
    file = library.texts / path
    time = file.stat().st_mtime_ns + shift
    for edit in (lambda _: None, change, lambda file: file.write_bytes(file.read_bytes() + b"\n# More\n")):
        edit(file)
        os.utime(file, ns=(time, time))
        for _ in range(2):
            library.check(library.build())


def test_changed_file_is_read_after_the_clock_went_back(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.build()
    for module in (library_builds, fingerprint):
        monkeypatch.setattr(module, "time_ns", lambda: time_ns() - DAY)
    for _ in range(2):
        change(library.text)
        library.check(library.build())
        library.edit()
        library.check(library.build())


def test_text_that_changes_while_it_is_decoded_has_one_content(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.text.write_bytes("# Court\n\nÄ long line before the byte \xff.\n".encode("cp1252"))

    def read_and_change(file: Path, *limits: Any) -> bytes:
        content = read_regular_file(file, *limits)
        if file == library.text:
            file.write_text("# Ä", encoding="utf-8")
        return content

    with monkeypatch.context() as patches:
        patches.setattr("kismet_build.model.source.read_regular_file", read_and_change)
        assert "error[invalid-encoding]" in library.build().output
    library.check(library.build())


@pytest.mark.parametrize("path", ["1 Court.md", "map.png"])
@pytest.mark.parametrize("failure", [EACCES, EIO], ids=["permission", "disk"])
def test_file_that_cannot_be_read_any_more_is_one_line(
    library: Library, path: str, failure: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library.texts / "map.png").write_bytes(b"a picture")
    library.text.write_text(library.text.read_text(encoding="utf-8") + "\n![[map.png]]\n", encoding="utf-8")
    library.build()
    library.edit()
    before = tree(library.out)

    def fail(file: Path, folder: Path | None = None) -> bytes:
        if file == library.texts / path:
            raise OSError(failure, os.strerror(failure), str(file))
        return read_regular_file(file, folder)

    with monkeypatch.context() as patches:
        for module in ("model.source", "render.site.outputs"):
            patches.setattr(f"kismet_build.{module}.read_regular_file", fail)
        library.check_unwritten(library.build("--no-cache"), before)
    library.check(library.build())


def replace_by_device(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def replace_by_link_outside(file: Path) -> None:
    """The content stays the same; only its place shows that it is another file."""
    file.rename(file.parents[1] / "cache" / file.name)
    file.symlink_to(f"../cache/{file.name}")


def replace_by_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize("path", ["1 Court.md", "map.png"])
@pytest.mark.parametrize("replace", [Path.unlink, replace_by_pipe, replace_by_device, replace_by_link_outside])
def test_file_that_is_removed_or_replaced_during_a_build_is_one_line(
    library: Library, path: str, replace: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    (library.texts / "map.png").write_bytes(b"a picture")
    library.text.write_text(library.text.read_text(encoding="utf-8") + "\n![[map.png]]\n", encoding="utf-8")
    library.build()
    library.edit()
    before = tree(library.out)

    def load_and_replace(*arguments: Any, **options: Any) -> Any:
        loaded = load_library(*arguments, **options)
        replace(library.texts / path)
        return loaded

    with monkeypatch.context() as patches:
        patches.setattr(library_builds, "load_library", load_and_replace)
        run = library.build()
    if path.endswith(".md"):
        assert "error[unreadable-text]" in run.output
        assert (run.status, tree(library.out)) == (1, before)
    else:
        library.check_unwritten(run, before)
    # Accepted, because a text that was removed takes all entries of its kinds with it.
    library.check(library.build("--accept"))


# --- while serving


@pytest.fixture
def served(library: Library) -> ServedLibrary:
    (library.folder / "new").mkdir()
    served = ServedLibrary(library.texts, None, library.folder / "new")
    served.compile()
    return served


def check_served(library: Library, served: ServedLibrary) -> None:
    """Assert that the files that are served, and those of a check, are those of a build from nothing."""
    fresh = library.folder / "served fresh"
    build_library(BuildRequest(library.texts, None, fresh), lambda _: None)
    assert served_files(served) == built_files(tree(fresh))
    assert not served.check().problem
    assert tree(served.tree) == tree(fresh)


def test_data_file_that_changes_while_serving_loads_it_is_loaded_again(
    library: Library, served: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = library.texts / "kinds" / "grace.yaml"

    def load_and_change(*arguments: Any, **options: Any) -> Any:
        loaded = load_library(*arguments, **options)
        change(kind)
        return loaded

    with monkeypatch.context() as patches:
        patches.setattr(served_library, "load_library", load_and_change)
        library.edit()
        served.compile()
    served.compile([kind.resolve()])
    check_served(library, served)


def test_full_disk_while_serving_is_reported(
    library: Library, served: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.edit()
    with monkeypatch.context() as patches:
        limit_disk(library.folder / "new", 0, patches)
        assert not served.compile([library.text.resolve()]).problem, "pages need no disk"
        assert os.strerror(ENOSPC) in served.adopt_check(served.check()).problem
    assert not served.adopt_check(served.check()).problem
    check_served(library, served)


# --- several builds at the same time


BUILD = """
import sys
from kismet_build.driver import parse_files
from kismet_build.cli import main
parse_files.MIN_FOR_WORKERS = 0
sys.stdin.readline()
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("outs", sample([("out", "out"), ("out", "other")], 2), ids=" and ".join)
def test_builds_at_the_same_time_share_the_caches(library: Library, outs: tuple[str, ...]) -> None:
    library.build()
    pipe = subprocess.PIPE
    for _ in range(3):
        library.edit()
        builds = []
        for out in outs:
            command = ["build", str(library.texts), "--out", str(library.folder / out), "--no-search"]
            builds.append(
                subprocess.Popen(
                    [sys.executable, "-c", BUILD, *command], cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True
                )
            )
        for build in builds:
            assert build.stdin is not None
            build.stdin.write("\n")
            build.stdin.flush()
        for build in builds:
            _, errors = build.communicate()
            assert build.returncode == 0, errors
            assert "Traceback" not in errors
        library.check(library.build())
        for out in outs:
            assert tree(library.folder / out) == tree(library.out)
