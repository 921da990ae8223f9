"""The book as the ways to match see it: sections below headings of some title, tables with some columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from kismet_build.config.kind import Match
from kismet_build.extract.match_result import one_line
from kismet_build.model.book import Book, Section
from kismet_build.model.nodes import Table, flow
from kismet_build.model.text_normalization import normalize


@dataclass(frozen=True, eq=False)
class Place:
    """A section, with what many kinds ask of it."""

    section: Section

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The folded titles of the headings it stands below, from the outermost to its own."""
        return tuple(normalize(anchor.title) for anchor in self.section.headings)

    @cached_property
    def tables(self) -> tuple[tuple[Table, tuple[str, ...]], ...]:
        """Its tables, each with the folded words of its columns."""
        tables = [block for block in flow(self.section.blocks) if isinstance(block, Table)]
        return tuple((table, header(table)) for table in tables)


@dataclass(frozen=True, eq=False)
class Places:
    """All sections of a book."""

    book: Book

    @cached_property
    def all(self) -> tuple[Place, ...]:
        """Every section, in the order of the book."""
        return tuple(map(Place, self.book.all_sections()))

    def of(self, match: Match) -> Iterator[Place]:
        """The sections that a kind looks at: those below one of the headings that it names."""
        under = folded(match.under)
        if not under:
            yield from self.all
            return
        for place in self.all:
            titles = place.titles[:-1] if match.how == "heading" else place.titles
            if not under.isdisjoint(titles):
                yield place


def header(table: Table) -> tuple[str, ...]:
    """The folded words of the columns of a table."""
    return tuple(normalize(one_line(*cell.children)) for cell in table.header.cells)


def captures(pattern: re.Pattern[str] | None, words: str) -> dict[str, str | None] | None:
    """The named groups of a pattern in some words; `None` where it is not found in them."""
    if pattern is None:
        return {}
    found = pattern.search(words)
    return None if found is None else found.groupdict()


def folded(names: Sequence[str]) -> set[str]:
    """Names as they are compared."""
    return {normalize(name) for name in names}
