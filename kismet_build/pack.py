"""Entities: the typed things that a game's kinds find in its book, and the pack that holds them all."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

from kismet_build.config.autolink import AmbiguousMention, Pieces
from kismet_build.config.board import Part
from kismet_build.config.game import Game
from kismet_build.config.kind import Kind
from kismet_build.mechanics.calculator import Example, shown
from kismet_build.mechanics.calculator.calculation import Records
from kismet_build.model.book import Book, Section
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.nodes import Block, Table, plain_text, walk_blocks
from kismet_build.model.renewed import Renewed, RenewedRow
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import folder_name, normalize, unique


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


OF_THE_ENTITIES = frozenset(("by_id", "by_source", "has_duplicates", "addresses"))
"""What a pack works out of its entities, and of the files of its game."""
OF_THE_MENTIONS = frozenset(("mentions_in", "mentions_of", "mentions_from", "addresses"))
"""What it works out of its mentions, and again of the files."""


@dataclass(frozen=True, slots=True)
class BookTable:
    """A table of the text, with the id that it is published with."""

    id: str
    """`game/table/chapter-heading`."""
    caption: str
    """Its own, or the title of the section that it stands in."""
    table: Table
    section: Section


@dataclass(frozen=True, kw_only=True, eq=False)
class Pack:
    """A game compiled: what every check judges and every emitter publishes."""

    game: Game
    book: Book
    entities: Mapping[str, tuple[Entity, ...]]
    """By kind, in the order of the game's kinds; in a kind in the order of the book."""
    link_entities: Mapping[Span, Entity] = field(default_factory=dict)
    """For a link whose place defines an entity, or whose words name one, that entity."""
    mentions: Iterable[Mention] = ()
    autolinks: Mapping[Span, Pieces] = field(default_factory=dict)
    """For words that hold the name of an entity, by their span, which parts of them link."""
    ambiguous_mentions: Iterable[AmbiguousMention] = ()
    """Words that may name an entity, for a person to look at, in the order of the book."""
    cited: Mapping[Span, Cited] = field(default_factory=dict)
    """For each citation of the data files, by its span there, where its quote stands; stale ones are absent."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Everything that was found wrong, sorted by place."""

    def plus(self, **tables: Any) -> "Pack":
        """The pack with other tables of links and the like; what was worked out from the rest is kept."""
        pack = replace(self, **tables)
        assert pack.entities is self.entities
        pack._keep(self, OF_THE_ENTITIES if "mentions" in tables else OF_THE_ENTITIES | OF_THE_MENTIONS)
        return pack

    def renewed(
        self,
        book: Book,
        entities: Mapping[str, tuple[Entity, ...]],
        old: Source,
        new: Source,
        own: Sequence[Entity] | None,
    ) -> "Pack":
        """The pack with a new version of a text; its `own` entities, if they alone are others than before."""
        pack = replace(self, book=book, entities=entities)
        pack._keep(self, OF_THE_MENTIONS)
        if own is None:
            return pack
        known = vars(pack)
        known["by_source"] = Renewed(self.by_source, [new.path], {new: tuple(own)} if own else {})
        before = {entity.id for entity in self.by_source.get(old, ())}
        after = {entity.id: entity for entity in own}
        # Of two with one id only the table of all tells which is left where the other goes.
        are_new = all(self.by_id.get(one) is None for one in after.keys() - before)
        if not self.has_duplicates and len(after) == len(own) and are_new:
            known["by_id"], known["has_duplicates"] = Renewed(self.by_id, before, after), False
        return pack

    def with_mentions(self, text: Source, mentions: Sequence[Mention], **tables: Any) -> "Pack":
        """The pack with these mentions in a text, in place of those that its last version had; and other tables."""
        before = self.mentions_in.get(text.path, ())
        of_target = {
            target: [one for one in self.mentions_of.get(target, ()) if one.span.source.path != text.path]
            for target in {one.target for one in (*before, *mentions)}
        }
        for one in mentions:
            of_target[one.target].append(one)
        left = {target: tuple(several) for target, several in of_target.items() if several}
        pack = self.plus(mentions=RenewedRow(self.mentions, text.path, mentions), **tables)
        here = {text.path: tuple(mentions)} if mentions else {}
        vars(pack)["mentions_in"] = Renewed(self.mentions_in, [text.path], here)
        vars(pack)["mentions_of"] = Renewed(self.mentions_of, of_target, left)
        return pack

    def work_out(self) -> None:
        """Work out now whatever will be asked for."""
        for name in sorted(OF_THE_ENTITIES | OF_THE_MENTIONS):
            getattr(self, name)

    def _keep(self, other: "Pack", names: frozenset[str]) -> None:
        """Keep what another pack has worked out."""
        vars(self).update((name, value) for name, value in vars(other).items() if name in names)

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        """Every entity by its id."""
        return {entity.id: entity for entity in chain.from_iterable(self.entities.values())}

    @cached_property
    def has_duplicates(self) -> bool:
        """Whether several entities have one id."""
        return len(self.by_id) < sum(map(len, self.entities.values()))

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
    def mentions_in(self) -> Mapping[str, tuple[Mention, ...]]:
        """For each text that mentions something, by its path, the mentions."""
        found: defaultdict[str, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            found[mention.span.source.path].append(mention)
        return {path: tuple(mentions) for path, mentions in found.items()}

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

    @cached_property
    def tables(self) -> tuple[BookTable, ...]:
        """Every table of the text, in the order of the book."""
        taken: set[str] = set()
        found = []
        for section in self.book.all_sections():
            for table in tables_in(section.blocks):
                base = section_id(self.game, section).replace("/section/", "/table/", 1)
                caption = plain_text(*table.caption) or section.anchor.title
                found.append(BookTable(unique(base, taken, 2), caption, table, section))
        return tuple(found)

    def find_table(self, name: str) -> BookTable | None:
        """The table with an id, the last part of one, or a caption; the first of several."""
        for table in self.tables:
            if name in (table.id, table.id.rpartition("/")[2]):
                return table
        return next((table for table in self.tables if normalize(table.caption) == normalize(name)), None)

    @cached_property
    def records(self) -> Records:
        """The entities and calculators as formulas look them up."""
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
                        "effects": [effect.payload for effect in effects.get(f"{entity.kind}/{entity.slug}", ())],
                    }
                    for entity in entities
                ]
                for kind, entities in self.entities.items()
            },
            aliases={entity.id: entity.aliases for entity in self.every()},
            kind_titles={kind.id: kind.title for kind in self.game.kinds.values()},
            calculators=self.game.calculators,
        )

    def misprint(self, example: Example) -> Any:
        """The figure that the text prints where its rule gives another; `None` where this edition does not print it."""
        cited = self.cited.get(example.citation.span)
        if example.printed is None or cited is None:
            return None
        figure = example.printed if isinstance(example.printed, str) else shown(example.printed)
        # As it is, and not as a part of another.
        words = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", normalize(cited.span.text))  # 6,000 is 6000
        stands = re.search(rf"(?<![\w.]){re.escape(normalize(figure))}(?!\w|[.,]\d)", words)
        return example.printed if stands else None

    def every(self) -> Iterator[Entity]:
        """Every entity, kind by kind."""
        for entities in self.entities.values():
            yield from entities

    def kind(self, entity: Entity) -> Kind:
        """The kind of an entity."""
        return self.game.kinds[entity.kind]


