"""`make test` runs slow tests on a sample of their cases; `make test-all` runs all cases.

The sample changes each day, and consecutive days cover every case. A run prints the number of its sample; with this
number in the environment variable `KISMET_SAMPLE`, a later run takes the same sample.
"""

import os
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

Case = TypeVar("Case")

RUN_ALL = bool(os.environ.get("KISMET_WHOLE"))
"""Whether all cases run."""
SAMPLE = int(os.environ.setdefault("KISMET_SAMPLE", str(date.today().toordinal())))
"""Number of the sample, by default the ordinal of the day. The workers of a run read it from the environment."""


def examples(count: int, part: int) -> int:
    """The number of examples of a law: all of them, or one in `part`."""
    return count if RUN_ALL else count // part


def sample(cases: Sequence[Case], days: int) -> Sequence[Case]:
    """Every `days`-th case, from a first case that changes each day."""
    return cases if RUN_ALL else cases[SAMPLE % days :: days]
