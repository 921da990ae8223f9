"""Record the keys that an output reads from a pack, so that it is rendered again only if their values change.

Of another document's anchors, sections and entities, an output may read only what `site/changes.py` compares.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from operator import attrgetter
from typing import Any, TypeVar

from kismet_build.model.book import Anchor, AnchorRef, Book, Chapter, Section, SpanMapping
from kismet_build.model.nodes import Block, Embed
from kismet_build.model.source import Source, Span
from kismet_build.model.tag import TagName
from kismet_build.pack import BookTable, Entity, Mention, Pack

Key = tuple[str, object]
"""A table of a pack and a key in it: `("entity", "ember/grace/bow")`."""
Value = TypeVar("Value")
Name = TypeVar("Name")
ALL = "*"
"""Key of a whole table."""
ALL_DOCUMENTS: Key = ("document", ALL)
"""Key of all documents: its value differs if any document differs."""
LAYOUT: Key = ("layout", ALL)
"""Header, navigation and footer of all pages."""


SOURCE_PATH = attrgetter("path")
"""Path of the document of a source."""


def citation_key(citation: Span) -> tuple[str, int, int]:
    """The place of a citation. A key is a plain value: another process returns copies of sources, which equal none."""
    return citation.source.path, citation.start, citation.end


class _RecordedMapping(Mapping[Name, Value]):
    """A mapping that records a key of the pack for each lookup."""

    def __init__(
        self,
        mapping: Mapping[Name, Value],
        table: str,
        read_keys: set[Key],
        entry_of: Callable[[Any], object] = lambda name: name,
    ) -> None:
        """Add the key `(table, entry_of(name))` to `read_keys` when a name is looked up."""
        self._mapping = mapping
        self._table = table
        self._read_keys = read_keys
        self._entry_of = entry_of

    def __getitem__(self, name: Name) -> Value:
        self._read_keys.add((self._table, self._entry_of(name)))
        return self._mapping[name]

    def get(self, name: Name, default: Value | None = None) -> Value | None:  # type: ignore[override]
        """The value of a name. Defined here, because that of `Mapping` catches an exception for missing names."""
        self._read_keys.add((self._table, self._entry_of(name)))
        return self._mapping.get(name, default)

    def __contains__(self, name: object) -> bool:
        self._read_keys.add((self._table, self._entry_of(name)))
        return name in self._mapping

    def __iter__(self) -> Iterator[Name]:
        self._read_keys.add((self._table, ALL))
        return iter(self._mapping)

    def __len__(self) -> int:
        self._read_keys.add((self._table, ALL))
        return len(self._mapping)


class _RecordedSpans(SpanMapping[Value]):
    """Values by span; a lookup records the document of the span."""

    def __init__(self, mapping: SpanMapping[Value], read_keys: set[Key]) -> None:
        super().__init__(mapping.by_path)
        self._read_keys = read_keys

    def __getitem__(self, span: Span) -> Value:
        self._read_keys.add(("document", span.source.path))
        return super().__getitem__(span)

    def get(self, span: Span, default: Value | None = None) -> Value | None:  # type: ignore[override]
        """The value of a span."""
        # Not by `super()`: each text and link is looked up several times.
        path = span.source.path
        self._read_keys.add(("document", path))
        values = self.by_path.get(path)
        return default if values is None else values.get(span, default)

    def __contains__(self, span: object) -> bool:
        self._read_keys.add(("document", span.source.path if isinstance(span, Span) else ALL))
        return super().__contains__(span)

    def __iter__(self) -> Iterator[Span]:
        self._read_keys.add(ALL_DOCUMENTS)
        return super().__iter__()


@dataclass(frozen=True, kw_only=True, eq=False)
class _RecordedBook(Book):
    """A book that records what is read of it."""

    base: Book
    read_keys: set[Key]

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        """In reading order. Only titles, slugs and paths of other chapters may be read."""
        self.read_keys.add(("chapters", ALL))
        return self.base.chapters

    @cached_property
    def anchors(self) -> Mapping[Source, tuple[Anchor, ...]]:
        """The `Outline.anchors` of each source."""
        return _RecordedMapping(self.base.anchors, "document", self.read_keys, SOURCE_PATH)

    @cached_property
    def sections(self) -> Mapping[Source, tuple[Section, ...]]:
        """The `Outline.sections` of each source."""
        return _RecordedMapping(self.base.sections, "document", self.read_keys, SOURCE_PATH)

    @cached_property
    def targets(self) -> SpanMapping[Any]:
        """By span, for each link, image and embed with a target in the book."""
        return _RecordedSpans(self.base.targets, self.read_keys)

    @cached_property
    def attachment_of(self) -> SpanMapping[str]:
        """By span, for each image or embed of an attachment: the path of the file in the folder of the game."""
        return _RecordedSpans(self.base.attachment_of, self.read_keys)

    def anchor(self, ref: AnchorRef) -> Anchor:
        """The anchor with this name. Only its ids, titles and level may be read."""
        self.read_keys.add(("anchor", ref))
        return self.base.anchor(ref)

    def anchor_at(self, span: Span) -> Anchor | None:
        """The anchor of a heading or named block, by its span."""
        self.read_keys.add(("document", span.source.path))
        return self.base.anchor_at(span)

    def section(self, path: str, slug: str) -> Section | None:
        """The section with this slug. Only titles and ids may be read."""
        self.read_keys.add(("section", slug))
        return self.base.section(path, slug)

    def all_sections(self) -> Iterator[Section]:
        """All sections, chapter by chapter."""
        self.read_keys.add(ALL_DOCUMENTS)
        return self.base.all_sections()

    def is_embed_cut(self, embed: Embed) -> bool:
        """Whether an embed is shown as a link, because it includes itself or is too large."""
        self.read_keys.add(("cut embeds", embed.span.source.path))
        return self.base.is_embed_cut(embed)

    def embedded_blocks(self, anchor: Anchor) -> tuple[Block, ...]:
        """The blocks that an embed of the anchor shows."""
        self.read_keys.add(("document", anchor.chapter.source.path))
        return self.base.embedded_blocks(anchor)


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordedPack(Pack):
    """A pack that records what is read of it."""

    base: Pack
    read_keys: set[Key]

    @classmethod
    def of(cls, pack: Pack, read_keys: set[Key]) -> "RecordedPack":
        """A view of a pack that adds each key which is read to `read_keys`."""
        values = {field.name: getattr(pack, field.name) for field in fields(Pack)}
        values["documents"] = _RecordedMapping(pack.documents, "document", read_keys)
        outlines = _RecordedMapping(pack.book.outlines, "document", read_keys)
        values["book"] = _RecordedBook(outlines=outlines, links=pack.book.links, base=pack.book, read_keys=read_keys)
        values["cited"] = _RecordedMapping(pack.cited, "citation", read_keys, citation_key)
        return cls(**values, base=pack, read_keys=read_keys)

    @cached_property
    def entities(self) -> Mapping[str, tuple[Entity, ...]]:
        """By kind, in the order of the game's kinds; the entities of a kind are in the order of the book."""
        return _RecordedMapping(self.base.entities, "entities", self.read_keys)

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        """All entities by id. Neither the text nor the offsets of entities of other documents may be read."""
        return _RecordedMapping(self.base.by_id, "entity", self.read_keys)

    @cached_property
    def by_source(self) -> Mapping[Source, tuple[Entity, ...]]:
        """The entities that each text defines, grouped by kind; texts without entities are absent."""
        return _RecordedMapping(self.base.by_source, "document", self.read_keys, SOURCE_PATH)

    @cached_property
    def note_entities(self) -> Mapping[str, str]:
        """By the path of each document that is a single entity as a whole: the id of the entity."""
        return _RecordedMapping(self.base.note_entities, "note entity", self.read_keys)

    @cached_property
    def folder_notes(self) -> Mapping[str, str]:
        """By the path of each document that is shown on the page of its folder: the address of the folder."""
        return _RecordedMapping(self.base.folder_notes, "folder note", self.read_keys)

    @cached_property
    def kind_notes(self) -> Mapping[str, str]:
        """By the path of each text about the folder of a kind: that kind, whose page shows the text."""
        return _RecordedMapping(self.base.kind_notes, "kind note", self.read_keys)

    @cached_property
    def folder_pages(self) -> Mapping[str, str]:
        """By the path of each folder with texts: the address of its page, or of its kind, below that of the game."""
        return _RecordedMapping(self.base.folder_pages, "folder page", self.read_keys)

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The position of each entity in its kind, by its id. Only those of the document's own may be read."""
        return self.base.positions

    def neighbours(self, entity: Entity) -> tuple[Entity | None, Entity | None]:
        """The entities of the same kind before and after an entity. Only their names may be read."""
        before, after = self.base.neighbours(entity)
        self.read_keys.add(("ids", entity.kind))
        self.read_keys.update(("entity", entity.id) for entity in (before, after) if entity is not None)
        return before, after

    @cached_property
    def link_entities(self) -> SpanMapping[str]:
        """By the span of each link whose target defines an entity or whose text names one: the id of the entity."""
        return _RecordedSpans(self.base.link_entities, self.read_keys)

    @cached_property
    def link_sections(self) -> SpanMapping[str]:
        """By the span of each link and embed that leads into the book, but to no entity: the id of the section."""
        return _RecordedSpans(self.base.link_sections, self.read_keys)

    @cached_property
    def autolinks(self) -> SpanMapping[Any]:
        """The automatic links in each run of text that contains a name of an entity, by the span of the run."""
        return _RecordedSpans(self.base.autolinks, self.read_keys)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions."""
        self.read_keys.add(ALL_DOCUMENTS)
        return self.base.mentions

    @cached_property
    def mentions_of(self) -> Mapping[str, tuple[Mention, ...]]:
        """The mentions of each entity and section, by its id, in the order of the book."""
        return _RecordedMapping(self.base.mentions_of, "mentions of", self.read_keys)

    @cached_property
    def mentions_from(self) -> Mapping[str, tuple[Mention, ...]]:
        """The mentions in each entity or section, by the id of the entity or section."""
        return _RecordedMapping(self.base.mentions_from, "mentions from", self.read_keys)

    @cached_property
    def addresses(self) -> Mapping[str, str]:
        """The published path of each attachment, by its path in the folder of the game."""
        return self.base.addresses

    @cached_property
    def tags(self) -> Mapping[str, TagName]:
        """All tags and the tags that they are in, sorted, in the form of `tag_key`."""
        return _RecordedMapping(self.base.tags, "tag", self.read_keys)

    @cached_property
    def tagged(self) -> Mapping[str, tuple[str, tuple[str, ...]]]:
        """By the id of each entity and section with tags, the path of its document, and its tags as `tag_key`."""
        return _RecordedMapping(self.base.tagged, "tagged", self.read_keys)

    def tags_of(self, path: str, origin: str) -> tuple[str, ...]:
        """The tags of the entity or section with this id in the document at a path, in the form of `tag_key`."""
        self.read_keys.add(("document", path))
        return self.base.tags_of(path, origin)

    @cached_property
    def tables(self) -> tuple[BookTable, ...]:
        """All tables of the text, in the order of the book."""
        self.read_keys.add(ALL_DOCUMENTS)
        return self.base.tables

    @cached_property
    def records(self) -> Any:
        """The entities and calculators as plain records, for the evaluation of formulas."""
        self.read_keys.add(("records", ALL))
        return self.base.records


def cached_in_pack(function: Callable[[Pack], Value]) -> Callable[[Pack], Value]:
    """Decorate a function of a pack: its result is cached in the pack.

    A cache beside the pack would keep former packs in memory while `kismet serve` runs.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def cached(pack: Pack) -> Value:
        results = vars(pack)
        if name not in results:
            results[name] = function(pack)
        result: Value = results[name]
        return result

    return cached


def whole_game(*read_keys: Key) -> Callable[[Callable[[Pack], Value]], Callable[[Pack], Value]]:
    """Decorate a function of a whole pack: its result is cached, and a call records these keys as read."""

    def decorate(function: Callable[[Pack], Value]) -> Callable[[Pack], Value]:
        cached = cached_in_pack(function)

        @wraps(function)
        def recorded(pack: Pack) -> Value:
            if isinstance(pack, RecordedPack):
                pack.read_keys.update(read_keys)
                return cached(pack.base)
            return cached(pack)

        return recorded

    return decorate
