"""A watchdog: work that takes too much processor time is ended by an exception, as if it had failed."""

import atexit
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

MAX_SECONDS = 30.0
"""Processor seconds that one step may take: some thousand times what it takes for a long text."""
TICK = 0.5
"""Processor seconds between two looks at the clock."""


class TooSlow(Exception):
    """Work took more than `MAX_SECONDS`."""

    def __init__(self) -> None:
        super().__init__(f"it takes more than {MAX_SECONDS:.0f} s of processor time")


class _Watch:
    """The work of this process that is watched."""

    deadline: float | None = None
    """Processor time at which it has taken too long; `None` if nothing is watched."""
    is_armed = False
    """Whether this process looks at the clock. Timers are not inherited by forked processes."""


@contextmanager
def watched() -> Iterator[None]:
    """Watch some work of the main thread. Raises `TooSlow` in it, again and again until it ends.

    A single call of C code is not interrupted. The searches of patterns of authors, which may take long, have a limit
    of their own.
    """
    if not _Watch.is_armed and not _arm():
        yield
        return
    outer = _Watch.deadline
    _Watch.deadline = time.process_time() + MAX_SECONDS
    try:
        yield
    finally:
        _Watch.deadline = outer


def _arm() -> bool:
    """Start to look at the clock; false where that is not possible: on Windows, and outside of the main thread."""
    import threading  # here, because a build in which nothing changed is over without it

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return False
    signal.signal(signal.SIGPROF, _look)
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
    os.register_at_fork(after_in_child=_disarm)
    atexit.register(signal.setitimer, signal.ITIMER_PROF, 0)  # else it would kill an interpreter that is shut down
    _Watch.is_armed = True
    return True


def _disarm() -> None:
    _Watch.is_armed, _Watch.deadline = False, None


def _look(_signal: int, _frame: object) -> None:
    if _Watch.deadline is not None and time.process_time() > _Watch.deadline:
        raise TooSlow
