"""Publishing replaces a whole tree or nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kismet_build.build import publish
from tests.command import tree


def test_a_new_tree_replaces_the_old_one_whole(tmp_path: Path) -> None:
    publish(iter([("a.html", b"1"), ("b/c.html", b"2")]), tmp_path / "out")
    publish(iter([("d.html", b"3")]), tmp_path / "out")
    assert tree(tmp_path) == {"out/d.html": b"3"}


def test_a_tree_that_breaks_off_leaves_the_old_one(tmp_path: Path) -> None:
    def broken() -> Iterator[tuple[str, bytes]]:
        yield "d.html", b"3"
        raise OSError("disk full")

    publish(iter([("a.html", b"1")]), tmp_path / "out")
    with pytest.raises(OSError, match="disk full"):
        publish(broken(), tmp_path / "out")
    assert tree(tmp_path) == {"out/a.html": b"1"}


def test_a_swap_that_fails_puts_the_old_tree_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(iter([("a.html", b"1")]), tmp_path / "out")
    rename = Path.rename

    def fails_for_the_new_tree(self: Path, target: Path) -> Path:
        if target == tmp_path / "out" and self.name != "old":
            raise OSError("busy")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fails_for_the_new_tree)
    with pytest.raises(OSError, match="busy"):
        publish(iter([("d.html", b"3")]), tmp_path / "out")
    assert tree(tmp_path) == {"out/a.html": b"1"}
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
