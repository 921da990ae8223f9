"""Choose the sample of cases for slow tests in `make test`; `make test-all` runs all cases.

The sample depends on the commit hash, so the same commit gives the same result on every day and machine. Other commits
use other samples; together they cover every case. A run prints the number of its sample; with this number in the
environment variable `KISMET_SAMPLE`, a run on another commit uses the same sample.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar
from zlib import crc32

from kismet_build import __version__

Case = TypeVar("Case")

ROOT = Path(__file__).parent.parent
DIGITS = 7
"""Number of hexadecimal digits of the commit hash that choose the sample: as many as git prints."""


def commit_number(folder: Path) -> int:
    """Return a number from the commit checked out in a folder, or from the version if there is no commit."""
    if (folder / ".git").exists():  # otherwise git searches the parent folders, which may be another repository
        command = ["git", "rev-parse", "HEAD"]
        try:
            commit = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            pass  # no git, no commit yet, or a folder owned by another user
        else:
            return int(commit[:DIGITS], 16)
    return crc32(__version__.encode())


RUN_ALL = bool(os.environ.get("KISMET_WHOLE"))
"""Whether to run all cases."""
SAMPLE = int(os.environ.get("KISMET_SAMPLE") or commit_number(ROOT))
"""Number of the sample. The workers of a run read it from the environment."""
os.environ["KISMET_SAMPLE"] = str(SAMPLE)


def examples(count: int, part: int) -> int:
    """Return the number of examples for a law: all of them, or one in `part`."""
    return count if RUN_ALL else count // part


def sample(cases: Sequence[Case], part: int) -> Sequence[Case]:
    """Return all cases, or one in `part`; the number of the sample chooses the first."""
    return cases if RUN_ALL else cases[SAMPLE % part :: part]
