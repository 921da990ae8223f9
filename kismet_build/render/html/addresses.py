"""Addresses of the website's pages and files."""

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.nodes import is_url
from kismet_build.model.text_cache import cached_texts
from kismet_build.pack import Pack

INDEX = "index.html"
"""File name at the end of links between pages, because browsers do not open a folder's index page from a
`file:` URL (docs/decisions/0015-website-without-a-server.md)."""


Files = Iterator[tuple[str, bytes]]
"""The path of each file from the root of the website, with its content."""
LazyFiles = Iterator[tuple[str, Callable[[], bytes]]]
"""The path of each file from the root of the website, with the function that makes its content."""


class PageLink(NamedTuple):
    """A link to another page."""

    address: str
    title: str


def book_address(game: str, book_format: str) -> str:
    """The address of a game's book. `book_format`: such as `pdf`."""
    return f"{game}/downloads/{game}.{book_format}"


def path_to_root(address: str) -> str:
    """The relative path from a page to the website's root, such as `../../` from `game/kind/`.

    Called `root` elsewhere.
    """
    return "../" * address.count("/")


def emblem_address(game_id: str) -> str:
    """The address of the image that identifies the pages of a game."""
    return f"assets/{game_id}/emblem.svg"


def calculator_address(calculator: Calculator) -> str:
    """The address of a calculator's page: `game/calculators/slug/`, or `game/sheets/slug/` for a sheet."""
    return f"{calculator.id.partition('/')[0]}/{'sheets' if calculator.sheet else 'calculators'}/{calculator.slug}/"


def file_address(address: str) -> str:
    """An address with the page's file name added before any fragment: `game/index.html#a` for `game/#a`."""
    path, mark, anchor = address.partition("#")
    return f"{path}{INDEX if not path or path.endswith('/') else ''}{mark}{anchor}"


def entity_href(pack: Pack, entity_id: str, root: str, end: str = INDEX) -> str:
    """The link to an entity from a page whose path to the root is `root`. `end`: the file name of the entity's page."""
    page, mark, row = pack.addresses.entities[entity_id].partition("#")
    return f"{root}{page}{end}{mark}{row}"


def site_href(root: str, address: str) -> str:
    """An author's address, for a link on a page. A URL is unchanged; any other address is made relative by `root`."""
    return address if is_url(address) else root + file_address(address)


@cached_texts(8192)
def fragment(name: str) -> str:
    """The fragment for an HTML id: `#name`, or an empty string for an empty id, which means the page itself."""
    return f"#{quote(name)}" if name else ""
