"""Share work among copies of this process, on processors that would be idle."""

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
"""So many bytes of a pipe hold the number of a piece: a divisor of its pages, so that no number is read in halves."""
MOST = 2**14
"""So many numbers fit into a pipe."""


def run_parallel(
    work: Callable[[int], Result], pieces: range, jobs: int, each: int = 0
) -> Iterator[tuple[int, Result]]:
    """Do pieces of work in so many processes; the results, which have to be plain data, come in any order.

    Each process takes the first piece that nobody has begun, so the longest should come first. With one job, and where
    a process cannot be copied as it stands, all is done here. So is what a copy failed to do, so that whatever it
    raised is raised here.

    What a copy shares with this process is there twice as soon as one of them looks at it, until the copy ends. Where
    that is much, a copy does `each` so many pieces and another takes its place, while this process only waits.
    """
    # A copy has none of the threads of the first process, whatever they hold.
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
        # What copies have done comes first: it is there already, and takes room.
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
    """Copies of this process, so many at once and so many in all."""

    def __init__(self, send: Callable[[Connection], None], at_once: int, in_all: int) -> None:
        self._send = send
        self._at_once = at_once
        self._left = in_all
        self._open: dict[Connection, ForkProcess] = {}

    def start(self) -> None:
        """Start as many as there can be now."""
        context = ForkContext()
        while self._left and len(self._open) < self._at_once:
            receiver, sender = context.Pipe(duplex=False)
            copy = context.Process(target=self._send, args=(sender,), daemon=True)
            copy.start()
            sender.close()
            self._open[receiver] = copy
            self._left -= 1

    def results(self, patience: float | None) -> Iterator[tuple[int, Any]]:
        """What they made that is there, or comes as long as one waits; others take the place of those that are done."""
        while self._open and (ready := wait([*self._open], patience)):
            for receiver in ready:
                assert isinstance(receiver, Connection)
                try:
                    yield receiver.recv()
                except (EOFError, OSError):  # it is done, or was ended in the middle of a word
                    self._end(receiver)
                    self.start()

    def end(self) -> None:
        """End all that are left."""
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
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # what goes wrong here goes wrong there again
    results: SimpleQueue[tuple[int, Result] | None] = SimpleQueue()
    # While the first process does something else, this one need not wait until somebody takes what it has done.
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
