"""Where the cells of one line of a table stand."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED

from kismet_build.parse.markdown.state import Content

DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
"""The line of dashes below a header."""


class Part(NamedTuple):
    """A cell as it stands in its line, its padding left out."""

    start: int
    end: int
    joined: int = -1
    """The offset of a bar inside a link that should have been escaped; -1 for none."""


def parts(text: str, start: int, end: int, with_links: bool) -> list[Part]:
    """The cells between two offsets of a text; bars inside the brackets of a link do not count with `with_links`."""
    while start < end and text[start] in TRIMMED:
        start += 1
    while end > start and text[end - 1] in TRIMMED:
        end -= 1
    if start < end and text[start] == "|":
        start += 1
        if start == end:
            return []
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    return list(_split(text, start, end, with_links))


def _split(text: str, start: int, end: int, with_links: bool) -> Iterator[Part]:
    first, joined, at = start, -1, start
    with_links = with_links and text.find("[[", start, end) >= 0
    while at < end:
        if with_links and text.startswith("[[", at):
            closed = text.find("]]", at, end)
            with_links = closed > 0
            inside = text[at + 2 : closed] if with_links else "[["
            if "[[" not in inside:
                bar = re.search(r"(?<!\\)\|", inside)
                joined = at + 2 + bar.start() if bar and joined < 0 else joined
                at = closed
                continue
        if text[at] == "|" and text[at - 1] != "\\":
            yield _trimmed(text, first, at, joined)
            first, joined = at + 1, -1
        at += 1
        if not with_links and (at := text.find("|", at, end)) < 0:
            break
    yield _trimmed(text, first, end, joined)


def _trimmed(text: str, start: int, end: int, joined: int) -> Part:
    while start < end and text[start] in TRIMMED:
        start += 1
    while end > start and text[end - 1] in TRIMMED:
        end -= 1
    return Part(start, end, joined)


def is_dashes(text: str) -> bool:
    """Whether a line amid rows is one of dashes: three at least, for one is what people put where nothing is."""
    return text.startswith("|") and "---" in text and not text.strip("|-: \t")


def alignments(text: str) -> list[str]:
    """The side of each column that a line of dashes asks for."""
    dashes = [column.strip() for column in text.strip().strip("|").split("|")]
    return [{"::": "center", ":-": "left", "-:": "right"}.get(one[:1] + one[-1:], "") for one in dashes]


def content(text: str, part: Part) -> Content:
    """The words of a cell, with the bars that are escaped in it."""
    if text.find("\\|", part.start, part.end) < 0:
        return Content(text[part.start : part.end], ((0, part.start),))
    pieces: list[tuple[int, int]] = [(0, part.start)]
    words: list[str] = []
    at, length = part.start, 0
    while (bar := text.find("\\|", at, part.end)) >= 0:
        words.append(text[at:bar])
        length += bar - at
        at = bar + 1
        pieces.append((length, at))
    words.append(text[at : part.end])
    return Content("".join(words), tuple(pieces))
