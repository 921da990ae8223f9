"""Options and fixtures that several tests share."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from tests.command import CONTENT, GAME_FILE, ORIGINALS, Run, kismet

# The same examples in every run: a change that is sound must not fail by luck. What luck found once is an `@example`.
settings.register_profile("steady", derandomize=True, database=None, deadline=None)
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected blocks of test pages; read the diff")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update rewrites pages in place: run it in one process, without -n")


@dataclass(frozen=True, slots=True)
class Built:
    """A tree that the command wrote."""

    folder: Path
    run: Run
    texts: Path
    """The folder of the texts that it was built from."""


@pytest.fixture(scope="session")
def content(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """content/ as the command builds it."""
    out = tmp_path_factory.mktemp("content") / "public"
    return Built(out, kismet("build", CONTENT, "--out", out), CONTENT / "kismet")


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The original text of Kismet as the command builds it, untouched, with the game of content/."""
    if not ORIGINALS.is_dir():
        pytest.skip(f"the original rule book is not here: {ORIGINALS}")
    out = tmp_path_factory.mktemp("originals") / "public"
    return Built(out, kismet("build", ORIGINALS, "--game", GAME_FILE, "--out", out), ORIGINALS)


@pytest.fixture(scope="session", params=["content", "originals"])
def built(request: pytest.FixtureRequest) -> Built:
    """Each of the two texts of Kismet, built."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Built)
    return found
