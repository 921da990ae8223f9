"""Pages that the author of a library wrote outside its games: text of the home page, about, imprint."""

import re
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import PurePosixPath

from markupsafe import Markup, escape

from kismet_build.config.design import HOME, link_address
from kismet_build.config.library import LibraryConfig, SiteLink
from kismet_build.model.nodes import Block, Document, Heading, Image, Link, is_url, plain_text, walk
from kismet_build.model.source import Span, file_stem
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import folder_name
from kismet_build.render.fragments.context import Href, RenderContext
from kismet_build.render.fragments.renderer import to_html
from kismet_build.render.html.addresses import INDEX, file_address, path_to_root, site_href
from kismet_build.render.pages.page import LazyPages, Page


def site_pages(library_config: LibraryConfig) -> LazyPages:
    """The author's pages except the home page."""
    for address, document in library_config.pages:
        if address != HOME:
            yield address, partial(_site_page, library_config, address, document)


def _site_page(library_config: LibraryConfig, address: str, document: Document) -> Page:
    title, body = _title(document), _body(library_config, address, document)
    return Page(
        address=address,
        title=title,
        role="library",
        article=f'<header class="title">\n<h1>{escape(title)}</h1>\n</header>\n{body}',
        description=title,
    )


def home_words(library_config: LibraryConfig) -> tuple[str, Markup]:
    """The author's title and text for the home page; each may be empty."""
    for address, document in library_config.pages:
        if address == HOME:
            title = _title(document) if _has_title(document) else ""
            return title, Markup(_body(library_config, HOME, document))
    return "", Markup("")


def dead_links(library_config: LibraryConfig, files: Collection[str]) -> Iterator[tuple[Span, str, str]]:
    """Links in the author's pages to files that the tree does not have, each with its address and a hint."""
    for _, document in library_config.pages:
        for node in walk(*document.blocks):
            if isinstance(node, Link | Image) and not is_url(node.target) and not node.target.startswith("#"):
                address = file_address(_address(library_config, node.target))
                if address.partition("#")[0] not in files:
                    yield node.span, address, _dead_link_hint(address, files)


def _dead_link_hint(address: str, files: Collection[str]) -> str:
    if re.fullmatch(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,}(/.*)?", address) and PurePosixPath(address).suffix != ".html":
        return f"write https://{address} to link to another website"
    pages = (file.removesuffix(INDEX) for file in files if file.endswith(INDEX))
    return did_you_mean(address.removesuffix(INDEX), pages, "open the page, and copy its address")


def _address(library_config: LibraryConfig, target: str) -> str:
    """The target of a link in a page, relative to the root of the tree.

    The title of a game leads to the game, unless a page or a file of the design has that address.
    """
    path, mark, anchor = target.partition("#")
    address = link_address(target, library_config.design)
    game = library_config.games.get(folder_name(path))
    is_own = address.partition("#")[0] in dict(library_config.pages)
    return f"{game}/{mark}{anchor}" if game and not is_own and path not in library_config.design.files else address


def dead_entries(library_config: LibraryConfig, files: Collection[str]) -> Iterator[tuple[SiteLink, str, bool]]:
    """Links in the navigation and the footer to files that the tree does not have.

    Each comes with a hint, and whether the tree has the target's folder, which a game with errors lacks.
    """
    for link in (*library_config.nav, *library_config.links):
        if is_url(link.address) or file_address(link.address).partition("#")[0] in files:
            continue
        place = link.address.partition("/")[0]
        is_folder_there = "/" not in link.address or any(file.startswith(f"{place}/") for file in files)
        yield link, _dead_link_hint(link.address, files), is_folder_there


def _has_title(document: Document) -> bool:
    return bool(document.blocks) and isinstance(document.blocks[0], Heading) and document.blocks[0].level == 1


def _title(document: Document) -> str:
    return plain_text(document.blocks[0]) if _has_title(document) else file_stem(document.source.path)


def _body(library_config: LibraryConfig, address: str, document: Document) -> str:
    root = path_to_root(address)
    blocks: tuple[Block, ...] = document.blocks[1:] if _has_title(document) else document.blocks

    def href_of(target: str) -> str:
        return site_href(root, _address(library_config, target))

    def href(link: Link) -> Href:
        if is_url(link.target):
            return Href(link.target, "external")
        return Href(link.target if link.target.startswith("#") else href_of(link.target))

    def image_address(image: Image) -> str:
        return href_of(image.target)

    return to_html(blocks, RenderContext(href=href, image_address=image_address))
