"""Run work on a worker of a Dask cluster, in a separate program that can be stopped at any time.

This program is like a local process: it has its own memory and only one thread, which the watchdog and forking need.
The program does one task after another, because starting a program takes longer than compiling a small game. The end of
docs/decisions/0026-processes.md says why.
"""

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from socket import gethostname
from typing import Any, NamedTuple

from kismet_build.driver.build_cache import digest_of_digests, file_digests, program_digest, source_paths
from kismet_build.driver.workers import Sources
from kismet_build.model.process import collect_rarely, end_with_parent

SHARE_SECONDS = 5.0
"""Seconds until a change by another machine must be visible in a shared folder; network file systems cache listings."""
LOOK_SECONDS = 1.0
"""Seconds between two checks whether the tree is still there."""


def sources_now(roots: tuple[str, ...]) -> Sources:
    """The files at and below these roots, as this machine sees them."""
    return Sources(roots, digest_of_digests(file_digests(source_paths(roots))))


class Task(NamedTuple):
    """Work for another machine."""

    program: str
    """Digest of the program that gives the work."""
    folder: str
    """Working folder of that program, to which paths are relative."""
    tree: str
    """Folder to which the work writes."""
    sources: Sources
    work: bytes
    """A function, its argument, and the exceptions that it would raise on every machine; pickled."""


class Refused(NamedTuple):
    """Why a worker does not do some work."""

    reason: str
    sees_other_files: bool = False
    """Whether the worker sees other source files. They may have changed since the work was given."""


class Raised(NamedTuple):
    """An exception that the work raised, and would raise on every machine."""

    problem: Exception


class Failed(Exception):
    """The work failed, but may succeed on another machine."""


class _Program:
    def __init__(self) -> None:
        self.connection, its_connection = Pipe()
        descriptor = its_connection.fileno()
        # -P: the working folder may contain files with the names of modules. -m would name this module `__main__`, and
        # this process could not read its classes.
        command = [sys.executable, "-P", "-c", f"from {__name__} import serve; serve({descriptor})"]
        self._process = subprocess.Popen(command, pass_fds=[descriptor], stdin=subprocess.DEVNULL)
        its_connection.close()

    def stop(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.wait()


_idle: list[_Program] = []
"""The programs of this process that wait for a task."""


@contextmanager
def _program() -> Iterator[_Program]:
    """A program for one task, which is kept for the next task unless this one fails."""
    program, is_done = _idle.pop() if _idle else _Program(), False
    try:
        yield program
        is_done = True
    finally:
        if is_done:
            _idle.append(program)
        else:
            program.stop()


def run_task(task: Task) -> bytes:
    """Do a task in a separate program. Returns the pickled result, `Raised` or `Refused`. Raises `Failed`."""
    with _program() as program:
        try:
            program.connection.send(task)
            is_there = False
            while not program.connection.poll(LOOK_SECONDS):
                was_there, is_there = is_there, os.path.isdir(task.tree)
                if was_there and not is_there:
                    raise Failed("the build was interrupted")
            outcome: bytes | str = program.connection.recv()
        except (EOFError, OSError):
            raise Failed("the process that built it was killed") from None
        if isinstance(outcome, str):
            raise Failed(outcome)
    return outcome


def serve(descriptor: int) -> None:
    """Do the tasks that arrive over a connection, until it is closed or the parent process ends."""
    end_with_parent(os.getppid())
    collect_rarely()
    connection = Connection(descriptor)
    while True:
        try:
            task: Task = connection.recv()
        except EOFError:
            return
        connection.send(_outcome(task))


def _outcome(task: Task) -> bytes | str:
    if refusal := _refusal(task):
        return pickle.dumps(refusal._replace(reason=f"the machine {gethostname()} {refusal.reason}"))
    try:
        work: Callable[[Any], Any]
        work, item, raises = pickle.loads(task.work)
        try:
            return pickle.dumps(work(item))
        except raises as problem:
            return pickle.dumps(Raised(problem))
    except OSError as problem:
        return f"{problem.strerror or problem}: {problem.filename}" if problem.filename else str(problem)
    except MemoryError:
        return f"the machine {gethostname()} does not have enough memory"
    except Exception as problem:
        return f"internal error: {problem!r}; please report it"


def _refusal(task: Task) -> Refused | None:
    if program_digest() != task.program:
        advice = "install the same ones on every machine, then start its workers again"
        return Refused(f"has another version of kismet-build, Python or a package: {advice}")
    deadline = time.monotonic() + SHARE_SECONDS
    while refusal := _not_shared(task):
        if time.monotonic() > deadline:
            return refusal
        time.sleep(LOOK_SECONDS)
    return None


def _not_shared(task: Task) -> Refused | None:
    advice = "share the folders of the library and of --out at the same paths on every machine, for example with NFS"
    if not os.path.isdir(task.tree):
        return Refused(f'sees no folder "{task.tree}": {advice}')
    if not os.path.isdir(task.folder):
        return Refused(f'sees no folder "{task.folder}": run the command in a folder that every machine has')
    os.chdir(task.folder)
    if sources_now(task.sources.roots) != task.sources:
        return Refused(f'sees other files in "{task.sources.roots[0]}" than this machine: {advice}', True)
    return None
