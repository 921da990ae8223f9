"""Options and fixtures that several tests share."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings

from tests.command import CONTENT, RULEBOOKS, Run, kismet_process
from tests.page import Case, is_page, read_page

# The same examples in every run: a change that is sound must not fail by luck. What luck found once is an `@example`.
settings.register_profile("steady", derandomize=True, database=None, deadline=None)
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected blocks of test pages; read the diff")


def pytest_configure(config: pytest.Config) -> None:
    # Nothing that tests build is kept in the cache of the user, and nothing is taken from it.
    folder = TemporaryDirectory(prefix="kismet-cache-")
    config.add_cleanup(folder.cleanup)
    os.environ["KISMET_CACHE"] = folder.name
    if config.getoption("--update") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update rewrites pages in place: run it in one process, without -n")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "Page | None":
    return Page.from_parent(parent, path=file_path) if is_page(file_path) else None


class Page(pytest.File):
    """A Markdown page of cases."""

    def collect(self) -> "Iterator[PageCase]":
        for case in read_page(self.path):
            yield PageCase.from_parent(self, name=case.title, case=case)


class PageCase(pytest.Item):
    """One case of a page."""

    def __init__(self, *, case: Case, **options: Any) -> None:
        super().__init__(**options)
        self.case = case

    def runtest(self) -> None:
        # Imported here, because it imports the compiler, which most runs of a few tests do not need.
        from tests.test_pages import check_case

        with TemporaryDirectory() as folder:
            check_case(self.case, Path(folder), update=self.config.getoption("--update"))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line, self.name


@dataclass(frozen=True, slots=True)
class Built:
    """A tree that the command wrote."""

    folder: Path
    run: Run
    texts: Path
    """The folder of the texts that it was built from."""
    game: str = "kismet"


BuiltOf = Callable[[str, str], Built]
"""The tree of an edition of a game: `restated` as all of content/ was built, or `original`."""


@pytest.fixture(scope="session")
def content(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """content/ as the command builds it."""
    out = tmp_path_factory.mktemp("content") / "public"
    return Built(out, kismet_process("build", CONTENT, "--out", out), CONTENT / "kismet")


@pytest.fixture(scope="session")
def built_of(content: Built, tmp_path_factory: pytest.TempPathFactory) -> BuiltOf:
    """Builds what is asked for, once."""

    @cache
    def built(game: str, edition: str) -> Built:
        if edition == "restated":
            return Built(content.folder, content.run, CONTENT / game, game)
        texts = RULEBOOKS / game
        if not texts.is_dir():
            pytest.skip(f"the original rule book is not here: {texts}")
        out = tmp_path_factory.mktemp(game) / "public"
        run = kismet_process("build", texts, "--game", CONTENT / game / "game.yaml", "--out", out)
        return Built(out, run, texts, game)

    return built


@pytest.fixture(scope="session", params=["restated", "original"])
def built(request: pytest.FixtureRequest, built_of: BuiltOf) -> Built:
    """Each of the two texts of Kismet, built."""
    return built_of("kismet", request.param)
