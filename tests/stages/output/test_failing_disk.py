"""A disk that fails at any system call, and texts that change while they are read.

Whatever fails, a build ends in the tree of some state of the texts, or in one line, and the next build is right.
"""

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import pytest

from kismet_build.driver.build_cache import file_digests
from kismet_build.driver.fingerprint import fingerprint
from kismet_build.serve.served_library import ServedLibrary
from tests.command import Run, kismet, tree, write_files
from tests.failing_disk import CALLS, Disk, failing_disk
from tests.sample import RUN_ALL, SAMPLE, sample
from tests.served_files import served_files
from tests.small_library import CALCULATORS, write_library

pytestmark = pytest.mark.skipif(os.name == "nt", reason="other calls")
CASES = 12
"""Failing calls of a sample."""
FAILURES = {
    "stat": errno.ESTALE,
    "scandir": errno.EACCES,
    "listdir": errno.EACCES,
    "open to read": errno.EACCES,
    "mkdir": errno.ENOSPC,
    "link": errno.EMLINK,
    "open to write": errno.ENOSPC,
    "write": errno.ENOSPC,
}
"""Errors of failing calls; all others fail with `EIO`."""
Tree = dict[str, bytes]


@dataclass
class Library:
    """A library that was built, and whose text has changed since. `reset` gives this state again."""

    folder: Path

    def __post_init__(self) -> None:
        self.texts = self.folder / "texts"
        self.out = self.folder / "site" / "public"
        game = write_library(self.texts / "court")
        files = {
            "2 Yard.md": "# Yard\n\n![[Seal.png]] [[1 Court]]\n",
            "Seal.png": "a seal",
            "calculators/jumps.yaml": CALCULATORS,
        }
        write_files(game, files)
        assert self.build().status == 0
        self.old = tree(self.out)
        self.text = game / "1 Court.md"
        self.text.write_text(self.text.read_text(encoding="utf-8") + "\nMore words.\n", encoding="utf-8")
        self.stored = self.folder / "stored"
        for name in ("texts", "site", "cache"):
            shutil.copytree(self.folder / name, self.stored / name)
        assert self.build().status == 0
        self.new = tree(self.out)

    def build(self) -> Run:
        return kismet("build", self.texts, "--out", self.out, "--no-search")

    def fresh(self) -> Tree:
        fresh = self.folder / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        run = kismet("build", self.texts, "--out", fresh, "--no-search", "--no-cache")
        return tree(fresh) if run.status == 0 else {}

    def reset(self) -> None:
        """Undo all builds since the change."""
        for name in ("texts", "site", "cache"):
            shutil.rmtree(self.folder / name)
            shutil.copytree(self.stored / name, self.folder / name)

    def left(self) -> list[str]:
        return [file.name for file in self.out.parent.iterdir() if file != self.out]

    def calls(self, work: Callable[[], object], *folders: Path) -> list[tuple[str, str]]:
        disk = Disk(folders, lambda _name, _path: None)
        self.reset()
        with failing_disk(disk):
            work()
        return disk.calls


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("KISMET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    return Library(tmp_path)


def sample_of(number: int) -> range:
    """Indexes of calls: all, or those of the sample."""
    step = 1 if RUN_ALL else max(1, number // CASES)
    return range(SAMPLE % step, number, step)


def fault_at(index: int, act: Callable[[str, str], None], *, is_lasting: bool = False) -> Callable[[str, str], None]:
    """Act at the call with this index; a lasting fault acts at each call of the same name and path after it."""
    number = -1
    failed: set[tuple[str, str]] = set()

    def action(name: str, path: str) -> None:
        nonlocal number
        number += 1
        if number == index:
            failed.add((name, path))
        if number == index or (is_lasting and (name, path) in failed):
            act(name, path)

    return action


def fail(name: str, path: str) -> None:
    code = FAILURES.get(name, errno.EIO)
    raise OSError(code, os.strerror(code), path)


@pytest.mark.parametrize("is_lasting", [False, True], ids=["once", "lasting"])
def test_build_survives_any_call_that_fails(library: Library, is_lasting: bool) -> None:
    calls = library.calls(library.build, library.folder)
    assert {name for name, _ in calls} >= {*CALLS} - {"rename", "symlink", "readlink"}
    for index in sample_of(len(calls)):
        library.reset()
        disk = Disk([library.folder], fault_at(index, fail, is_lasting=is_lasting))
        with failing_disk(disk):
            run = library.build()
        if index >= len(disk.calls):
            continue  # this build has fewer calls than the first: the texts are older than its copies
        case = f"{index}: {disk.calls[index]}: {run.output}"
        is_left_out = "[unread-file]" in run.output
        is_text = "error[unreadable-text]" in run.output
        assert run.status in ((1,) if is_text else (0, 3)), case
        if run.status == 3:
            assert run.output.count("\n") == 1, case
        assert is_left_out or tree(library.out) == library.new or (run.status and tree(library.out) == library.old), (
            case
        )
        if ".public-" not in disk.calls[index][1]:  # else it may be the removal of the folder that failed
            assert not library.left(), case
        assert library.build().status == 0, case
        assert tree(library.out) == library.new, case
        assert not library.left(), case


@pytest.mark.parametrize("is_lasting", [False, True], ids=["once", "lasting"])
def test_check_survives_any_call_that_fails(library: Library, is_lasting: bool) -> None:
    def check() -> Run:
        return kismet("check", library.texts)

    calls = library.calls(check, library.folder)
    expected = check()
    # If the last build cannot be read, `check` prints the same without the line that compares with it.
    comparison, others = expected.out.split("\n", 1)
    assert comparison.startswith("since the last build")
    without_comparison = replace(expected, out=others)
    for index in sample_of(len(calls)):
        disk = Disk([library.folder], fault_at(index, fail, is_lasting=is_lasting))
        with failing_disk(disk):
            run = check()
        case = f"{index}: {disk.calls[index]}: {run.output}"
        is_of_last_build = "/cache/" in disk.calls[index][1] or disk.calls[index][1].startswith(str(library.out))
        is_as_expected = run == expected or (is_of_last_build and run == without_comparison)
        is_said = "[unread-file]" in run.output or "error[unreadable-text]" in run.output
        assert is_as_expected or is_said or (run.status, run.err.count("\n")) == (3, 1), case


def grow(file: Path) -> None:
    with file.open("ab") as opened:
        opened.write(b"\n\nA last line.\n")


def shrink(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def vanish(file: Path) -> None:
    file.unlink()


def replace_file(file: Path) -> None:
    other = file.with_name(".other")
    other.write_bytes(file.read_bytes().replace(b"e", b"o", 3))
    other.replace(file)


def replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def replace_by_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


CHANGES = (grow, shrink, vanish, replace_file, replace_by_folder, replace_by_pipe)


@pytest.mark.parametrize(
    ("change", "name"), sample([*product(CHANGES, ("1 Court.md", "Seal.png", "kinds/grace.yaml", "game.yaml"))], 7)
)
def test_text_that_changes_while_it_is_read(library: Library, change: Callable[[Path], None], name: str) -> None:
    file = library.texts / "court" / name
    calls = library.calls(library.build, library.texts)
    library.reset()
    change(file)
    changed = library.fresh()
    for index in sample_of(len(calls)):
        library.reset()
        # Not the whole status: it has the time of the last access.
        before = fingerprint(str(file))
        with failing_disk(Disk([library.texts], fault_at(index, lambda _name, _path: change(file)))):
            run = library.build()
        if fingerprint(str(file)) == before:
            continue  # this build has fewer calls: the texts are older than the copies of the first
        case = f"{index}: {calls[index]}: {run.status} {run.output}"
        now = tree(library.out)
        assert run.status in (0, 1, 2, 3), case
        if run.status:
            assert now == library.old, case
        else:
            assert now in (library.new, changed) or "[unread-file]" in run.output, case
        again = library.build()
        assert again.status or tree(library.out) == changed, case


def test_definition_is_removed_between_loading_and_digests(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A removed file has the digest of one that never existed: only its folder reveals the removal."""
    file = library.texts / "court" / "game.yaml"

    def digests_after_removal(*arguments: object) -> dict[str, str]:
        file.unlink(missing_ok=True)
        return file_digests(*arguments)  # type: ignore[arg-type]

    library.reset()
    with monkeypatch.context() as patch:
        patch.setattr("kismet_build.driver.library.file_digests", digests_after_removal)
        library.build()
    assert not file.exists()
    library.build()
    assert tree(library.out) == library.fresh()


class NoIndex:
    """Indexes no text: Pagefind would take most of the time."""

    problems = reused = ()

    def __init__(self, *_: object) -> None:
        pass

    def add(self, *_: object) -> None:
        pass

    def finish(self) -> str:
        return ""

    def stop(self) -> None:
        pass


def test_server_survives_any_call_on_texts_that_fails(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kismet_build.output.tree.SearchIndexer", NoIndex)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    served = ServedLibrary(library.texts, None, scratch)
    served.compile()
    text = library.text.read_text(encoding="utf-8")

    def write(words: str) -> None:
        library.text.write_text(f"{text}\n{words}\n", encoding="utf-8")

    def update() -> None:
        served.compile([library.text.resolve()])
        served.check()

    disk = Disk([library.texts], lambda _name, _path: None)
    write("Words.")
    with failing_disk(disk):
        update()
    expected = tree(served.tree), served_files(served)
    for index in sample_of(len(disk.calls)):
        write("Other words.")
        with failing_disk(Disk([library.texts], fault_at(index, fail, is_lasting=True))):
            update()
        write("Words.")
        update()
        assert (tree(served.tree), served_files(served)) == expected, f"{index}: {disk.calls[index]}"
