"""A text with a name, and the places in it."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple


class _Offsets(dict[int, int]):
    """Each number as one object: a number of its own at every end of every span takes as much room as the spans."""

    def __missing__(self, offset: int) -> int:
        return self.setdefault(offset, offset)


OFFSETS = _Offsets()


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One text that an author wrote; two sources are equal only when they are the same object."""

    path: str
    """What people are shown and packs record: relative to the folder of its game, with `/`."""
    text: str
    """Line ends are `\\n` and there is no byte order mark, so offsets count what an editor shows."""
    digest: str = ""
    """SHA-256 of the bytes as they stand in the file, in hex."""
    shown: str = ""
    """The path as a person at the terminal would type it; `path` where that is all there is."""
    line_starts: Sequence[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        *lengths, _ = [len(line) + 1 for line in self.text.split("\n")]
        object.__setattr__(self, "line_starts", array("I", accumulate(lengths, initial=0)))
        if not self.shown:
            object.__setattr__(self, "shown", self.path)

    def __reduce__(self) -> tuple[type["Source"], tuple[str, str, str, str]]:
        """Pickled without what is found out again sooner than read."""
        return Source, (self.path, self.text, self.digest, self.shown)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both from 1; columns count code points."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (from 1) without its line end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        return self.text[start:end]

    def span(self, start: int, end: int) -> "Span":
        """The part of this text from one offset up to another."""
        return tuple.__new__(Span, (self, OFFSETS[start], OFFSETS[end]))  # what Span does, one call sooner

    def whole(self) -> "Span":
        """The span of the whole text."""
        return self.span(0, len(self.text))


# A tuple, not a dataclass: every node has one and tables are kept by them, and a tuple is made in half the time
# and looked up in a quarter of it.
class Span(NamedTuple):
    """A part of a source: offsets in code points, the end not included."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """What stands there."""
        return self.source.text[self.start : self.end]

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line that the span touches, from 1."""
        starts = self.source.line_starts
        return bisect_right(starts, self.start), bisect_right(starts, max(self.start, self.end - 1))

    def __repr__(self) -> str:
        return f"Span({self.source.path!r}, {self.start}, {self.end})"


def read_source(file: Path, path: str, shown: str) -> Source:
    """Read a file as UTF-8, dropping a byte order mark and carriage returns.

    Raises `UnicodeDecodeError` when it is not UTF-8 and `OSError` when it cannot be read.
    """
    data = file.read_bytes()
    text = data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return Source(path, text, sha256(data).hexdigest(), shown)
