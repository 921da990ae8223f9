"""Make attachments that can run code safe: publish them as downloads, or remove scripts from SVG images.

docs/decisions/0016-active-content.md explains why downloads get the suffix `.txt`, and links to them no attribute
`download`.
"""

import re
from posixpath import splitext
from typing import NamedTuple
from xml.parsers.expat import ExpatError, ParserCreate

ACTIVE_SUFFIXES = frozenset(
    (
        *(".html", ".htm", ".xhtml", ".xht", ".shtml", ".xml", ".xsl", ".xslt", ".rdf", ".mht", ".mhtml", ".svgz"),
        *(".js", ".mjs", ".cjs", ".wasm", ".swf", ".jar", ".hta"),
        *(".php", ".phtml", ".phar", ".asp", ".aspx", ".jsp", ".cgi", ".pl", ".py", ".rb", ".sh"),
    )
)
"""Suffixes of files that a browser or a web server may run when their address is opened."""

SVG = "http://www.w3.org/2000/svg"
XHTML = "http://www.w3.org/1999/xhtml"
XLINK = "http://www.w3.org/1999/xlink"
XML = "http://www.w3.org/XML/1998/namespace"
PREFIXES = {"": "", XLINK: "xlink:", XML: "xml:"}
"""Namespaces of attributes that are kept, with their prefixes."""
ACTIVE_ELEMENTS = frozenset(
    ("script", "handler", "listener", "foreignObject", "iframe", "embed", "object", "audio", "video", "canvas")
)
ANIMATIONS = frozenset(("set", "animate", "animateTransform", "animateMotion", "animateColor"))
"""Elements that change an attribute of another element, which may be an address."""
SAFE_REFERENCE = re.compile(r"#|https?:|data:image/(?:png|jpeg|gif|webp)[;,]", re.IGNORECASE)
"""The start of a safe address in an SVG image."""
MAX_DEPTH = 200
"""Maximum depth of elements in an SVG image. A depth of 20,000 ends the programs that read it."""
MAX_EXPANDED = 1_000_000
"""Maximum number of characters that the entities of an SVG image may add."""
MAX_SIDE, MAX_PIXELS = 50_000, 100_000_000
"""Maximum width and height, and number of pixels, of a picture in a book: a program for books draws all of them."""
SIDE = re.compile(rb"<(?:\w+:)?svg\b[^>]*?\b(?:width|height)\s*=\s*[\"']\s*([\d.eE+]+)", re.DOTALL)
HEAVY_FILTER = re.compile(rb"numOctaves\s*=\s*[\"']\s*\d{2,}|(?:stdDeviation|radius|order)\s*=\s*[\"']\s*\d{3,}")
EMPTY_SVG = f'<svg xmlns="{SVG}"/>'.encode()


def is_download(path: str) -> bool:
    """Whether an attachment is published as a download, because files with its suffix can run code."""
    return splitext(path)[1].casefold() in ACTIVE_SUFFIXES


def published_content(path: str, content: bytes) -> bytes:
    """The published content of an attachment.

    Scripts are removed from SVG images, and all other files are unchanged.
    """
    return clean_svg(content).content if is_svg(path) else content


def is_svg(path: str) -> bool:
    """Whether a file is an SVG image, by its suffix."""
    return splitext(path)[1].casefold() == ".svg"


def is_oversized(content: bytes) -> bool:
    """Whether a picture is too large to be drawn in a book, by the size that its first bytes give."""
    if content.startswith(b"\x89PNG") and len(content) >= 24:
        width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
        return max(width, height) > MAX_SIDE or width * height > MAX_PIXELS
    if content[:6] in (b"GIF87a", b"GIF89a"):
        return int.from_bytes(content[6:8], "little") * int.from_bytes(content[8:10], "little") > MAX_PIXELS
    start = content[:MAX_EXPANDED]
    return any(_number(side) > MAX_SIDE for side in SIDE.findall(start)) or HEAVY_FILTER.search(start) is not None


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


