"""The progress bar of a build."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from kismet_build.output.tree import Progress, no_progress

DELAY = 0.5
"""Seconds until the bar appears; short builds do not show it."""
INTERVAL = 0.1
"""Seconds between two updates of the bar."""


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """A progress function that draws a bar on stderr; does nothing if `quiet` is set or stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield no_progress
        return
    # Imported here: most builds do not show a bar.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"))
    # No auto-refresh: it starts a thread, and a process with threads cannot fork workers.
    bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    task = bar.add_task("", count="", total=None)
    next_update = monotonic() + DELAY

    def report(step: str, done: int, total: int) -> None:
        nonlocal next_update
        if monotonic() > next_update:
            next_update = monotonic() + INTERVAL
            count = f"{done} of {total}" if total else ""
            bar.start()
            bar.update(task, description=step, completed=done, total=total or None, count=count, refresh=True)

    try:
        yield report
    finally:
        bar.stop()
