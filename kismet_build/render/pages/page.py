"""A page of the website before it is framed: an address, a title and finished HTML."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from kismet_build.render.html.addresses import Signpost, fragment

Role = Literal[
    "library",
    "home",
    "chapter",
    "folder",
    "kind",
    "entity",
    "glossary",
    "calculators",
    "sheet",
    "board",
    "print",
    "search",
    "downloads",
    "errata",
]


class Entry(NamedTuple):
    """A line of a page's contents."""

    level: int
    """1 for what stands directly below the title of the page."""
    title: str
    id: str

    @property
    def link(self) -> str:
        """Its address on the page."""
        return fragment(self.id)


class Lines(NamedTuple):
    """A part of a source that a page shows."""

    path: str
    """Of the source, as it is published: from the folder of its game."""
    first: int
    last: int
    """Both from 1 up, the last one included."""

    @property
    def words(self) -> str:
        """Which lines, as a reader is told."""
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}–{self.last}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a game, without what all pages share."""

    address: str
    """From the root of the tree, ending in `/`; empty for the root itself."""
    title: str
    role: Role
    article: str
    """HTML with one `<h1>`; its links are relative to the address."""
    contents: tuple[Entry, ...] = ()
    breadcrumbs: tuple[Signpost, ...] = ()
    """From the game down to the page above this one."""
    previous: Signpost | None = None
    next: Signpost | None = None
    description: str = ""
    """One line for search engines and previews."""
    kind: str = ""
    """The id of the kind, for the page of a kind and of each of its entities."""
    source: tuple[Lines, ...] = ()
    """What of the sources is shown, in their order; empty for what no single source says."""
    data: str = ""
    """The address of its JSON, from the root of the tree; empty where there is none of its own."""
