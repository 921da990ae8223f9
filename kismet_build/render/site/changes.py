"""Find the keys, as a `RecordedPack` records them, whose values differ between two versions of a pack.

Objects of other documents are compared by the part that outputs may read, so that an edit of a paragraph changes
nothing but its own document.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from kismet_build.config.game import Game
from kismet_build.model.book import Anchor, AnchorRef, Book, Outline
from kismet_build.model.dump import dump_blocks
from kismet_build.model.memo import is_same
from kismet_build.model.source import Span
from kismet_build.pack import DocumentFacts, Entity, Mention, Pack
from kismet_build.render.components.field import number_field, shown_fields
from kismet_build.render.data.json_writer import encode
from kismet_build.render.data.questions_json import question_count
from kismet_build.render.html.recorded_pack import ALL, ALL_DOCUMENTS, LAYOUT, Key, cached_in_pack, citation_key
from kismet_build.render.pages.print import is_printable


def changed_keys(old: Pack, new: Pack) -> set[Key] | None:
    """The keys whose values differ between two versions of a pack; `None` if everything may differ."""
    if any(
        not is_same(getattr(old.game, field.name), getattr(new.game, field.name))
        for field in fields(Game)
        if field.name not in ("files", "attachments", "excluded")
    ):
        return None
    if old.addresses != new.addresses:
        return None
    changed: set[Key] = set()
    if _chapters(old) != _chapters(new):
        changed |= {LAYOUT, ("chapters", ALL)}
    kinds: set[str] = set()
    for path in {**old.documents, **new.documents}:
        before, after = _Version.of(old, path), _Version.of(new, path)
        if before != after:
            changed |= {("document", path), ALL_DOCUMENTS}
            changed.update(_document_keys(before, after, kinds))
    changed.update(_different("note entity", old.note_entities, new.note_entities))
    changed.update(_different("folder note", old.folder_notes, new.folder_notes))
    changed.update(_different("kind note", old.kind_notes, new.kind_notes))
    changed.update(_different("folder page", old.folder_pages, new.folder_pages))
    changed.update(_different("cut embeds", _cut_embeds(old.book), _cut_embeds(new.book)))
    if old.tags != new.tags:
        changed |= {("tag", ALL), *_different("tag", old.tags, new.tags)}
    if [*old.tagged.items()] != [*new.tagged.items()]:
        changed.add(("tagged", ALL))
    if old.effect_mentions != new.effect_mentions:
        changed |= {("mentions of", mention.target) for mention in (*old.effect_mentions, *new.effect_mentions)}
        changed |= {("mentions from", mention.origin) for mention in (*old.effect_mentions, *new.effect_mentions)}
    if ALL_DOCUMENTS in changed and old.cited != new.cited:
        citations = _different("citation", _citations(old), _citations(new))
        changed |= {("citation", ALL), *citations}
        if _citation_order(old) != _citation_order(new):
            changed.add(("citations", ALL))
    if ALL_DOCUMENTS in changed:
        if _layout(old) != _layout(new):
            changed.add(LAYOUT)
        changed.update(_different("tables", _table_names(old), _table_names(new)))
    for kind in kinds:
        changed |= {("entities", kind), ("records", ALL)}
        if _ids(old, kind) != _ids(new, kind):
            changed |= {("entities", ALL), ("ids", kind)}
        if _shown_fields(old, kind) != _shown_fields(new, kind):
            changed.add(("shown fields", kind))
    return changed


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of a document, compared by identity."""

    outline: Outline | None
    links: object
    facts: DocumentFacts | None
    pack: Pack

    @classmethod
    def of(cls, pack: Pack, path: str) -> "_Version":
        return cls(pack.book.outlines.get(path), pack.book.links.get(path), pack.documents.get(path), pack)

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, _Version)
        return self.outline is other.outline and self.links is other.links and self.facts is other.facts

    def mentions(self) -> Iterator[Mention]:
        if self.facts is not None:
            yield from self.facts.mentions
            yield from self.facts.field_mentions


def _document_keys(before: _Version, after: _Version, kinds: set[str]) -> Iterator[Key]:
    """The keys that differ because a document does; the kinds of the entities that differ are added to `kinds`."""
    yield from _different("anchor", dict(_anchors(before)), dict(_anchors(after)))
    yield from _different("section", dict(_sections(before)), dict(_sections(after)))
    yield from _different("mentions of", _mentions_by(before, "target"), _mentions_by(after, "target"))
    yield from _different("mentions from", _mentions_by(before, "origin"), _mentions_by(after, "origin"))
    entities = dict(_entities(before)), dict(_entities(after))
    for key in _different("entity", *entities):
        kinds.add(str(key[1]).split("/", 2)[1])
        yield key
    for version in (before, after):
        for entity in version.facts.entities if version.facts else ():
            yield ("texts", entity.kind)


def _different(table: str, before: Mapping[Any, object], after: Mapping[Any, object]) -> Iterator[Key]:
    for key in {**before, **after}:
        if key not in before or key not in after or before[key] != after[key]:
            yield table, key


