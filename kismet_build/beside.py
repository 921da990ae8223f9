"""Do a part of some work in a copy of this process, on a processor that would be idle."""

import os
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext
from typing import TypeVar

Result = TypeVar("Result")


def beside(work: Callable[[], Result], jobs: int) -> Callable[[], Result]:
    """Start some work; the function that is returned waits for its result, which has to be plain data.

    With one job, on one processor, or where a process cannot be copied as it stands, the work is done when it is asked
    for. So it is when the copy fails, so that whatever it raised is raised here.
    """
    # A copy has none of the threads of the first process, whatever they hold.
    if jobs < 2 or sys.platform != "linux" or threading.active_count() > 1:
        return work
    context = ForkContext()
    receiver, sender = context.Pipe(duplex=False)
    copy = context.Process(target=_send, args=(work, sender), daemon=True)
    copy.start()
    sender.close()

    def wait() -> Result:
        try:
            result: Result = receiver.recv()
        except EOFError:
            return work()
        finally:
            receiver.close()
        copy.join()
        return result

    return wait


def _send(work: Callable[[], Result], sender: Connection) -> None:
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # what goes wrong here goes wrong there again
    sender.send(work())
