"""The sections in which matchers look for entities, with cached titles and tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from kismet_build.config.kind import Match
from kismet_build.extract.match_result import one_line
from kismet_build.model.book import Outline, Section
from kismet_build.model.nodes import Table, flatten_layout
from kismet_build.model.pattern import Pattern
from kismet_build.model.text_normalization import normalize


@dataclass(frozen=True, eq=False)
class CandidateSection:
    """A section with cached properties, used by the matchers of many kinds."""

    outline: Outline
    section: Section

    @cached_property
    def titles(self) -> tuple[str, ...]:
        return tuple(normalize(anchor.title) for anchor in self.section.headings)

    @cached_property
    def tables(self) -> tuple[tuple[Table, tuple[str, ...]], ...]:
        tables = [block for block in flatten_layout(self.section.blocks) if isinstance(block, Table)]
        return tuple((table, column_keys(table)) for table in tables)


@dataclass(frozen=True, eq=False)
class Candidates:
    """All sections of one document, or of all documents of a book."""

    outlines: Sequence[Outline]

    @cached_property
    def sections(self) -> tuple[CandidateSection, ...]:
        return tuple(CandidateSection(outline, section) for outline in self.outlines for section in outline.sections)

    def for_match(self, match: Match) -> Iterator[CandidateSection]:
        """The sections below one of the headings in `match.under`; all sections if it is empty."""
        under = normalize_all(match.under)
        if not under:
            yield from self.sections
            return
        for candidate in self.sections:
            titles = candidate.titles[:-1] if match.method == "heading" else candidate.titles
            if not under.isdisjoint(titles):
                yield candidate


def column_keys(table: Table) -> tuple[str, ...]:
    """The normalized header cells of a table."""
    return tuple(normalize(one_line(*cell.children)) for cell in table.header.cells)


def capture_groups(pattern: Pattern | None, text: str) -> dict[str, str | None] | None:
    """The named groups of a pattern in a text; `None` if the text does not match, empty if there is no pattern."""
    if pattern is None:
        return {}
    match = pattern.search(text)
    return None if match is None else match.groupdict()


def normalize_all(names: Sequence[str]) -> set[str]:
    """The normalized forms of these names."""
    return {normalize(name) for name in names}