class CleanSvg(NamedTuple):
    """An SVG image as it is published."""

    content: bytes
    had_scripts: bool
    """Whether something that can run code was left out."""


def clean_svg(content: bytes) -> CleanSvg:
    """An SVG image without anything that can run code; the same bytes if there is nothing to remove.

    An image that is not valid XML becomes empty, because a browser runs the code before the first error. So does one
    that is nested too deeply, or whose entities expand too far.
    """
    cleaner = _Cleaner(len(content) + MAX_EXPANDED)
    try:
        cleaner.parser.Parse(content, True)
    except (ExpatError, ValueError, LookupError):  # invalid XML, an entity that expands too far, an unknown encoding
        return CleanSvg(EMPTY_SVG, True)
    if not cleaner.is_changed:
        return CleanSvg(content, False)
    return CleanSvg("".join(cleaner.parts).encode() or EMPTY_SVG, cleaner.had_scripts)


class _Cleaner:
    """Writes the elements of an SVG image while it is parsed, without elements that can run code."""

    def __init__(self, max_characters: int) -> None:
        # Imported when needed: the module imports urllib, ssl and email, and most games have no such image.
        from xml.sax.saxutils import escape, quoteattr

        self.escape, self.quoted = escape, quoteattr
        self.parser = ParserCreate(namespace_separator=" ")
        self.parser.ordered_attributes = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.ProcessingInstructionHandler = self._instruction
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parts: list[str] = []
        self.is_changed = self.had_scripts = False
        self._depth, self._left = 0, max_characters
        self._dropped = 0
        """The nesting depth within an element that is left out; 0 outside such elements."""

    def _drop(self, *, is_active: bool) -> None:
        self.is_changed = True
        self.had_scripts |= is_active

    def _instruction(self, target: str, _data: str) -> None:
        self._drop(is_active=target.casefold() == "xml-stylesheet")  # a style sheet in XSLT can run code

    def _doctype(self, _name: str, _system: str | None, _public: str | None, has_declarations: int) -> None:
        if has_declarations:  # entities and default attributes, which the parser has already expanded
            self._drop(is_active=False)

    def _start(self, name: str, attributes: list[str]) -> None:
        self._depth += 1
        self._count(sum(map(len, attributes)))
        if self._depth > MAX_DEPTH:
            raise ValueError("the image is nested too deeply")
        namespace, _, local = name.rpartition(" ")
        pairs = dict(zip(attributes[::2], attributes[1::2], strict=True))
        is_active = local in ACTIVE_ELEMENTS or (local in ANIMATIONS and _changes_code(pairs.get("attributeName", "")))
        if self._dropped or namespace != SVG or is_active:
            self._dropped += 1
            self._drop(is_active=is_active or namespace == XHTML)
            return
        self.parts.append(f"<{local}" if self.parts else f'<{local} xmlns="{SVG}" xmlns:xlink="{XLINK}"')
        for attribute, value in pairs.items():
            own_namespace, _, own_name = attribute.rpartition(" ")
            if not _is_inert(own_name, value):
                self._drop(is_active=True)
            elif own_namespace not in PREFIXES:
                self._drop(is_active=False)
            else:
                self.parts.append(f" {PREFIXES[own_namespace]}{own_name}={self.quoted(value)}")
        self.parts.append(">")

    def _count(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise ValueError("the entities of the image expand too far")

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._dropped:
            self._dropped -= 1
        else:
            self.parts.append(f"</{name.rpartition(' ')[2]}>")

    def _text(self, text: str) -> None:
        self._count(len(text))
        if not self._dropped:
            self.parts.append(self.escape(text))


def _changes_code(attribute: str) -> bool:
    name = attribute.strip().casefold().rpartition(":")[2]
    return name == "href" or name.startswith("on")


def _is_inert(name: str, value: str) -> bool:
    if name.casefold().startswith("on"):
        return False
    address = re.sub(r"[\x00-\x20]+", "", value)
    return name not in ("href", "base") or not address or SAFE_REFERENCE.match(address) is not None
