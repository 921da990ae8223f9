"""Slow laws run on a sample in `make test` and on every case in `make test-all`.

The sample changes each day, so that consecutive days cover every case. `KISMET_SAMPLE`, which the head of a run prints,
repeats the sample of another day.
"""

import os
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

Case = TypeVar("Case")

WHOLE = bool(os.environ.get("KISMET_WHOLE"))
"""Whether every case runs."""
SAMPLE = int(os.environ.setdefault("KISMET_SAMPLE", str(date.today().toordinal())))
"""The number of the sample. It is in the environment so that the workers of one run take the same."""


def sample(cases: Sequence[Case], days: int) -> Sequence[Case]:
    """The cases of today, which is one in `days`; those of so many consecutive days are all of them."""
    return cases if WHOLE else cases[SAMPLE % days :: days]
