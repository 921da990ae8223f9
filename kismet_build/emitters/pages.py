"""All pages of a game as finished HTML, without the frame around them."""

from collections import ChainMap
from collections.abc import Mapping

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
from kismet_build.model import FootnoteDefinition, walk
from kismet_build.source import Source


def pages(pack: Pack) -> tuple[Page, ...]:
    """Every page of a game."""
    return (*pages_of_text(pack), *pages_of_calculators(pack))


def pages_of_calculators(pack: Pack) -> tuple[Page, ...]:
    """All calculators in one page, and the sheets."""
    return (calculators_page(pack), *sheet_pages(pack))


def pages_of_text(pack: Pack) -> tuple[Page, ...]:
    """The home of a game, its chapters in reading order, each kind with its entities, the rest."""
    footnotes = _footnotes(pack)
    top = folders(pack)
    chapters = tuple(chapter_pages(pack, top, footnotes))
    return (
        home_page(pack, top, chapters),
        *chapters,
        *folder_pages(pack, top),
        *(page for kind in pack.game.kinds.values() for page in kind_pages(pack, kind, footnotes)),
        *board_pages(pack),
        *print_pages(pack, footnotes),
        glossary_page(pack),
        downloads_page(pack),
        errata_page(pack),
    )


def _footnotes(pack: Pack) -> Mapping[Source, Mapping[str, FootnoteDefinition]]:
    """For each text the footnotes that its pages may need: its own, and those of texts that are shown in it."""
    own = {
        chapter.source: {
            node.label: node for node in walk(*chapter.document.blocks) if isinstance(node, FootnoteDefinition)
        }
        for chapter in pack.book.chapters
    }
    copies = (shown_again(note) for notes in own.values() for note in notes.values())
    every = {note.label: note for note in copies if isinstance(note, FootnoteDefinition)}
    # Not a mapping of all for each: of a thousand texts with footnotes none needs those of the others copied.
    return {source: ChainMap(notes, every) for source, notes in own.items()}
