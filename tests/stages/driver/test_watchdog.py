"""Work that does not end is ended by the watchdog: the text is named, and everything else is published."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from kismet_build import parse
from kismet_build.driver import parse_files
from kismet_build.model import watchdog
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.pack import Pack
from kismet_build.render.site import outputs
from kismet_build.render.site.outputs import files_of_document
from kismet_build.serve.served_library import ServedLibrary
from tests.command import Run, kismet, tree, write_files

SLOW = "Slow.md"
WHY = "TooSlow: it took more than 0 s of processor time"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_files(tmp_path / "vault", {SLOW: "# Slow\n\nA *word*.\n", "Other.md": "# Other\n\nSee [[Slow]].\n"})


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(watchdog, "MAX_SECONDS", 0.2)
    monkeypatch.setattr(watchdog, "TICK", 0.02)
    watchdog._disarm()
    yield
    watchdog._disarm()


def build(vault: Path, *flags: str) -> Run:
    return kismet("build", vault, "--out", vault.parent / "public", "--no-search", "--no-cache", *flags)


def spin(*_inputs: Any) -> Any:
    """Take processor time forever, and swallow the exception that would end it."""
    while True:
        try:
            time.process_time()
        except ValueError:
            continue


def slow_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    read = parse.read

    def read_or_spin(source: Source, *arguments: Any, **named: Any) -> Document:
        return spin() if source.path == SLOW else read(source, *arguments, **named)

    monkeypatch.setattr(parse_files, "read", read_or_spin)


def slow_step(monkeypatch: pytest.MonkeyPatch, document: str = SLOW, name: str = "_document_facts") -> None:
    run = Memo.run
    has_run: list[bool] = []

    def run_or_spin(memo: Memo, step: Callable[..., Any], path: str, *inputs: Any) -> Any:
        is_slow = (step.__name__, path) == (name, document) and not has_run
        has_run.extend([True] if is_slow else [])
        return run(memo, wraps(step)(spin) if is_slow else step, path, *inputs)

    monkeypatch.setattr(Memo, "run", run_or_spin)


def slow_render(monkeypatch: pytest.MonkeyPatch) -> None:
    has_run: list[bool] = []

    def files(pack: Pack, path: str) -> Any:
        for file, make in files_of_document(pack, path):
            is_slow = path == SLOW and not has_run
            has_run.extend([True] if is_slow else [])
            yield file, spin if is_slow else make

    monkeypatch.setattr(outputs, "files_of_document", files)


@pytest.mark.parametrize(("step", "slow"), [("document facts", slow_step), ("render", slow_render)])
def test_words_remain_of_a_text_that_takes_too_long(
    vault: Path, monkeypatch: pytest.MonkeyPatch, step: str, slow: Callable[[pytest.MonkeyPatch], None]
) -> None:
    slow(monkeypatch)
    run = build(vault, "--jobs", "1")
    assert (run.status, run.err.count("warning[failed-text]")) == (0, 1)
    assert f"{SLOW}:1:1" in run.err
    assert f'in the step "{step}" ({WHY})' in run.err
    assert "A *word*." in (vault.parent / "public" / "vault" / "slow" / "index.html").read_text(encoding="utf-8")
    assert (vault.parent / "public" / "vault" / "other" / "index.html").exists()


def test_text_that_takes_too_long_to_parse_is_left_out(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that was not parsed may be private."""
    slow_parse(monkeypatch)
    run = build(vault, "--jobs", "1")
    assert (run.status, run.err.count("warning[failed-text]")) == (0, 1)
    assert f'in the step "parse" ({WHY})' in run.err
    assert not (vault.parent / "public" / "vault" / "slow").exists()
    assert (vault.parent / "public" / "vault" / "other" / "index.html").exists()


def test_step_over_all_texts_that_takes_too_long_keeps_the_old_tree(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(vault).status == 0
    before = tree(vault.parent / "public")
    slow_step(monkeypatch, document="", name="_available_game")
    run = build(vault)
    assert (run.status, run.err.count("\n")) == (3, 1)
    assert "a step over all texts does not end" in run.err
    assert tree(vault.parent / "public") == before


def test_server_says_that_a_step_takes_too_long_and_goes_on(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = ServedLibrary(vault, None, vault.parent / "served")
    with monkeypatch.context() as patches:
        slow_step(patches, document="", name="_available_game")
        assert library.compile().problem == "it took more than 0 s of processor time"
    assert not library.compile().problem
    page = library.answer("vault/slow/")()
    assert isinstance(page, bytes)
    assert b"A <em>word</em>" in page


def test_process_that_was_watched_ends_in_peace() -> None:
    program = "import time; from kismet_build.model.watchdog import watched\nwith watched(): pass\n"
    slow_end = "class Slow:\n    def __del__(self):\n        while time.process_time() < 2: pass\nslow = Slow()\n"
    done = subprocess.run([sys.executable, "-c", program + slow_end], check=False)
    assert done.returncode == 0


def add_for_ever() -> None:
    while True:
        sum(range(20_000_000))


def test_time_in_calls_that_are_not_interrupted_counts() -> None:
    start = time.process_time()
    with pytest.raises(watchdog.TooSlow), watchdog.watched():
        add_for_ever()
    assert time.process_time() - start < 6 * watchdog.MAX_SECONDS
