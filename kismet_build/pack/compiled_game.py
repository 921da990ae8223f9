"""A compiled game: the facts about all documents, with indexes derived from them."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

from kismet_build.config.autolink import AmbiguousMention, TextAutolinks
from kismet_build.config.board import BoardPart
from kismet_build.config.correction import Correction
from kismet_build.config.game import Game
from kismet_build.config.kind import Kind
from kismet_build.config.observed_schema import observed_schema
from kismet_build.mechanics.calculator import Example
from kismet_build.mechanics.calculator.calculation import Records
from kismet_build.mechanics.dice.roll_table import RollTable, even_roll_table
from kismet_build.mechanics.inputs import format_literal
from kismet_build.model import nodes
from kismet_build.model.book import AnchorRef, Book, Section, SpanMapping
from kismet_build.model.diagnostic import Diagnostic, Subject, has_errors
from kismet_build.model.nodes import plain_text, text_outside_callouts, walk
from kismet_build.model.source import Source, Span
from kismet_build.model.tag import TagName, tag_key, tag_names
from kismet_build.model.text_normalization import UniqueNames, normalize
from kismet_build.pack.addresses import Addresses, addresses
from kismet_build.pack.entity import (
    Entity,
    corrected_value,
    has_words,
    needs_page,
    own_words,
    section_id,
    whole_definitions,
)
from kismet_build.pack.facts import BookTable, CitedPassage, DocumentFacts, Mention, ParsedFile, QuestionBox
from kismet_build.pack.question_boxes import boxes_beside, boxes_inside, without_blocks
from kismet_build.pack.rolled_rows import RolledRows, rolled_rows

ELLIPSIS = re.compile(r"\s*\[?(?:…|\.\.\.)\]?\s*")
"""The mark that replaces omitted words in a quotation."""
ROW_METHODS = frozenset({"row", "cells"})
"""Match methods that make entities of table rows."""
LISTED_METHODS = ROW_METHODS | {"names", "phrase"}
"""Match methods whose entities can be rows on the page of their kind: see `table_kinds`."""
MIN_PAGE_WORDS, MIN_THIN_SHARE = 20, 0.8
"""A kind may be a table if at least the share `MIN_THIN_SHARE` of its entities is thin.

