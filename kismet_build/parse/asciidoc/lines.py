"""Lines of a text, and words put together from them that still know where they were typed."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kismet_build.model.source import Source, Span

UNREADABLE = str.maketrans({"\0": "\ufffd", "\r": " "})
"""What no writer means; each becomes one character, so that places stay."""


SPACE = " \t\f\v"
"""White space in a line; odd spaces are words of the author's."""


class Line(NamedTuple):
    """One line, or what a cell holds of it."""

    text: str
    """Without white space at its end."""
    start: int
    """Its offset in the source."""
    skips: tuple[int, ...] = ()
    """Before which characters one was left out: the backslash before a bar in a table."""

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.start + len(self.text) + len(self.skips)

    @property
    def indent(self) -> int:
        """How much white space stands before its words."""
        return len(self.text) - len(self.text.lstrip(SPACE))

    @property
    def first(self) -> int:
        """The offset of its first word."""
        return self.cut(self.indent).start

    def cut(self, count: int) -> "Line":
        """The line without its first characters."""
        if not count:
            return self
        if not self.skips:
            return Line(self.text[count:], self.start + count)
        passed = sum(1 for skip in self.skips if skip <= count)
        return Line(self.text[count:], self.start + count + passed, tuple(skip - count for skip in self.skips[passed:]))


def lines_of(source: Source) -> list[Line]:
    """Every line of a text."""
    starts = source.line_starts
    texts = source.text.translate(UNREADABLE).split("\n")
    return [Line(text.rstrip(SPACE), start) for text, start in zip(texts, starts, strict=True)]


class Cursor:
    """Some of the lines of a text, and how far they are read."""

    __slots__ = ("at", "end", "lines")

    def __init__(self, lines: Sequence[Line], at: int, end: int) -> None:
        self.lines = lines
        self.at = at
        self.end = end

    @property
    def text(self) -> str | None:
        """The line that comes next, or `None` at the end."""
        return self.lines[self.at].text if self.at < self.end else None

    def line(self) -> Line:
        """The line that comes next, which is passed over."""
        self.at += 1
        return self.lines[self.at - 1]

    def skip_blank(self) -> int:
        """Pass over blank lines; how many there were."""
        first = self.at
        while self.at < self.end and not self.lines[self.at].text:
            self.at += 1
        return self.at - first

    def part(self, first: int, end: int) -> "Cursor":
        """Some of the same lines, from one place up to another."""
        return Cursor(self.lines, first, end)

    def find(self, text: str) -> int:
        """The place of the next line that reads exactly so, or the end."""
        for place in range(self.at, self.end):
            if self.lines[place].text == text:
                return place
        return self.end


class Run(NamedTuple):
    """A part of some words that was typed in one piece, or that stands for something typed."""

    at: int
    """Where it begins in the words."""
    place: int
    """Where it begins in the source."""
    size: int | None = None
    """How much of the source it stands for, where it was not typed as it is read."""


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """Words, and where each character of them was typed."""

    source: Source
    text: str
    runs: tuple[Run, ...]

    def before(self, index: int) -> int:
        """The offset in the source of a character."""
        run = self._run(index)
        return run.place + index - run.at if run.size is None else run.place

    def after(self, index: int) -> int:
        """The offset in the source behind the character that comes before an index."""
        run = self._run(index - 1) if index else self.runs[0]
        return run.place + index - run.at if run.size is None else run.place + run.size

    def span(self, start: int, end: int) -> Span:
        """The place of some of the words."""
        first = self.before(start)
        return self.source.span(first, max(first, self.after(end)) if end > start else first)

    def _run(self, index: int) -> Run:
        if len(self.runs) == 1:
            return self.runs[0]
        return self.runs[bisect_right(self.runs, index, key=lambda run: run.at) - 1]


def passage(source: Source, lines: Sequence[Line]) -> Passage:
    """Some lines as words, with a line feed between two."""
    runs = [Run(0, lines[0].start if lines else 0)]
    at = 0
    for number, line in enumerate(lines):
        last = runs[-1]
        if number and line.start - last.place != at - last.at:
            runs.append(Run(at, line.start))
        for passed, skip in enumerate(line.skips, 1):
            runs.append(Run(at + skip, line.start + skip + passed))
        at += len(line.text) + 1
    return Passage(source, "\n".join(line.text for line in lines), tuple(runs))
