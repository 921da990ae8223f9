"""Write a game as an EPUB 3.3: a zip file with its texts as XHTML, its pictures and a table of contents.

https://www.w3.org/TR/epub-33/. Equal games give equal bytes.
"""

from typing import NamedTuple

from kismet_build.config.data_file import SHIPPED
from kismet_build.extensions.book.book_pages import BookPage, chapter_pages
from kismet_build.extensions.book.links import File, Links, mark_footnotes
from kismet_build.extensions.book.matter import back_pages, front_pages
from kismet_build.extensions.book.package import contents_page, package_file
from kismet_build.extensions.book.pictures import Pictures
from kismet_build.extensions.book.xhtml import Element, element, write_xml
from kismet_build.model.archives import zip_file
from kismet_build.pack import Pack

MIMETYPE = "mimetype"
"""The name of the first file, which is not compressed: https://www.w3.org/TR/epub-33/#sec-zip-container-mime."""
CONTAINER = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b'<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">\n<rootfiles>\n'
    b'<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>\n</rootfiles>\n</container>\n'
)
STYLE = SHIPPED / "site" / "book" / "epub.css"
ROLES = {"appendix": "doc-appendix", "chapter": "doc-chapter", "glossary": "doc-glossary", "index": "doc-index"}


class Epub(NamedTuple):
    """The bytes of an EPUB, and the pictures that it lacks."""

    content: bytes
    missing_pictures: tuple[str, ...]
    """The addresses of the pictures that the book replaces by their alternative texts."""


def epub_book(pack: Pack) -> Epub:
    """A game as an EPUB."""
    front, chapters, back = [*front_pages(pack)], [*chapter_pages(pack)], [*back_pages(pack)]
    pages = [*front, *chapters, *back]
    files = [File(f"{page.type}-{number}.xhtml", page) for number, page in enumerate(pages, 1)]
    pictures = Pictures(pack)
    links = Links(pack, files)
    for file in files:
        links.resolve(file)
        pictures.place(file.page)
        mark_footnotes(file.page)
    contents = contents_page(pack, links, files, chapters)
    files.insert(len(front), File("nav.xhtml", contents))
    written = {f"EPUB/{file.name}": _page_file(pack, file.page) for file in files}
    content = zip_file(
        {
            MIMETYPE: b"application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "EPUB/package.opf": package_file(pack, files, pictures.found),
            **written,
            "EPUB/style.css": STYLE.read_bytes(),
            **{f"EPUB/{picture.path}": picture.content for picture in pictures.found.values()},
        },
        uncompressed=(MIMETYPE,),
    )
    return Epub(content, tuple(pictures.missing))


def _page_file(pack: Pack, page: BookPage) -> bytes:
    language = pack.game.language
    direction = "rtl" if pack.game.catalog.is_right_to_left else ""
    head = element(
        "head",
        "\n",
        element("title", page.title),
        "\n",
        Element("link", {"rel": "stylesheet", "href": "style.css"}, []),
        "\n",
    )
    section = element("section", "\n", *page.nodes, "\n", class_=page.type, epub__type=page.type)
    if role := ROLES.get(page.type):
        section.attributes |= {"role": role, "aria-label": page.title}
    html = element(
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
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n{write_xml([html])}\n'.encode()
