"""Split a table line into cells."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED

from kismet_build.parse.markdown.state import MappedText

DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
"""The delimiter row below a header."""


class CellRange(NamedTuple):
    """The offsets of a cell in the source, without padding."""

    start: int
    end: int
    link_bar: int = -1
    """The offset of an unescaped bar inside a wikilink, or -1."""


def split_cells(text: str, start: int, end: int, skip_wiki_links: bool) -> list[CellRange]:
    """Split the range of a line into cells. `skip_wiki_links`: bars inside wikilinks do not divide cells."""
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
    return list(_split(text, start, end, skip_wiki_links))


def _split(text: str, start: int, end: int, skip_wiki_links: bool) -> Iterator[CellRange]:
    cell_start, link_bar, position = start, -1, start
    skip_wiki_links = skip_wiki_links and text.find("[[", start, end) >= 0
    while position < end:
        if skip_wiki_links and text.startswith("[[", position):
            closed = text.find("]]", position, end)
            skip_wiki_links = closed > 0
            inside = text[position + 2 : closed] if skip_wiki_links else "[["
            if "[[" not in inside:
                bar = re.search(r"(?<!\\)\|", inside)
                link_bar = position + 2 + bar.start() if bar and link_bar < 0 else link_bar
                position = closed
                continue
        if text[position] == "|" and text[position - 1] != "\\":
            yield _trimmed(text, cell_start, position, link_bar)
            cell_start, link_bar = position + 1, -1
        position += 1
        if not skip_wiki_links and (position := text.find("|", position, end)) < 0:
            break
    yield _trimmed(text, cell_start, end, link_bar)


def _trimmed(text: str, start: int, end: int, link_bar: int) -> CellRange:
    while start < end and text[start] in TRIMMED:
        start += 1
    while end > start and text[end - 1] in TRIMMED:
        end -= 1
    return CellRange(start, end, link_bar)


def is_delimiter_row(text: str) -> bool:
    """Whether a row is a delimiter row, with at least three dashes: a single dash is a common placeholder in cells."""
    return text.startswith("|") and "---" in text and not text.strip("|-: \t")


def alignments(text: str) -> list[str]:
    """The alignment of each column in a delimiter row: `left`, `center`, `right` or empty."""
    dashes = [column.strip() for column in text.strip().strip("|").split("|")]
    return [{"::": "center", ":-": "left", "-:": "right"}.get(dash_run[:1] + dash_run[-1:], "") for dash_run in dashes]


def cell_content(text: str, cell: CellRange) -> MappedText:
    """The content of a cell, with its bars unescaped."""
    if text.find("\\|", cell.start, cell.end) < 0:
        return MappedText(text[cell.start : cell.end], ((0, cell.start),))
    segments: list[tuple[int, int]] = [(0, cell.start)]
    pieces: list[str] = []
    position, length = cell.start, 0
    while (bar := text.find("\\|", position, cell.end)) >= 0:
        pieces.append(text[position:bar])
        length += bar - position
        position = bar + 1
        segments.append((length, position))
    pieces.append(text[position : cell.end])
    return MappedText("".join(pieces), tuple(segments))
