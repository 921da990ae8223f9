"""Show how far a build is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from kismet_build.output.tree import Progress, no_progress

MOMENT, BLINK = 0.5, 0.1
"""Seconds that a person waits without being told for what, and until the next word."""


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Show how far a build is, to a person at a terminal who waits for more than a moment."""
    if quiet or not sys.stderr.isatty():
        yield no_progress
        return
    # Loaded only for those who look.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
    # It draws only when it is told to: a thread of its own would keep the work from being shared among processes.
    shown = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    task = shown.add_task("", told="", total=None)
    next_time = monotonic() + MOMENT

    def progress(what: str, done: int, of: int) -> None:
        nonlocal next_time
        if monotonic() > next_time:
            next_time = monotonic() + BLINK
            told = f"{done} of {of}" if of else ""
            shown.start()
            shown.update(task, description=what, completed=done, total=of or None, told=told, refresh=True)

    try:
        yield progress
    finally:
        shown.stop()
