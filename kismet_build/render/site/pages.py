"""All pages of a game as finished HTML, without the frame around them."""

from collections.abc import Iterator
from itertools import chain

from kismet_build.model.book import Chapter
from kismet_build.pack import Pack
from kismet_build.render.html.footnotes import footnotes
from kismet_build.render.pages.board import board_pages
from kismet_build.render.pages.calculators import calculators_page, sheet_pages
from kismet_build.render.pages.chapter import top_sections
from kismet_build.render.pages.entity import index_page
from kismet_build.render.pages.folder import folder_pages
from kismet_build.render.pages.navigation import folders
from kismet_build.render.pages.overview import (
    downloads_page,
    errata_page,
    glossary_page,
    home_page,
)
from kismet_build.render.pages.page import Page
from kismet_build.render.pages.print import is_printable, print_pages
from kismet_build.render.site.text_pages import TextPages


def pages(pack: Pack) -> tuple[Page, ...]:
    """Every page of a game."""
    texts = pages_of_texts(TextPages(pack), pack, range(len(pack.book.chapters)))
    return (*chain.from_iterable(some(pack) for some in BESIDE_TEXTS), *texts)


def pages_of_texts(texts: TextPages, pack: Pack, places: range) -> Iterator[Page]:
    """The chapters at some places of the book, each with its entities."""
    return chain.from_iterable(texts.pages(pack, place) for place in places)


def pages_above(pack: Pack) -> Iterator[Page]:
    """The home of a game and its folders."""
    top = folders(pack)
    in_no_folder = (item for item in top.items if isinstance(item, Chapter))
    yield home_page(pack, top, {chapter.slug: top_sections(pack, chapter) for chapter in in_no_folder})
    yield from folder_pages(pack, top)


def pages_of_kinds(pack: Pack) -> Iterator[Page]:
    """The indexes of the kinds."""
    return (index_page(pack, kind) for kind in pack.game.kinds.values())


def pages_of_sheets(pack: Pack) -> Iterator[Page]:
    """What is composed of the rest: boards, what is printed, lists of everything."""
    yield from board_pages(pack)
    yield from print_pages(pack, footnotes(pack) if is_printable(pack) else {})
    yield glossary_page(pack)
    yield downloads_page(pack)
    yield errata_page(pack)


def pages_of_calculators(pack: Pack) -> Iterator[Page]:
    """All calculators in one page, and the sheets."""
    yield calculators_page(pack)
    yield from sheet_pages(pack)


BESIDE_TEXTS = (pages_above, pages_of_kinds, pages_of_sheets, pages_of_calculators)
"""What makes the pages that are not of single texts."""
