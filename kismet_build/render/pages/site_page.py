"""Pages outside of a game that the author of a library writes: words of the home page, about, imprint."""

import re
from collections.abc import Collection, Iterator
from posixpath import basename, splitext

from markupsafe import Markup, escape

from kismet_build.config.catalog import DESIGN_FOLDER
from kismet_build.config.library import LibraryConfig
from kismet_build.model.nodes import Block, Document, Heading, Image, Link, is_url, plain_text, walk
from kismet_build.model.source import Span
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import folder_name
from kismet_build.render.html.addresses import INDEX, path_to_root
from kismet_build.render.html.context import Href, RenderContext
from kismet_build.render.html.renderer import to_html
from kismet_build.render.pages.page import Page

HOME = ""
"""The address of the home page."""


def site_pages(library_config: LibraryConfig) -> Iterator[Page]:
    """The author's pages, without the home page."""
    for address, document in library_config.pages:
        if address != HOME:
            title, body = _title(document), _body(library_config, address, document)
            yield Page(
                address=address,
                title=title,
                role="library",
                article=f'<header class="title">\n<h1>{escape(title)}</h1>\n</header>\n{body}',
                description=title,
            )


def home_words(library_config: LibraryConfig) -> tuple[str, Markup]:
    """The title and the words that the author wrote for the home page; both are empty without them."""
    for address, document in library_config.pages:
        if address == HOME:
            title = _title(document) if _has_title(document) else ""
            return title, Markup(_body(library_config, HOME, document))
    return "", Markup("")


def dead_links(library_config: LibraryConfig, files: Collection[str]) -> Iterator[tuple[Span, str, str]]:
    """The links of the author's pages and of `library.yaml` to no file of the tree, with their addresses and hints."""
    for title, address in library_config.design.links:
        path = address.partition("#")[0]
        if ":" not in address and path not in files and f"{path.rstrip('/')}/{INDEX}".lstrip("/") not in files:
            yield library_config.link_spans[title], address, _dead_link_hint(address, files)
    for _, document in library_config.pages:
        for node in walk(*document.blocks):
            if isinstance(node, Link | Image) and not is_url(node.target) and not node.target.startswith("#"):
                address = _address(library_config, node)
                if address.partition("#")[0] not in files:
                    yield node.span, address, _dead_link_hint(address, files)


def _dead_link_hint(address: str, files: Collection[str]) -> str:
    if re.fullmatch(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,}(/.*)?", address) and splitext(address)[1] != ".html":
        return f"write https://{address} for another website"
    pages = (file.removesuffix(INDEX) for file in files if file.endswith(INDEX))
    otherwise = "name a page of yours, a game, or the address of a page below the root, such as GAME/KIND/NAME/"
    return did_you_mean(address.removesuffix(INDEX), pages, otherwise)


def _address(library_config: LibraryConfig, node: Link | Image) -> str:
    """The address from the root of the tree of what a link names: a page, another file of the look, or an address."""
    path, mark, anchor = node.target.partition("#")
    name = splitext(basename(path))[0]
    if path in library_config.design.files:
        return f"{DESIGN_FOLDER}{path}"
    if f"{folder_name(name)}/" in dict(library_config.pages):
        path = f"{folder_name(name)}/"
    elif game := library_config.games.get(folder_name(path)):
        path = f"{game}/"
    elif path in ("/", "home", "../home"):
        path = HOME
    return f"{path}{INDEX if path.endswith('/') or not path else ''}{mark}{anchor}"


def _has_title(document: Document) -> bool:
    return bool(document.blocks) and isinstance(document.blocks[0], Heading) and document.blocks[0].level == 1


def _title(document: Document) -> str:
    """The heading that a text begins with, else the name of its file."""
    return plain_text(document.blocks[0]) if _has_title(document) else splitext(basename(document.source.path))[0]


def _body(library_config: LibraryConfig, address: str, document: Document) -> str:
    root = path_to_root(address)
    blocks: tuple[Block, ...] = document.blocks[1:] if _has_title(document) else document.blocks

    def href(link: Link) -> Href:
        if is_url(link.target):
            return Href(link.target, "external")
        return Href(link.target if link.target.startswith("#") else root + _address(library_config, link))

    def image_address(image: Image) -> str:
        return image.target if is_url(image.target) else root + _address(library_config, image)

    return to_html(blocks, RenderContext(href=href, image_address=image_address))
