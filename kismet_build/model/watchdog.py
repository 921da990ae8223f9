"""A watchdog that ends work with an exception if it takes too much processor time."""

import atexit
import os
import signal
import time
from _thread import get_ident

MAX_SECONDS = 30.0
"""Maximum processor time for one step, in seconds. The limit is about a thousand times the time for a long text.

docs/decisions/0029-steps.md says what happens to the text.
"""
TICK = 0.5
"""Processor seconds between two checks of the clock."""


class TooSlow(Exception):
    """Raised if a step takes more than `MAX_SECONDS`."""

    def __init__(self) -> None:
        super().__init__(f"it took more than {MAX_SECONDS:.0f} s of processor time")


class _Watch:
    start: float | None = None
    """Processor time at the last check before the watched work started; `None` if nothing is watched."""
    last_look = 0.0
    thread: int | None = None
    """The main thread if this process checks the clock. Forked processes do not inherit timers."""


class watched:  # noqa: N801 - used like a function; a generator would take three times as long for each pass
    """Watch work in the main thread: if it takes too long, raise `TooSlow` again and again until it ends.

    A single call of C code is not interrupted. Searches for authors' patterns have a separate limit. Work in other
    threads is not watched.
    """

    __slots__ = ("is_watching", "outer")

    def __enter__(self) -> None:
        self.is_watching = _Watch.thread == get_ident() or _arm()
        if self.is_watching:
            self.outer = _Watch.start
            _Watch.start = _Watch.last_look

    def __exit__(self, *_: object) -> None:
        if self.is_watching:
            _Watch.start = self.outer


def _arm() -> bool:
    """Start to check the clock. Returns false where this is impossible: on Windows, and outside the main thread."""
    import threading  # imported when needed: an unchanged build does not need it

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return False
    signal.signal(signal.SIGPROF, _look)
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
    os.register_at_fork(after_in_child=_disarm)
    atexit.register(signal.setitimer, signal.ITIMER_PROF, 0)  # or it would kill a closing interpreter
    _Watch.thread, _Watch.last_look = get_ident(), time.process_time()
    return True


def _disarm() -> None:
    _Watch.thread, _Watch.start = None, None


def _look(_signal: int, _frame: object) -> None:
    _Watch.last_look = time.process_time()
    if _Watch.start is not None and _Watch.last_look - _Watch.start > MAX_SECONDS:
        raise TooSlow