def _anchors(version: _Version) -> Iterator[tuple[AnchorRef, object]]:
    for anchor in version.outline.anchors if version.outline else ():
        chapter = anchor.chapter
        yield anchor.ref, (*_shown(anchor), anchor.level, chapter.title, chapter.slug)


def _shown(anchor: Anchor) -> tuple[str, ...]:
    """The properties of an anchor that other documents show, and its place."""
    return anchor.id, anchor.title, anchor.shown_title, anchor.page


def _sections(version: _Version) -> Iterator[tuple[str, object]]:
    outline = version.outline
    for number, section in enumerate(outline.sections if outline else ()):
        chapter = section.anchor.chapter
        headings = tuple(map(_shown, (section.anchor, *section.headings)))
        yield section.slug, (number, headings, chapter.title, chapter.slug, _offset(version, section.anchor.span))


def _entities(version: _Version) -> Iterator[tuple[str, object]]:
    """The parts of each entity that outputs may read. Fields are encoded, because the order of their maps counts."""
    if version.facts is None or version.outline is None:
        return
    anchors: dict[int, list[AnchorRef]] = {}
    for anchor in version.outline.anchors:
        anchors.setdefault(anchor.span.start, []).append(anchor.ref)
    starts = sorted(entity.span.start for entity in version.facts.entities)
    for number, entity in enumerate(version.facts.entities):
        yield (
            entity.id,
            (
                *(
                    number,
                    entity.name,
                    entity.aliases,
                    encode(dict(entity.fields)),
                    entity.references,
                    _field_texts(entity),
                ),
                *(entity.section.slug, starts.index(entity.span.start), anchors.get(entity.span.start)),
                _offset(version, entity.span),
            ),
        )


def _field_texts(entity: Entity) -> dict[str, dict[str, str]]:
    """The texts of its fields without their spans."""
    return {
        name: {words: dump_blocks(blocks) for words, blocks in texts.items()}
        for name, texts in entity.field_texts.items()
    }


def _offset(version: _Version, span: Span) -> int:
    """The offset of a span if its document shares its citation name, else 0: only then backlinks are sorted by it."""
    assert version.outline is not None
    name = version.outline.chapter.citation_name
    return span.start if name in _shared_citation_names(version.pack) else 0


@cached_in_pack
def _shared_citation_names(pack: Pack) -> frozenset[str]:
    seen: set[str] = set()
    shared: set[str] = set()
    for chapter in pack.book.chapters:
        (shared if chapter.citation_name in seen else seen).add(chapter.citation_name)
    return frozenset(shared)


def _mentions_by(version: _Version, end: str) -> dict[str, list[object]]:
    by_end: dict[str, list[object]] = {}
    for mention in version.mentions():
        value = (mention.origin, mention.target, mention.field, mention.effect, mention.property, mention.is_autolink)
        by_end.setdefault(getattr(mention, end), []).append(value)
    return by_end


def _cut_embeds(book: Book) -> dict[str, list[bool]]:
    """For each embed of each document, whether it is shown as a link."""
    return {path: [*map(book.is_embed_cut, links.embeds)] for path, links in book.links.items() if links.embeds}


def _chapters(pack: Pack) -> list[object]:
    return [(chapter.source.path, chapter.title, pack.page_slug(chapter)) for chapter in pack.book.chapters]


def _citations(pack: Pack) -> dict[object, object]:
    """The parts of each cited passage that outputs may read."""
    return {
        citation_key(citation): (
            *(cited.quote, cited.span.text, cited.span.line_range, cited.section.slug),
            tuple(map(_shown, (cited.section.anchor, *cited.section.headings))),
            *(cited.section.anchor.chapter.title, cited.section.anchor.chapter.slug),
        )
        for citation, cited in pack.cited.items()
    }


def _citation_order(pack: Pack) -> list[object]:
    """The citations in the order of the book, each with its section."""
    order = {chapter.source.path: number for number, chapter in enumerate(pack.book.chapters)}
    places = sorted(pack.cited.items(), key=lambda item: (order[item[1].span.source.path], item[1].span.start))
    return [(citation, cited.section.slug) for citation, cited in places]


def _ids(pack: Pack, kind: str) -> list[str]:
    return [entity.id for entity in pack.entities.get(kind, ())]


def _layout(pack: Pack) -> object:
    """The data that the layout of pages depends on, except the chapters."""
    return is_printable(pack), bool(pack.tags), bool(question_count(pack)), *map(len, pack.entities.values())


def _table_names(pack: Pack) -> dict[str, object]:
    """The ids and captions of the tables of each document."""
    by_path = groupby(pack.tables, lambda table: table.section.anchor.chapter.source.path)
    return {path: [(table.id, table.caption) for table in tables] for path, tables in by_path}


def _shown_fields(pack: Pack, kind: str) -> object:
    """The fields that the infoboxes of a kind show, and which of them they show large."""
    entities = pack.entities.get(kind, ())
    return [rule.name for rule in shown_fields(pack.game.kinds[kind], entities)], number_field(
        pack.game.kinds[kind], entities
    )
