"""What the terminal shows while a library is served: one line for each rebuild, and new errors in full."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TextIO

from kismet_build.diagnostic import Diagnostic, Severity
from kismet_build.serve.workshop import Update

NAMED = 3
"""So many changed files are named in a line."""


class Terminal:
    """Keeps what was said, so that no error is said twice."""

    def __init__(self, show: Callable[[Sequence[Diagnostic], TextIO], None]) -> None:
        """Say what there is to say with `show`, which prints diagnostics in full."""
        self._show = show
        self._shown: Counter[tuple[str, ...]] = Counter()
        self._refused: dict[str, str] = {}

    def tell(self, changed: Sequence[str], update: Update) -> None:
        """Say what a rebuild gave: the new errors, why something is not published now, the line."""
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
        self.say(_line(changed, update))

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


def _line(changed: Sequence[str], update: Update) -> str:
    names = ", ".join(changed[:NAMED]) or "all"
    if len(changed) > NAMED:
        names += f" and {len(changed) - NAMED} more"
    counts = update.counts()
    told = [counted(len(update.pages), "page"), *(counted(counts[one], one) for one in ("error", "warning"))]
    return f"{datetime.now():%H:%M:%S} {names}: {', '.join(told)}, {update.seconds:.2f} s"


def counted(number: int, word: str) -> str:
    """A number with its word: `1 page`, `2 pages`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
