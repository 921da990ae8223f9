"""Options and fixtures that several tests share."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from tests.command import CONTENT, RULEBOOKS, Run, kismet

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
    return Built(out, kismet("build", CONTENT, "--out", out), CONTENT / "kismet")


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
        return Built(out, kismet("build", texts, "--game", CONTENT / game / "game.yaml", "--out", out), texts, game)

    return built


@pytest.fixture(scope="session", params=["restated", "original"])
def built(request: pytest.FixtureRequest, built_of: BuiltOf) -> Built:
    """Each of the two texts of Kismet, built."""
    return built_of("kismet", request.param)
