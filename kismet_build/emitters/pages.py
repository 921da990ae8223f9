"""All pages of a game as finished HTML, without the frame around them."""

from collections.abc import Mapping

from kismet_build.emitters.chapter_pages import chapter_pages
from kismet_build.emitters.entity_pages import kind_pages
from kismet_build.emitters.overview_pages import (
    calculators_page,
    downloads_page,
    errata_page,
    glossary_page,
    home_page,
)
from kismet_build.emitters.page import Page
from kismet_build.entity import Pack
from kismet_build.model import FootnoteDefinition, walk
from kismet_build.source import Source


def pages(pack: Pack) -> tuple[Page, ...]:
    """Every page of a game: its home, the chapters in reading order, each kind with its entities, the rest."""
    footnotes = _footnotes(pack)
    return (
        home_page(pack),
        *chapter_pages(pack, footnotes),
        *(page for kind in pack.game.kinds.values() for page in kind_pages(pack, kind, footnotes)),
        glossary_page(pack),
        calculators_page(pack),
        downloads_page(pack),
        errata_page(pack),
    )


def _footnotes(pack: Pack) -> Mapping[Source, Mapping[str, FootnoteDefinition]]:
    """The footnotes of each text: what is shown elsewhere can refer to one that stands outside it."""
    return {
        chapter.source: {
            node.label: node for node in walk(*chapter.document.blocks) if isinstance(node, FootnoteDefinition)
        }
        for chapter in pack.book.chapters
    }
