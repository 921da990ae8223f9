"""Run functions in forked processes: many numbers in parallel, or one task that can be stopped at any time."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext
from typing import Generic, TypeVar

Result = TypeVar("Result")

SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""Signals that stop this process, which then stops its children."""


def can_fork() -> bool:
    """Whether this process can fork: only on Linux, and without threads, since a fork never releases their locks."""
    return sys.platform == "linux" and threading.active_count() == 1


def run_parallel(
    work: Callable[[int], Result], numbers: range, jobs: int, max_tasks_per_child: int = 0
) -> Iterator[tuple[int, Result]]:
    """Yield each number with the result of `work` for it, in any order. Results must be plain data.

    Up to `jobs` child processes work, and this process waits for them. Each child takes the next number when it has
    done one, so the longest work should come first. With one job, or if this process cannot fork, all work is done
    here. Work that failed in a child is repeated here, so that its exception is raised here.

    Forked processes share memory until they use it: reference counts are then written, and the pages copied. If that
    takes too much memory, `max_tasks_per_child` limits how many numbers a child works on before another replaces it.
    """
    if jobs < 2 or len(numbers) < 2 or not can_fork():
        yield from ((number, work(number)) for number in numbers)
        return
    left = list(reversed(numbers))
    missing = set(numbers)
    children: dict[Child, int] = {}
    """With the number of tasks that each was sent."""

    def start_children() -> None:
        while left and len(children) < jobs:
            child = Child(partial(_work_on_numbers, work), is_daemon=True)
            children[child] = 0
            child.start()
            send_next(child)
            send_next(child)  # in advance, so that the child does not wait for this process

    def send_next(child: Child) -> None:
        with suppress(OSError):  # the child ended
            if left and children[child] < (max_tasks_per_child or len(numbers)):
                children[child] += 1
                child.connection.send(left.pop())
            else:
                child.connection.send(None)

    try:
        start_children()
        while children:
            wait([child.connection for child in children])
            for child in [child for child in children if child.connection.poll()]:
                try:
                    number, result = child.connection.recv()
                except (EOFError, OSError):  # the child ended, or was killed while it sent
                    child.stop()
                    del children[child]
                    start_children()
                else:
                    send_next(child)
                    missing.remove(number)
                    yield number, result
        yield from ((number, work(number)) for number in sorted(missing))
    finally:
        for child in children:
            child.stop()


def _work_on_numbers(work: Callable[[int], object], connection: Connection) -> None:
    _discard_errors()
    for number in iter(connection.recv, None):
        connection.send((number, work(number)))


class Child:
    """A forked process that runs a function with one end of a connection; this process has the other end."""

    def __init__(self, run: Callable[[Connection], None], *, is_daemon: bool) -> None:
        """Prepare to run the function. Only a child that is no daemon can fork in turn."""
        context = ForkContext()
        self.connection, self._its_connection = context.Pipe()
        self.process = context.Process(target=self._run, args=(run,), daemon=is_daemon)

    def start(self) -> None:
        """Fork."""
        # Block signals: an interrupt during the fork, which is slow for a large book, would leave an orphan process.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self.process.start()
        finally:
            self._its_connection.close()
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _run(self, run: Callable[[Connection], None]) -> None:
        self.connection.close()  # else writing would block forever after the parent was killed
        # Ctrl-C is sent to all processes: the parent handles it, and stops its children.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        run(self._its_connection)

    def stop(self) -> None:
        """Kill the process, and all processes of its group if it leads one, and wait for their end."""
        if self.process.pid is not None and not self.connection.closed:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            # Wait until all processes of the group have ended: one of them might still write a file.
            with suppress(EOFError, OSError):
                while True:
                    self.connection.recv_bytes()
            self.process.join()
        self.connection.close()


class BackgroundTask(Generic[Result]):
    """A function that runs in a forked process with a low priority; where forking is not possible, in this process."""

    def __init__(self, work: Callable[[], Result]) -> None:
        """Prepare to run `work`. Its result must be plain data, since it is pickled."""
        self._work = work
        self._child = Child(self._send_result, is_daemon=False) if can_fork() else None

    def start(self) -> None:
        """Fork. An interrupt during the fork is raised after it, so that `stop` knows the process."""
        if self._child is not None:
            self._child.start()

    @property
    def is_done(self) -> bool:
        """Whether `result` returns without waiting for the process."""
        return self._child is None or self._child.connection.poll()

    def result(self) -> Result:
        """Wait for the result. Work that failed in the process is repeated here, to raise its exception here."""
        if self._child is not None:
            try:
                result: Result = self._child.connection.recv()
            except (EOFError, OSError):  # it failed, or was killed while it sent
                pass
            else:
                return result
            finally:
                self._child.stop()
        return self._work()

    def stop(self) -> None:
        """Kill the process, and those that it forked."""
        if self._child is not None:
            self._child.stop()

    def _send_result(self, connection: Connection) -> None:
        os.setpgid(0, 0)  # a group of its own, so that its own children are killed with it
        os.nice(10)  # the parent serves the user, and goes first
        _discard_errors()
        connection.send(self._work())


def _discard_errors() -> None:
    """Write no traceback: the parent repeats failed work, and reports then."""
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
