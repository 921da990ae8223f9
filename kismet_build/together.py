"""Share work among copies of this process, on processors that would be idle."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext
from typing import TypeVar

Result = TypeVar("Result")

WIDTH = 4
"""So many bytes of a pipe hold the number of a piece: a divisor of its pages, so that no number is read in halves."""
MOST = 2**14
"""So many numbers fit into a pipe."""


def together(work: Callable[[int], Result], count: int, jobs: int) -> Iterator[tuple[int, Result]]:
    """Do so many pieces of work in so many processes; the results, which have to be plain data, come in any order.

    Each process takes the first piece that nobody has begun, so the longest should come first. With one job, and where
    a process cannot be copied as it stands, all is done here. So is what a copy failed to do, so that whatever it
    raised is raised here.
    """
    # A copy has none of the threads of the first process, whatever they hold.
    alone = sys.platform != "linux" or threading.active_count() > 1 or count > MOST
    copies = 0 if alone else min(jobs, count) - 1
    if copies < 1:
        yield from ((number, work(number)) for number in range(count))
        return
    waiting, queue = os.pipe()
    os.write(queue, b"".join(number.to_bytes(WIDTH, "big") for number in range(count)))
    os.close(queue)
    context = ForkContext()
    started = []
    missing = set(range(count))
    try:
        for _ in range(copies):
            receiver, sender = context.Pipe(duplex=False)
            copy = context.Process(target=_send, args=(work, waiting, sender), daemon=True)
            copy.start()
            sender.close()
            started.append((copy, receiver))
        for number in _numbers(waiting):
            missing.remove(number)
            yield number, work(number)
        for copy, receiver in started:
            results: list[tuple[int, Result]] = []
            with suppress(EOFError):
                results = receiver.recv()
            copy.join()
            missing.difference_update(number for number, _ in results)
            yield from results
        yield from ((number, work(number)) for number in sorted(missing))
    finally:
        os.close(waiting)
        for copy, receiver in started:
            copy.kill()
            receiver.close()


def _numbers(waiting: int) -> Iterator[int]:
    while number := os.read(waiting, WIDTH):
        yield int.from_bytes(number, "big")


def _send(work: Callable[[int], Result], waiting: int, sender: Connection) -> None:
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # what goes wrong here goes wrong there again
    sender.send([(number, work(number)) for number in _numbers(waiting)])
