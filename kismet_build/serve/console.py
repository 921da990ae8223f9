"""What the terminal shows while a library is served: one line for each rebuild, and new errors in full."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TextIO

from kismet_build.model.diagnostic import Diagnostic, Severity
from kismet_build.serve.rebuilder import Update
from kismet_build.serve.watcher import names_of

NAMED = 3
"""So many changed files are named in a line."""


@dataclass(slots=True)
class Save:
    """What is known of a save until everything is made."""

    files: set[Path] = field(default_factory=set)
    pages: set[str] = field(default_factory=set)
    """New and changed ones that are written already."""
    seconds: float | None = None
    """Until the first of them was written."""

    def take(self, update: Update) -> None:
        """Take note of what was written first."""
        if self.seconds is None and update.pages:
            self.seconds = update.seconds
        self.pages |= {*update.pages}


class Terminal:
    """Keeps what was said, so that no error is said twice."""

    def __init__(self, show: Callable[[Sequence[Diagnostic], TextIO], None]) -> None:
        """Say what there is to say with `show`, which prints diagnostics in full."""
        self._show = show
        self._shown: Counter[tuple[str, ...]] = Counter()
        self._refused: dict[str, str] = {}

    def progress(self, save: Save, update: Update) -> None:
        """Say what a rebuild gave: the new errors, why something is not published now, the line."""
        self.warn(update)
        self.say(_line(save, update))

    def warn(self, update: Update) -> None:
        """Say the new errors, and why something is not published now."""
        errors = [one for one in update.found if one.severity is Severity.ERROR]
        known, self._shown = self._shown, Counter(map(_sign, errors))
        fresh = []
        for one in errors:
            if known[_sign(one)]:
                known[_sign(one)] -= 1
            else:
                fresh.append(one)
        self._show(fresh, sys.stdout)
        before, self._refused = self._refused, _refused(update)
        for game, reason in self._refused.items():
            if before.get(game) != reason:
                self.say(f"{game}{reason}")

    def say(self, words: str) -> None:
        """Say one line, at once."""
        print(words, flush=True)


def _refused(update: Update) -> dict[str, str]:
    """The beginnings and the ends of sentences that say what is not published."""
    if update.problem:
        return {"": update.problem}
    return {f'"{game}" is not published: ': reason for game, reason in sorted(update.unpublished.items())}


def _sign(one: Diagnostic) -> tuple[str, ...]:
    """What makes an error the same as one before; its line does not, as lines move with what is written above."""
    return one.code, one.span.source.path, one.message, one.span.text


def _line(save: Save, update: Update) -> str:
    names = names_of(save.files)
    named = ", ".join(names[:NAMED]) or "all"
    if len(names) > NAMED:
        named += f" and {len(names) - NAMED} more"
    counts = update.counts()
    pages = len(save.pages.union(update.pages))
    told = [counted(pages, "page"), *(counted(counts[one], one) for one in ("error", "warning"))]
    first = "" if save.seconds is None else f"first page {save.seconds:.2f} s, "
    return f"{datetime.now():%H:%M:%S} {named}: {', '.join(told)}, {first}{update.seconds:.2f} s"


def counted(number: int, word: str) -> str:
    """A number with its word: `1 page`, `2 pages`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
