"""A page of the website before it is framed: an address, a title and finished HTML."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple
from urllib.parse import quote

INDEX = "index.html"
"""What links between pages end in, because a folder does not open its index when read from a disk."""

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


class Signpost(NamedTuple):
    """A way to another page."""

    address: str
    title: str


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


def root(address: str) -> str:
    """The way from an address up to the root of the tree: `../../` from `game/kind/`."""
    return "../" * address.count("/")


@lru_cache(maxsize=8192)
def fragment(name: str) -> str:
    """How an address ends that leads to a name on its page; nothing for the page itself."""
    return f"#{quote(name)}" if name else ""


def summary(text: str, length: int = 155) -> str:
    """The beginning of a text on one line, cut between words."""
    words = " ".join(text.split())
    if len(words) <= length:
        return words
    return words[:length].rpartition(" ")[0].rstrip(" ,;:.–—") + "…"
