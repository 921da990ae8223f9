"""Measure builds: seconds from nothing, with nothing changed and after an edit, seconds while serving, and memory.
docs/decisions/0034-measuring.md says why runs alternate, and why no test asserts seconds.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from time import perf_counter, sleep
from typing import IO
from urllib.request import urlopen

import psutil

from benchmarks.programs import Program, free_port

SERVED_EDITS = 7
"""Number of edits measured while a program serves."""
WARM_UP_EDITS = 7
"""Number of edits until the server must notice one. The time limit doubles with each edit."""
SERVE_TIMEOUT = 600.0
"""Seconds until a server that has not shown a page counts as failed."""
MEMORY_INTERVAL = 0.02
"""Seconds between two samples of memory."""
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of measured programs. Python may cache bytecode in it, as it does for installed packages."""

FRESH, UNCHANGED, EDITED = "from nothing", "nothing changed", "one edit"
SERVED, MEMORY, PAGES = "saved to page, serving", "memory (MB)", "HTML pages"

Samples = dict[str, dict[str, list[float]]]
"""Measured values by program and measure. The samples of one round have the same index."""


class ProgramError(Exception):
    """A measured program failed; the message has the last line of its output."""


class PageTimeoutError(ProgramError):
    """A server did not show a page in time."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one text that appears on one page."""

    text: str
    """Path of the text in the project."""
    page: str
    """Path of the page in the built tree."""
    addition: Callable[[int], str]
    """Markup appended to the text; it renders the words of `marker` with the same number."""


def marker(number: int) -> str:
    """Words that an edit adds to its page."""
    return f"Edit number{number}."


@contextmanager
def edited(project: Path, edit: Edit) -> Iterator[Callable[[int], None]]:
    """Yield a function that applies an edit by number; restore the text at the end."""
    file = project / edit.text
    original = file.read_text(encoding="utf-8")
    try:
        yield lambda number: _overwrite(file, original.rstrip() + edit.addition(number) + "\n")
    finally:
        _overwrite(file, original)


def _overwrite(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="\n")


def note(message: str) -> None:
    """Print a message about the progress."""
    print(message, file=sys.stderr, flush=True)


def measure(programs: Sequence[tuple[Program, Path, Edit | None]], rounds: int) -> Samples:
    """Measure each program with its project and edit; without an edit, only builds from nothing.

    A peer that fails is not measured further. Raises `ProgramError` if kismet fails. Programs alternate in every round,
    so a change of the machine's speed affects all of them. Each build from nothing has a new output folder, and nothing
    is deleted, because some file systems create files slowly after many were deleted.
    """
    samples: Samples = {program.name: defaultdict(list) for program, _, _ in programs}
    failed: set[str] = set()
    for measure_step in (*[_measure_builds] * rounds, _measure_memory, _measure_serving):
        for program, project, edit in programs:
            if program.name in failed:
                continue
            note(f"{program.name}: {measure_step.__name__.strip('_').replace('_', ' ')}")
            try:
                measure_step(samples[program.name], program, project, edit)
            except (ProgramError, OSError) as error:
                if program.peer_project is None:
                    raise
                failed.add(program.name)
                note(f"{program.name} failed: {error}")
    return samples


def _measure_builds(found: dict[str, list[float]], program: Program, project: Path, edit: Edit | None) -> None:
    out = project / f"out-{len(found[FRESH])}"
    command = program.build(project, out)
    found[FRESH].append(seconds(command, project))
    if edit is None:
        return
    found[UNCHANGED].append(seconds(command, project))
    with edited(project, edit) as apply:
        apply(0)
        found[EDITED].append(seconds(command, project))
        if not _contains(out / edit.page, marker(0)):
            raise ProgramError(f"the edit is missing on {edit.page}")
    found[PAGES] = [sum(1 for _ in out.rglob("*.html"))]


def _measure_memory(found: dict[str, list[float]], program: Program, project: Path, edit: Edit | None) -> None:
    if edit:
        found[MEMORY].append(peak_memory(program.build(project, project / "out-memory"), project) / 1e6)


def _measure_serving(found: dict[str, list[float]], program: Program, project: Path, edit: Edit | None) -> None:
    if program.serve is None or edit is None:
        return
    out, port = project / "out-serve", free_port()
    page = out / edit.page if program.writes_served_pages else f"http://127.0.0.1:{port}/{edit.page}"
    with running(program.serve(out, port), project) as (process, _), edited(project, edit) as apply:
        wait_for(page, "</html>", process, SERVE_TIMEOUT)
        # The server may show its pages before it watches the texts: repeat the first edit until it is seen.
        for attempt in range(WARM_UP_EDITS):
            apply(SERVED_EDITS + attempt)
            with suppress(PageTimeoutError):
                wait_for(page, marker(SERVED_EDITS + attempt), process, 5.0 * 2**attempt)
                break
        for number in range(SERVED_EDITS):
            # Let the rest of the previous rebuild end.
            sleep(max(1.0, 2 * max(found[SERVED], default=0.0)))
            start = perf_counter()
            apply(number)
            wait_for(page, marker(number), process, SERVE_TIMEOUT)
            found[SERVED].append(perf_counter() - start)


def wait_for(page: Path | str, words: str, process: subprocess.Popen[bytes], timeout: float) -> None:
    """Poll a page (a file or a URL) every millisecond until it contains `words`. Raises `ProgramError`."""
    end = perf_counter() + timeout
    while not _contains(page, words):
        if process.poll() is not None:
            raise ProgramError(f"the server ended with status {process.returncode}")
        if perf_counter() > end:
            raise PageTimeoutError(f"the server did not show {words!r} on {page} in {timeout:.0f} seconds")
        sleep(0.001)


def _contains(page: Path | str, words: str) -> bool:
    with suppress(OSError, HTTPException):
        if isinstance(page, Path):
            return words.encode() in page.read_bytes()
        with urlopen(page) as answer:
            return words.encode() in answer.read()
    return False


def seconds(command: Sequence[str], project: Path) -> float:
    """Seconds that a command takes. Raises `ProgramError`."""
    # Pending writes of the previous command must not slow this one.
    os.sync()
    start = perf_counter()
    with running(command, project) as (process, output):
        process.wait()
        elapsed = perf_counter() - start
        _check_status(process, output)
    return elapsed


def peak_memory(command: Sequence[str], project: Path) -> int:
    """The most bytes that a command and its child processes use at once.

    Raises `ProgramError`. On Linux, memory that processes share counts once. Sampling slows the command.
    """
    peak = 0
    with running(command, project) as (process, output):
        root = psutil.Process(process.pid)
        while process.poll() is None:
            with suppress(psutil.Error):
                peak = max(peak, sum(map(_memory, (root, *root.children(recursive=True)))))
            sleep(MEMORY_INTERVAL)
        _check_status(process, output)
    return peak


def _memory(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        memory = process.memory_full_info()
        return int(getattr(memory, "pss", memory.uss))
    return 0


@contextmanager
def running(command: Sequence[str], project: Path) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start a command in a new session; yield the process and its output, and stop the session at the end."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        try:
            yield process, output
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(10)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _check_status(process: subprocess.Popen[bytes], output: IO[bytes]) -> None:
    if process.returncode:
        output.seek(0)
        lines = output.read().decode("utf-8", "replace").strip().splitlines() or ["no output"]
        raise ProgramError(f"status {process.returncode}: {lines[-1]}")
