"""Source texts and spans, which locate every node, entity and diagnostic."""

import os
import re
from array import array
from bisect import bisect_right
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from errno import EFBIG, EINVAL
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from posixpath import basename, splitext
from stat import S_ISREG
from typing import BinaryIO, NamedTuple

MAX_TEXT_SIZE = 16
"""Default of `max_text_size` in `library.yaml`: the maximum size of a text or data file, in megabytes."""
MEGABYTE = 1_000_000


class _InternedOffsets(dict[int, int]):
    """Returns the same `int` object for equal offsets. Separate objects would take as much memory as the spans."""

    def __missing__(self, offset: int) -> int:
        return self.setdefault(offset, offset)


_OFFSETS = _InternedOffsets()


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of one input file, or a composed text. Sources compare by identity, not by content."""

    path: str
    """Path relative to the folder of the game, with `/`. Diagnostics and the published data use this path."""
    text: str
    """The content, with `\\n` line ends and without a byte order mark."""
    digest: str = ""
    """SHA-256 of the bytes of the file, in hex, or of a composed text in UTF-8; empty for any other text."""
    display_path: str = ""
    """Path for messages, as the user would type it. Defaults to `path`."""
    pieces: "tuple[Piece, ...]" = ()
    """The origin of each part of a composed text, in order and without gaps; empty for the text of a single file."""
    included: frozenset[str] = frozenset()
    """The paths of other files that are parts of this text. Such files need no separate page."""
    is_incomplete: bool = False
    """Whether a file that may have properties of this text could not be included."""
    line_starts: Sequence[int] = field(init=False, repr=False)
    """The offset of the first character of each line."""

    def __post_init__(self) -> None:
        *lengths, _ = [len(line) + 1 for line in self.text.split("\n")]
        object.__setattr__(self, "line_starts", array("I", accumulate(lengths, initial=0)))
        if not self.display_path:
            object.__setattr__(self, "display_path", self.path)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both counted from 1. Columns count code points."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line without its line end. Lines are counted from 1."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        return self.text[start:end]

    def span(self, start: int, end: int) -> "Span":
        """The span from the offset `start` to the offset `end`, which is not included."""
        return tuple.__new__(Span, (self, _OFFSETS[start], _OFFSETS[end]))  # faster than `Span(...)`

    def full_span(self) -> "Span":
        return self.span(0, len(self.text))

    def _piece_at(self, offset: int) -> int:
        return max(0, bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1)

    def _original_range(self, index: int, start: int, end: int) -> tuple[int, int]:
        piece = self.pieces[index]
        following = self.pieces[index + 1].start if index + 1 < len(self.pieces) else len(self.text)
        if following - piece.start != piece.span.end - piece.span.start:
            return piece.span.start, piece.span.end
        shift = piece.span.start - piece.start
        return max(start, piece.start) + shift, min(end, following) + shift


# A named tuple rather than a dataclass, because every node has a span and many dictionaries have spans as keys.
# Creating a tuple takes half the time, and looking it up a quarter: docs/decisions/0003-parser.md.
def _blank(text: str) -> str:
    return re.sub(r"\S", " ", text)


class Span(NamedTuple):
    """A range of a source, with offsets in code points. The end is not included."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def line_range(self) -> tuple[int, int]:
        """The first and the last line of the span, counted from 1."""
        starts = self.source.line_starts
        return bisect_right(starts, self.start), bisect_right(starts, max(self.start, self.end - 1))

    @property
    def original(self) -> "Span":
        """The place in the file that the author edits. The place differs from the span only in a composed text.

        The place of a span over several files is in the first file, up to the last part of that file.
        """
        source = self.source
        if not source.pieces:
            return self
        first = source._piece_at(self.start)
        file = source.pieces[first].span.source
        start, end = source._original_range(first, self.start, self.end)
        for index in range(source._piece_at(max(self.start, self.end - 1)), first, -1):
            if source.pieces[index].span.source is file:
                end = max(end, source._original_range(index, self.start, self.end)[1])
                break
        return file.span(start, end)

    def alone(self) -> "Span":
        """The same place in a copy of the file in which all other words are blank, because they may be private."""
        file, start, end = self.original
        text = "".join((_blank(file.text[:start]), file.text[start:end], _blank(file.text[end:])))
        return Source(file.path, text, display_path=file.display_path).span(start, end)

    def original_parts(self) -> "Iterator[tuple[Span, str]]":
        """The places in files that the parts of the span come from, each with its text in the span."""
        source = self.source
        if not source.pieces:
            yield self, self.text
            return
        for index in range(source._piece_at(self.start), source._piece_at(max(self.start, self.end - 1)) + 1):
            piece = source.pieces[index]
            following = source.pieces[index + 1].start if index + 1 < len(source.pieces) else len(source.text)
            start, end = max(self.start, piece.start), min(self.end, following)
            yield piece.span.source.span(*source._original_range(index, start, end)), source.text[start:end]

    def __reduce__(self) -> tuple[Callable[..., "Span"], tuple[Source, int, int]]:
        """Pickle a span as a call of `Source.span`.

        The call shares equal offsets, which saves 21 % of the memory of documents.
        """
        return Source.span, (self.source, self.start, self.end)

    def __repr__(self) -> str:
        return f"Span({self.source.path!r}, {self.start}, {self.end})"


