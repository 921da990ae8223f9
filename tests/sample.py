"""`make test` runs slow tests on a sample of their cases; `make test-all` runs all cases.

The digest of the commit chooses the sample: a commit passes or fails on every day and machine alike. Other commits
take other samples: together they cover every case. A run prints the number of its sample; with this number in the
environment variable `KISMET_SAMPLE`, a run on another commit takes the same sample.
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
"""Hexadecimal digits of a commit that choose the sample: as many as git prints."""


def commit_number(folder: Path) -> int:
    """A number from the commit that is checked out in a folder, or from the version where there is none."""
    if (folder / ".git").exists():  # else git looks in the folders above, which may be another repository
        command = ["git", "rev-parse", "HEAD"]
        try:
            commit = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            pass  # no git, no commit yet, or a folder of another user
        else:
            return int(commit[:DIGITS], 16)
    return crc32(__version__.encode())


RUN_ALL = bool(os.environ.get("KISMET_WHOLE"))
"""Whether all cases run."""
SAMPLE = int(os.environ.get("KISMET_SAMPLE") or commit_number(ROOT))
"""Number of the sample. The workers of a run read it from the environment."""
os.environ["KISMET_SAMPLE"] = str(SAMPLE)


def examples(count: int, part: int) -> int:
    """The number of examples of a law: all of them, or one in `part`."""
    return count if RUN_ALL else count // part


def sample(cases: Sequence[Case], part: int) -> Sequence[Case]:
    """All cases, or one in `part`: the number of the sample says which is the first."""
    return cases if RUN_ALL else cases[SAMPLE % part :: part]
