"""All pages of a game as finished HTML, without the frame around them."""

from collections.abc import Mapping, Sequence

from kismet_build.emitters.calculator_pages import calculators_page, sheet_pages
from kismet_build.emitters.chapter_pages import chapter_pages
from kismet_build.emitters.entity_pages import kind_pages
from kismet_build.emitters.outlet import shown_again
from kismet_build.emitters.overview_pages import (
    downloads_page,
    errata_page,
    glossary_page,
    home_page,
)
from kismet_build.emitters.page import INDEX, Page
from kismet_build.emitters.template import template
from kismet_build.entity import Pack
from kismet_build.model import FootnoteDefinition, walk
from kismet_build.source import Source


def library_page(packs: Sequence[Pack]) -> Page:
    """The page above all games."""
    games = [(pack.game, len(pack.book.chapters), sum(map(len, pack.entities.values()))) for pack in packs]
    return Page(
        address="",
        title="Rules",
        role="library",
        article=template("article_library").render(games=games, index=INDEX),
        description="The rules of " + ", ".join(pack.game.title for pack in packs),
    )


def pages(pack: Pack) -> tuple[Page, ...]:
    """Every page of a game."""
    return (*pages_of_text(pack), *pages_of_calculators(pack))


def pages_of_calculators(pack: Pack) -> tuple[Page, ...]:
    """All calculators in one page, and the sheets."""
    return (calculators_page(pack), *sheet_pages(pack))


def pages_of_text(pack: Pack) -> tuple[Page, ...]:
    """The home of a game, its chapters in reading order, each kind with its entities, the rest."""
    footnotes = _footnotes(pack)
    chapters = tuple(chapter_pages(pack, footnotes))
    return (
        home_page(pack, chapters),
        *chapters,
        *(page for kind in pack.game.kinds.values() for page in kind_pages(pack, kind, footnotes)),
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
    return {source: {**every, **notes} for source, notes in own.items()}
