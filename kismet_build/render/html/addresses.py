"""Addresses of pages and files of the site."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from kismet_build.model.text_cache import cached_texts

INDEX = "index.html"
"""Links between pages end in this file name, because a browser does not open it for a folder on `file:`."""


Files = Iterator[tuple[str, bytes]]
"""Paths from the root of the site, and contents."""


class PageLink(NamedTuple):
    """A link to another page."""

    address: str
    title: str


def path_to_root(address: str) -> str:
    """The relative path from a page to the root of the site, called `root` elsewhere: `../../` from `game/kind/`."""
    return "../" * address.count("/")


def emblem_address(game_id: str) -> str:
    """The address of the image that marks the pages of a game."""
    return f"assets/{game_id}/emblem.svg"


@cached_texts(8192)
def fragment(name: str) -> str:
    """The fragment of an address for an HTML id: `#name`; empty for an empty id, which means the page itself."""
    return f"#{quote(name)}" if name else ""
