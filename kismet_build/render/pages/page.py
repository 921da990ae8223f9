"""A page before its layout is added: address, title, metadata, the article as HTML, and its table of contents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from markupsafe import Markup

from kismet_build.config.language.catalog import Catalog
from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Block, Heading, Link, plain_text
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.render.html.addresses import PageLink, fragment
from kismet_build.render.html.templates import macro

Role = Literal[
    "library",
    "home",
    "chapter",
    "folder",
    "kind",
    "entity",
    "glossary",
    "tag",
    "calculators",
    "calculator-page",
    "sheet",
    "board",
    "pins",
    "print",
    "downloads",
    "licence",
    "questions",
    "situation",
]


class Entry(NamedTuple):
    """A line in a page's table of contents."""

    level: int
    """Depth of the entry: 1 for the headings directly below the page's title."""
    title: str
    id: str

    @property
    def link(self) -> str:
        """The fragment of the entry's address."""
        return fragment(self.id)


class SourceLines(NamedTuple):
    """A range of source lines shown on a page."""

    path: str
    """Path of the source, relative to the game's folder."""
    first: int
    last: int
    """`first` and `last` are counted from 1, and both are part of the range."""

    @classmethod
    def of(cls, span: Span) -> "SourceLines":
        """The lines of a span, in the file that the author edits."""
        place = span.original
        return cls(place.source.path, *place.line_range)

    @property
    def is_single(self) -> bool:
        return self.first == self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of a game or of the library."""

    address: str
    """Path from the root of the website, ending in `/`; empty for the library's home page."""
    title: str
    role: Role
    article: str
    """HTML with one `<h1>` and links relative to the address."""
    contents: tuple[Entry, ...] = ()
    breadcrumbs: tuple[PageLink, ...] = ()
    """From the game's home page to the parent of this page."""
    chapter: str = ""
    """Address of another page that the navigation marks as current, such as the chapter of a section; usually empty."""
    previous: PageLink | None = None
    next: PageLink | None = None
    description: str = ""
    """One line of text, for search engines and for link previews on other websites."""
    kind: str = ""
    """Id of the kind, on a page of a kind or an entity; otherwise empty."""
    source: tuple[SourceLines, ...] = ()
    """Source lines shown on the page; empty for a page that is not made from individual sources."""
    has_note: bool = False
    """Whether the page, of a game or kind, shows a folder note."""
    has_markdown: bool = False
    """Whether the text of the page is also published as Markdown next to it."""
    data: str = ""
    """Path of the page's JSON file from the root of the website, or an empty string."""


LazyPages = Iterator[tuple[str, Callable[[], Page]]]
"""For each address, the function that makes its page."""


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
