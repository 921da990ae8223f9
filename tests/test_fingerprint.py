"""Fingerprints: an unchanged file is not read, and every change is detected."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from time import time_ns

import pytest

from kismet_build.build import build_cache, fingerprint
from kismet_build.build.build_cache import BuildCache, BuildRequest, is_unchanged
from kismet_build.build.pipeline import build_library
from tests.small_library import TEXT, write_library


def ignore_time_resolution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat file times as exact, and wait for the clock to advance."""
    monkeypatch.setattr(fingerprint, "MTIME_RESOLUTION", 0)
    tick(time_ns())


def tick(since: int) -> None:
    """Wait until the clock is later than a time."""
    while time_ns() < since + 20_000_000:
        pass


@pytest.fixture
def text(tmp_path: Path) -> Path:
    write_library(tmp_path / "content")
    return tmp_path / "content" / "1 Court.md"


@pytest.fixture
def built(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildCache:
    """A build of texts that were not modified recently."""
    ignore_time_resolution(monkeypatch)
    record = build_library(BuildRequest(text.parent, None, tmp_path / "out"), lambda _: None)
    assert is_unchanged(record)
    assert record.tree.matches_disk()
    return record


def test_an_unchanged_file_is_not_read(built: BuildCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(path: str) -> str:
        assert not os.path.exists(path), "it was read"
        return ""

    monkeypatch.setattr(build_cache, "_file_digest", unread)
    assert is_unchanged(built)


def restored(text: Path) -> None:
    """Change a file and keep its size and modification time."""
    before = text.stat()
    text.write_text(TEXT.replace("bend", "bows"), encoding="utf-8")
    os.utime(text, ns=(before.st_atime_ns, before.st_mtime_ns))


def copied_over(text: Path) -> None:
    other = text.with_name("other")
    shutil.copy2(text, other)
    restored(other)
    other.replace(text)


def another_folder(text: Path) -> None:
    """Replace a whole folder by another that holds an older text."""
    aside = text.parent.with_name("aside")
    shutil.copytree(text.parent, aside)
    restored(aside / text.name)
    shutil.rmtree(text.parent)
    aside.rename(text.parent)


@pytest.mark.skipif(not fingerprint.HAS_CTIME, reason="this system does not tell when a file was last changed")
@pytest.mark.parametrize("change", [restored, copied_over, another_folder, Path.unlink])
def test_a_change_with_equal_size_and_time_is_detected(
    built: BuildCache, text: Path, change: Callable[[Path], None]
) -> None:
    change(text)
    assert not is_unchanged(built)


def test_a_recently_modified_text_is_read_again(text: Path, tmp_path: Path) -> None:
    record = build_library(BuildRequest(text.parent, None, tmp_path / "out"), lambda _: None)
    assert str(text) in record.digests
    assert str(text) not in record.fingerprints, "a change in the same tick of the clock would give it the same stamp"


def test_a_file_that_changes_during_a_build_has_no_fingerprint(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ignore_time_resolution(monkeypatch)
    start = time_ns()
    tick(start)
    restored(text)
    tick(time_ns())
    assert str(text) not in build_cache.reliable_fingerprints([str(text)], start)


def more(out: Path) -> None:
    (out / "ember-court/stranger.txt").write_text("x", encoding="utf-8")


def one_folder_more(out: Path) -> None:
    (out / "ember-court/stranger").mkdir()


def less(out: Path) -> None:
    (out / "ember-court/index.html").unlink()


def longer(out: Path) -> None:
    (out / "ember-court/index.html").write_text("another", encoding="utf-8")


def file_for_folder(out: Path) -> None:
    shutil.rmtree(out / "ember-court/grace")
    (out / "ember-court/grace").write_text("", encoding="utf-8")


@pytest.mark.parametrize("is_young", [False, True])
@pytest.mark.parametrize("change", [more, one_folder_more, less, longer, file_for_folder, shutil.rmtree])
def test_every_change_in_a_tree_is_detected(
    tmp_path: Path, built: BuildCache, change: Callable[[Path], None], is_young: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = built.tree
    if is_young:
        monkeypatch.undo()
        snapshot = fingerprint.snapshot_tree(str(tmp_path / "out"))
    assert snapshot.matches_disk()
    change(tmp_path / "out")
    assert not snapshot.matches_disk()


def test_a_file_added_and_removed_is_no_change(tmp_path: Path, built: BuildCache) -> None:
    more(tmp_path / "out")
    (tmp_path / "out/ember-court/stranger.txt").unlink()
    assert built.tree.matches_disk()


def test_a_missing_file_is_never_unchanged(tmp_path: Path) -> None:
    assert not fingerprint.snapshot_tree(str(tmp_path / "nowhere")).matches_disk()
