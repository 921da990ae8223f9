"""A page before its layout is added: address, title, metadata and the article as HTML."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

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
    """A line of a page's table of contents."""

    level: int
    """1 for the headings directly below the page's title."""
    title: str
    id: str

    @property
    def link(self) -> str:
        """The fragment of its address."""
        return fragment(self.id)


class SourceLines(NamedTuple):
    """A range of source lines that a page shows."""

    path: str
    """Path of the source, from the folder of its game."""
    first: int
    last: int
    """Both count from 1, and the last line is included."""

    @property
    def is_single(self) -> bool:
        """Whether it is one line."""
        return self.first == self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of a game or of the library."""

    address: str
    """Path from the root of the site, ending in `/`; empty for the home page of the library."""
    title: str
    role: Role
    article: str
    """HTML with one `<h1>` and links relative to the address."""
    contents: tuple[Entry, ...] = ()
    breadcrumbs: tuple[PageLink, ...] = ()
    """From the home page of the game to the parent of this page."""
    chapter: str = ""
    """Address of the chapter, on the pages of its sections; else empty."""
    previous: PageLink | None = None
    next: PageLink | None = None
    description: str = ""
    """One line, for search engines and link previews of other sites."""
    kind: str = ""
    """Id of the kind, on the pages of kinds and entities; else empty."""
    source: tuple[SourceLines, ...] = ()
    """Source lines that the page shows; empty for a page that is not made from single sources."""
    has_note: bool = False
    """Whether the page of the game or of a kind shows the text about its folder."""
    has_markdown: bool = False
    """Whether the text of the page is beside it as Markdown."""
    data: str = ""
    """Path of the page's JSON file from the root of the site; empty if it has none."""


LazyPages = Iterator[tuple[str, Callable[[], Page]]]
"""Addresses of pages, each with the function that makes its page."""
