"""Run work on the workers of a Dask cluster (https://distributed.dask.org).

The work is the function that a local process would call. `worker.py` runs it on the other machine.
"""

import errno
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from kismet_build.config.data_file import UsageError
from kismet_build.driver.build_cache import program_digest
from kismet_build.driver.workers import NO_SOURCES, Lost, Sources
from kismet_build.extensions.cluster.worker import Failed, Raised, Refused, Task, run_task, sources_now
from kismet_build.model.extras import missing_packages

Item = TypeVar("Item")
Result = TypeVar("Result")

CONNECT_SECONDS = 20
"""Seconds to wait for the scheduler, and then for its first worker."""
SECONDS_WITHOUT_WORKERS = 60
"""Seconds that a build waits for another worker after the last one has ended."""
TASKS_PER_THREAD = 2
"""Number of tasks sent to each thread of the workers: one that runs, and one that follows at once.

The scheduler keeps its tasks in memory, so a library is not sent all at once.
"""
LOGGERS = ("distributed", "distributed.client", "tornado.application")
"""Loggers of Dask and its server that have levels of their own."""
LOOK_SECONDS = 5
"""Seconds between two checks whether there are workers, while no task ends."""


class Cluster:
    """A connection to a Dask scheduler, whose address is trusted like code: see SECURITY.md."""

    def __init__(self, address: str) -> None:
        """Connect to the scheduler. Raises `UsageError` if it does not answer or has no worker."""
        if not address:  # for example from a shell variable that is not set
            raise UsageError("argument --dask: the address is empty")
        if missing := missing_packages("dask"):
            raise UsageError(missing)
        # Dask logs every lost connection with a traceback, but this program reports what matters. Dask reads this
        # setting at import.
        import_module("dask").config.set({"logging": dict.fromkeys(LOGGERS, "critical")})
        distributed: Any = import_module("distributed")
        self._dask, self._address = distributed, address
        try:
            self._client = distributed.Client(address, timeout=CONNECT_SECONDS)
        except Exception as problem:  # such as TypeError for an address with tls: without certificates
            raise UsageError(f"no Dask scheduler answers at {address}: {_first_line(problem)}") from None
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError:
            self.close()
            raise UsageError(f"the Dask scheduler at {address} has no workers: start some with dask worker") from None

    def run(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        tree: Path,
        sources: Callable[[Item], Sources] = lambda _: NO_SOURCES,
        raises: tuple[type[Exception], ...] = (),
    ) -> Iterator[tuple[Item, Result | Lost]]:
        """Do what `Workers.run` says."""
        dumps = import_module("cloudpickle").dumps
        waiting = [(item, sources(item)) for item in reversed(items)]
        running: dict[Any, tuple[Item, Sources]] = {}
        try:
            while waiting or running:
                limit = TASKS_PER_THREAD * max(1, self._threads())
                while waiting and len(running) < limit:
                    item, sent = waiting.pop()
                    content = dumps((work, item, raises))
                    task = Task(program_digest(), os.getcwd(), str(tree), sent, content)
                    running[self._client.submit(run_task, task, pure=False, retries=1)] = item, sent
                for future in self._ended(running):
                    item, sent = running.pop(future)
                    result = self._result(future)
                    if isinstance(result, Refused):
                        now = sources_now(sent.roots)
                        if not result.sees_other_files or now == sent:
                            raise UsageError(result.reason)
                        if sent == sources(item):
                            waiting.append((item, now))
                            continue
                        result = Lost("its files change again and again")
                    yield item, result
        finally:
            with suppress(Exception):
                self._client.cancel([*running], force=True)

    def close(self) -> None:
        with suppress(Exception):
            self._client.close(timeout=1)

    def _threads(self) -> int:
        try:
            return sum(self._client.ncores().values())
        except OSError:
            raise self._stopped() from None

    def _ended(self, running: dict[Any, Item]) -> list[Any]:
        deadline = time.monotonic() + SECONDS_WITHOUT_WORKERS
        while True:
            with suppress(TimeoutError):
                try:
                    return [*self._dask.wait([*running], timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done]
                except CancelledError:  # because the scheduler ended
                    raise self._stopped() from None
            if self._threads():
                deadline = time.monotonic() + SECONDS_WITHOUT_WORKERS
            elif time.monotonic() > deadline:
                raise OSError(errno.ECONNABORTED, f"the Dask scheduler at {self._address} has no workers any more")

    def _result(self, future: Any) -> Any:
        if future.status == "finished":
            try:
                content = future.result()
            except (OSError, CancelledError):
                raise self._stopped() from None
            outcome = pickle.loads(content)
            if isinstance(outcome, Raised):
                raise outcome.problem
            return outcome
        if future.status != "error":  # cancelled or lost, because the scheduler ended
            raise self._stopped()
        problem = future.exception()
        if isinstance(problem, self._dask.KilledWorker):
            return Lost("each worker that built it ended")
        return Lost(str(problem) if isinstance(problem, Failed) else _first_line(problem))

    def _stopped(self) -> OSError:
        return OSError(errno.ECONNABORTED, f"the Dask scheduler at {self._address} stopped answering")


def _first_line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0]
