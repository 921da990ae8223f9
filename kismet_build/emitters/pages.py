"""All pages of a game as finished HTML, without the frame around them."""

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from kismet_build.book import Chapter
from kismet_build.emitters.board_pages import board_pages
from kismet_build.emitters.calculator_pages import calculators_page, sheet_pages
from kismet_build.emitters.chapter_pages import chapter_pages
from kismet_build.emitters.entity_pages import kind_pages
from kismet_build.emitters.folder_pages import folder_pages
from kismet_build.emitters.folders import folders
from kismet_build.emitters.outlet import shown_again
from kismet_build.emitters.overview_pages import (
    downloads_page,
    errata_page,
    glossary_page,
    home_page,
)
from kismet_build.emitters.page import Page
from kismet_build.emitters.print_pages import print_pages
from kismet_build.entity import Pack
from kismet_build.model import Embed, FootnoteDefinition
from kismet_build.source import Source


def pages(pack: Pack) -> tuple[Page, ...]:
    """Every page of a game."""
    return tuple(page for made in PAGES for page in made(pack))


def pages_of_chapters(pack: Pack) -> Iterator[Page]:
    """The chapters of a game in reading order, its folders, its home."""
    top = folders(pack)
    sections: dict[str, list[str]] = {}
    for page in chapter_pages(pack, top, _footnotes(pack)):
        sections[page.address] = [entry.title for entry in page.contents if entry.level == 1]
        yield page
    yield from folder_pages(pack, top)
    yield home_page(pack, top, sections)


def pages_of_kinds(pack: Pack) -> Iterator[Page]:
    """Each kind with its entities."""
    footnotes = _footnotes(pack)
    for kind in pack.game.kinds.values():
        yield from kind_pages(pack, kind, footnotes)


def pages_of_sheets(pack: Pack) -> Iterator[Page]:
    """What is composed of the rest: boards, what is printed, lists of everything."""
    yield from board_pages(pack)
    yield from print_pages(pack, _footnotes(pack))
    yield glossary_page(pack)
    yield downloads_page(pack)
    yield errata_page(pack)


def pages_of_calculators(pack: Pack) -> Iterator[Page]:
    """All calculators in one page, and the sheets."""
    yield calculators_page(pack)
    yield from sheet_pages(pack)


PAGES: tuple[Callable[[Pack], Iterator[Page]], ...] = (
    pages_of_chapters,
    pages_of_kinds,
    pages_of_sheets,
    pages_of_calculators,
)
"""The pages of a game in parts that can be made apart."""


def footnotes_of(pack: Pack, chapter: Chapter) -> Mapping[Source, Mapping[str, FootnoteDefinition]]:
    """The footnotes that the pages of one text may need, under the text."""
    if any(isinstance(node, Embed) for node in chapter.document.links):
        return _footnotes(pack)
    return {chapter.source: _own(chapter)}


@lru_cache(maxsize=2)
def _footnotes(pack: Pack) -> Mapping[Source, Mapping[str, FootnoteDefinition]]:
    """For each text the footnotes that its pages may need: its own, and those of texts that are shown in it."""
    own = {chapter.source: _own(chapter) for chapter in pack.book.chapters}
    copies = (shown_again(note) for notes in own.values() for note in notes.values())
    every = {note.label: note for note in copies if isinstance(note, FootnoteDefinition)}
    # Not a mapping of all for each: of a thousand texts with footnotes none needs those of the others copied.
    return {source: ChainMap(notes, every) for source, notes in own.items()}


def _own(chapter: Chapter) -> dict[str, FootnoteDefinition]:
    return {note.label: note for note in chapter.document.footnotes}