A thin entity shares its text, or has fewer than `MIN_PAGE_WORDS` words of its own and neither calculators nor question
boxes.
"""
SHARED_INDEXES = (
    "entities",
    "by_id",
    "by_source",
    "note_entities",
    "mentions_of",
    "mentions_from",
    "addresses",
    "tags",
    "tagged",
    "table_kinds",
    "is_searched_whole",
)
"""Cached properties of a pack that processes need to render pages."""

MAX_SEARCHED_CHARACTERS = 600_000
"""Maximum number of characters in all texts of a game whose search index has the whole text."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pack:
    """A compiled game, from which all its output is made."""

    game: Game
    book: Book
    documents: Mapping[str, DocumentFacts]
    """The facts about all documents, by path, in reading order."""
    effect_mentions: tuple[Mention, ...] = ()
    """Mentions made by effects, which are in data files."""
    cited: Mapping[Span, CitedPassage] = field(default_factory=dict)
    """The quoted passage of each citation, by the span of the citation in its data file, except for stale citations."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """All diagnostics of the game, sorted by position in the source."""
    files: Mapping[Path, ParsedFile] = field(default_factory=dict)
    """The parsed files of the game, including private ones."""
    private: Mapping[str, str] = field(default_factory=dict)
    """The paths of the unpublished texts, each with the reason."""
    until: float = inf
    """When the next text appears or vanishes because of a time in its properties, in seconds since 1970."""
    left_out: tuple[Subject, ...] = ()
    """Parts left out because of errors; always empty if the game cannot be published."""
    memo: Any = None
    """The results of all steps, which the next compilation of the game reuses."""

    @property
    def is_publishable(self) -> bool:
        """Whether the game has no errors, or can be published without the parts affected by them."""
        return bool(self.left_out) or not has_errors(self.diagnostics)

    @property
    def published_diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics, except about texts that cannot be read or parsed, because such texts may be private."""
        unread = {
            diagnostic.span.source.path
            for file in self.files.values()
            if file.document is None
            for diagnostic in file.diagnostics
        }
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.span.source.path not in unread)

    def compute_indexes(self) -> None:
        """Compute `SHARED_INDEXES` now, so that forked processes share them."""
        for name in SHARED_INDEXES:
            getattr(self, name)

    @cached_property
    def entities(self) -> Mapping[str, tuple[Entity, ...]]:
        """All entities by kind, in the game's order of kinds; within a kind, in book order."""
        by_kind: dict[str, list[Entity]] = {kind: [] for kind in self.game.kinds}
        for facts in self.documents.values():
            for entity in facts.entities:
                by_kind[entity.kind].append(entity)
        return {kind: tuple(entities) for kind, entities in by_kind.items()}

    @cached_property
    def link_entities(self) -> SpanMapping[str]:
        """The entity id of each link whose target defines an entity or whose text names one, by the link's span."""
        return SpanMapping({path: facts.link_entities for path, facts in self.documents.items()})

    @cached_property
    def link_sections(self) -> SpanMapping[str]:
        """The section id of each link and embed that leads into the book but not to an entity, by span."""
        return SpanMapping({path: facts.link_sections for path, facts in self.documents.items()})

    @cached_property
    def autolinks(self) -> SpanMapping[TextAutolinks]:
        """The automatic links in each text node that contains any, by the span of the node."""
        return SpanMapping({path: facts.autolinks for path, facts in self.documents.items()})

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions: first in the text, in book order, then in fields, by kind, then in effects."""
        in_text = chain.from_iterable(facts.mentions for facts in self.documents.values())
        order = {kind: number for number, kind in enumerate(self.game.kinds)}
        in_fields = sorted(
            chain.from_iterable(facts.field_mentions for facts in self.documents.values()),
            key=lambda mention: order[mention.origin.split("/", 2)[1]],
        )
        return (*in_text, *in_fields, *self.effect_mentions)

    @property
    def ambiguous_mentions(self) -> Iterator[AmbiguousMention]:
        """Words that may name an entity or section, for an author to review, in book order."""
        return chain.from_iterable(facts.ambiguous_mentions for facts in self.documents.values())

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        return {entity.id: entity for entity in self.all_entities()}

    @cached_property
    def is_searched_whole(self) -> bool:
        """Whether the game's search index has the whole text. The text of a longer game is searched by Pagefind."""
        return sum(len(chapter.source.text) for chapter in self.book.chapters) <= MAX_SEARCHED_CHARACTERS

    @cached_property
    def internal_kinds(self) -> frozenset[str]:
        """The kinds whose entities are in the data, but have no pages."""
        return frozenset(kind.id for kind in self.game.kinds.values() if kind.is_internal)

    @cached_property
    def table_kinds(self) -> frozenset[str]:
        """The kinds whose entities have no pages, but are rows on the page of the kind.

        Most entities of such a kind come from table rows, lists of names or phrases, with too little text for a page.
        """
        quoted: defaultdict[Source, list[int]] = defaultdict(list)
        for calculator in self.game.calculators.values():
            if cited := self.cited.get(calculator.citation.span):
                quoted[cited.span.source].append(cited.span.start)
        for starts in quoted.values():
            starts.sort()

        def is_thin(entity: Entity) -> bool:
            starts, span = quoted.get(entity.span.source, []), entity.span
            if self.shares_text(entity):
                return True
            has_calculator = bisect_left(starts, span.start) < bisect_left(starts, span.end)
            return own_words(entity) < MIN_PAGE_WORDS and not has_calculator and not self.question_boxes(entity)

        return frozenset(
            kind
            for kind, entities in self.entities.items()
            if entities
            and kind not in self.internal_kinds
            and any(match.method in LISTED_METHODS for match in self.game.kinds[kind].matches)
            and not any(map(needs_page, entities))
            and sum(map(is_thin, entities)) >= MIN_THIN_SHARE * len(entities)
        )

    @cached_property
    def addresses(self) -> Addresses:
        """Where the game's texts, folders, entities and attachments are published."""
        return addresses(self.game, self.book.chapters, self.entities, self.note_entities, self.table_kinds)

    @cached_property
    def _entities_by_span(self) -> Counter[tuple[str, Span]]:
        return Counter((entity.kind, entity.span) for entity in self.all_entities())

    def shares_text(self, entity: Entity) -> bool:
        """Whether other entities of the same kind have the same text, such as a sentence that defines several names."""
        return self._entities_by_span[entity.kind, entity.span] > 1

    def question_boxes(self, entity: Entity) -> tuple[nodes.Callout, ...]:
        """The question boxes shown with an entity, in addition to the boxes in its text."""
        return tuple(box.callout for box in self._boxes_beside(entity))

    def questions_of(self, entity: Entity) -> tuple[QuestionBox, ...]:
        """The question boxes in the text of an entity, then the boxes shown with it."""
        boxes = (*self._boxes_inside(entity), *self._boxes_beside(entity))
        return tuple({box.callout.span: box for box in boxes}.values())

    def rules_body(self, entity: Entity) -> tuple[nodes.Block, ...]:
        """The whole text of an entity without its question boxes, which are not part of the rules.

        On pages, the text of a term is its definition; the page of its chapter has the rest.
        """
        return self._without_boxes(entity, self._whole_body(entity))

    def definition(self, entity: Entity) -> tuple[nodes.Block, ...]:
        """The text of an entity as on its page, without its question boxes."""
        return self._without_boxes(entity, entity.body)

    def _without_boxes(self, entity: Entity, body: tuple[nodes.Block, ...]) -> tuple[nodes.Block, ...]:
        inside = boxes_inside(body, self.documents[entity.span.source.path].questions)
        return without_blocks(body, {box.callout.span for box in inside}) if inside else body

    def _whole_body(self, entity: Entity) -> tuple[nodes.Block, ...]:
        return self._whole_definitions[entity.span.source.path].get(entity.id, entity.body)

    @cached_property
    def _whole_definitions(self) -> Mapping[str, Mapping[str, tuple[nodes.Block, ...]]]:
        """For each document, the texts of terms that go on after their definitions, by entity id."""
        terms = {
            kind.id
            for kind in self.game.kinds.values()
            if any((match.method, match.argument) == ("term", "defined") for match in kind.matches)
        }
        outlines = self.book.outlines
        return {path: whole_definitions(outlines[path], of.entities, terms) for path, of in self.documents.items()}

    def _boxes_inside(self, entity: Entity) -> tuple[QuestionBox, ...]:
        return boxes_inside(self._whole_body(entity), self.documents[entity.span.source.path].questions)

    def _boxes_beside(self, entity: Entity) -> tuple[QuestionBox, ...]:
        return boxes_beside(entity, self.documents[entity.span.source.path].questions, self.link_entities)

    @cached_property
    def by_source(self) -> Mapping[Source, tuple[Entity, ...]]:
        """By text, the entities that it defines, in the order of their kinds. Texts without entities are left out."""
        outlines = self.book.outlines
        return {
            outlines[path].chapter.source: facts.entities for path, facts in self.documents.items() if facts.entities
        }

    @cached_property
    def note_entities(self) -> Mapping[str, str]:
        """By document path, the entity id of each document that is a single entity."""
        whole: dict[str, str] = {}
        for path, facts in self.documents.items():
            for entity in facts.entities:
                if entity.is_document:
                    whole.setdefault(path, entity.id)
        return whole

    def corrections_of(self, subject: Entity | Section) -> tuple[Correction, ...]:
        """The corrections of an entity or section, with their places in the text.

        Corrections by the kind come first. Corrections in the data file that the kind repeats or that do not apply to
        this text are left out.
        """
        if isinstance(subject, Section):
            by_hand = self.game.definition.corrections.get(f"section/{subject.slug}", ())
            return tuple(
                replace(correction, span=subject.anchor.span)
                for correction in by_hand
                if has_words(subject, correction.field, correction.taken)
            )
        found = {(correction.field, normalize(correction.printed)) for correction in subject.corrections}
        by_hand = self.game.definition.corrections.get(f"{subject.kind}/{subject.slug}", ())
        return *subject.corrections, *(
            replace(correction, span=subject.span_of(correction.field))
            for correction in by_hand
            if (correction.field, normalize(correction.printed)) not in found
            and has_words(subject, correction.field, correction.taken)
            and corrected_value(subject, correction.field) != correction.printed
        )

    @cached_property
    def mentions_of(self) -> Mapping[str, tuple[Mention, ...]]:
        """The mentions of each entity and section, by its id, in the order of `mentions`."""
        by_target: defaultdict[str, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            by_target[mention.target].append(mention)
        return {target: tuple(mentions) for target, mentions in by_target.items()}

    @cached_property
    def mentions_from(self) -> Mapping[str, tuple[Mention, ...]]:
        """The mentions inside each entity or section, by the id of the entity or section."""
        by_origin: defaultdict[str, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            by_origin[mention.origin].append(mention)
        return {origin: tuple(mentions) for origin, mentions in by_origin.items()}

    @cached_property
    def tags(self) -> Mapping[str, TagName]:
        """All tags and their parent tags, sorted, by `tag_key`."""
        return tag_names(name for facts in self.documents.values() for _, names in facts.tags for name in names)

    @cached_property
    def tagged(self) -> Mapping[str, tuple[str, tuple[str, ...]]]:
        """The document path and the tags, as `tag_key`, of each entity and section with tags, by its id."""
        return {
            origin: (path, tuple(map(tag_key, names)))
            for path, facts in self.documents.items()
            for origin, names in facts.tags
        }

    def tags_of(self, _path: str, origin: str) -> tuple[str, ...]:
        """The tags, as `tag_key`, of the entity or section with this id in the document at this path."""
        return self.tagged[origin][1] if origin in self.tagged else ()

    def tags_of_entity(self, entity: Entity) -> tuple[str, ...]:
        """The tags of an entity, as `tag_key`."""
        return self.tags_of(entity.span.source.path, entity.id)

    @cached_property
    def tables(self) -> tuple[BookTable, ...]:
        """All tables in the text, in book order."""
        taken = UniqueNames()
        book_tables = []
        for section in self.book.all_sections():
            for table in section.tables:
                base = section_id(self.game, section).replace("/section/", "/table/", 1)
                caption = plain_text(*table.caption) or section.anchor.title
                book_tables.append(BookTable(taken.add(base, 2), caption, table, section))
        return tuple(book_tables)

    def find_table(self, name: str) -> BookTable | None:
        """The first table with this id, or else with this caption. `name` may be the last part of an id."""
        for table in self.tables:
            if name in (table.id, table.id.rpartition("/")[2]):
                return table
        return next((table for table in self.tables if normalize(table.caption) == normalize(name)), None)

    def find_section(self, title: str) -> Section | None:
        wanted = normalize(title)
        return next((part for part in self.book.all_sections() if normalize(part.anchor.title) == wanted), None)

    def rolled_rows(self, roll: nodes.DiceRoll) -> "RolledRows | None":
        """The rows that a dice code for a table may show; `None` if it does not name a table."""
        target = next(
            (self.book.targets.get(node.span) for node in roll.children if isinstance(node, nodes.Link)), None
        )
        anchor = None if target is None or target.resolved_anchor is None else self.book.anchor(target.resolved_anchor)
        blocks = () if anchor is None else self.book.embedded_blocks(anchor)
        table = blocks[0] if len(blocks) == 1 else None
        if not isinstance(table, nodes.Table) or not table.rows:
            return None
        roll_table = self.roll_table(table) or even_roll_table(len(table.rows))
        return RolledRows(roll_table.notation, tuple(rolled_rows(table, roll_table, roll.column)))

    def roll_table(self, table: nodes.Table) -> RollTable | None:
        """How to roll on a table of the book; `None` if the table is not a roll table."""
        facts = self.documents.get(table.span.source.path)
        return None if facts is None else facts.roll_tables.get(table.span)

    @cached_property
    def records(self) -> Records:
        """The entities and calculators as plain records, as used in formulas."""
        effects = self.game.effects
        return Records(
            entities={
                kind: [
                    {
                        **entity.fields,
                        "id": entity.id,
                        "slug": entity.slug,
                        "name": entity.name,
                        "kind": entity.kind,
                        "effects": [effect.payload for effect in effects.get(entity.local_id, ())],
                    }
                    for entity in entities
                ]
                for kind, entities in self.entities.items()
            },
            aliases={entity.id: entity.aliases for entity in self.all_entities()},
            kind_titles={kind.id: kind.title for kind in self.game.kinds.values()},
            calculators=self.game.calculators,
        )

    def quoted_passage(self, box: QuestionBox, words: str) -> tuple[Section, nodes.Block] | None:
        """The passage that a box quotes, from the sections that the box is in, links or names; `None` if missing."""
        parts = [part for part in map(normalize, ELLIPSIS.split(words)) if part]
        for section in self.sections_of_box(box):
            for block in section.blocks:
                text = normalize(text_outside_callouts(block))
                if all(part in text for part in parts):
                    return section, block
        return None

    def sections_of_box(self, box: QuestionBox) -> Iterator[Section]:
        """The section that a box is in, then the sections that the box links to or names, each followed by its
        subsections.
        """
        anchors = {box.section.anchor: None}
        for node in walk(*box.callout.title, *box.callout.children):
            autolinks = self.autolinks.get(node.span) if isinstance(node, nodes.Text) else None
            named: list[AnchorRef | str] = []
            if autolinks is not None:
                named = [piece.anchor or piece.target for piece in autolinks.ranges]
            elif isinstance(node, nodes.Link) and (entity := self.link_entities.get(node.span)):
                named = [entity]
            elif isinstance(node, nodes.Link) and (target := self.book.targets.get(node.span)) and target.anchor:
                named = [target.anchor]
            for name in named:
                if isinstance(name, AnchorRef):
                    anchors[self.book.anchor(name)] = None
                elif name in self.by_id:
                    anchors[self.by_id[name].section.anchor] = None
        for anchor in anchors:
            for section in self.book.outlines[anchor.chapter.source.path].sections:
                if section.anchor is anchor or anchor in section.headings:
                    yield section

    def misprint(self, example: Example) -> Any:
        """The wrong figure that the text prints for an example; `None` if this edition does not print it."""
        cited = self.cited.get(example.citation.span)
        if example.printed is None or cited is None:
            return None
        figure = example.printed if isinstance(example.printed, str) else format_literal(example.printed)
        text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", normalize(cited.span.text))  # `6,000` is read as 6000.
        # The figure must be a whole number or word: 12 is not found in 120 or 1.12.
        is_printed = re.search(rf"(?<![\w.]){re.escape(normalize(figure))}(?!\w|[.,]\d)", text)
        return example.printed if is_printed else None

    def all_entities(self) -> Iterator[Entity]:
        """All entities, grouped by kind."""
        for entities in self.entities.values():
            yield from entities

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The position of each entity in its kind, by its id."""
        return {entity.id: position for of_kind in self.entities.values() for position, entity in enumerate(of_kind)}

    def neighbours(self, entity: Entity) -> tuple[Entity | None, Entity | None]:
        """The entities of the same kind before and after an entity."""
        entities, position = self.entities[entity.kind], self.positions[entity.id]
        before = entities[position - 1] if position else None
        return before, entities[position + 1] if position + 1 < len(entities) else None

    def published_schema(self, kind: Kind) -> Mapping[str, Any]:
        """The published schema for the fields of a kind.

        For a lenient kind, it is widened to allow every value that an entity has, even against the choices, bounds and
        types in the kind file.
        """
        if not kind.is_lenient:
            return kind.schema
        return observed_schema(kind.schema, (entity.fields for entity in self.entities[kind.id]))

    def kind(self, entity: Entity) -> Kind:
        return self.game.kinds[entity.kind]


def query(pack: Pack, part: BoardPart) -> tuple[Entity, ...]:
    """The entities shown in a part of a board, in the order of `only` if that is given, else in book order."""
    entities = pack.entities.get(part.subject.name, ())
    if part.only:
        by_slug = {entity.slug: entity for entity in entities}
        entities = tuple(by_slug[named.name] for named in part.only if named.name in by_slug)
    return tuple(entity for entity in entities if _satisfies(entity, part.where))


def _satisfies(entity: Entity, where: Mapping[str, Any]) -> bool:
    return all(_equals(entity.fields.get(name, entity.name), wanted) for name, wanted in where.items())


def _equals(value: Any, wanted: Any) -> bool:
    """Whether a field's value is the wanted value, an id that ends with it, or a list that contains either."""
    if isinstance(value, list):
        return any(_equals(item, wanted) for item in value)
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    return bool(value == wanted) or (isinstance(value, str) and "/" in value and value.rpartition("/")[2] == wanted)
