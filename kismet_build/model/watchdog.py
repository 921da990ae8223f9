"""A watchdog: work that takes too much processor time is ended by an exception, as if it had failed."""

import atexit
import os
import signal
import time

MAX_SECONDS = 30.0
"""Processor seconds that one step may take: some thousand times what it takes for a long text.

docs/decisions/0029-passes.md says what becomes of the text.
"""
TICK = 0.5
"""Processor seconds between two looks at the clock."""


class TooSlow(Exception):
    """Work took more than `MAX_SECONDS`."""

    def __init__(self) -> None:
        super().__init__(f"it takes more than {MAX_SECONDS:.0f} s of processor time")


class _Watch:
    """The work of this process that is watched."""

    start: float | None = None
    """Processor time of the last look before it started; `None` if nothing is watched."""
    last_look = 0.0
    is_armed = False
    """Whether this process looks at the clock. Timers are not inherited by forked processes."""


class watched:  # noqa: N801 - used like a function; a generator would take three times as long for each pass
    """Watch some work of the main thread. Raises `TooSlow` in it, again and again until it ends.

    A single call of C code is not interrupted. The searches of patterns of authors, which may take long, have a limit
    of their own.
    """

    __slots__ = ("outer",)

    def __enter__(self) -> None:
        self.outer = _Watch.start
        if _Watch.is_armed or _arm():
            _Watch.start = _Watch.last_look

    def __exit__(self, *_: object) -> None:
        _Watch.start = self.outer


def _arm() -> bool:
    """Start to look at the clock; false where that is not possible: on Windows, and outside of the main thread."""
    import threading  # here, because a build in which nothing changed is over without it

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return False
    signal.signal(signal.SIGPROF, _look)
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
    os.register_at_fork(after_in_child=_disarm)
    atexit.register(signal.setitimer, signal.ITIMER_PROF, 0)  # else it would kill an interpreter that is shut down
    _Watch.is_armed, _Watch.last_look = True, time.process_time()
    return True


def _disarm() -> None:
    _Watch.is_armed, _Watch.start = False, None


def _look(_signal: int, _frame: object) -> None:
    _Watch.last_look = time.process_time()
    if _Watch.start is not None and _Watch.last_look - _Watch.start > MAX_SECONDS:
        raise TooSlow
