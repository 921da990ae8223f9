"""The results of all steps for one document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from kismet_build.config.autolink import AmbiguousMention, TextAutolinks
from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model.book import Section
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.nodes import (
    Callout,
    Document,
    Table,
)
from kismet_build.model.source import Source, Span
from kismet_build.pack.entity import Entity


@dataclass(frozen=True, slots=True)
class Mention:
    """A reference to an entity or section: a link in the text, a field or an effect."""

    origin: str
    """The id of the entity or section that contains the reference."""
    target: str
    """The id of the entity or section that is referenced."""
    span: Span
    field: str = ""
    """The name of the field that contains the reference; empty if it is not in a field."""
    effect: str = ""
    """The key of the effect that contains the reference, such as `causes`; empty if it is not in an effect."""
    property: str = ""
    """The key of the property that contains the link, as the author wrote it; empty for any other reference."""
    is_autolink: bool = False
    """Whether the reference is an automatic link: a name in the text, without link markup."""


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """The passage of the book that a citation quotes."""

    span: Span
    section: Section
    quote: str
    """The quote that was found in the book; a citation may have several."""


@dataclass(frozen=True, slots=True)
class BookTable:
    """A table in the text, with its published id."""

    id: str
    """`game/table/chapter-heading`."""
    caption: str
    """The caption of the table, or else the title of its section."""
    table: Table
    section: Section


@dataclass(frozen=True, slots=True)
class QuestionBox:
    """A callout with a question about the rules, which is open or has a ruling."""

    title: str
    """The title of the callout, or else the title of its section."""
    callout: Callout
    section: Section
    readings: str
    """The text before the ruling."""
    ruling: str
    """The text after the word `Ruling:`; empty if the question is open."""
    quotations: tuple[str, ...]
    """The quotes in the text, without duplicates."""


class OpenedFile(NamedTuple):
    """The text of one file, with its properties."""

    source: Source | None
    """The text; `None` if the file, or its properties, cannot be read."""
    properties: Document | None
    """The properties, in a document without blocks; `None` without a source."""
    diagnostics: tuple[Diagnostic, ...]

    @property
    def path(self) -> str:
        """The path of the text."""
        return self.source.path if self.source else self.diagnostics[0].span.source.path

    @property
    def header_files(self) -> frozenset[str]:
        """The paths of the files that its properties come from, besides the text."""
        return self.properties.source.included if self.properties else frozenset()


class ParsedFile(NamedTuple):
    """The result of parsing one file."""

    opened: OpenedFile
    document: Document | None
    """The document; `None` if the file cannot be read or parsed."""
    diagnostics: tuple[Diagnostic, ...]
    inputs: frozenset[str] = frozenset()
    """The paths of the other files on which the document depends, such as included files, even if they do not exist."""
    until: float = inf
    """When an included file appears or vanishes, in seconds since 1970."""
    is_parsed: bool = True
    """Whether the document has its blocks. A part of another text does not, because it is not parsed on its own."""
    added: int = 0
    """The weight of what the text includes and repeats, as in `parse.composition.GameBudget`."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """The results of all steps for one document, except its structure and links.

    Facts refer to other documents by path and anchor, or by entity id.
    """

    entities: tuple[Entity, ...] = ()
    """The entities of the document, by kind in the order of the game's kinds, then in the order of the text."""
    link_entities: Mapping[Span, str] = field(default_factory=dict)
    """The entity id of each link whose target defines an entity or whose text names one, by the link's span."""
    link_sections: Mapping[Span, str] = field(default_factory=dict)
    """For each remaining link or embed that leads into the book, by span: the id of the section that it leads to."""
    mentions: tuple[Mention, ...] = ()
    """The mentions in links and automatic links, in text order."""
    field_mentions: tuple[Mention, ...] = ()
    """The mentions in fields, in the order of `entities`."""
    autolinks: Mapping[Span, TextAutolinks] = field(default_factory=dict)
    """The automatic links in each text node that contains any, by the span of the node."""
    ambiguous_mentions: tuple[AmbiguousMention, ...] = ()
    """Words that may name an entity or section, for an author to review, in text order."""
    cells: Mapping[Span, tuple[tuple[Any, ...], ...]] = field(default_factory=dict)
    """By the span of each table with numbers, ranges or dice, the values of its cells."""
    roll_tables: Mapping[Span, RollTable] = field(default_factory=dict)
    """The tables that a reader can roll on, by the span of the table."""
    questions: tuple[QuestionBox, ...] = ()
    """The question boxes in the text, in text order."""
    tags: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The id of each entity and section with tags, together with the tags as written but without `#`."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    """The properties of a chapter, with keys like those of fields; empty for a document that is a single entity."""
