"""The pictures of an EPUB. All are in the book itself, because an EPUB may not show pictures from the web."""

import re
from pathlib import Path
from posixpath import splitext
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree

from kismet_build.extensions.book.book_pages import BookPage
from kismet_build.extensions.book.xhtml import Element, walk
from kismet_build.model.active_content import EMPTY_SVG, SVG, is_oversized, is_svg, published_content
from kismet_build.model.source import read_regular_file
from kismet_build.pack import Pack

# The ids of SVG images in an EPUB must be XML names without colons, and unique.

# --- ids in SVG

NAME = re.compile(r"[^\W\d][\w.-]*")
PAINT = re.compile(r"url\(\s*(['\"]?)#(?P<id>[^'\")]*)\1\s*\)(?P<fallback>\s+[^\s;]+)?")
"""A reference to an element in an attribute or a style, such as `fill="url(#sky) blue"`."""


def with_valid_ids(image: bytes) -> bytes:
    """An SVG image with valid ids. A valid image is returned unchanged.

    Like browsers, this keeps the first element with an id, and replaces a broken `url(#…)` by its fallback or `none`.
    """
    tree = ElementTree.fromstring(image)
    before = ElementTree.tostring(tree)
    names: dict[str, str] = {}
    for element in tree.iter():
        if (found := element.get("id")) is None:
            continue
        if not found or found in names:
            del element.attrib["id"]
        else:
            names[found] = found if NAME.fullmatch(found) else f"kismet-{len(names)}"
            element.set("id", names[found])

    def paint(reference: re.Match[str]) -> str:
        fallback = reference["fallback"] or ""
        name = names.get(reference["id"])
        return f"url(#{name}){fallback}" if name else fallback or "none"

    for element in tree.iter():
        for key, value in element.items():
            is_link = key.endswith("href") and value.startswith("#")
            element.set(key, f"#{names.get(value[1:], value[1:])}" if is_link else PAINT.sub(paint, value))
        if element.tag == f"{{{SVG}}}style":
            element.text = PAINT.sub(paint, element.text or "")
    after = ElementTree.tostring(tree)
    return image if after == before else after


EMBLEM, COVER = "emblem", "cover"
"""The addresses of the emblem and the cover. In a PDF's folder of pictures, the cover's file is named
`cover`, with its suffix."""
# --- pictures

IMAGE_DATA = re.compile(r"data:image/(?:gif|jpeg|png|webp)[;,]", re.IGNORECASE)
SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}
"""The first bytes of each type of picture, except SVG, that every e-reader must show:
https://www.w3.org/TR/epub-33/#sec-core-media-types."""
SVG_TYPE = "image/svg+xml"
SUFFIXES = {
    "image/png": (".png",),
    "image/jpeg": (".jpg", ".jpeg"),
    "image/gif": (".gif",),
    "image/webp": (".webp",),
    SVG_TYPE: (".svg",),
}
"""The valid suffixes of each type. The first one is appended to a file name that has none of them."""


class Picture(NamedTuple):
    """A picture in the book."""

    path: str
    media_type: str
    content: bytes


class Pictures:
    """The picture files of a book. A picture that the book cannot show is replaced by its alternative text."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._files = {pack.addresses.attachments[file]: file for file in set(pack.book.attachment_of.values())}
        self.found: dict[str, Picture] = {}
        """The pictures by their address on the website, or by `EMBLEM` and `COVER`."""
        self.missing: dict[str, None] = {}
        face, cover = pack.game.definition.face, pack.game.definition.book.cover
        if face.emblem:
            self._add(EMBLEM, face.emblem, is_drawing=True)
        if cover:
            self._read(COVER, cover, None)

    def place(self, page: BookPage) -> None:
        """Read the pictures of a page, and replace those that the book cannot show by their alternative text."""
        for parent in [Element("body", {}, page.nodes), *walk(page.nodes)]:
            for number, node in enumerate(parent.children):
                if not isinstance(node, Element) or node.tag != "img":
                    continue
                address = unquote(node.attributes["src"])
                if self._has(address):
                    node.attributes["src"] = self.found[address].path
                elif not IMAGE_DATA.match(address):
                    parent.children[number] = node.attributes["alt"]
                    self.missing[node.attributes["src"]] = None

    def _has(self, address: str) -> bool:
        if address not in self.found and (file := self._files.get(address)) is not None:
            files = self._pack.game.files
            self._read(address, files.file(file), files.root_of(file))
        return address in self.found

    def _read(self, address: str, file: Path, folder: Path | None) -> None:
        """Read a picture if e-readers can show it. `folder`: if given, the folder that must contain the file."""
        try:
            content = published_content(file.name, read_regular_file(file, folder))
        except OSError:
            return
        if not is_oversized(content):
            self._add(address, content, is_drawing=is_svg(file.name))

    def _add(self, address: str, content: bytes, *, is_drawing: bool) -> None:
        if is_drawing:
            media_type = SVG_TYPE if content != EMPTY_SVG else ""
            content = with_valid_ids(content)
        else:
            media_type = next((name for name, signature in SIGNATURES.items() if signature.match(content)), "")
        if media_type:
            suffixes = SUFFIXES[media_type]
            path = address if splitext(address)[1] in suffixes else address + suffixes[0]
            self.found[address] = Picture(path, media_type, content)
