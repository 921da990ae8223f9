"""A page before its layout is added: address, title, metadata and the article as HTML."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kismet_build.model.source import Span
from kismet_build.render.html.addresses import PageLink, fragment

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
        """Whether the range is a single line."""
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
