"""An entity of a game, and its corrections."""

import re
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from kismet_build.config.correction import Correction, value_at
from kismet_build.config.game import Game
from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Outline, Section
from kismet_build.model.diagnostic import Subject
from kismet_build.model.nodes import (
    Block,
    FootnoteDefinition,
    FootnoteReference,
    Paragraph,
    Table,
    plain_text,
    walk,
)
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize

WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A typed item defined by the rules. Its fields are plain data, described by the schema of its kind.

    Entities of two compilations can be equal only if both refer to the same `Source` object.
    """

    id: str
    """`game/kind/slug`: the key in the pack and the address on the website. The id is permanent."""
    kind: str
    name: str
    aliases: tuple[str, ...]
    fields: Mapping[str, Any]
    """The fields in the order of the schema, without `id`, `aliases` and, unless the kind composes it, `name`."""
    references: Mapping[str, tuple[str, ...]]
    """The ids in each field that refers to other entities."""
    span: Span
    """The span from the entity's heading, term or row to the end of its text."""
    field_spans: Mapping[str, Span]
    """Spans of fields and their parts, by path: `cost`, `levels[2].cost`."""
    body: tuple[Block, ...]
    """The text that describes the entity."""
    section: Section
    """The section that contains the entity or, if the entity starts at a heading, the section of that heading."""
    field_texts: Mapping[str, Mapping[str, tuple[Block, ...]]] = field(default_factory=dict)
    """For each field with Markdown in its values, the paragraphs of each such value, by its words.

    Words that occur with different markup are left out.
    """
    corrections: tuple[Correction, ...] = ()
    """The printed words that its kind replaces because they are wrong."""
    unparsed: frozenset[str] = frozenset()
    """The paths of the fields and parts that keep the printed words because these cannot be parsed."""

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rsplit("/", 1)[1]

    @property
    def local_id(self) -> str:
        """The id without the game: `kind/slug`. Data files refer to entities in this form."""
        return f"{self.kind}/{self.slug}"

    @property
    def is_document(self) -> bool:
        return not self.section.anchor.level and self.span == self.span.source.full_span()

    @property
    def subject(self) -> Subject:
        return Subject(self.kind, self.name, self.span)

    @property
    def is_table_row(self) -> bool:
        """Whether the text of the entity is only table rows, or empty."""
        return all(isinstance(block, Table) and len(block.rows) == 1 for block in self.body)

    def span_of(self, path: str) -> Span:
        """The span of a field or field part (`levels[2].cost`).

        If it is unknown, the span of the enclosing part or entity.
        """
        while path:
            if path in self.field_spans:
                return self.field_spans[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.span


def own_words(entity: Entity) -> int:
    """The number of words in an entity's text, without tables whose words its fields repeat."""
    in_fields = {*_words(f"{entity.name} {' '.join(entity.aliases)} {[*entity.fields.values()]}")}
    number = 0
    for block in entity.body:
        is_repeated = isinstance(block, Table) and in_fields.issuperset(_words(plain_text(*block.rows)))
        number += 0 if is_repeated else len(_words(plain_text(block)))
    return number


def needs_page(entity: Entity) -> bool:
    """Whether an entity is a whole section or has footnotes, which a table row cannot show."""
    is_section = entity.span.start == entity.section.anchor.span.start
    return is_section or any(isinstance(node, FootnoteReference) for node in walk(*entity.body))


def _words(text: str) -> list[str]:
    return WORD.findall(normalize(text))


def corrected_value(subject: Entity | Section, field: str) -> Any:
    """The value of the field named by a correction; `None` if it has no value."""
    if isinstance(subject, Section):
        return {"title": subject.anchor.title, "text": plain_text(*subject.blocks)}.get(field)
    if field in ("name", "text") and field not in subject.fields:
        return subject.name if field == "name" else plain_text(*subject.body)
    return value_at(subject.fields, field)


def has_words(subject: Entity | Section, field: str, words: str) -> bool:
    """Whether the value at `Correction.field` has these words."""
    value = corrected_value(subject, field)
    text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
    return value is not None and normalize(words) in normalize(text)


class EntityNames(NamedTuple):
    """The names by which other documents refer to an entity."""

    kind: str
    id: str
    name: str
    aliases: tuple[str, ...]
    note: str = ""
    """The file name, if the entity is a whole document; links in properties refer to it."""


def calculator_subject(calculator: Calculator) -> Subject:
    """A calculator as the subject of a diagnostic."""
    return Subject("calculator", calculator.slug, calculator.span)


def section_id(game: Game, section: Section) -> str:
    """The id of a section in the pack: `game/section/chapter-heading`."""
    return f"{game.id}/section/{section.slug}"


# --- the whole text of a term that a section defines: up to the next definition or heading


def whole_definitions(
    outline: Outline, entities: Sequence[Entity], terms: Collection[str]
) -> Mapping[str, tuple[Block, ...]]:
    """By id, the text of each entity whose text goes on after its definition.

    `entities` are the entities of the document, `terms` the kinds whose entities are defined in running text. The text
    of a term ends at the next paragraph in which an entity begins. If several entities begin in a paragraph, only one
    of them goes on, so no other block is in two texts. The text of a term that is defined in a list item is that item.
    """
    by_section: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        by_section[entity.section.slug].append(entity)
    wholes: dict[str, tuple[Block, ...]] = {}
    for slug, inside in by_section.items():
        section = outline.section_of[slug]
        defined = [entity for entity in inside if entity.kind in terms]
        # The text of an entity that begins with a heading is the whole section.
        if defined and all(entity.span.start > section.anchor.span.start for entity in inside):
            wholes |= _in_section(section, defined, inside)
    return wholes


def _in_section(
    section: Section, defined: Sequence[Entity], inside: Sequence[Entity]
) -> Mapping[str, tuple[Block, ...]]:
    blocks = [block for block in section.blocks if not isinstance(block, FootnoteDefinition)]
    starts = [
        index
        for index, block in enumerate(blocks)
        if isinstance(block, Paragraph)
        and any(block.span.start <= entity.span.start < block.span.end for entity in inside)
    ]
    wholes: dict[str, tuple[Block, ...]] = {}
    for start, end in pairwise([*starts, len(blocks)]):
        here = [entity for entity in defined if entity.body and entity.body[0] is blocks[start]]
        if here:
            chosen = min(here, key=lambda entity: _rank(entity, section.anchor.title, blocks[start]))
            wholes[chosen.id] = (*chosen.body, *blocks[start + len(chosen.body) : end])
    return wholes


def _rank(entity: Entity, title: str, paragraph: Block) -> tuple[bool, int]:
    """The order in which entities may go on after a paragraph: first an entity that the title names, then by their
    place in the paragraph.
    """
    name = rf"(?<!\w){re.escape(normalize(entity.name))}(?!\w)"
    place = re.search(name, normalize(plain_text(paragraph)))
    return re.search(name, normalize(title)) is None, place.start() if place else sys.maxsize
