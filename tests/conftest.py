"""Options and fixtures that all tests share."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected blocks of test pages; read the diff")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update rewrites pages in place: run it in one process, without -n")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return ROOT
