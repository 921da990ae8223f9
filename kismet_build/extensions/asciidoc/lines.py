"""Lines of a text, and text that is joined from lines and mapped to its source."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kismet_build.model.source import Source, Span

REPLACEMENTS = str.maketrans({"\0": "\ufffd", "\r": " "})
"""Replacements for control characters. Each is one character long, to preserve offsets."""

SPACE = " \t\f\v"
"""White space within a line. Unusual Unicode spaces count as text."""


class Line(NamedTuple):
    """A line, or the part of a line that is in a table cell."""

    text: str
    """The text of the line, without white space at the end."""
    start: int
    """The offset of the line in the source."""
    skipped: tuple[int, ...] = ()
    """Positions in `text` before which a source character was removed, such as the backslash of an escaped bar."""

    @property
    def end(self) -> int:
        return self.start + len(self.text) + len(self.skipped)

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(SPACE))

    @property
    def text_start(self) -> int:
        """The offset of the first character of the line that is not white space."""
        return self.without_prefix(self.indent).start

    def without_prefix(self, count: int) -> "Line":
        if not count:
            return self
        if not self.skipped:
            return Line(self.text[count:], self.start + count)
        dropped = sum(1 for position in self.skipped if position <= count)
        skipped = tuple(position - count for position in self.skipped[dropped:])
        return Line(self.text[count:], self.start + count + dropped, skipped)


def lines_of(source: Source) -> list[Line]:
    """All lines of a text."""
    starts = source.line_starts
    texts = source.text.translate(REPLACEMENTS).split("\n")
    return [Line(text.rstrip(SPACE), start) for text, start in zip(texts, starts, strict=True)]


class Cursor:
    """A position in a range of lines, which moves as lines are read."""

    __slots__ = ("end", "lines", "position")

    def __init__(self, lines: Sequence[Line], position: int, end: int) -> None:
        self.lines = lines
        self.position = position
        self.end = end

    @property
    def text(self) -> str | None:
        """The text of the next line; `None` at the end."""
        return self.lines[self.position].text if self.position < self.end else None

    def next_line(self) -> Line:
        self.position += 1
        return self.lines[self.position - 1]

    def skip_blank(self) -> int:
        """Consume blank lines. Returns the number of blank lines."""
        first = self.position
        while self.position < self.end and not self.lines[self.position].text:
            self.position += 1
        return self.position - first

    def slice(self, first: int, end: int) -> "Cursor":
        return Cursor(self.lines, first, end)

    def find(self, text: str) -> int:
        """The number of the next line with exactly this text, or `end` if there is none."""
        for number in range(self.position, self.end):
            if self.lines[number].text == text:
                return number
        return self.end


class Segment(NamedTuple):
    """A contiguous part of a mapped text: copied from the source, or a replacement for source text."""

    position: int
    """The start of the segment in the mapped text."""
    offset: int
    """The start of the segment in the source."""
    source_length: int | None = None
    """Number of source characters that the segment replaces; `None` if it is copied."""


@dataclass(frozen=True, slots=True, eq=False)
class MappedText:
    """A text, with the place in the source that each character comes from."""

    source: Source
    text: str
    segments: tuple[Segment, ...]

    def start_offset(self, position: int) -> int:
        """The offset in the source where the character at this position starts."""
        segment = self._segment(position)
        return segment.offset + position - segment.position if segment.source_length is None else segment.offset

    def end_offset(self, position: int) -> int:
        """The offset in the source where the character before this position ends."""
        segment = self._segment(position - 1) if position else self.segments[0]
        if segment.source_length is None:
            return segment.offset + position - segment.position
        return segment.offset + segment.source_length

    def span(self, start: int, end: int) -> Span:
        first = self.start_offset(start)
        return self.source.span(first, max(first, self.end_offset(end)) if end > start else first)

    def _segment(self, position: int) -> Segment:
        if len(self.segments) == 1:
            return self.segments[0]
        return self.segments[bisect_right(self.segments, position, key=lambda segment: segment.position) - 1]


def joined(source: Source, lines: Sequence[Line]) -> MappedText:
    """Join lines by line feeds."""
    segments = [Segment(0, lines[0].start if lines else 0)]
    position = 0
    for number, line in enumerate(lines):
        last = segments[-1]
        if number and line.start - last.offset != position - last.position:
            segments.append(Segment(position, line.start))
        for count, skipped in enumerate(line.skipped, 1):
            segments.append(Segment(position + skipped, line.start + skipped + count))
        position += len(line.text) + 1
    return MappedText(source, "\n".join(line.text for line in lines), tuple(segments))
