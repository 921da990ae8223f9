"""The pages of single texts, for an author who waits for them: each chapter with the entities in it."""

from collections.abc import Iterator, Mapping

from kismet_build.book import Chapter, Section
from kismet_build.emitters.card import large_cards
from kismet_build.emitters.chapter_pages import chapter_page
from kismet_build.emitters.entity_pages import entity_page
from kismet_build.emitters.folders import Navigator, folders
from kismet_build.emitters.page import Page, root
from kismet_build.emitters.pages import footnotes_of
from kismet_build.emitters.site import framed
from kismet_build.entity import Entity, Pack, section_id
from kismet_build.kind import Kind
from kismet_build.model import FootnoteDefinition


class TextPages:
    """Makes the pages of single texts, as often as one of them has a new version."""

    def __init__(self, pack: Pack) -> None:
        """Prepare what versions of single texts do not change: addresses and titles of chapters."""
        top = folders(pack)
        self._by_slug = {folder.slug: folder for folder in top.every()}
        self._navigator = Navigator(pack, top)

    def files(self, pack: Pack, chapter: Chapter) -> Iterator[tuple[str, bytes]]:
        """The pages of a chapter of a pack and of its entities, by their paths, as they stand in the whole tree."""
        return framed(pack, self._pages(pack, chapter), self._navigator)

    def _pages(self, pack: Pack, chapter: Chapter) -> Iterator[Page]:
        footnotes = footnotes_of(pack, chapter)
        yield chapter_page(pack, pack.book.chapters.index(chapter), self._by_slug, footnotes)
        own = pack.by_source.get(chapter.source, ())
        sections = _sections(pack, own)
        for kind in pack.game.kinds.values():
            yield from _of_kind(pack, kind, [one for one in own if one.kind == kind.id], sections, footnotes)


def _of_kind(
    pack: Pack,
    kind: Kind,
    entities: list[Entity],
    sections: Mapping[str, Section],
    footnotes: Mapping[str, FootnoteDefinition],
) -> Iterator[Page]:
    cards = large_cards(pack, kind, root(f"{pack.game.id}/{kind.id}/-/"), entities) if entities else ()
    for entity, card in zip(entities, cards, strict=True):
        yield entity_page(pack, kind, pack.entities[kind.id].index(entity), card, sections, footnotes)


def _sections(pack: Pack, entities: tuple[Entity, ...]) -> Mapping[str, Section]:
    """The sections that mention some entities, by their ids."""
    named = {mention.origin for entity in entities for mention in pack.mentions_of.get(entity.id, ())}
    sources = {
        mention.span.source for entity in entities for mention in pack.mentions_of.get(entity.id, ())
    } & pack.book.sections.keys()
    found = (section for source in sources for section in pack.book.sections[source])
    return {one: section for section in found if (one := section_id(pack.game, section)) in named}
