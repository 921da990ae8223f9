"""The pages of single texts, for an author who waits for them: each chapter with the entities in it."""

from collections.abc import Iterator, Sequence

from kismet_build.book import Chapter
from kismet_build.emitters.card import LargeCards
from kismet_build.emitters.chapter_pages import chapter_page
from kismet_build.emitters.entity_pages import entity_page
from kismet_build.emitters.field import shown_fields
from kismet_build.emitters.folders import Navigator, folders
from kismet_build.emitters.frame import Frame
from kismet_build.emitters.page import INDEX, Page
from kismet_build.emitters.pages import footnotes_of
from kismet_build.emitters.print_pages import is_printable
from kismet_build.emitters.references import book_order
from kismet_build.entity import Entity, Pack
from kismet_build.kind import Kind


class TextPages:
    """Makes the pages of single texts, as often as one of them has a new version."""

    def __init__(self, pack: Pack) -> None:
        """Prepare what versions of single texts do not change: addresses, titles and the order of chapters."""
        top = folders(pack)
        self._order = book_order(pack)
        self._by_slug = {folder.slug: folder for folder in top.every()}
        self._navigator = Navigator(pack, top)
        self._frame = Frame(pack, self._navigator)
        self._told = _told_around(pack)
        self._kinds = pack.game.kinds
        self._large = {kind.id: LargeCards(pack, kind) for kind in self._kinds.values()}

    def renew(self, before: Sequence[Entity], after: Sequence[Entity]) -> None:
        """Take note that some entities take the place of others.

        What cards show depends on all entities of a kind, and is as it was where these say as much as those did.
        """
        for name in {entity.kind for entity in (*before, *after)}:
            kind = self._kinds[name]
            if _said_of(kind, before) != _said_of(kind, after):
                self._large.pop(name, None)

    def files(self, pack: Pack, chapter: Chapter) -> Iterator[tuple[str, bytes]]:
        """The page of a chapter of a pack, then those of its entities, by their paths, as in the whole tree."""
        if self._told != (told := _told_around(pack)):
            self._frame, self._told = Frame(pack, self._navigator), told
        for page in self._pages(pack, chapter):
            yield page.address + INDEX, self._frame.framed(page).encode()

    def _pages(self, pack: Pack, chapter: Chapter) -> Iterator[Page]:
        footnotes = footnotes_of(pack, chapter)
        yield chapter_page(pack, self._by_slug, pack.book.chapters.index(chapter), footnotes)
        own = pack.by_source.get(chapter.source, ())
        for kind in dict.fromkeys(entity.kind for entity in own):
            if kind not in self._large:
                self._large[kind] = LargeCards(pack, self._kinds[kind])
            large = self._large[kind]
            large.pack = pack
            for entity in own:
                if entity.kind == kind:
                    yield entity_page(pack, large, pack.entities[kind].index(entity), footnotes, self._order)


def _said_of(kind: Kind, entities: Sequence[Entity]) -> object:
    """Upon which depends what the cards of a kind show."""
    some = [entity for entity in entities if entity.kind == kind.id]
    return [entity.fields for entity in some], shown_fields(kind, some)


def _told_around(pack: Pack) -> object:
    """What frames tell of a whole game that may be another with a new version of a text."""
    return is_printable(pack), *map(len, pack.entities.values())
