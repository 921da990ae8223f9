"""Relative addresses of pages and of places on them."""

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

INDEX = "index.html"
"""What links between pages end in, because a folder does not open its index when read from a disk."""


class Signpost(NamedTuple):
    """A way to another page."""

    address: str
    title: str


def root(address: str) -> str:
    """The way from an address up to the root of the tree: `../../` from `game/kind/`."""
    return "../" * address.count("/")


@lru_cache(maxsize=8192)
def fragment(name: str) -> str:
    """How an address ends that leads to a name on its page; nothing for the page itself."""
    return f"#{quote(name)}" if name else ""
