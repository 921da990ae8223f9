"""Read the PDFs that tests make: every character with its place, and the tags that give their order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, count, groupby
from operator import itemgetter
from typing import Any

from pdfminer.converter import PDFLayoutAnalyzer
from pdfminer.layout import LTChar
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import resolve1
from pdfminer.utils import decode_text

SOFT_HYPHEN = "\u00ad"
INLINE = {"Em", "Link", "Span", "Strong"}
"""Tags that may be inside a word."""


@dataclass(frozen=True, slots=True)
class Char:
    """A character, in points from the lower left corner of its page. A hyphen that Typst added is a soft hyphen."""

    text: str
    page: int
    """The number of its page, from 1."""
    left: float
    bottom: float
    right: float
    top: float
    size: float
    font: str


class OpenPdf:
    def __init__(self, content: bytes) -> None:
        document = PDFDocument(PDFParser(BytesIO(content)))
        resources = PDFResourceManager()
        device = _Device(resources)
        interpreter = PDFPageInterpreter(resources, device)
        for page in PDFPage.create_pages(document):
            interpreter.process_page(page)
        self.pages: Sequence[Sequence[Char]] = [*device.pages.values()]
        self._marked = device.marked
        self._root = document.catalog["StructTreeRoot"]

    def blocks(self) -> Iterator[tuple[str, Sequence[Char]]]:
        """The tag and the characters of each block, such as a heading or a cell, in the order of a screen reader.

        Heads of tables that are repeated and running heads have no tag.
        """
        for (tag, _), pieces in groupby(self._tagged(), key=itemgetter(0)):
            yield tag, [*chain.from_iterable(chars for _, chars in pieces)]

    def _tagged(self) -> Iterator[tuple[tuple[str, int], Sequence[Char]]]:
        """The characters of each piece of content that has a tag, with the tag and the number of its block."""
        blocks = count(1)
        pending: list[tuple[Any, tuple[str, int], int]] = [(self._root, ("", 0), 0)]
        while pending:
            node, block, page = pending.pop()
            node = resolve1(node)
            if isinstance(node, int):
                yield block, self._marked.get((page, node), ())
                continue
            page = node["Pg"].objid if "Pg" in node else page
            if "S" in node and node["S"].name not in INLINE:
                block = (node["S"].name, next(blocks))
            content = [node["MCID"]] if "MCID" in node else resolve1(node.get("K", []))
            for child in reversed(content if isinstance(content, list) else [content]):
                pending.append((child, block, page))


class _Device(PDFLayoutAnalyzer):
    """Collects the characters of each page in the order in which they are drawn."""

    def __init__(self, resources: PDFResourceManager) -> None:
        super().__init__(resources)
        self.pages: dict[int, list[Char]] = {}
        self.marked: dict[tuple[int, int], list[Char]] = {}
        """The characters of each piece of content with an id, by its page and this id, without those off the paper."""
        self._properties: list[dict[str, Any]] = []

    def begin_page(self, page: PDFPage, ctm: Any) -> None:
        super().begin_page(page, ctm)
        assert isinstance(page.pageid, int)
        self._page, self._paper = page.pageid, page.mediabox
        self.pages[self._page] = []

    def begin_tag(self, tag: Any, props: Any = None) -> None:  # noqa: ARG002
        self._properties.append(props or {})

    def end_tag(self) -> None:
        self._properties.pop()

    def render_char(self, *arguments: Any, **options: Any) -> float:
        width = super().render_char(*arguments, **options)
        item = self.cur_item._objs[-1]
        assert isinstance(item, LTChar)
        text, mark = item.get_text(), None
        for properties in self._properties:
            mark = properties.get("MCID", mark)
            if "ActualText" in properties:  # it replaces all glyphs inside it
                text = decode_text(properties["ActualText"])
                properties["ActualText"] = b""
        char = Char(text, len(self.pages), *item.bbox, item.size, item.fontname)
        self.pages[self._page].append(char)
        left, bottom, right, top = self._paper
        if mark is not None and left <= char.left and bottom <= char.bottom and char.right <= right and char.top <= top:
            self.marked.setdefault((self._page, mark), []).append(char)
        return width
