"""Map pages to source lines and source lines to pages."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.fragments.page_context import anchor_address

LAST_LINE = 10**9
"""A number larger than any line number."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A range of lines of a source file, including both ends. The path is relative to the folder of the game."""

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
    pages: Mapping[str, tuple[SourceRange, ...]]
    """The source ranges of each chapter and entity, by the URL of its page. A composed text has a range for each
    file."""
    sections: Mapping[str, tuple[tuple[int, str], ...]]
    """First line and URL of each section, in order, by the path of the source file."""

    def url(self, path: str, line: int) -> str:
        """URL of the section that contains a source line; empty if the file is not a document of the game."""
        sections = self.sections.get(path, ())
        if not sections:
            return ""
        return sections[max(0, bisect_right(sections, (line, "\U0010ffff")) - 1)][1]


@cached_in_pack
def source_map(pack: Pack) -> SourceMap:
    """The source map of a game."""
    sections: dict[str, list[tuple[int, str]]] = {}
    pages: dict[str, dict[SourceRange, None]] = {}
    for section in pack.book.all_sections():
        anchor = section.anchor
        place, url = anchor.span.original, anchor_address(pack, anchor)
        sections.setdefault(place.source.path, []).append((place.line_range[0], url))
        pages.setdefault(url.partition("#")[0], {})[SourceRange(place.source.path)] = None
    for entity in pack.all_entities():
        place = entity.span.original
        lines = SourceRange(place.source.path, *place.line_range)
        page, is_row, _ = pack.addresses.entities[entity.id].partition("#")
        pages[page] = {**(pages.get(page, {}) if is_row else {}), lines: None}
    ordered = {path: tuple(sorted(lines)) for path, lines in sections.items()}
    ranges = {page: tuple(of_page) for page, of_page in pages.items()}
    return SourceMap(pack.game.title, ranges, ordered)
