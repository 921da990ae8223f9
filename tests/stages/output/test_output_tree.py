"""Publishing replaces the whole tree or nothing."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kismet_build.output import temporary_folder
from kismet_build.output.temporary_folder import SERVED_TREE, recover_killed_build, remove_leftovers
from kismet_build.output.tree import OutputFile, Writer, replace_tree
from tests.command import emitter_of, tree
from tests.failing_disk import Disk, failing_disk


def test_new_tree_replaces_the_whole_old_tree(tmp_path: Path) -> None:
    replace_tree(emitter_of([("a.html", b"1"), ("b/c.html", b"2")]), tmp_path / "out")
    replace_tree(emitter_of([("d.html", b"3")]), tmp_path / "out")
    assert tree(tmp_path) == {"out/d.html": b"3"}


def test_failed_emitter_keeps_the_old_tree(tmp_path: Path) -> None:
    def broken(put: Writer) -> Iterator[OutputFile]:
        yield put("d.html", b"3")
        raise OSError("disk full")

    replace_tree(emitter_of([("a.html", b"1")]), tmp_path / "out")
    with pytest.raises(OSError, match="disk full"):
        replace_tree(broken, tmp_path / "out")
    assert tree(tmp_path) == {"out/a.html": b"1"}


@pytest.mark.parametrize("failure", [OSError("busy"), KeyboardInterrupt()], ids=["error", "interrupt"])
@pytest.mark.parametrize("step", [1, 2])
def test_a_failed_exchange_restores_the_old_tree(
    tmp_path: Path, step: int, failure: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_tree(emitter_of([("a.html", b"1")]), tmp_path / "out")
    rename = Path.rename
    steps = iter((1, 2))

    def fails_at_the_step(self: Path, target: Path) -> Path:
        if next(steps, 0) == step:
            raise failure
        return rename(self, target)

    monkeypatch.setattr(temporary_folder, "_exchange_in_one_step", lambda *_: False)
    monkeypatch.setattr(Path, "rename", fails_at_the_step)
    with pytest.raises(type(failure)):
        replace_tree(emitter_of([("d.html", b"3")]), tmp_path / "out")
    assert tree(tmp_path) == {"out/a.html": b"1"}
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges folders in one step")
def test_trees_are_exchanged_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_tree(emitter_of([("a.html", b"1")]), tmp_path / "out")
    monkeypatch.setattr(Path, "rename", None)
    replace_tree(emitter_of([("d.html", b"3")]), tmp_path / "out")
    assert tree(tmp_path) == {"out/d.html": b"3"}


def test_the_tree_of_a_killed_build_is_put_back(tmp_path: Path) -> None:
    folder = ".[out]-12345678"
    for name in ("aside", "fresh"):
        (tmp_path / folder / name).mkdir(parents=True)
        (tmp_path / folder / name / "a.html").write_text(name)
    (tmp_path / ".other-12345678" / "aside").mkdir(parents=True)
    recover_killed_build(tmp_path / "[out]")
    assert (tmp_path / "[out]" / "a.html").read_text() == "aside"
    assert not (tmp_path / folder).exists()
    assert (tmp_path / ".other-12345678" / "aside").exists(), "the tree of another folder"


def test_only_temporary_folders_of_ended_processes_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".out-12345678" / "fresh" / "a").mkdir(parents=True)
    (tmp_path / ".out-abcdefgh").mkdir()
    kept = [".out-12345678.old", ".out-en-12345678", ".out-backup", ".out-own_work", ".out-a_symlink"]
    for name in kept[:-1]:
        (tmp_path / name / "fresh").mkdir(parents=True)
    (tmp_path / ".out-own_work" / "notes.txt").write_text("not ours")
    (tmp_path / ".out-a_symlink").symlink_to(tmp_path / ".out-backup")
    with temporary_folder.temporary_folder(".out-", tmp_path) as used:
        recover_killed_build(tmp_path / "out")
        assert {file.name for file in tmp_path.iterdir()} == {*kept, used.name}
    assert {file.name for file in tmp_path.iterdir()} == {*kept}


def test_the_folder_of_a_server_that_was_killed_during_a_check_is_removed(tmp_path: Path) -> None:
    for name in (SERVED_TREE, f".{SERVED_TREE}-12345678/fresh"):
        (tmp_path / "kismet-abcdefgh" / name).mkdir(parents=True)
    remove_leftovers("kismet-", tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_unchanged_file_is_a_link_to_the_old_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    replace_tree(emitter_of([("a.html", b"1"), ("b/c.html", b"2"), ("d.html", b"3")]), out)
    before = (out / "a.html").stat().st_ino
    with (out / "d.html").open("rb") as open_file:
        replace_tree(emitter_of([("a.html", b"1"), ("d.html", b"4")]), out)
        assert open_file.read() == b"3", "an open file keeps its old content"
    assert tree(out) == {"a.html": b"1", "d.html": b"4"}
    assert (out / "a.html").stat().st_ino == before
    assert not (out / "b").exists()


def test_disk_is_asked_as_little_as_possible_of_each_file(tmp_path: Path) -> None:
    files = [(f"{number % 5}/{number}.html", b"1") for number in range(50)]

    def calls() -> Counter[str]:
        disk = Disk([tmp_path], lambda *_: None)
        with failing_disk(disk):
            replace_tree(emitter_of(files), tmp_path / "out", search=False)
        return Counter(name for name, path in disk.calls if path.endswith(".html"))

    assert calls() == {"open to write": 50, "write": 50}
    again = calls()
    assert again.pop("link") == 50
    assert again.keys() <= {"stat", "open to read", "read", "unlink"}


def test_file_of_a_worker_that_died_is_written_again_and_not_through_its_link(tmp_path: Path) -> None:
    replace_tree(emitter_of([("a.html", b"1")]), tmp_path / "out")
    old = (tmp_path / "out/a.html").open("rb")

    def emit(write: Writer) -> Iterator[OutputFile]:
        write("a.html", b"1")  # in a worker that died before it reported it
        yield write("a.html", b"23")

    with old:
        replace_tree(emit, tmp_path / "out")
        assert old.read() == b"1"
    assert tree(tmp_path) == {"out/a.html": b"23"}


def test_no_files_leave_the_old_tree(tmp_path: Path) -> None:
    replace_tree(emitter_of([("a.html", b"1")]), tmp_path / "out")
    assert not replace_tree(emitter_of([]), tmp_path / "out").files
    assert tree(tmp_path / "out") == {"a.html": b"1"}
