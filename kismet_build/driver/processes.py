"""Run a function for many numbers in parallel, in forked processes.

docs/decisions/0026-processes.md says why neither `ProcessPoolExecutor` nor `Pool` is used.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext
from typing import TypeVar

from kismet_build.model.process import end_with_parent, prepare

Result = TypeVar("Result")

NUMBER_SIZE = 4
"""Bytes of a number in the queue. The size is a divisor of the page size, so every read returns whole numbers."""
MAX_QUEUE_LENGTH = 2**14
"""How many numbers fit into the buffer of a pipe."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""Signals that stop this process, which then stops its children."""


def can_fork() -> bool:
    """Whether this process can fork: only on Linux, and without threads, since a fork never releases their locks."""
    return sys.platform == "linux" and threading.active_count() == 1


def run_parallel(
    work: Callable[[int], Result], numbers: range, jobs: int, max_tasks_per_child: int = 0
) -> Iterator[tuple[int, Result]]:
    """Yield each number with the result of `work` for it, in any order. Results must be plain data.

    Up to `jobs` processes, this one included, take the next number from a queue, so the longest work should come first.
    With one job, or if this process cannot fork, all work is done here. Work that failed in a child process is repeated
    here, so that its exception is raised here.

    Forked processes share memory pages until one writes to them, and reading an object writes its reference count. If
    the copies take too much memory, `max_tasks_per_child` limits how many numbers a child works on before another
    replaces it; this process then only waits.
    """
    parent_works = not max_tasks_per_child
    max_children = min(jobs, len(numbers)) - int(parent_works)
    if jobs < 2 or max_children < 1 or len(numbers) > MAX_QUEUE_LENGTH or not can_fork():
        yield from ((number, work(number)) for number in numbers)
        return
    # A pipe is the queue: reading from it is atomic and needs no lock, which a killed process would hold forever.
    queue, queue_input = os.pipe()
    os.write(queue_input, b"".join(number.to_bytes(NUMBER_SIZE, "big") for number in numbers))
    os.close(queue_input)
    missing = set(numbers)
    children_to_start = max_children if parent_works else -(-len(numbers) // max_tasks_per_child)
    children: list[Child] = []

    def start_children() -> None:
        nonlocal children_to_start
        while children_to_start and len(children) < max_children:
            children_to_start -= 1
            children.append(Child(partial(_send_results, work, queue, max_tasks_per_child)))
            children[-1].start()

    def received(timeout: float | None) -> Iterator[tuple[int, Result]]:
        while children and (ready := wait([child.connection for child in children], timeout)):
            for child in [child for child in children if child.connection in ready]:
                try:
                    number, result = child.connection.recv()
                except (EOFError, OSError):  # the child ended, or was killed while it sent
                    child.stop()
                    children.remove(child)
                    start_children()
                else:
                    missing.remove(number)
                    yield number, result

    try:
        start_children()
        for number in _queued(queue) if parent_works else ():
            missing.remove(number)
            yield number, work(number)
            yield from received(0)
        yield from received(None)
        yield from ((number, work(number)) for number in sorted(missing))
    finally:
        os.close(queue)
        for child in children:
            child.stop()


def _queued(queue: int) -> Iterator[int]:
    while number := os.read(queue, NUMBER_SIZE):
        yield int.from_bytes(number, "big")


def _send_results(work: Callable[[int], object], queue: int, max_tasks: int, connection: Connection) -> None:
    # Imported here: a build after an edit often has no child process.
    from concurrent.futures import ThreadPoolExecutor

    _discard_errors()
    parent = os.getppid()
    # A thread sends the results: sending blocks while the parent works.
    with ThreadPoolExecutor(1) as sender:
        for number in islice(_queued(queue), max_tasks or None):
            sender.submit(connection.send, (number, work(number)))
            if os.getppid() != parent:  # the parent was killed
                break


class Child:
    """A forked process that runs a function with one end of a connection; this process has the other end."""

    def __init__(self, run: Callable[[Connection], None]) -> None:
        """Prepare to run the function."""
        context = ForkContext()
        self.connection, self._its_connection = context.Pipe()
        self.process = context.Process(target=self._run, args=(run,), daemon=True)
        self._parent = os.getpid()

    def start(self) -> None:
        prepare()
        # Block signals: an interrupt during the fork, which is slow for a large book, would leave an orphan process.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self.process.start()
        finally:
            self._its_connection.close()
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _run(self, run: Callable[[Connection], None]) -> None:
        end_with_parent(self._parent)
        self.connection.close()  # otherwise writing would block forever after the parent was killed
        # Ctrl-C is sent to all processes: the parent handles it, and stops its children.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        run(self._its_connection)

    def stop(self) -> None:
        """Kill the process, and wait until it has ended: it might still write a file."""
        if self.process.pid is not None and not self.connection.closed:
            self.process.kill()
            self.process.join()
        self.connection.close()


def _discard_errors() -> None:
    """Suppress tracebacks: the parent repeats failed work and reports the failure."""
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
