"""JSON data of a pack: a file with everything, one for each kind and each entity, and their schemas."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import chain, groupby
from typing import Any

from kismet_build.config.data_file import validation_errors
from kismet_build.config.pack_schema import pack_schema, pack_test
from kismet_build.model.book import Chapter, Section
from kismet_build.model.diagnostic import count_by_severity, to_dict
from kismet_build.model.nodes import (
    Cell,
    Embed,
    FootnoteDefinition,
    FootnoteReference,
    Link,
    Table,
    Text,
    plain_text,
    walk,
)
from kismet_build.model.source import Source
from kismet_build.pack import BookTable, Entity, Pack, section_id
from kismet_build.render.components.entity_text import entity_text, taken_text
from kismet_build.render.data.ambiguous_names import ambiguous_mentions_data
from kismet_build.render.data.calculator_json import calculator_data, effects_data, place_data, rolls_data
from kismet_build.render.data.json_writer import encode, items, json_file, list_chunks, merge_objects, object_chunks
from kismet_build.render.data.markdown import to_markdown
from kismet_build.render.data.schemas import game_schemas, general_schemas
from kismet_build.render.data.shard_result import LISTS, ShardResult
from kismet_build.render.html.addresses import Files, emblem_address
from kismet_build.render.html.context import Href, Term
from kismet_build.render.html.dice_buttons import dice_in, dice_tree
from kismet_build.render.html.page_context import anchor_address, render_context
from kismet_build.render.html.recorded_pack import ALL, cached_in_pack, whole_game
from kismet_build.render.html.renderer import RenderContext, to_html
from kismet_build.render.html.tables import cell_text

FORMAT = 2
"""Version of the data format; CHANGELOG.md says when it changes."""

Listing = Mapping[str, Any]
"""A published pack, or the subset of it that `listing` makes, with the same keys."""
_EMPTY_LISTS: Mapping[str, Any] = {
    "entities": {},
    **{name: [] for name in LISTS},
    "rolls": [],
    "words": {},
    "calculators": [],
}


class InvalidPack(Exception):
    """The data does not satisfy its published schema: a bug in the compiler, not an error in the text."""


class ChapterData:
    """Makes the JSON data of some chapters at a time. Raises `InvalidPack` if the data does not satisfy its schema."""

    def __init__(self, pack: Pack) -> None:
        """Prepare what depends on all documents: the ids of tables, and the position of each entity in its kind."""
        game = pack.game
        self._positions = {
            id(entity): position for entities in pack.entities.values() for position, entity in enumerate(entities)
        }
        self._tables = {source: [*tables] for source, tables in groupby(pack.tables, _source_of)}
        self._rights = encode({"licence": game.licence, "attribution": game.attribution})
        self._entity_heads = {
            kind: encode({"$schema": f"../../schemas/{game.id}/{kind}.json", "format": FORMAT}) for kind in game.kinds
        }
        self._empty_pack = _empty_pack(pack)
        # The sources of the game are validated once, in `emit_data`.
        self._empty_pack["game"] = {**self._empty_pack["game"], "sources": []}

    def files(self, pack: Pack, chapters: Iterable[Chapter], result: ShardResult) -> Files:
        """The files of the entities in these chapters; adds to `result` what `emit_data` needs of the chapters.

        `pack`: that of this object, which may record what is read of it.
        """
        game = pack.game
        by_kind: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        lists: dict[str, list[dict[str, Any]]] = {name: [] for name in LISTS}
        for chapter in chapters:
            for entity in pack.by_source.get(chapter.source, ()):
                by_kind.setdefault(entity.kind, []).append((self._positions[id(entity)], entity_data(pack, entity)))
                lists["corrections"] += _corrections(pack, entity)
            lists["tables"] += (_table(pack, table) for table in self._tables.get(chapter.source, ()))
            parts = self._parts_of(pack, chapter)
            for section in pack.book.sections[chapter.source]:
                lists["corrections"] += _corrections(pack, section)
                lists["sections"].append(_section(pack, section, parts.get(section.slug, _SectionParts())))
                for notation, dice in _dice(pack, section):
                    result.dice.append(notation)
                    lists["dice"].append(dice)
        self._validate({kind: [data for _, data in entities] for kind, entities in by_kind.items()}, lists)
        for kind, entities in by_kind.items():
            result.entities[kind] = [(position, encode(data)) for position, data in entities]
            for (_, data), (_, encoded) in zip(entities, result.entities[kind], strict=True):
                path = data["id"].removeprefix(f"{game.id}/")
                yield (
                    f"data/{game.id}/{path}.json",
                    merge_objects(self._entity_heads[kind], encoded, self._rights) + b"\n",
                )
        result.lists = {name: items(map(encode, values)) for name, values in lists.items()}

    def _parts_of(self, pack: Pack, chapter: Chapter) -> Mapping[str, "_SectionParts"]:
        """The content of the sections of a chapter, by the slug of the section."""
        parts: defaultdict[str, _SectionParts] = defaultdict(_SectionParts)
        entities = pack.by_source.get(chapter.source, ())
        for entity in sorted(entities, key=lambda entity: entity.span.start):
            parts[entity.section.slug].entities.append(entity.id)
        for table in self._tables.get(chapter.source, ()):
            parts[table.section.slug].tables.append(table.id)
        for slug, calculator in _calculators_by_source(pack).get(chapter.source, ()):
            parts[slug].calculators.append(calculator)
        return parts

    def _validate(self, entities: Mapping[str, list[Any]], lists: Mapping[str, list[Any]]) -> None:
        """Raise `InvalidPack` unless the data of these chapters satisfies the schema of packs.

        A pack is validated chapter by chapter, because as objects it takes ten times the memory of its text. The
        schema has no rules that span chapters.
        """
        data = {**self._empty_pack, **lists, "entities": entities}
        if not pack_test()(data):
            for kind, of_kind in entities.items():
                for entity in of_kind:
                    _validate({**self._empty_pack, "entities": {kind: [entity]}}, f"{entity.get('id', kind)}: ")
            _validate(data, "")


def _empty_pack(pack: Pack) -> dict[str, Any]:
    """The data of a pack with empty lists."""
    return {**_head(pack), **_EMPTY_LISTS, "diagnostics": count_by_severity(pack.diagnostics)}


def _source_of(table: BookTable) -> Source:
    return table.section.anchor.chapter.source


def _validate(data: dict[str, Any], prefix: str) -> None:
    """Raise `InvalidPack` if data does not satisfy the schema of packs; `prefix` starts the message."""
    if pack_test()(data):
        return
    for error in validation_errors(pack_schema(), data):
        raise InvalidPack(f"{prefix}{error.json_path}: {error.message[:200]}")


def emit_data(pack: Pack, results: Sequence[ShardResult]) -> Files:
    """The data files of a whole game, from the results of its shards in the order of the book."""
    game = pack.game
    game_data = {"game": _game(pack)}
    entities = {
        kind: sorted(chain.from_iterable(result.entities.get(kind, ()) for result in results)) for kind in game.kinds
    }
    for kind in game.kinds.values():
        head = {"$schema": "../schemas/entities.schema.json", "format": FORMAT, **game_data, "kind": kind.id}
        file = _object_file({**_encoded(head), "entities": _entity_list(entities[kind.id])})
        yield f"data/{game.id}/{kind.id}.json", file
    for name, schema in game_schemas(pack):
        yield f"data/schemas/{game.id}/{name}.json", json_file(schema)
    calculators = [calculator_data(pack, calculator) for calculator in game.calculators.values()]
    of_effects = {"rolls": rolls_data(pack), "words": game.effect_words.titles}
    _validate({**_empty_pack(pack), **of_effects, "calculators": calculators}, "")
    members: dict[str, Iterable[bytes]] = {
        **_encoded(_head(pack)),
        **_encoded({"licence_text": game.licence_text} if game.licence_text else {}),
        "entities": object_chunks((kind, _entity_list(of_kind)) for kind, of_kind in entities.items()),
        **{name: list_chunks([result.lists.get(name, b"") for result in results]) for name in LISTS},
        **_encoded({**of_effects, "calculators": calculators, "diagnostics": count_by_severity(pack.diagnostics)}),
    }
    yield f"data/{game.id}/pack.json", _object_file(members)
    calculators_file = {
        "$schema": "../schemas/calculators.schema.json",
        "format": FORMAT,
        **game_data,
        "calculators": calculators,
    }
    yield f"data/{game.id}/calculators.json", json_file(calculators_file)
    yield f"data/{game.id}/diagnostics.json", json_file([to_dict(found) for found in pack.published_diagnostics])
    yield f"data/{game.id}/doubtful.json", json_file(ambiguous_mentions_data(pack))


def _entity_list(entities: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
    return list_chunks(items((encoded,)) for _, encoded in entities)


def _encoded(data: Mapping[str, Any]) -> dict[str, Iterable[bytes]]:
    """The members of an object for `object_chunks`."""
    return {name: (encode(value),) for name, value in data.items()}


def _object_file(members: Mapping[str, Iterable[bytes]]) -> bytes:
    """A file with one object."""
    file = BytesIO()
    file.writelines(object_chunks(members.items()))
    file.write(b"\n")
    return file.getvalue()


def emit_schemas(_packs: Sequence[Listing]) -> Files:
    """The schemas that are the same for all games."""
    for name, schema in general_schemas():
        yield f"data/schemas/{name}.schema.json", json_file(schema)


def listing(pack: Pack, dice: Iterable[str]) -> Listing:
    """The subset of a published pack that the pages of the library and the sitemaps need.

    `dice` are the dice notations in its documents, with duplicates.
    """
    return {
        **_head(pack),
        "entities": {
            kind: [
                {"id": entity.id, "name": entity.name, "aliases": [*entity.aliases], "url": f"{entity.id}/"}
                for entity in entities
            ]
            for kind, entities in pack.entities.items()
        },
        "sections": [
            {
                "title": section.anchor.title,
                "level": section.anchor.level,
                "url": anchor_address(pack, section.anchor),
            }
            for section in pack.book.all_sections()
            if section.anchor.level == 0 or section.anchor.page
        ],
        "dice": [{"tree": dice_tree(notation)} for notation in dice],
        "calculators": [{"id": f"{pack.game.id}/{slug}"} for slug in pack.game.calculators],
    }


def _head(pack: Pack) -> dict[str, Any]:
    """The members of a pack before its lists."""
    schema = f"../schemas/{pack.game.id}/pack.json"
    return {"$schema": schema, "format": FORMAT, "game": _game(pack), "kinds": _kinds(pack)}


def _game(pack: Pack) -> dict[str, Any]:
    game = pack.game
    return {
        "id": game.id,
        "title": game.title,
        "version": game.version,
        "description": game.description,
        "language": game.language,
        "url": game.library_config.url or None,
        "authors": list(game.authors),
        "accent": _colours(game.accent),
        "second_accent": _colours(game.second_accent),
        "border": game.border or None,
        "emblem": emblem_address(game.id),
        "sample_questions": _sample_questions(pack),
        "licence": game.licence,
        "licence_id": game.licence_id,
        "attribution": game.attribution,
        "notices": list(game.notices),
        "sources": [
            {"path": chapter.source.path, "sha256": chapter.source.digest, "dialect": chapter.document.dialect}
            for chapter in pack.book.chapters
        ],
    }


def _colours(colours: tuple[str, str] | None) -> dict[str, str] | None:
    return dict(zip(("light", "dark"), colours, strict=True)) if colours else None


def _sample_questions(pack: Pack) -> list[dict[str, str]]:
    """The sample questions whose answer exists, each with the id and address of the answer."""
    if not pack.game.sample_questions:
        return []
    addresses = {entity.id: f"{entity.id}/" for entity in pack.all_entities()}
    addresses |= {
        section_id(pack.game, section): anchor_address(pack, section.anchor) for section in pack.book.all_sections()
    }
    return [
        {"question": question, "answer": answer, "url": addresses[answer]}
        for question, local_id, _ in pack.game.sample_questions
        if (answer := f"{pack.game.id}/{local_id}") in addresses
    ]


def _kinds(pack: Pack) -> dict[str, Any]:
    return {
        kind.id: {
            "title": kind.title,
            "plural": kind.plural,
            "description": kind.description,
            "ornament": kind.ornament,
            "colour": kind.colour,
            "schema": f"../schemas/{pack.game.id}/{kind.id}.json",
        }
        for kind in pack.game.kinds.values()
    }


def entity_data(pack: Pack, entity: Entity) -> dict[str, Any]:
    """An entity, see docs/CONTRACT.md; links in its HTML start at the root of the site."""
    links = [mention.target for mention in pack.mentions_from.get(entity.id, ())]
    explicit = {mention.target for mention in pack.mentions_from.get(entity.id, ()) if not mention.is_autolink}
    backlinks = [mention.origin for mention in pack.mentions_of.get(entity.id, ())]
    return {
        "id": entity.id,
        "kind": entity.kind,
        "name": entity.name,
        "aliases": list(entity.aliases),
        **_tags(pack, entity.span.source.path, entity.id),
        "fields": dict(entity.fields),
        **_printed(pack, entity),
        "effects": effects_data(pack, entity),
        "text": entity_text(pack, entity),
        "html": to_html(entity.body, _data_context(pack)),
        "links": list(dict.fromkeys(links)),
        "found_links": [target for target in dict.fromkeys(links) if target not in explicit],
        "backlinks": list(dict.fromkeys(backlinks)),
        "url": f"{entity.id}/",
        "source": place_data(entity.span, tuple(anchor.title for anchor in entity.section.headings)),
    }


def _printed(pack: Pack, entity: Entity) -> dict[str, dict[str, str]]:
    """The member with the words that the source prints for fields that were corrected; nothing if none was."""
    printed: dict[str, str] = {}
    for correction in pack.corrections_of(entity):
        before = printed.get(correction.field)
        printed[correction.field] = f"{before}; {correction.printed}" if before else correction.printed
    return {"printed": printed} if printed else {}


def _corrections(pack: Pack, subject: Entity | Section) -> Iterator[dict[str, Any]]:
    """The corrections of an entity or section, for the list of the pack."""
    if isinstance(subject, Entity):
        subject_id, headings = subject.id, subject.section.headings
    else:
        subject_id, headings = section_id(pack.game, subject), subject.headings
    for correction in pack.corrections_of(subject):
        yield {
            "entity": subject_id,
            "field": correction.field,
            "printed": correction.printed,
            "taken": taken_text(pack, subject, correction),
            "reason": correction.reason,
            "source": place_data(correction.span, tuple(anchor.title for anchor in headings)),
        }


def _tags(pack: Pack, path: str, origin: str) -> dict[str, list[str]]:
    """The member with the tags of an entity or section of the document at a path; nothing if it has none."""
    keys = pack.tags_of(path, origin)
    return {"tags": [pack.tags[key].name for key in keys]} if keys else {}


@cached_in_pack
def _data_context(pack: Pack) -> RenderContext:
    """The context of HTML in data: links start at the root of the site and end in `/`."""
    return replace(render_context(pack, ""), for_site=False)


@dataclass(slots=True)
class _SectionParts:
    """The ids of what a section contains, in the order of the text."""

    entities: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    calculators: list[str] = field(default_factory=list)


@whole_game(("citations", ALL))
def _calculators_by_source(pack: Pack) -> Mapping[Source, list[tuple[str, str]]]:
    """For each source, the slugs of the sections that calculators cite, each with the id of the calculator."""
    by_source: defaultdict[Source, list[tuple[str, str]]] = defaultdict(list)
    for calculator in pack.game.calculators.values():
        if cited := pack.cited.get(calculator.citation.span):
            by_source[cited.span.source].append((cited.section.slug, calculator.id))
    return by_source


def _section(pack: Pack, section: Section, parts: _SectionParts) -> dict[str, Any]:
    anchor = section.anchor
    own_id = section_id(pack.game, section)
    end = max((block.span.end for block in section.blocks), default=anchor.span.end)
    notes = _footnotes(section)
    own_blocks = [block for block in section.blocks if not isinstance(block, FootnoteDefinition)]
    links = (mention.target for origin in (own_id, *parts.entities) for mention in pack.mentions_from.get(origin, ()))
    backlinks = (mention.origin for mention in pack.mentions_of.get(own_id, ()))
    return {
        "id": own_id,
        "title": anchor.title,
        "level": anchor.level,
        "parent": _parent(pack, section),
        "text": "\n".join(filter(None, (plain_text(*section.blocks), *(plain_text(*note.children) for note in notes)))),
        "markdown": to_markdown([*own_blocks, *notes], _id_context(pack)),
        "html": to_html(section.blocks, _data_context(pack), {note.label: note for note in notes}),
        "links": list(dict.fromkeys(links)),
        "backlinks": list(dict.fromkeys(backlinks)),
        "entities": parts.entities,
        "tables": parts.tables,
        "calculators": parts.calculators,
        **_tags(pack, anchor.span.source.path, own_id),
        **_properties(pack, section),
        "url": anchor_address(pack, anchor),
        "source": place_data(
            anchor.span.source.span(anchor.span.start, end), tuple(heading.title for heading in section.headings)
        ),
    }


def _parent(pack: Pack, section: Section) -> str | None:
    """The id of the section that a section is in; `None` for the text before the first heading of a document."""
    sections = pack.book.sections[section.anchor.chapter.source]
    if section.anchor.level == 0:
        return None
    above = section.headings[-2] if len(section.headings) > 1 else sections[0].anchor
    return next(section_id(pack.game, other) for other in sections if other.anchor is above)


def _footnotes(section: Section) -> tuple[FootnoteDefinition, ...]:
    """The footnotes that a section refers to, wherever they are defined in its document."""
    defined = {note.label: note for note in section.anchor.chapter.document.footnotes}
    if not defined:
        return ()
    references = (node.label for node in walk(*section.blocks) if isinstance(node, FootnoteReference))
    return tuple(defined[label] for label in dict.fromkeys(references) if label in defined)


@cached_in_pack
def _id_context(pack: Pack) -> RenderContext:
    """The context of Markdown in data: links into the book have the id of their target as address."""
    context = render_context(pack, "")

    def href(link: Link) -> Href:
        target = pack.link_entities.get(link.span) or pack.link_sections.get(link.span)
        return Href(target) if target else context.href(link)

    def terms(text: Text) -> tuple[Term, ...]:
        pieces = pack.autolinks.get(text.span)
        ranges = () if pieces is None else pieces.within(text.value)
        return tuple(Term(part.start, part.end, part.target, part.starts_link, part.ends_link) for part in ranges)

    return replace(context, href=href, terms=terms)


def _properties(pack: Pack, section: Section) -> dict[str, Any]:
    """The member with the properties of a chapter, on its first section; nothing if it has none."""
    properties = {} if section.anchor.level else pack.documents[section.anchor.chapter.source.path].properties
    return {"properties": dict(properties)} if properties else {}


def _table(pack: Pack, book_table: BookTable) -> dict[str, Any]:
    table, section = book_table.table, book_table.section
    links = chain.from_iterable(_targets(pack, cell) for row in table.children for cell in row.cells)
    roll = pack.roll_table(table)
    rows = roll.rows if roll else ((),) * len(table.rows)
    several = {"range_columns": [[part.column for part in row] for row in rows]} if roll and roll.columns[1:] else {}
    return {
        "id": book_table.id,
        "caption": book_table.caption,
        "columns": [cell_text(cell) for cell in table.header.cells],
        "rows": [[cell_text(cell) for cell in row.cells] for row in table.rows],
        "cells": _cells(pack, table),
        "links": list(dict.fromkeys(links)),
        "section": section_id(pack.game, section),
        "die": roll.die if roll else None,
        "ranges": [[{"min": part.low, "max": part.high} for part in row] for row in rows],
        **several,
        "url": anchor_address(pack, section.anchor),
        "source": place_data(table.span, tuple(anchor.title for anchor in section.headings)),
    }


def _cells(pack: Pack, table: Table) -> list[list[Any]]:
    """The values of the cells of each row. See `type_cells`; text with links has the ids that they lead to."""
    facts = pack.documents.get(table.span.source.path)
    typed = facts.cells.get(table.span) if facts else None
    rows = typed or ((None,) * len(table.header.cells),) * len(table.rows)
    return [
        [_cell(pack, cell) if value is None else value for cell, value in zip(row.cells, values, strict=True)]
        for row, values in zip(table.rows, rows, strict=True)
    ]


def _cell(pack: Pack, cell: Cell) -> dict[str, list[str]] | None:
    targets = list(dict.fromkeys(_targets(pack, cell)))
    return {"references": targets} if targets else None


def _targets(pack: Pack, cell: Cell) -> Iterator[str]:
    """The ids of the entities and sections to which the text of a cell leads."""
    for node in walk(*cell.children):
        if isinstance(node, Text):
            found = pack.autolinks.get(node.span)
            yield from (part.target for part in found.ranges) if found else ()
        elif isinstance(node, Link | Embed):
            target = pack.link_entities.get(node.span) or pack.link_sections.get(node.span)
            yield from (target,) if target else ()


def _dice(pack: Pack, section: Section) -> Iterator[tuple[str, dict[str, Any]]]:
    """The notation and the data of each dice expression in a section."""
    for notation, span in dice_in(section, pack.game.is_german):
        headings = tuple(anchor.title for anchor in section.headings)
        url = anchor_address(pack, section.anchor)
        source = place_data(span, headings)
        yield notation, {"expression": notation, "tree": dice_tree(notation), "url": url, "source": source}


def dice_notations(pack: Pack) -> Iterator[str]:
    """The dice notations in the documents of a game, with duplicates."""
    sections = pack.book.all_sections()
    return (notation for section in sections for notation, _ in dice_in(section, pack.game.is_german))
