"""Publishing replaces the whole tree or nothing; `serve` replaces single files."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kismet_build.output import temporary_folder
from kismet_build.output.temporary_folder import recover_killed_build
from kismet_build.output.tree import RENEWING, OutputFile, Writer, recover, renew_tree, replace_tree
from tests.command import emitter_of, tree


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


@pytest.mark.parametrize(
    "folder", [".[out]-12345678", ".[out]-12345678/scratch/.[out]-_abcdefg"], ids=["build", "serve"]
)
def test_the_tree_of_a_killed_build_is_put_back(tmp_path: Path, folder: str) -> None:
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


# --- updates of single files


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def test_unchanged_file_is_not_rewritten(tmp_path: Path, scratch: Path) -> None:
    out = tmp_path / "out"
    first = replace_tree(emitter_of([("a.html", b"1"), ("b/c.html", b"2"), ("d.html", b"3")]), out)
    before = {file.name: file.stat().st_ino for file in out.rglob("*.html")}
    open_file = (out / "d.html").open("rb")
    then = renew_tree(emitter_of([("a.html", b"1"), ("d.html", b"4")]), out, first.files, scratch)
    assert tree(out) == {"a.html": b"1", "d.html": b"4"}
    assert {*then.files} == {"a.html", "d.html"}
    assert (out / "a.html").stat().st_ino == before["a.html"]
    with open_file:
        assert open_file.read() == b"3", "an open file keeps its old content"
    assert not (out / "b").exists()
    assert not [*scratch.iterdir()]


def test_tree_says_that_it_is_being_updated(tmp_path: Path, scratch: Path) -> None:
    def emit(put: Writer) -> Iterator[OutputFile]:
        yield put("a.html", b"1")
        assert not (out / RENEWING).exists(), "no file differs yet"
        yield put("d.html", b"4")
        assert (out / RENEWING).exists()
        if is_killed:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    first = replace_tree(emitter_of([("a.html", b"1"), ("d.html", b"3")]), out)
    is_killed = True
    with pytest.raises(KeyboardInterrupt):
        renew_tree(emit, out, first.files, scratch)
    assert (out / RENEWING).exists()
    is_killed = False
    (out / RENEWING).unlink()
    renew_tree(emit, out, first.files, scratch)
    assert tree(out) == {"a.html": b"1", "d.html": b"4"}


def test_an_empty_update_changes_nothing(tmp_path: Path, scratch: Path) -> None:
    first = replace_tree(emitter_of([("a.html", b"1")]), tmp_path / "out")
    assert renew_tree(emitter_of([]), tmp_path / "out", first.files, scratch) == first
    assert tree(tmp_path / "out") == {"a.html": b"1"}


def test_recovery_restores_a_tree_that_was_moved_aside(tmp_path: Path, scratch: Path) -> None:
    (scratch / "one" / "aside").mkdir(parents=True)
    (scratch / "one" / "aside" / "a.html").write_bytes(b"1")
    recover(tmp_path / "out", scratch)
    assert tree(tmp_path / "out") == {"a.html": b"1"}
    recover(tmp_path / "out", scratch)
    assert tree(tmp_path / "out") == {"a.html": b"1"}
