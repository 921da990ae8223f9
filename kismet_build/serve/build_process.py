"""Another process for what takes long, from which nothing is waited for, and which can be ended at any time."""

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
    """Does one piece of work at a time in a copy of this process; where there cannot be one, it does it here."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self._process: ForkProcess | None = None
        self._receiver: Connection | None = None
        self._work: Callable[[], Result] | None = None

    @property
    def jobs(self) -> int:
        """How many processes the work may be shared among."""
        return os.cpu_count() or 1

    def begin(self, work: Callable[[], Result]) -> None:
        """Begin some work, whose result must be plain data."""
        self._work = work
        if not can_fork():
            return
        context = ForkContext()
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_send, args=(work, self._receiver, sender))
        # Who interrupts in the moment of copying, which is long for a long book, would leave a copy that nobody knows.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        try:
            self._process.start()
        finally:
            sender.close()
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def result(self) -> Result | None:
        """The result, once; `None` while there is none."""
        if self._work is None or (self._receiver is not None and not self._receiver.poll()):
            return None
        work, receiver = self._work, self._receiver
        found: Result | None = None
        if receiver is not None:
            with suppress(EOFError):
                found = receiver.recv()
        self._end()
        # What went wrong there goes wrong here again, where it can be seen.
        return work() if found is None else found

    def stop(self) -> bool:
        """End the work; whether there was any."""
        was_at_work = self._work is not None
        if self._process is not None and self._process.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            # Until none of its copies is left that could still write something.
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
    """Whether this process can be copied as it stands: a copy has none of its threads, whatever they hold."""
    return sys.platform == "linux" and threading.active_count() == 1


def _send(work: Callable[[], Result], receiver: Connection, sender: Connection) -> None:
    receiver.close()  # or it would wait for itself to take what it sends, where the first process was killed
    # It is ended with all that it has begun; and not with the first process, which ends it.
    os.setpgid(0, 0)
    os.nice(10)  # somebody waits for the first process
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # what goes wrong here goes wrong there again
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    sender.send(work())