def section_id(game: Game, section: Section) -> str:
    """The id of a section in the pack: `game/section/chapter-heading`."""
    return f"{game.id}/section/{section.slug}"


def tables_in(blocks: Iterable[Block]) -> Iterator[Table]:
    """The tables among blocks and in them, in the order of the text."""
    return (block for block in walk_blocks(*blocks) if isinstance(block, Table))


def find_column(table: Table, name: str) -> int | None:
    """The place of a column by what stands at its head."""
    heads = [normalize(plain_text(cell).strip()) for cell in table.header.cells]
    return heads.index(normalize(name)) if normalize(name) in heads else None


def things(pack: Pack, part: Part) -> tuple[Entity, ...]:
    """What a part of a board shows of a kind, in the order that its author gave, else in that of the book."""
    entities = pack.entities.get(part.subject.name, ())
    if part.only:
        by_slug = {entity.slug: entity for entity in entities}
        entities = tuple(by_slug[one.name] for one in part.only if one.name in by_slug)
    return tuple(entity for entity in entities if _fits(entity, part.where))


def _fits(entity: Entity, where: Mapping[str, Any]) -> bool:
    return all(_has(entity.fields.get(name, entity.name), value) for name, value in where.items())


def _has(found: Any, value: Any) -> bool:
    """Whether a value is the one that is looked for, or names it by the last part of its id, or is a list with it."""
    if isinstance(found, list):
        return any(_has(one, value) for one in found)
    if isinstance(found, bool) or isinstance(value, bool):
        return found is value
    return bool(found == value) or (isinstance(found, str) and "/" in found and found.rpartition("/")[2] == value)


def _unique_file(address: str, ending: str, taken: set[str]) -> str:
    """An address with an ending that is not taken yet, which it is then: `map.png`, `map-2.png`."""
    name, number = address + ending, 2
    while name in taken:
        name, number = f"{address}-{number}{ending}", number + 1
    taken.add(name)
    return name