class Piece(NamedTuple):
    """A part of a composed text."""

    start: int
    """The offset of the piece in the composed text. A piece ends at the start of the next piece."""
    span: Span
    """The span in an original file.

    If its length differs from that of the piece, the piece replaces the entire span.
    """


def open_regular_file(file: str | Path, folder: str | Path | None = None) -> BinaryIO:
    """Open a regular file for reading. Raises `OSError` for anything else.

    If a folder is given, the file must be in this folder and not hidden, after all links are followed: a link in a pull
    request could publish a file from this machine (docs/decisions/0025-output-folder.md). The open file is checked,
    because a pipe or a link may have replaced it after its name was checked.
    """
    with ExitStack() as stack:
        opened = stack.enter_context(open(file, "rb", opener=_open_at_once))
        if not S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError(EINVAL, "this is not a regular file", os.fspath(file))
        if folder is not None and not is_below(_path_of(opened.fileno(), file), os.path.realpath(folder)):
            raise OSError(EINVAL, "this is a link that leads out of the folder", os.fspath(file))
        stack.pop_all()  # The file stays open.
        return opened


def read_regular_file(file: str | Path, folder: str | Path | None = None, max_megabytes: float | None = None) -> bytes:
    """Read a regular file, as in `open_regular_file`. Raises `OSError` for one larger than `max_megabytes`."""
    with open_regular_file(file, folder) as opened:
        if max_megabytes is None:
            return opened.read()
        max_size = int(max_megabytes * MEGABYTE)
        # The size is checked first, because a sparse file of terabytes would exhaust the memory.
        size = os.fstat(opened.fileno()).st_size
        content = opened.read(max_size + 1) if size <= max_size else b""
        if max(size, len(content)) > max_size:
            message = f"this file has {shown_size(size)}, more than the limit of {shown_size(max_size)}"
            raise OSError(EFBIG, message, os.fspath(file))
        return content


def shown_size(size: int) -> str:
    """A number of bytes for people to read, such as `2.125 MB` or `21 kB`."""
    return f"{size / MEGABYTE:,.4g} MB" if size >= MEGABYTE else f"{round(size / 1000)} kB"


def file_stem(path: str) -> str:
    """The name of a file without its suffix."""
    return splitext(basename(path))[0]


def is_below(path: str, folder: str) -> bool:
    """Whether a path is in a folder and not hidden within it. Both paths must be resolved."""
    prefix = os.path.join(folder, "")
    return path.startswith(prefix) and not any(part.startswith(".") for part in path[len(prefix) :].split(os.sep))


def _path_of(descriptor: int, file: str | Path) -> str:
    """The resolved path of an open file. Raises `OSError` if `file` was replaced and the path is unknown."""
    with suppress(OSError):
        return os.readlink(f"/proc/self/fd/{descriptor}")
    path = os.path.realpath(file)
    if not os.path.samestat(os.stat(path), os.fstat(descriptor)):
        raise OSError(EINVAL, "this file was replaced while it was being opened", os.fspath(file))
    return path


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the writer of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_source(
    file: Path, path: str, shown: str, folder: Path | None = None, max_megabytes: float = MAX_TEXT_SIZE
) -> Source:
    """Read a UTF-8 file, which must be in `folder` if one is given. Removes a byte order mark and unifies line ends.

    Raises `UnicodeDecodeError` if the file is not UTF-8, and `OSError` if it cannot be read or is larger than
    `max_megabytes`.
    """
    data = read_regular_file(file, folder, max_megabytes)
    text = data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return Source(path, text, sha256(data).hexdigest(), shown)


SAVE_AS_UTF_8 = "open it in your editor and save it with the encoding UTF-8"
"""Hint for a text file in another encoding."""


def encoding_fault(failure: UnicodeDecodeError, path: str, shown: str) -> tuple[Source, Span, str, str]:
    """Describe the first byte that is not UTF-8: a source with the valid part, the span of the byte, a message and a
    hint.

    `path`, `shown`: the path and the display path of the source.
    """
    data = failure.object  # do not read the file again, as it may have changed
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE):
        source = Source(path, "", display_path=shown)
        return source, source.full_span(), "this file is UTF-16, not UTF-8", SAVE_AS_UTF_8
    before = data[: failure.start].decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    source = Source(path, before + data[failure.start :].decode("utf-8", "replace"), display_path=shown)
    span = source.span(len(before), len(before) + 1)
    byte = data[failure.start]
    message = f"this file is not UTF-8: the byte 0x{byte:02X} cannot be read"
    if b"\0" in data:
        return source, span, message, "this is not a text: change its suffix, or move it out of the folder"
    letter = bytes([byte]).decode("cp1252", "replace")
    meant = f', where it means "{letter}"' if letter.isprintable() and letter != "\ufffd" else ""
    return source, span, message, f"it seems to be saved as Windows-1252 or Latin-1{meant}: {SAVE_AS_UTF_8}"
