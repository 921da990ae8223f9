"""Run commands, and find out what they cost: time, processors and memory."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from typing import IO

ROOT = Path(__file__).parent.parent
SEEN_EVERY = 0.02
"""Seconds between two looks at how much memory is used."""
AS_INSTALLED = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPATH": str(ROOT),
}
"""Python keeps what it compiled, as it does of everything that is installed."""


class FailedError(Exception):
    """A program that did not do what it was asked to; its words say what it said."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of a command took."""

    seconds: float
    processor: float
    """Seconds of processors, of all its processes."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The most memory that the processes of a command used, in bytes."""

    together: int
    """At one moment, with what processes share counted once; as often as it was looked at."""
    bound: int
    """The most at one moment where each process counts with its own peak until then, shared or not."""


@contextmanager
def running(command: Sequence[str], project: Path) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """A command while it runs, and what it says; what is left of it at the end is stopped.

    It has a session of its own, by which its processes can be told from others.
    """
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env=AS_INSTALLED,
            start_new_session=True,
        )
        try:
            yield process, said
        finally:
            if process.returncode is None:
                stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a program as its user would, and what is left of its session at once."""
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(10)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def cost_of(command: Sequence[str], project: Path) -> Cost:
    """Run a command to its end. Raises `FailedError`."""
    # What is still to be written of the last command is not to be paid by this one.
    os.sync()
    start = perf_counter()
    with running(command, project) as (process, said):
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - start
        refuse_failed(process, status, said)
    return Cost(seconds, usage.ru_utime + usage.ru_stime)


def refuse_failed(process: subprocess.Popen[bytes], status: int, said: IO[bytes]) -> None:
    """Take down how a process ended. Raises `FailedError` with the last line that it said, if it did not end well."""
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").strip().splitlines()
        raise FailedError(f"status {process.returncode}: {lines[-1] if lines else 'it said nothing'}")


def memory_of(command: Sequence[str], project: Path) -> Memory:
    """Run a command to its end and watch the memory of all its processes; looking costs time, which is not counted."""
    together = bound = 0
    with running(command, project) as (process, said):
        while (done := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            now = peaks = 0
            for pid in processes_of(process.pid):
                with suppress(OSError):
                    now += kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss")
                    peaks += kilobytes(Path(f"/proc/{pid}/status"), "VmHWM")
            together, bound = max(together, now), max(bound, peaks)
            sleep(SEEN_EVERY)
        refuse_failed(process, done[1], said)
    if not together:
        # Without /proc: the largest process, which the system knows of; there it is in bytes or kilobytes.
        largest = done[2].ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return Memory(largest, largest)
    # The system counts in batches, so that a peak may look smaller than what was seen a moment before.
    return Memory(together * 1024, max(together, bound) * 1024)


def processes_of(session: int) -> Iterator[int]:
    """The processes of a session; none where the system has no /proc."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # After the name, which may hold anything: state, parent, group, session.
            if int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[3]) == session:
                yield int(folder.name)


def kilobytes(file: Path, name: str) -> int:
    """A number of a file of /proc; 0 where it has none."""
    found = re.search(rf"^{name}:\s+(\d+) kB", file.read_text(), re.MULTILINE)
    return int(found[1]) if found else 0
