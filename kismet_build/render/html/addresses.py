"""Addresses of the website's pages and files."""

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.nodes import is_url
from kismet_build.model.text_cache import cached_texts
from kismet_build.pack import Pack

INDEX = "index.html"
"""File name at the end of links between pages, because on `file:` browsers do not open it for a folder.

docs/decisions/0015-website-without-a-server.md describes the consequences.
"""


Files = Iterator[tuple[str, bytes]]
"""Contents of files with their paths from the root of the website."""
LazyFiles = Iterator[tuple[str, Callable[[], bytes]]]
"""For each path from the root of the website, the function that makes its content."""


class PageLink(NamedTuple):
    """A link to another page."""

    address: str
    title: str


def book_address(game: str, book_format: str) -> str:
    """The path of the book of a game, `pdf` or `epub`."""
    return f"{game}/downloads/{game}.{book_format}"


def path_to_root(address: str) -> str:
    """The relative path from a page to the website's root, called `root` elsewhere: `../../` from `game/kind/`."""
    return "../" * address.count("/")


def emblem_address(game_id: str) -> str:
    """The address of the image that identifies the pages of a game."""
    return f"assets/{game_id}/emblem.svg"


def calculator_address(calculator: Calculator) -> str:
    """The address of a calculator's page: `game/calculators/slug/`, or `game/sheets/slug/` for a sheet."""
    return f"{calculator.id.partition('/')[0]}/{'sheets' if calculator.sheet else 'calculators'}/{calculator.slug}/"


def file_address(address: str) -> str:
    """An address with the file name of a page before any fragment: `game/index.html#a` for `game/#a`."""
    path, mark, anchor = address.partition("#")
    return f"{path}{INDEX if not path or path.endswith('/') else ''}{mark}{anchor}"


def entity_href(pack: Pack, entity_id: str, root: str, end: str = INDEX) -> str:
    """The link to an entity from a page with this path to the root. `end`: the file name of its page."""
    page, mark, row = pack.entity_address(entity_id).partition("#")
    return f"{root}{page}{end}{mark}{row}"


def site_href(root: str, address: str) -> str:
    """An author's address for a link on a page: URLs are unchanged, others are made relative by `root`."""
    return address if is_url(address) else root + file_address(address)


@cached_texts(8192)
def fragment(name: str) -> str:
    """The fragment for an HTML id: `#name`; empty for an empty id, which refers to the page itself."""
    return f"#{quote(name)}" if name else ""
