"""Terminal output of `kismet serve`: one line for each rebuild, new errors in full, and lines for new warnings."""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO

from kismet_build.model.diagnostic import SHOWN_CONTROLS, Diagnostic, Severity, group_repeats
from kismet_build.serve.served_library import Update
from kismet_build.serve.watcher import changed_names

MAX_NAMED_FILES = 3
"""Maximum number of changed files that a line names. Any others are counted."""
MAX_WARNINGS = 5
"""Maximum number of new warnings printed after a change. Any others are counted."""

PrintDiagnostics = Callable[[Sequence[Diagnostic], TextIO], None]
"""Prints diagnostics in full."""


class Console:
    """Prints only what is new since the last update."""

    def __init__(self, print_diagnostics: PrintDiagnostics) -> None:
        self._print_diagnostics = print_diagnostics
        self._printed: Counter[tuple[str, ...]] = Counter()
        self._unpublished: dict[str, str] = {}
        self._remarks: tuple[str, ...] = ()

    def print_update(self, files: Collection[Path], update: Update) -> None:
        """Print what is new after a compilation, and a summary line."""
        self.print_check(update)
        self.print_line(_summary(files, update))

    def print_check(self, update: Update) -> None:
        """Print new errors in full, new warnings in a line each, games that are no longer published, and remarks."""
        new = self._new_problems(update)
        self._print_diagnostics([problem for problem in new if problem.severity is Severity.ERROR], sys.stdout)
        warnings = group_repeats(problem for problem in new if problem.severity is Severity.WARNING)
        for warning in warnings[:MAX_WARNINGS]:
            self.print_line(_warning_line(warning))
        if (more := len(warnings) - MAX_WARNINGS) > 0:
            self.print_line(f"and {more} more: see the pages, or run kismet check")
        before, self._unpublished = self._unpublished, _unpublished(update)
        for subject, reason in self._unpublished.items():
            if before.get(subject) != reason:
                self.print_line(f"{subject}{reason}")
        printed, self._remarks = self._remarks, tuple(_remarks(update))
        for remark in self._remarks:
            if remark not in printed:
                self.print_line(remark)

    def _new_problems(self, update: Update) -> list[Diagnostic]:
        problems = [diagnostic for diagnostic in update.diagnostics if diagnostic.severity is not Severity.INFO]
        printed, self._printed = self._printed, Counter(map(_identity, problems))
        new = []
        for diagnostic in problems:
            if printed[_identity(diagnostic)]:
                printed[_identity(diagnostic)] -= 1
            else:
                new.append(diagnostic)
        return new

    def print_line(self, line: str) -> None:
        """Print one line, without buffering."""
        print(line.translate(SHOWN_CONTROLS), flush=True)


def _unpublished(update: Update) -> dict[str, str]:
    """The sentences about what is not published, as a map from the beginning of each to its end, the reason."""
    if update.problem:
        return {"": update.problem}
    return {f'"{game}" is not published: ': reason for game, reason in sorted(update.unpublished.items())}


def _warning_line(diagnostic: Diagnostic) -> str:
    line, column = diagnostic.span.source.line_and_column(diagnostic.span.start)
    place = f"{diagnostic.span.source.display_path}:{line}:{column}"
    return f"warning[{diagnostic.code}]: {diagnostic.message} --> {place}"


def _remarks(update: Update) -> Iterator[str]:
    """The lines that a build also prints: what is left out or private, what changed, and advice."""
    for game, left_out in sorted(update.left_out.items()):
        yield f'"{game}" is published without {left_out}'
    yield from update.private
    if sys.stderr.isatty():
        yield from update.doubtful
    for game, changes in sorted(update.changes.items()):
        for of_kind in changes:
            yield f"since the last build: {game + '/' if len(update.changes) > 1 else ''}{of_kind}"
    if update.advice:
        yield update.advice


def _identity(diagnostic: Diagnostic) -> tuple[str, ...]:
    """A key that identifies the same problem in two updates.

    It lacks the line number, which changes with edits above.
    """
    return diagnostic.code, diagnostic.span.source.path, diagnostic.message, diagnostic.span.text


def _summary(files: Collection[Path], update: Update) -> str:
    names = changed_names(files)
    subject = ", ".join(names[:MAX_NAMED_FILES]) or "all"
    if len(names) > MAX_NAMED_FILES:
        subject += f" and {len(names) - MAX_NAMED_FILES} more"
    counts = update.counts()
    found = ", ".join(counted(counts[severity], severity) for severity in ("error", "warning"))
    return f"{datetime.now():%H:%M:%S} {subject}: {found}, {update.seconds:.2f} s"


def counted(number: int, noun: str) -> str:
    """A number and its noun: `1 page`, `2 pages`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
