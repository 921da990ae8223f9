"""Run a function for many numbers in forked processes."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, ForkProcess
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")

WIDTH = 4
"""Bytes of a number in the pipe. A divisor of the page size, so that every read gives a whole number."""
MOST = 2**14
"""Numbers that fit into the buffer of a pipe."""


def run_parallel(
    work: Callable[[int], Result], pieces: range, jobs: int, each: int = 0
) -> Iterator[tuple[int, Result]]:
    """Yield each number of `pieces` with the result of `work` for it, in any order. Results must be plain data.

    Up to `jobs` processes, this one included, take the next number from a queue, so the longest work should come first.
    With one job, or if this process cannot fork, all work is done here. Work that failed in a worker is repeated here,
    so that its exception is raised here.

    Forked processes share memory until they use it: reference counts are then written, and the pages copied. If that
    takes too much memory, `each` limits how many pieces a worker does before another replaces it; this process then
    only waits.
    """
    # A fork has no threads, and locks that they held stay locked.
    alone = sys.platform != "linux" or threading.active_count() > 1 or len(pieces) > MOST or jobs < 2
    at_once = 0 if alone else min(jobs, len(pieces)) - (not each)
    if at_once < 1:
        yield from ((number, work(number)) for number in pieces)
        return
    waiting, queue = os.pipe()
    os.write(queue, b"".join(number.to_bytes(WIDTH, "big") for number in pieces))
    os.close(queue)
    missing = set(pieces)
    copies = _Copies(partial(_send, work, waiting, each), at_once, len(pieces[::each]) if each else at_once)
    try:
        copies.start()
        # Results of workers are yielded first, to free their memory.
        for number in () if each else _numbers(waiting):
            missing.remove(number)
            yield number, work(number)
            for other, result in copies.results(0):
                missing.remove(other)
                yield other, result
        for other, result in copies.results(None):
            missing.remove(other)
            yield other, result
        yield from ((number, work(number)) for number in sorted(missing))
    finally:
        os.close(waiting)
        copies.end()


class _Copies:
    """Forked workers, at most `at_once` at a time and `in_all` altogether."""

    def __init__(self, send: Callable[[Connection], None], at_once: int, in_all: int) -> None:
        self._send = send
        self._at_once = at_once
        self._left = in_all
        self._open: dict[Connection, ForkProcess] = {}

    def start(self) -> None:
        """Start workers up to the limits."""
        context = ForkContext()
        while self._left and len(self._open) < self._at_once:
            receiver, sender = context.Pipe(duplex=False)
            copy = context.Process(target=self._send, args=(sender,), daemon=True)
            copy.start()
            sender.close()
            self._open[receiver] = copy
            self._left -= 1

    def results(self, patience: float | None) -> Iterator[tuple[int, Any]]:
        """Yield results as they arrive, waiting at most `patience` seconds; replace workers that ended."""
        while self._open and (ready := wait([*self._open], patience)):
            for receiver in ready:
                assert isinstance(receiver, Connection)
                try:
                    yield receiver.recv()
                except (EOFError, OSError):  # the worker ended, or was killed while it sent
                    self._end(receiver)
                    self.start()

    def end(self) -> None:
        """Kill all workers."""
        for receiver in [*self._open]:
            self._end(receiver)

    def _end(self, receiver: Connection) -> None:
        receiver.close()
        copy = self._open.pop(receiver)
        copy.kill()
        copy.join()


def _numbers(waiting: int) -> Iterator[int]:
    while number := os.read(waiting, WIDTH):
        yield int.from_bytes(number, "big")


def _send(work: Callable[[int], Result], waiting: int, each: int, sender: Connection) -> None:
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # failed work is repeated and reported by the parent
    results: SimpleQueue[tuple[int, Result] | None] = SimpleQueue()
    # A thread sends the results: sending blocks while the parent is busy.
    thread = threading.Thread(target=_pass_on, args=(results, sender), daemon=True)
    thread.start()
    try:
        for number in islice(_numbers(waiting), each or None):
            results.put((number, work(number)))
    finally:
        results.put(None)
        thread.join()


def _pass_on(results: "SimpleQueue[Any]", sender: Connection) -> None:
    with suppress(BrokenPipeError):
        while (result := results.get()) is not None:
            sender.send(result)
