"""Fingerprints: an unchanged file is not read, and every change is detected."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from time import time_ns

import pytest

from kismet_build.driver import build_cache, fingerprint
from kismet_build.driver.build_cache import BuildCache, BuildRequest, is_unchanged
from kismet_build.driver.library import build_library
from tests.small_library import TEXT, write_library

DAY = 86_400 * 10**9
"""Nanoseconds."""


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
        assert not os.path.exists(path), "the file was read"
        return ""

    monkeypatch.setattr(build_cache, "_file_digest", unread)
    assert is_unchanged(built)


def change_and_restore_time(text: Path) -> None:
    before = text.stat()
    text.write_text(TEXT.replace("bend", "bows"), encoding="utf-8")
    os.utime(text, ns=(before.st_atime_ns, before.st_mtime_ns))


def copy_over(text: Path) -> None:
    other = text.with_name("other")
    shutil.copy2(text, other)
    change_and_restore_time(other)
    other.replace(text)


def replace_folder(text: Path) -> None:
    aside = text.parent.with_name("aside")
    shutil.copytree(text.parent, aside)
    change_and_restore_time(aside / text.name)
    shutil.rmtree(text.parent)
    aside.rename(text.parent)


@pytest.mark.skipif(not fingerprint.HAS_CTIME, reason="this system has no change time of files")
@pytest.mark.parametrize("change", [change_and_restore_time, copy_over, replace_folder, Path.unlink])
def test_a_change_with_equal_size_and_time_is_detected(
    built: BuildCache, text: Path, change: Callable[[Path], None]
) -> None:
    change(text)
    assert not is_unchanged(built)


def test_recently_modified_text_has_no_fingerprint(text: Path, tmp_path: Path) -> None:
    record = build_library(BuildRequest(text.parent, None, tmp_path / "out"), lambda _: None)
    assert str(text) in record.digests
    assert str(text) not in record.fingerprints, "a later change in the same clock tick would have the same fingerprint"


def test_a_file_that_changes_during_a_build_has_no_fingerprint(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ignore_time_resolution(monkeypatch)
    start = time_ns()
    tick(start)
    change_and_restore_time(text)
    tick(time_ns())
    assert str(text) not in build_cache.reliable_fingerprints([str(text)], start)


def test_digest_of_a_file_that_changed_recently_equals_no_other(text: Path) -> None:
    changed = text.stat().st_ctime_ns
    for since in (changed, changed + build_cache.CLOCK_TICK // 2):
        (digest,) = build_cache.exclude_recently_modified({str(text): "a digest"}, since).values()
        assert digest not in ("", "a digest")
        assert digest not in build_cache.exclude_recently_modified({str(text): "a digest"}, since - 1).values()
    assert build_cache.exclude_recently_modified({str(text): "a digest"}, changed + DAY) == {str(text): "a digest"}


def add_file(out: Path) -> None:
    (out / "ember-court/foreign.txt").write_text("x", encoding="utf-8")


def add_folder(out: Path) -> None:
    (out / "ember-court/foreign").mkdir()


def remove_file(out: Path) -> None:
    (out / "ember-court/index.html").unlink()


def extend_file(out: Path) -> None:
    (out / "ember-court/index.html").write_text("another", encoding="utf-8")


def replace_folder_by_file(out: Path) -> None:
    shutil.rmtree(out / "ember-court/grace")
    (out / "ember-court/grace").write_text("", encoding="utf-8")


@pytest.mark.parametrize("is_young", [False, True])
@pytest.mark.parametrize(
    "change", [add_file, add_folder, remove_file, extend_file, replace_folder_by_file, shutil.rmtree]
)
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


def test_file_added_and_removed_is_not_a_change(tmp_path: Path, built: BuildCache) -> None:
    add_file(tmp_path / "out")
    (tmp_path / "out/ember-court/foreign.txt").unlink()
    assert built.tree.matches_disk()


def test_snapshot_of_a_missing_folder_never_matches(tmp_path: Path) -> None:
    assert not fingerprint.snapshot_tree(str(tmp_path / "nowhere")).matches_disk()
