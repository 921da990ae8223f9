"""Pages outside of a game that the author of a library writes: words of the home page, about, imprint."""

from collections.abc import Collection, Iterator

from markupsafe import Markup, escape

from kismet_build.config.design import DESIGN_FOLDER
from kismet_build.config.library import LibraryConfig
from kismet_build.model.nodes import Block, Document, Heading, Image, Link, is_url, plain_text, walk
from kismet_build.model.source import Span, file_stem
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
    """The author's title and text for the home page; empty where the author wrote none."""
    for address, document in library_config.pages:
        if address == HOME:
            title = _title(document) if _has_title(document) else ""
            return title, Markup(_body(library_config, HOME, document))
    return "", Markup("")


def dead_links(library_config: LibraryConfig, files: Collection[str]) -> Iterator[tuple[Span, str]]:
    """The links of the author's pages that lead to no file of the tree, each with its target address."""
    for _, document in library_config.pages:
        for node in walk(*document.blocks):
            if isinstance(node, Link | Image) and not is_url(node.target) and not node.target.startswith("#"):
                address = _address(library_config, node)
                if address.partition("#")[0] not in files:
                    yield node.span, address


def _address(library_config: LibraryConfig, node: Link | Image) -> str:
    """The address of a target from the root of the tree: a page, a file of the design, or an address as written."""
    path, mark, anchor = node.target.partition("#")
    name = file_stem(path)
    if path in library_config.design.files:
        return f"{DESIGN_FOLDER}{path}"
    if f"{folder_name(name)}/" in dict(library_config.pages):
        path = f"{folder_name(name)}/"
    elif path in ("/", "home", "../home"):
        path = HOME
    return f"{path}{INDEX if path.endswith('/') or not path else ''}{mark}{anchor}"


def _has_title(document: Document) -> bool:
    return bool(document.blocks) and isinstance(document.blocks[0], Heading) and document.blocks[0].level == 1


def _title(document: Document) -> str:
    """The main heading at the start of a text, or else the name of its file."""
    return plain_text(document.blocks[0]) if _has_title(document) else file_stem(document.source.path)


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
