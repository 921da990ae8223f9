"""Share work among copies of this process, on processors that would be idle."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, ForkProcess
from queue import SimpleQueue
from typing import Any, TypeVar

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
    started: list[ForkProcess] = []
    open_: list[Connection] = []
    missing = set(range(count))
    try:
        for _ in range(copies):
            receiver, sender = context.Pipe(duplex=False)
            copy = context.Process(target=_send, args=(work, waiting, sender), daemon=True)
            copy.start()
            sender.close()
            started.append(copy)
            open_.append(receiver)
        # What copies have done comes first: it is there already, and takes room.
        for number in _numbers(waiting):
            missing.remove(number)
            yield number, work(number)
            for other, result in _received(open_, 0):
                missing.remove(other)
                yield other, result
        for other, result in _received(open_, None):
            missing.remove(other)
            yield other, result
        yield from ((number, work(number)) for number in sorted(missing))
    finally:
        os.close(waiting)
        for receiver in open_:
            receiver.close()
        for copy in started:
            copy.kill()
            copy.join()


def _received(open_: list[Connection], patience: float | None) -> Iterator[tuple[int, Any]]:
    """The results that are there, or come as long as one waits; a connection with nothing more to come is closed."""
    while open_ and (ready := wait(open_, patience)):
        for receiver in ready:
            assert isinstance(receiver, Connection)
            try:
                yield receiver.recv()
            except (EOFError, OSError):  # it is done, or was ended in the middle of a word
                receiver.close()
                open_.remove(receiver)


def _numbers(waiting: int) -> Iterator[int]:
    while number := os.read(waiting, WIDTH):
        yield int.from_bytes(number, "big")


def _send(work: Callable[[int], Result], waiting: int, sender: Connection) -> None:
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # what goes wrong here goes wrong there again
    results: SimpleQueue[tuple[int, Result] | None] = SimpleQueue()
    # While the first process does something else, this one need not wait until somebody takes what it has done.
    thread = threading.Thread(target=_pass_on, args=(results, sender), daemon=True)
    thread.start()
    try:
        for number in _numbers(waiting):
            results.put((number, work(number)))
    finally:
        results.put(None)
        thread.join()


def _pass_on(results: "SimpleQueue[Any]", sender: Connection) -> None:
    with suppress(BrokenPipeError):
        while (result := results.get()) is not None:
            sender.send(result)
