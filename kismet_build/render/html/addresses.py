"""Addresses of pages and files of the site."""

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from kismet_build.model.nodes import is_url
from kismet_build.model.text_cache import cached_texts

INDEX = "index.html"
"""Links between pages end in this file name, because a browser does not open it for a folder on `file:`.

docs/decisions/0015-website-without-a-server.md has what else follows from that.
"""


Files = Iterator[tuple[str, bytes]]
"""Paths from the root of the site, and contents."""
LazyFiles = Iterator[tuple[str, Callable[[], bytes]]]
"""Paths from the root of the site, each with the function that makes its content."""


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


def file_address(address: str) -> str:
    """The address with the file name of a page, before a fragment: `game/index.html#a` for `game/#a`."""
    path, mark, anchor = address.partition("#")
    return f"{path}{INDEX if not path or path.endswith('/') else ''}{mark}{anchor}"


def site_href(root: str, address: str) -> str:
    """The address for a link of an author: a URL as it is, any other from a page that is `root` below the root."""
    return address if is_url(address) else root + file_address(address)


@cached_texts(8192)
def fragment(name: str) -> str:
    """The fragment of an address for an HTML id: `#name`; empty for an empty id, which means the page itself."""
    return f"#{quote(name)}" if name else ""
