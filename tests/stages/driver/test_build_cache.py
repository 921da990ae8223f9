"""The build cache: an unchanged library is not compiled, and an unchanged page is not written."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.game import Game
from kismet_build.driver import build_cache
from kismet_build.driver.build_cache import BuildRequest, is_unchanged, load_build_cache, save_build_cache
from kismet_build.driver.compile import compile_game
from kismet_build.driver.library import build_library
from kismet_build.pack import Pack
from tests.command import ROOT, Run, kismet, kismet_process, tree
from tests.failing_disk import Disk, failing_disk
from tests.small_library import GAME, TEXT, write_library

SEQUENCES = range(int(os.environ.get("KISMET_SEQUENCES", "12")))
"""Seeds of the sequences of edits, of which `make test` runs one in three. A thousand take a quarter of an hour."""


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of two small games. Its files need not be read again although a build follows immediately."""
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)
    folder = tmp_path / "content"
    for name in ("ember", "ash"):
        write_library(folder / name, game=GAME.replace("ember", name).replace("Ember", name.title()))
        (folder / name / "2 Other.md").write_text("# Other", encoding="utf-8")
    return folder


def built(texts: Path, out: Path, *options: str, command: Callable[..., Run] = kismet) -> Run:
    run = command("build", texts, "--out", out, *options)
    assert run.status in (0, 1), run.output
    return run


def times(out: Path) -> dict[str, int]:
    return {file.relative_to(out).as_posix(): file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file()}


def test_unchanged_library_writes_no_file_and_prints_the_same(texts: Path, tmp_path: Path) -> None:
    first = built(texts, tmp_path / "out", command=kismet_process)
    before = times(tmp_path / "out")
    assert built(texts, tmp_path / "out", command=kismet_process).output == first.output
    assert times(tmp_path / "out") == before


LOADED = """
import sys
from importlib.metadata import packages_distributions
before = {*sys.modules}
from kismet_build.cli import main
main(["build", *sys.argv[1:]])
loaded = {*sys.modules} - before
packages = packages_distributions()
print("loaded:", *sorted(name for name in loaded if name in packages or name.startswith("kismet_build.")))
"""


def test_unchanged_library_is_recognized_without_the_compiler(texts: Path, tmp_path: Path) -> None:
    built(texts, tmp_path / "out", command=kismet_process)
    command = [sys.executable, "-c", LOADED, str(texts), "--out", str(tmp_path / "out")]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    loaded = printed.partition("loaded:")[2].split()
    # Of the extensions, only what adds options and commands.
    loaded = [name for name in loaded if not re.search(r"extensions(\.\w+)?(\.command)?$", name)]
    loaded.remove("kismet_build.output.entity_changes")  # the type of a stored result, without what computes it
    folders = ("cli", "config", "driver", "model", "output")
    assert {name.split(".")[1] for name in loaded if "." in name} <= {*folders}, "neither parsed nor rendered"
    printed = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {"kismet_build.parse", "kismet_build.render"} <= {*printed.partition("loaded:")[2].split()}
    assert {name for name in loaded if "." not in name} == {"kismet_build", "platformdirs"}, "no YAML, no lock"
    assert "kismet_build.config.game" not in loaded


def test_build_of_an_unchanged_library_removes_what_a_killed_one_left(texts: Path, tmp_path: Path) -> None:
    first = built(texts, tmp_path / "out")
    (tmp_path / ".out-abcdefgh/fresh").mkdir(parents=True)
    assert built(texts, tmp_path / "out").output == first.output
    assert not (tmp_path / ".out-abcdefgh").exists()


CHANGES: dict[str, dict[str, str | None]] = {
    "a page": {"out/ash-court/index.html": "another"},
    "a page removed": {"out/ash-court/index.html": None},
    "a foreign file": {"out/foreign.txt": "x"},
}
"""Changes in the tree; those in the library are in tests/laws/test_edits.py."""


def test_unchanged_page_is_not_written(texts: Path, tmp_path: Path) -> None:
    built(texts, tmp_path / "out")
    before = times(tmp_path / "out")
    file = texts / "ash/1 Court.md"
    file.write_text(TEXT.replace("You bend", "You nod"), encoding="utf-8")
    built(texts, tmp_path / "out")
    after = times(tmp_path / "out")
    written = {path for path, time in after.items() if before.get(path) != time}
    assert "ash-court/grace/bow/index.html" in written
    assert not written & {"ash-court/grace/whisper/index.html", "ember-court/index.html", "assets/site.css"}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_tree_is_written_from_nothing(texts: Path, tmp_path: Path, change: dict[str, str | None]) -> None:
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    built(texts, out)
    for path, text in change.items():
        if text is None:
            (tmp_path / path).unlink()
        else:
            (tmp_path / path).write_text(text, encoding="utf-8")
    # Only a build over an old tree reports changes.
    printed = re.sub(r"^since the last build: .*\n", "", built(texts, out).output, flags=re.MULTILINE)
    assert printed.replace(str(out), "") == built(texts, fresh).output.replace(str(fresh), "")
    assert tree(out) == tree(fresh)


def test_unchanged_game_is_not_compiled(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = BuildRequest(texts, None, tmp_path / "out")
    save_build_cache(request, build_library(request, lambda _: None))
    (texts / "ash/1 Court.md").write_text(TEXT.replace("bend", "bow"), encoding="utf-8")
    record = load_build_cache(request)
    assert record is not None
    assert not is_unchanged(record)
    compiled = []

    def recorded(game: Game, *rest: Any, **options: Any) -> Pack:
        compiled.append(game.id)
        return compile_game(game, *rest, **options)

    monkeypatch.setattr("kismet_build.driver.library.compile_game", recorded)
    disk = Disk([request.out / "ember-court"], lambda *_: None)
    with failing_disk(disk):
        build_library(request, lambda _: None, record)
    assert compiled == ["ash-court"]
    assert "link" in {name for name, _ in disk.calls}
    read = {Path(path).name for name, path in disk.calls if name.startswith("open")}
    assert read <= {"llms.txt"}, (
        "no page of the other game is read; the list for language models is made for the library"
    )
