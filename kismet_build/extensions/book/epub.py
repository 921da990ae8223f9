"""Write a game as an EPUB 3.3: a zip file with its texts as XHTML, its pictures and a table of contents.

https://www.w3.org/TR/epub-33/. Equal games give equal bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from kismet_build.config.data_file import SHIPPED
from kismet_build.extensions.book.book_pages import BookPage, chapter_pages
from kismet_build.extensions.book.links import File, Links, mark_footnotes
from kismet_build.extensions.book.matter import back_pages, front_pages
from kismet_build.extensions.book.pictures import COVER, Picture, Pictures
from kismet_build.extensions.book.xhtml import Element, Node, element, walk, write_xml
from kismet_build.model.archives import zip_file
from kismet_build.pack import Pack
from kismet_build.render.pages.page import Branch, Entry, tree

# --- the package document and the table of contents

MAX_CONTENTS, MIN_CONTENTS_LEVEL = 500, 2
"""While the table of contents has more than `MAX_CONTENTS` lines, its deepest level is left out. Levels up to
`MIN_CONTENTS_LEVEL` always stay."""
LANDMARKS = ("cover", "titlepage", "toc", "bodymatter", "glossary", "index")


def contents_page(pack: Pack, links: Links, files: Sequence[File], chapters: Sequence[BookPage]) -> BookPage:
    """The page with the table of contents and the landmarks."""
    words = pack.game.catalog
    title = words.text("title.contents")
    entries = [
        Entry(entry.level, entry.title, target.link_from(""))
        for file in files
        for entry in file.page.contents
        if (target := links.find(file, entry.id))
    ]
    deepest = max(entry.level for entry in entries)
    while len(entries) > MAX_CONTENTS and deepest > MIN_CONTENTS_LEVEL:
        entries = [entry for entry in entries if entry.level < deepest]
        deepest -= 1
    first_of = {file.page.type: file for file in reversed(files)}
    marks = {name: (first_of[name].name, first_of[name].page.title) for name in LANDMARKS if name in first_of}
    marks["toc"] = ("nav.xhtml", title)
    if chapters:
        first = next(file for file in files if file.page is chapters[0])
        marks["bodymatter"] = (first.name, words.text("paper.start"))
    landmarks = element(
        "nav",
        element(
            "ol",
            *(
                element("li", element("a", marks[name][1], href=marks[name][0], epub__type=name))
                for name in LANDMARKS
                if name in marks
            ),
        ),
        epub__type="landmarks",
        hidden="hidden",
    )
    nav = element("nav", element("h1", title), _list(tree(entries)), epub__type="toc", role="doc-toc", id="toc")
    return BookPage(title=title, nodes=[nav, "\n", landmarks], type="frontmatter")


def _list(branches: Iterable[Branch]) -> Element:
    items: list[Node] = []
    for branch in branches:
        link = element("a", branch.entry.title, href=branch.entry.id)
        inner: list[Node] = ["\n", _list(branch.children)] if branch.children else []
        items += [element("li", link, *inner), "\n"]
    return element("ol", "\n", *items)


def package_file(pack: Pack, files: Sequence[File], pictures: Mapping[str, Picture]) -> bytes:
    """The package document."""
    direction = "rtl" if pack.game.catalog.is_right_to_left else ""
    metadata = [element("meta", value, property=name) for name, value in _accessibility(files)]
    package = element(
        "package",
        "\n",
        element(
            "metadata",
            "\n",
            *_lines(_metadata(pack)),
            *_lines(metadata),
            xmlns__dc="http://purl.org/dc/elements/1.1/",
        ),
        "\n",
        element("manifest", "\n", *_lines(_manifest(files, pictures))),
        "\n",
        element(
            "spine",
            "\n",
            *_lines(element("itemref", idref=_item_id(file.name)) for file in files),
            page_progression_direction=direction,
        ),
        "\n",
        xmlns="http://www.idpf.org/2007/opf",
        version="3.0",
        unique_identifier="id",
        xml__lang=pack.game.language,
        dir=direction,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{write_xml([package])}\n'.encode()


def _lines(elements: Iterable[Element]) -> Iterator[Node]:
    for each in elements:
        yield each
        yield "\n"


def _metadata(pack: Pack) -> Iterator[Element]:
    game, date = pack.game, pack.game.definition.book.date
    identifier = uuid5(NAMESPACE_URL, f"kismet-build:{game.id}:{game.version}")
    yield element("dc:identifier", f"urn:uuid:{identifier}", id="id")
    yield element("dc:title", game.title)
    yield element("dc:language", game.language)
    for author in game.authors:
        yield element("dc:creator", author)
    if game.description:
        yield element("dc:description", game.description)
    if rights := " ".join(filter(None, (game.licence, game.attribution, *game.notices))):
        yield element("dc:rights", rights)
    if date:
        yield element("dc:date", date)
    yield element("meta", f"{date or '1980-01-01'}T00:00:00Z", property="dcterms:modified")


def _accessibility(files: Sequence[File]) -> Iterator[tuple[str, str]]:
    """Accessibility metadata: the names and values of https://www.w3.org/TR/epub-a11y-11/#sec-discovery."""
    texts = (file.page for file in files if file.page.type != "titlepage")  # The title page shows only the emblem.
    shown = [node for page in texts for node in walk(page.nodes) if node.tag == "img"]
    are_in_words = all(image.attributes["alt"] for image in shown)
    yield "schema:accessMode", "textual"
    if shown:
        yield "schema:accessMode", "visual"
    yield "schema:accessModeSufficient", "textual" if are_in_words else "textual,visual"
    features = ["structuralNavigation", "tableOfContents", "readingOrder"]
    features += ["alternativeText"] if shown and are_in_words else []
    features += ["index"] if any(file.page.type == "index" for file in files) else []
    features += ["MathML"] if any(map(_has_formulas, files)) else []
    yield from (("schema:accessibilityFeature", feature) for feature in features)
    yield "schema:accessibilityHazard", "none"


def _has_formulas(file: File) -> bool:
    return any(node.tag == "math" for node in walk(file.page.nodes))


def _manifest(files: Sequence[File], pictures: Mapping[str, Picture]) -> Iterator[Element]:
    for file in files:
        properties = "nav" if file.name == "nav.xhtml" else "mathml" if _has_formulas(file) else ""
        yield element(
            "item",
            id=_item_id(file.name),
            href=file.name,
            media_type="application/xhtml+xml",
            properties=properties,
        )
    yield element("item", id="style", href="style.css", media_type="text/css")
    for number, (address, picture) in enumerate(pictures.items(), 1):
        yield element(
            "item",
            id=f"picture-{number}",
            href=picture.path,
            media_type=picture.media_type,
            properties="cover-image" if address == COVER else "",
        )


def _item_id(name: str) -> str:
    return name.removesuffix(".xhtml")


# --- the file

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
