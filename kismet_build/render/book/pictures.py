"""The pictures of an EPUB, which are in it: it may not show one from elsewhere."""

import re
from urllib.parse import unquote

from kismet_build.model.active_content import EMPTY_SVG, is_svg, published_content
from kismet_build.model.source import read_regular_file
from kismet_build.pack import Pack
from kismet_build.render.book.book_pages import BookPage
from kismet_build.render.book.xhtml import Element, walk

EMBLEM = "emblem.svg"
IMAGE_DATA = re.compile(r"data:image/(?:gif|jpeg|png|webp)[;,]", re.IGNORECASE)
SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}
"""The start of each type of picture that every reader shows, https://www.w3.org/TR/epub-33/#sec-core-media-types."""
SVG_TYPE = "image/svg+xml"


def media_type(path: str, content: bytes) -> str:
    """The type of a picture in its published form; empty if readers cannot show it."""
    if is_svg(path):
        return SVG_TYPE if content != EMPTY_SVG else ""
    return next((name for name, signature in SIGNATURES.items() if signature.match(content)), "")


class Pictures:
    """The pictures that a book shows. Instead of any other, its alternative text is there."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._files = {pack.addresses[file]: file for file in set(pack.book.attachment_of.values())}
        self.content: dict[str, bytes] = {}
        self.types: dict[str, str] = {}
        self.missing: dict[str, None] = {}
        emblem = pack.game.definition.face.emblem
        if emblem:
            self._add(EMBLEM, emblem)

    def place(self, page: BookPage) -> None:
        """Read the pictures of a page."""
        for parent in [Element("body", {}, page.nodes), *walk(page.nodes)]:
            for number, node in enumerate(parent.children):
                if isinstance(node, Element) and node.tag == "img" and not self._has(unquote(node.attributes["src"])):
                    parent.children[number] = node.attributes["alt"]
                    self.missing[node.attributes["src"]] = None

    def _has(self, address: str) -> bool:
        if address in self.content or IMAGE_DATA.match(address):
            return True
        file = self._files.get(address)
        if file is None:
            return False
        files = self._pack.game.files
        try:
            content = read_regular_file(files.file(file), files.root_of(file))
        except OSError:
            return False
        return self._add(address, published_content(file, content))

    def _add(self, path: str, content: bytes) -> bool:
        if found := media_type(path, content):
            self.content[path], self.types[path] = content, found
        return bool(found)
