"""Packages of npm that tests run; .ci/programs installs them."""

import os
from pathlib import Path

import pytest

from benchmarks.npm import package


def needed(name: str) -> Path:
    """The folder of a package. Skips the test where it is not installed."""
    found = package(name)
    if found is None:
        missing = f"{name} is not installed; .ci/programs gets it from npm where there is npm and a network"
        # Nobody reads what a machine has skipped.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return found
