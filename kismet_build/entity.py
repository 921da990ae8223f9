"""Entities: the typed things that a game's kinds find in its book, and the pack that holds them all."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from kismet_build.book import Book, Section
from kismet_build.diagnostic import Diagnostic
from kismet_build.game import Game
from kismet_build.kind import Kind
from kismet_build.linking import Doubt, Pieces
from kismet_build.model import Block
from kismet_build.name import folder_name
from kismet_build.source import Source, Span

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entity:
    """One thing that the rules define. Its fields are plain data that the schema of its kind describes."""

    id: str
    """`game/kind/slug`: its key in the pack and its address on the site; never moves."""
    kind: str
    name: str
    aliases: tuple[str, ...]
    fields: Mapping[str, Any]
    """Every field of its kind but `id`, `name` and `aliases`, in the order of the schema."""
    references: Mapping[str, tuple[str, ...]]
    """For each field that names other entities, their ids."""
    span: Span
    """Where it stands: from its heading, term or row to the end of its text."""
    field_spans: Mapping[str, Span]
    """Where its fields stand, and parts of them by their paths: `cost`, `levels[2].cost`."""
    body: tuple[Block, ...]
    """What the book says about it."""
    section: Section
    """The section that it stands in, or that it is."""

    @property
    def slug(self) -> str:
        """The last part of its id."""
        return self.id.rsplit("/", 1)[1]

    def place_of(self, path: str) -> Span:
        """Where a field stands, or a part of one such as `levels[2].cost`; what is around it if that is not known."""
        while path:
            if path in self.field_spans:
                return self.field_spans[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.span


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where something refers to an entity."""

    origin: str
    """The id of the entity or section that refers."""
    target: str
    """The id of the entity that is referred to."""
    span: Span
    field: str = ""
    """The field that refers, or an empty string for a link in the text."""
    effect: str = ""
    """The key of an effect that refers, such as `causes`; empty for what is no effect."""
    is_found: bool = False
    """The link is in the words alone: nobody wrote it."""


@dataclass(frozen=True, slots=True)
class Cited:
    """Where the quote of a citation stands in the book."""

    span: Span
    section: Section
    quote: str
    """Which of its quotes it is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pack:
    """A game compiled: what every check judges and every emitter publishes."""

    game: Game
    book: Book
    entities: Mapping[str, tuple[Entity, ...]]
    """By kind, in the order of the game's kinds; in a kind in the order of the book."""
    link_entities: Mapping[Span, Entity] = field(default_factory=dict)
    """For a link whose place defines an entity, or whose words name one, that entity."""
    mentions: tuple[Mention, ...] = ()
    self_links: Mapping[Span, Pieces] = field(default_factory=dict)
    """For words that hold the name of an entity, by their span, which parts of them link."""
    doubts: tuple[Doubt, ...] = ()
    """Words that may name an entity, for a person to look at, in the order of the book."""
    cited: Mapping[Span, Cited] = field(default_factory=dict)
    """For each citation of the data files, by its span there, where its quote stands; stale ones are absent."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Everything that was found wrong, sorted by place."""

    def plus(self, **tables: Any) -> "Pack":
        """The pack with other tables of links and the like; what was worked out from its entities is kept."""
        pack = replace(self, **tables)
        assert pack.entities is self.entities
        vars(pack).update((name, known) for name, known in vars(self).items() if name in ("by_id", "by_source"))
        return pack

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        """Every entity by its id."""
        return {entity.id: entity for entity in chain.from_iterable(self.entities.values())}

    @cached_property
    def addresses(self) -> Mapping[str, str]:
        """Where each file that stands beside the texts is published, by its path in the folder of the game.

        Names are spelled as addresses are: what differs in case alone is one file on some disks, and some signs that
        a name may have here it cannot have there.
        """
        taken: set[str] = set()
        found = {}
        for path in self.game.attachments:
            *folders, name = path.split("/")
            stem, _, suffix = name.rpartition(".")
            address = "/".join([self.game.id, "files", *map(folder_name, folders), folder_name(stem or suffix)])
            ending = "." + "".join(filter(str.isalnum, suffix.casefold())).encode("ascii", "ignore").decode()
            found[path] = _unique_file(address, ending, taken)
        return found

    @cached_property
    def by_source(self) -> Mapping[Source, tuple[Entity, ...]]:
        """For each text that defines any, its entities, kind by kind."""
        found: defaultdict[Source, list[Entity]] = defaultdict(list)
        for entity in chain.from_iterable(self.entities.values()):
            found[entity.span.source].append(entity)
        return {source: tuple(entities) for source, entities in found.items()}

    @cached_property
    def mentions_of(self) -> Mapping[str, tuple[Mention, ...]]:
        """For each entity that is mentioned, the mentions, in the order of the book."""
        found: defaultdict[str, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            found[mention.target].append(mention)
        return {target: tuple(mentions) for target, mentions in found.items()}

    @cached_property
    def mentions_from(self) -> Mapping[str, tuple[Mention, ...]]:
        """For each entity or section that mentions something, what it mentions."""
        found: defaultdict[str, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            found[mention.origin].append(mention)
        return {origin: tuple(mentions) for origin, mentions in found.items()}

    def every(self) -> Iterator[Entity]:
        """Every entity, kind by kind."""
        for entities in self.entities.values():
            yield from entities

    def kind(self, entity: Entity) -> Kind:
        """The kind of an entity."""
        return self.game.kinds[entity.kind]


def without(table: Mapping[Span, Value], source: Source) -> dict[Span, Value]:
    """A copy of a table without what stands in a source."""
    left = dict(table)
    for span in [span for span in table if span.source is source]:
        del left[span]
    return left


def section_id(game: Game, section: Section) -> str:
    """The id of a section in the pack: `game/section/chapter-heading`."""
    return f"{game.id}/section/{section.slug}"


def _unique_file(address: str, ending: str, taken: set[str]) -> str:
    """An address with an ending that is not taken yet, which it is then: `map.png`, `map-2.png`."""
    name, number = address + ending, 2
    while name in taken:
        name, number = f"{address}-{number}{ending}", number + 1
    taken.add(name)
    return name
