"""A game as it was compiled, ready to take a new version of one of its texts at once."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kismet_build.build.pipeline import adjust_severity
from kismet_build.crossref.autolink import PhraseIndex, autolink_again
from kismet_build.crossref.backlinks import mention_again, names_of
from kismet_build.crossref.citations import cite_again
from kismet_build.extract import Known, extract_again
from kismet_build.lint import OF_ONE_TEXT, OF_THE_DATA
from kismet_build.lint.unknown_part import unknown_part
from kismet_build.model.book import Chapter
from kismet_build.model.diagnostic import Diagnostic, Severity
from kismet_build.model.nodes import Document
from kismet_build.pack import Entity, Pack
from kismet_build.render import TextPages
from kismet_build.resolve import LinkResolver, link_again


class Draft:
    """What there is of a game before all of it is made again.

    The pages of a text that has a new version come out as they will when all is made, since what stands in other texts
    is the same; what other pages show of the new version is not made here.
    """

    def __init__(self, pack: Pack) -> None:
        """Begin with a pack as it was published."""
        self.pack = pack
        pack.work_out()
        self.errors: dict[str, list[Diagnostic]] = {}
        """What keeps the game from being published, by the paths of the texts that it came with."""
        self._names = LinkResolver(pack.book.chapters, pack.book.anchors, pack.game.attachments)
        self._known = Known.of(pack.book, pack.game, pack.entities)
        self._pages = TextPages(pack)
        self._learn_names()

    def _learn_names(self) -> None:
        self._named = names_of(self.pack.every())
        self._spellings = PhraseIndex(self.pack)

    def take(self, document: Document, told: Sequence[Diagnostic]) -> Chapter | None:
        """Put a document in the place of its old version; `told` is what was found while it was read.

        Nothing comes of it where more than the pages of this text depends on what changed. Then all has to be made,
        and this draft is good for nothing any more.
        """
        found = list(told)
        path = document.source.path
        old = self._names.chapter(path)
        if old and old.document is document:
            return old
        book = link_again(self.pack.book, self._names, document) if old else None
        if old is None or book is None:
            return None
        chapter = self._names.chapter(path)
        assert chapter is not None
        self._known = extract_again(book, chapter, self.pack.game, self._known, found.append)
        entities, own = self._known.entities, self._known.own
        if any(bool(entities[kind]) != bool(known) for kind, known in self.pack.entities.items()):
            return None  # whether there is anything of a kind at all shows on many pages
        was, before = self.pack, self.pack.by_source.get(old.source, ())
        self.pack = self.pack.renewed(book, entities, old.source, chapter.source, own)
        after = self.pack.by_source.get(chapter.source, ())
        if own is None:
            self._pages.renew([*was.every()], [*self.pack.every()])
        else:
            self._pages.renew(before, after)
        if [_names_in(one) for one in before] != [_names_in(one) for one in after]:
            self._learn_names()
        pack = autolink_again(mention_again(self.pack, chapter, self._named), chapter, self._spellings)
        self.pack = cite_again(pack, old.source, chapter)
        part = replace(
            self.pack,
            book=replace(book, chapters=(chapter,)),
            entities={kind: tuple(one for one in after if one.kind == kind) for kind in entities},
        )
        for check in OF_ONE_TEXT:
            check(part, found.append)
        unknown_part(self.pack, found.append)  # it may be about any table
        if [_data_of(one) for one in before] != [_data_of(one) for one in after]:
            for check in OF_THE_DATA:
                check(self.pack, found.append)
        errors = [one for one in adjust_severity(self.pack.game, found) if one.severity is Severity.ERROR]
        self.errors.pop(path, None)
        if errors:
            self.errors[path] = errors
        return chapter

    def files(self, chapter: Chapter) -> Iterator[tuple[str, bytes]]:
        """The page of a chapter, then those of its entities, by their paths in the tree."""
        return self._pages.files(self.pack, chapter)


def _names_in(entity: Entity) -> object:
    return entity.id, entity.name, entity.aliases


def _data_of(entity: Entity) -> object:
    return entity.id, entity.name, entity.aliases, entity.fields
