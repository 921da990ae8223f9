"""Publishing replaces the whole tree or nothing; `serve` replaces single files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kismet_build.output.tree import OutputFile, Writer, recover, recover_killed_build, renew_tree, replace_tree
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


def test_a_failed_swap_restores_the_old_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_tree(emitter_of([("a.html", b"1")]), tmp_path / "out")
    rename = Path.rename

    def fails_for_the_new_tree(self: Path, target: Path) -> Path:
        if target == tmp_path / "out" and self.name != "aside":
            raise OSError("busy")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fails_for_the_new_tree)
    with pytest.raises(OSError, match="busy"):
        replace_tree(emitter_of([("d.html", b"3")]), tmp_path / "out")
    assert tree(tmp_path) == {"out/a.html": b"1"}
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("folder", [".[out]-x", ".[out]-x/scratch/.[out]-y"], ids=["build", "serve"])
def test_the_tree_of_a_killed_build_is_put_back(tmp_path: Path, folder: str) -> None:
    for name in ("aside", "fresh"):
        (tmp_path / folder / name).mkdir(parents=True)
        (tmp_path / folder / name / "a.html").write_text(name)
    (tmp_path / ".other-x" / "aside").mkdir(parents=True)
    recover_killed_build(tmp_path / "[out]")
    assert (tmp_path / "[out]" / "a.html").read_text() == "aside"
    assert not (tmp_path / folder).exists()
    assert (tmp_path / ".other-x" / "aside").exists(), "the tree of another folder"


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
