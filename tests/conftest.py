"""Options and fixtures shared by several tests."""

import gc
import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import pytest
from filelock import FileLock
from hypothesis import settings

from kismet_build.output import search_index
from kismet_build.pack import compiled_game
from tests.case_page import Case, is_page, read_page
from tests.command import CONTENT, NOT_HERE, RULEBOOKS, Run, kismet_process, skip_without_originals
from tests.sample import RUN_ALL, SAMPLE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LEFT_OUT = "left out"
"""The report category of tests that need something missing on this machine."""

# `make test` uses the same examples in each run: a correct change must not fail by chance. `make test-all` uses new
# ones; turn each failing one into an `@example`.
settings.register_profile("kismet", derandomize=not RUN_ALL, database=None, deadline=None)
settings.load_profile("kismet")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected blocks of test pages; read the diff")


def pytest_configure(config: pytest.Config) -> None:
    # A process started with `&` in a script ignores interrupts, and so would the processes started by tests.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Tests use their own cache folder, never the user's.
    folder = TemporaryDirectory(prefix="kismet-cache-")
    config.add_cleanup(folder.cleanup)
    os.environ["KISMET_CACHE"] = folder.name
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Hundreds of processes start the program. Each would compile its modules: longer than a small build.
        # Workers inherit both variables. A process killed by a test may still be writing when the folder is removed.
        bytecode = TemporaryDirectory(prefix="kismet-bytecode-", ignore_cleanup_errors=True)
        config.add_cleanup(bytecode.cleanup)
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode.name
    if config.getoption("--update") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update rewrites pages in place: run it in one process, without -n")


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str] | None:
    """Count skips because of something missing separately from other skips, which get a line each."""
    return (LEFT_OUT, "s", "LEFT OUT") if _missing(report) else None


def _missing(report: pytest.CollectReport | pytest.TestReport) -> str:
    """Return what a skipped test needs that is missing on this machine, if anything."""
    reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
    return reason.partition(NOT_HERE)[2]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the sample of a run, so a failure can be repeated. At the end, because quiet runs print no header."""
    _print_edits(terminalreporter)
    if missing := Counter(_missing(report) for report in terminalreporter.getreports(LEFT_OUT)):
        parts = (f"{name} ({count})" for name, count in sorted(missing.items()))
        terminalreporter.write_line(
            f"tests left out, by missing requirement (.ci/programs installs programs if permitted): {'; '.join(parts)}"
        )
    cases = "every case of every test" if RUN_ALL else f"a sample of the slow tests: KISMET_SAMPLE={SAMPLE}"
    terminalreporter.write_line(cases)


def _print_edits(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was compiled after each single edit, as recorded by `tests/laws/test_edits.py`."""
    ran: dict[str, Counter[str]] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "edit":
                edit, counts = cast(tuple[str, dict[str, int]], value)
                ran.setdefault(edit, Counter()).update({"builds": 1, **counts})
    for edit, total in sorted(ran.items()):
        counted = ", ".join(f"{count} {noun}" for noun, count in total.items() if noun != "builds")
        terminalreporter.write_line(f"{edit}: {total['builds']} builds ran {counted or 'nothing'}")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "Page | None":
    return Page.from_parent(parent, path=file_path) if is_page(file_path) else None


class Page(pytest.File):
    def collect(self) -> "Iterator[PageCase]":
        for case in read_page(self.path):
            yield PageCase.from_parent(self, name=case.title, case=case)


class PageCase(pytest.Item):
    def __init__(self, *, case: Case, **options: Any) -> None:
        super().__init__(**options)
        self.case = case

    def runtest(self) -> None:
        # Imported here because it imports the compiler, which most runs of a few tests do not need.
        from tests.pages.test_pages import check_case

        with TemporaryDirectory() as folder:
            check_case(self.case, Path(folder), update=self.config.getoption("--update"))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line, self.name


@pytest.fixture(scope="module", autouse=True)
def _garbage_collection_of_new_objects() -> Iterator[None]:
    """Exclude collected tests and data of earlier modules from garbage collection, which serving often starts."""
    with pytest.MonkeyPatch.context() as patch:
        gc.collect()
        gc.freeze()
        for name in ("freeze", "unfreeze"):
            patch.setattr(gc, name, lambda: None)
        yield


@pytest.fixture
def scratch() -> Iterator[Path]:
    """Return a temporary folder, in memory if possible, because many small builds write thousands of files."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder).resolve()


@pytest.fixture(scope="module")
def searched_by_pagefind() -> Iterator[None]:
    """Builds in this process index every game's text with Pagefind, as if the texts were long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_game, "MAX_SEARCHED_CHARACTERS", 0)
        yield


@pytest.fixture
def started_indexes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the search indexes for which Pagefind is started: their folder names, in order."""
    names: list[str] = []
    command = search_index.pagefind_command

    def record(pagefind: Path, pages: Path, index: Path) -> list[str]:
        names.append(index.name)
        return command(pagefind, pages, index)

    monkeypatch.setattr(search_index, "pagefind_command", record)
    return names


@dataclass(frozen=True, slots=True)
class BuiltTree:
    folder: Path
    run: Run
    texts: Path
    """The folder of the source texts."""
    game: str = "kismet"


BuildOnce = Callable[..., tuple[Path, Run]]
"""Takes the name of a tree and build arguments; returns the tree and the command's result."""
BuildEdition = Callable[[str, str], BuiltTree]
"""Takes a game and an edition: `restated` (built with all of content/) or `original`."""


@pytest.fixture(scope="session")
def build_once(tmp_path_factory: pytest.TempPathFactory) -> BuildOnce:
    """Builds a tree once for all workers. Tests must not change the tree."""
    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent

    def build_once(name: str, *arguments: str | Path) -> tuple[Path, Run]:
        out, printed = folder / name / "public", folder / f"{name}.json"
        with FileLock(folder / f"{name}.lock"):
            if not printed.is_file():
                run = kismet_process("build", *arguments, "--out", out)
                printed.write_text(json.dumps(asdict(run)), encoding="utf-8")
        return out, Run(**json.loads(printed.read_text(encoding="utf-8")))

    return build_once


@pytest.fixture(scope="session")
def content(build_once: BuildOnce) -> BuiltTree:
    return BuiltTree(*build_once("content", CONTENT), CONTENT / "kismet")


@pytest.fixture(scope="session")
def build_edition(content: BuiltTree, build_once: BuildOnce) -> BuildEdition:
    @cache
    def built(game: str, edition: str) -> BuiltTree:
        if edition == "restated":
            return BuiltTree(content.folder, content.run, CONTENT / game, game)
        texts = RULEBOOKS / game
        if not texts.is_dir():
            skip_without_originals()
        return BuiltTree(*build_once(game, texts, "--game", CONTENT / game / "game.yaml"), texts, game)

    return built


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Chromium, started once in each worker."""
    # Imported here: most runs of a few tests need no browser.
    from tests.browser.conftest import started_browser

    with started_browser() as chromium:
        yield chromium


@pytest.fixture(scope="session", params=["restated", "original"])
def built(request: pytest.FixtureRequest, build_edition: BuildEdition) -> BuiltTree:
    return build_edition("kismet", request.param)
