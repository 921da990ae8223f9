"""A compiled game that is updated with a new version of one document at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kismet_build.build.pipeline import adjust_severity
from kismet_build.crossref.autolink import PhraseIndex, autolink_again
from kismet_build.crossref.backlinks import mention_again, unique_names
from kismet_build.crossref.citations import cite_again
from kismet_build.extract import Known, extract_again
from kismet_build.lint import OF_ONE_TEXT, OF_THE_DATA
from kismet_build.lint.unknown_part import unknown_part
from kismet_build.model.book import Chapter
from kismet_build.model.diagnostic import Diagnostic, Severity
from kismet_build.model.nodes import Document
from kismet_build.pack import Entity, Pack
from kismet_build.render import ChapterPages
from kismet_build.resolve import LinkResolver, link_again


class Draft:
    """The compiled state of a game between full builds.

    The pages of a changed document are rendered as a full build would render them. Other pages that show a part of the
    document are not updated.
    """

    def __init__(self, pack: Pack) -> None:
        """Start with a published pack."""
        self.pack = pack
        pack.work_out()
        self.errors: dict[str, list[Diagnostic]] = {}
        """Errors since the last full build, by the path of the changed document."""
        self._names = LinkResolver(pack.book.chapters, pack.book.anchors, pack.game.attachments)
        self._known = Known.of(pack.book, pack.game, pack.entities)
        self._pages = ChapterPages(pack)
        self._learn_names()

    def _learn_names(self) -> None:
        self._named = unique_names(self.pack.all_entities())
        self._spellings = PhraseIndex(self.pack)

    def take(self, document: Document, told: Sequence[Diagnostic]) -> Chapter | None:
        """Replace a document by a new version; `told` are the diagnostics of its parse.

        Returns the new chapter. `None` if the change affects more than the pages of this document: then a full build
        is needed, and this draft must not be used any more.
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
            return None  # many pages show whether a kind has entities
        was, before = self.pack, self.pack.by_source.get(old.source, ())
        self.pack = self.pack.renewed(book, entities, old.source, chapter.source, own)
        after = self.pack.by_source.get(chapter.source, ())
        if own is None:
            self._pages.renew([*was.all_entities()], [*self.pack.all_entities()])
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
        unknown_part(self.pack, found.append)  # depends on the tables of all documents
        if [_data_of(one) for one in before] != [_data_of(one) for one in after]:
            for check in OF_THE_DATA:
                check(self.pack, found.append)
        errors = [one for one in adjust_severity(self.pack.game, found) if one.severity is Severity.ERROR]
        self.errors.pop(path, None)
        if errors:
            self.errors[path] = errors
        return chapter

    def files(self, chapter: Chapter) -> Iterator[tuple[str, bytes]]:
        """Path and content of the page of a chapter, then of its entities' pages."""
        return self._pages.files(self.pack, chapter)


def _names_in(entity: Entity) -> object:
    return entity.id, entity.name, entity.aliases


def _data_of(entity: Entity) -> object:
    return entity.id, entity.name, entity.aliases, entity.fields
