"""The pages of single texts, for an author who waits for them: each chapter with the entities in it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kismet_build.config.kind import Kind
from kismet_build.model.book import Chapter
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import InfoboxRenderer
from kismet_build.render.components.field import shown_fields
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.footnotes import footnotes_of
from kismet_build.render.pages.backlinks import book_order
from kismet_build.render.pages.chapter import chapter_page
from kismet_build.render.pages.entity import entity_page
from kismet_build.render.pages.layout import Frame
from kismet_build.render.pages.navigation import Navigator, folders
from kismet_build.render.pages.page import Page
from kismet_build.render.pages.print import is_printable


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
        self._placed: Pack | None = None
        self._places_in(pack)
        self.large = {kind.id: InfoboxRenderer(pack, kind) for kind in self._kinds.values()}
        """By kind, what makes the cards at the head of the pages of entities."""

    def renew(self, before: Sequence[Entity], after: Sequence[Entity]) -> None:
        """Take note that some entities take the place of others.

        What cards show depends on all entities of a kind, and is as it was where these say as much as those did.
        """
        for name in {entity.kind for entity in (*before, *after)}:
            kind = self._kinds[name]
            if _said_of(kind, before) != _said_of(kind, after):
                self.large.pop(name, None)

    def files(self, pack: Pack, chapter: Chapter) -> Iterator[tuple[str, bytes]]:
        """The page of a chapter of a pack, then those of its entities, by their paths, as in the whole tree."""
        if self._told != (told := _told_around(pack)):
            self._frame, self._told = Frame(pack, self._navigator), told
        yield from self.framed(self.pages(pack, self._places_in(pack)[id(chapter)]))

    def framed(self, pages: Iterable[Page]) -> Iterator[tuple[str, bytes]]:
        """Pages of the game in their frames, by their paths in the tree."""
        for page in pages:
            yield page.address + INDEX, self._frame.framed(page).encode()

    def pages(self, pack: Pack, place: int) -> Iterator[Page]:
        """The page of the chapter at a place in the book, then those of its entities."""
        chapter = pack.book.chapters[place]
        footnotes = footnotes_of(pack, chapter)
        yield chapter_page(pack, self._by_slug, place, footnotes)
        places = self._places_in(pack)
        for entity in pack.by_source.get(chapter.source, ()):
            large = self._large_cards(pack, entity.kind)
            yield entity_page(pack, large, places[id(entity)], footnotes, self._order)

    def _places_in(self, pack: Pack) -> Mapping[int, int]:
        """The places of all chapters in the book, and of entities in their kinds, by identity."""
        if self._placed is not pack:
            rows = (pack.book.chapters, *pack.entities.values())
            self._placed = pack
            self._places = {id(one): place for row in rows for place, one in enumerate(row)}
        return self._places

    def _large_cards(self, pack: Pack, kind: str) -> InfoboxRenderer:
        if kind not in self.large:
            self.large[kind] = InfoboxRenderer(pack, self._kinds[kind])
        self.large[kind].pack = pack
        return self.large[kind]


def _said_of(kind: Kind, entities: Sequence[Entity]) -> object:
    """Upon which depends what the cards of a kind show."""
    some = [entity for entity in entities if entity.kind == kind.id]
    return [entity.fields for entity in some], shown_fields(kind, some)


def _told_around(pack: Pack) -> object:
    """What frames tell of a whole game that may be another with a new version of a text."""
    return is_printable(pack), *map(len, pack.entities.values())
