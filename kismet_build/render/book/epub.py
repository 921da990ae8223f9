"""A game as an EPUB 3.3: one zip file with its texts as XHTML, its pictures and a table of contents.

https://www.w3.org/TR/epub-33/. Equal games give equal bytes.
"""

from typing import NamedTuple

from kismet_build.config.data_file import SHIPPED
from kismet_build.model.archives import zip_file
from kismet_build.pack import Pack
from kismet_build.render.book.links import File, Links, mark_footnotes
from kismet_build.render.book.matter import back_sheets, front_sheets
from kismet_build.render.book.package import contents_sheet, package_file
from kismet_build.render.book.pictures import Pictures
from kismet_build.render.book.sheets import Sheet, chapter_sheets
from kismet_build.render.book.xhtml import Element, element, write_xml

MIMETYPE = "mimetype"
"""The first file, which is not compressed, https://www.w3.org/TR/epub-33/#sec-zip-container-mime."""
CONTAINER = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b'<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">\n<rootfiles>\n'
    b'<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>\n</rootfiles>\n</container>\n'
)
STYLE = SHIPPED / "site" / "book" / "epub.css"
ROLES = {"appendix": "doc-appendix", "chapter": "doc-chapter", "glossary": "doc-glossary", "index": "doc-index"}


class Epub(NamedTuple):
    """A book."""

    content: bytes
    missing_pictures: tuple[str, ...]
    """The addresses and paths of the pictures that are not in it: their alternative texts are."""


def epub_book(pack: Pack, *, date: str | None = None) -> Epub:
    """A game as an EPUB. `date`: the day of this edition, as `2024-05-31`; none is given otherwise."""
    front, chapters, back = [*front_sheets(pack, date)], [*chapter_sheets(pack)], [*back_sheets(pack)]
    sheets = [*front, *chapters, *back]
    files = [File(f"{sheet.type}-{number}.xhtml", sheet) for number, sheet in enumerate(sheets, 1)]
    pictures = Pictures(pack)
    links = Links(pack, files)
    for file in files:
        links.resolve(file)
        pictures.place(file.sheet)
        mark_footnotes(file.sheet)
    contents = contents_sheet(pack, links, files, chapters)
    files.insert(len(front), File("nav.xhtml", contents))
    written = {f"EPUB/{file.name}": _page(pack, file.sheet) for file in files}
    content = zip_file(
        {
            MIMETYPE: b"application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "EPUB/package.opf": package_file(pack, files, pictures.types, date),
            **written,
            "EPUB/style.css": STYLE.read_bytes(),
            **{f"EPUB/{path}": picture for path, picture in pictures.content.items()},
        },
        uncompressed=(MIMETYPE,),
    )
    return Epub(content, tuple(pictures.missing))


def _page(pack: Pack, sheet: Sheet) -> bytes:
    """The file of a sheet."""
    language = pack.game.language
    direction = "rtl" if pack.game.catalog.is_right_to_left else ""
    head = element(
        "head",
        "\n",
        element("title", sheet.title),
        "\n",
        Element("link", {"rel": "stylesheet", "href": "style.css"}, []),
        "\n",
    )
    section = element("section", "\n", *sheet.nodes, "\n", class_=sheet.type, epub__type=sheet.type)
    if role := ROLES.get(sheet.type):
        section.attributes |= {"role": role, "aria-label": sheet.title}
    page = element(
        "html",
        "\n",
        head,
        "\n",
        element("body", "\n", section, "\n"),
        "\n",
        xmlns="http://www.w3.org/1999/xhtml",
        xmlns__epub="http://www.idpf.org/2007/ops",
        lang=language,
        xml__lang=language,
        dir=direction,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n{write_xml([page])}\n'.encode()
