"""A page's table of contents as a tree of headings, and the levels of headings on the page."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from kismet_build.config.language.catalog import Catalog
from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Block, Heading, Link, plain_text
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.render.html.templates import macro
from kismet_build.render.pages.page import Entry

MAX_OPEN_ENTRIES = 24
"""Number of entries that fit on a screen. If two levels have more, the second one is collapsed."""
MAX_OPEN_LEVELS = 2
"""Maximum number of levels that are open at first. Deeper levels open at the reader's position."""
MIN_LISTED_SECTIONS = 4
"""A chapter or section with at least this many subsections starts with a list of them."""


class Branch(NamedTuple):
    """An entry of the table of contents, and the entries below it."""

    entry: Entry
    children: tuple["Branch", ...]


def tree(entries: Sequence[Entry]) -> tuple[Branch, ...]:
    """Entries as a tree, in which an entry is the parent of the deeper entries that follow it."""
    return tuple(_branches(entries))


def open_depth(branches: Sequence[Branch]) -> int:
    """The number of levels that are open at first: one, or two if both fit in `MAX_OPEN_ENTRIES`."""
    depth, shown, level = 0, 0, list(branches)
    while level and depth < MAX_OPEN_LEVELS and (depth == 0 or shown + len(level) <= MAX_OPEN_ENTRIES):
        depth, shown = depth + 1, shown + len(level)
        level = [child for branch in level for child in branch.children]
    return depth


def depth(branches: Sequence[Branch]) -> int:
    """The number of levels."""
    return max((1 + depth(branch.children) for branch in branches), default=0)


def long_sections(branches: Sequence[Branch]) -> Mapping[str, tuple[Branch, ...]]:
    """The subsections of each section that has at least `MIN_LISTED_SECTIONS`, by the section's id."""
    sections: dict[str, tuple[Branch, ...]] = {}
    for branch in branches:
        if len(branch.children) >= MIN_LISTED_SECTIONS:
            sections[branch.entry.id] = branch.children
        sections.update(long_sections(branch.children))
    return sections


def contents_html(branches: Sequence[Branch], catalog: Catalog) -> Markup:
    """The table of contents beside an article; empty for a page without sections."""
    if not branches:
        return Markup()
    open_levels = open_depth(branches)
    return macro("table_of_contents", "contents", catalog)(branches, depth(branches) > open_levels, open_levels)


def _branches(entries: Sequence[Entry]) -> Iterator[Branch]:
    start = 0
    while start < len(entries):
        end = start + 1
        while end < len(entries) and entries[end].level > entries[start].level:
            end += 1
        yield Branch(entries[start], tree(entries[start + 1 : end]))
        start = end


def repeats_title(block: Block, chapter: Chapter) -> bool:
    """Whether a block is a heading that repeats the chapter's title, possibly after breadcrumb links."""
    if not isinstance(block, Heading) or block.level > 1:
        return False
    words, title = normalize(plain_text(block)), normalize(chapter.title)
    return words == title or (words.endswith(title) and any(isinstance(child, Link) for child in block.children))


def shown_levels(headings: Sequence[Heading]) -> Mapping[Span, int]:
    """The level of each heading on a page whose title is the only `<h1>`: from 2 on, without gaps."""
    levels: dict[Span, int] = {}
    ancestors: list[int] = []
    for heading in headings:
        while ancestors and ancestors[-1] >= heading.level:
            ancestors.pop()
        ancestors.append(heading.level)
        levels[heading.span] = 1 + len(ancestors)
    return levels
