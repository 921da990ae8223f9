"""Map pages to source lines and source lines to pages."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from kismet_build.pack import Pack
from kismet_build.render import anchor_address

LAST_LINE = 10**9
"""Larger than any line number."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A range of lines of a source file, both ends included. The path is relative to the folder of the game."""

    path: str
    first: int = 1
    last: int = LAST_LINE

    def contains(self, path: str, line: int) -> bool:
        """Whether a line of a file is in the range."""
        return path == self.path and self.first <= line <= self.last


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Pages and source lines of one game."""

    title: str
    """The title of the game."""
    pages: Mapping[str, SourceRange]
    """Source range of each chapter and entity, by the URL of its page."""
    sections: Mapping[str, tuple[tuple[int, str], ...]]
    """First line and URL of each section, in order, by the path of the source file."""

    def url(self, path: str, line: int) -> str:
        """URL of the section that contains a source line; empty if the file is not a document of the game."""
        sections = self.sections.get(path, ())
        if not sections:
            return ""
        return sections[max(0, bisect_right(sections, (line, "\U0010ffff")) - 1)][1]


def source_map(pack: Pack) -> SourceMap:
    """The source map of a game."""
    sections: dict[str, list[tuple[int, str]]] = {}
    pages: dict[str, SourceRange] = {}
    for section in pack.book.all_sections():
        anchor = section.anchor
        path, url = anchor.span.source.path, anchor_address(pack, anchor)
        sections.setdefault(path, []).append((anchor.span.line_range[0], url))
        pages[url.partition("#")[0]] = SourceRange(path)
    for entity in pack.all_entities():
        pages[f"{entity.id}/"] = SourceRange(entity.span.source.path, *entity.span.line_range)
    ordered = {path: tuple(sorted(lines)) for path, lines in sections.items()}
    return SourceMap(pack.game.title, pages, ordered)
