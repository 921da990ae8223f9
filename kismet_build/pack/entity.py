"""An entity of a game, and its corrections."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kismet_build.config.correction import Correction, value_at
from kismet_build.config.game import Game
from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Section
from kismet_build.model.diagnostic import Subject
from kismet_build.model.nodes import (
    Block,
    plain_text,
)
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A typed item that the rules define. Its fields are plain data; the schema of its kind describes them.

    Entities of two compilations are equal if the text of both is the same object.
    """

    id: str
    """`game/kind/slug`: the key in the pack and the address on the site. It is permanent."""
    kind: str
    name: str
    aliases: tuple[str, ...]
    fields: Mapping[str, Any]
    """All fields of its kind except `id`, `name` and `aliases`, in the order of the schema."""
    references: Mapping[str, tuple[str, ...]]
    """For each field that names other entities, their ids."""
    span: Span
    """From its heading, term or row to the end of its text."""
    field_spans: Mapping[str, Span]
    """Spans of fields and of their parts, by path: `cost`, `levels[2].cost`."""
    body: tuple[Block, ...]
    """The text that describes it."""
    section: Section
    """The section that contains it or, if it starts at a heading, the section of that heading."""
    field_texts: Mapping[str, Mapping[str, tuple[Block, ...]]] = field(default_factory=dict)
    """For each field with links or dice codes in properties, the paragraphs of these texts by their words.

    Words that two texts share have none.
    """
    corrections: tuple[Correction, ...] = ()
    """The words of the text in whose place its kind takes others, because they are wrong."""
    unparsed: frozenset[str] = frozenset()
    """The fields and their parts, by path, that have the words of the text as they are: they cannot be parsed."""

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rsplit("/", 1)[1]

    @property
    def local_id(self) -> str:
        """The id without the game: `kind/slug`. Data files name entities by it."""
        return f"{self.kind}/{self.slug}"

    @property
    def is_document(self) -> bool:
        """Whether a whole document is the entity."""
        return not self.section.anchor.level and self.span == self.span.source.full_span()

    @property
    def subject(self) -> Subject:
        """The entity as the subject of a diagnostic."""
        return Subject(self.kind, self.name, self.span)

    def span_of(self, path: str) -> Span:
        """The span of a field or field part (`levels[2].cost`); if unknown, of the enclosing part or entity."""
        while path:
            if path in self.field_spans:
                return self.field_spans[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.span


def corrected_value(subject: Entity | Section, field: str) -> Any:
    """The value of the field that a correction names; `None` without a value."""
    if isinstance(subject, Section):
        return {"title": subject.anchor.title, "text": plain_text(*subject.blocks)}.get(field)
    if field in ("name", "text") and field not in subject.fields:
        return subject.name if field == "name" else plain_text(*subject.body)
    return value_at(subject.fields, field)


def has_words(subject: Entity | Section, field: str, words: str) -> bool:
    """Whether the value that `Correction.field` means has these words."""
    value = corrected_value(subject, field)
    text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
    return value is not None and normalize(words) in normalize(text)


class EntityNames(NamedTuple):
    """The names of an entity, by which other documents refer to it."""

    kind: str
    id: str
    name: str
    aliases: tuple[str, ...]
    note: str = ""
    """The name of the file whose text it is as a whole, by which links in properties refer to it."""


def calculator_subject(calculator: Calculator) -> Subject:
    """A calculator as the subject of a diagnostic."""
    return Subject("calculator", calculator.slug, calculator.span)


def section_id(game: Game, section: Section) -> str:
    """The id of a section in the pack: `game/section/chapter-heading`."""
    return f"{game.id}/section/{section.slug}"
