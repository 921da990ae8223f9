"""Run a build in a child process that can be killed at any time."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext, ForkProcess
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Worker(Generic[Result]):
    """Runs one function at a time in a forked process; where forking is not possible, in this process."""

    def __init__(self) -> None:
        """Start without work."""
        self._process: ForkProcess | None = None
        self._receiver: Connection | None = None
        self._work: Callable[[], Result] | None = None

    @property
    def jobs(self) -> int:
        """Number of processes that the work may use."""
        return os.cpu_count() or 1

    def begin(self, work: Callable[[], Result]) -> None:
        """Start work. Its result must be plain data, since it is pickled."""
        self._work = work
        if not can_fork():
            return
        context = ForkContext()
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_send, args=(work, self._receiver, sender))
        # Block signals: an interrupt during the fork, which is slow for a large book, would leave an orphan process.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        try:
            self._process.start()
        finally:
            sender.close()
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def result(self) -> Result | None:
        """The result, once; `None` before it is there and after it was returned."""
        if self._work is None or (self._receiver is not None and not self._receiver.poll()):
            return None
        work, receiver = self._work, self._receiver
        found: Result | None = None
        if receiver is not None:
            with suppress(EOFError):
                found = receiver.recv()
        self._end()
        # If the child failed, repeat the work here, so that the exception is raised here.
        return work() if found is None else found

    def stop(self) -> bool:
        """Kill the running work; return whether there was any."""
        was_at_work = self._work is not None
        if self._process is not None and self._process.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            # Wait until all processes of the group have ended: one of them might still write a file.
            with suppress(EOFError, OSError):
                while self._receiver is not None:
                    self._receiver.recv_bytes()
        self._end()
        return was_at_work

    def _end(self) -> None:
        if self._process is not None and self._receiver is not None:
            self._process.join()
            self._receiver.close()
        self._work = self._process = self._receiver = None


def can_fork() -> bool:
    """Whether this process can fork: only on Linux, and without threads, since a fork never releases their locks."""
    return sys.platform == "linux" and threading.active_count() == 1


def _send(work: Callable[[], Result], receiver: Connection, sender: Connection) -> None:
    receiver.close()  # else `send` would block forever after the parent was killed
    # Its own process group: the parent kills the whole group, and Ctrl-C reaches the parent only.
    os.setpgid(0, 0)
    os.nice(10)  # the parent serves the user, and goes first
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # the parent repeats failed work, and reports then
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    sender.send(work())
