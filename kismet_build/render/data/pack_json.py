"""JSON data of a pack: a file with everything, a file for each kind and each entity, and the schemas."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from html import escape
from itertools import chain, groupby
from typing import Any, NamedTuple

from orjson import Fragment

from kismet_build import __version__
from kismet_build.config.autolink import AmbiguousMention
from kismet_build.model.book import Chapter, Outline, Section
from kismet_build.model.diagnostic import count_by_severity, to_dict
from kismet_build.model.json_writer import encode, encoded_members, json_file, list_pieces, object_pieces
from kismet_build.model.nodes import Cell, Embed, Link, Paragraph, Table, Text, walk
from kismet_build.model.source import Source
from kismet_build.pack import BookTable, Entity, Pack, section_id
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.entity_text import taken_text
from kismet_build.render.data.calculator_json import calculator_data, effects_data, place_data, rolls_data
from kismet_build.render.data.questions_json import question_ids
from kismet_build.render.data.schemas import PACK, game_schema, general_schemas
from kismet_build.render.data.section_content import EntityContent, data_context, document_content, entity_content
from kismet_build.render.fragments.page_context import anchor_address
from kismet_build.render.fragments.renderer import paragraph_html, to_html
from kismet_build.render.html.addresses import LazyFiles, emblem_address
from kismet_build.render.html.dice_buttons import dice_notations, dice_tree
from kismet_build.render.html.excerpt import first_sentence
from kismet_build.render.html.tables import cell_text

FORMAT = 3
"""Version of the data format; CHANGELOG.md describes each change."""
LISTS = ("tables", "sections", "corrections", "dice")
"""Keys of the lists in a published pack that are made from its documents."""


class ChapterData(NamedTuple):
    """The JSON data of one chapter."""

    entities: Mapping[str, Mapping[str, bytes]]
    """For each kind, the JSON of each entity by its id."""
    lists: Mapping[str, Sequence[bytes]]
    """For each name in `LISTS`, the JSON of each record."""


@cached_in_pack
def chapter_data(pack: Pack, path: str) -> ChapterData:
    """The data of the document at this path."""
    outline = pack.book.outlines[path]
    chapter = outline.chapter
    defined = pack.by_source.get(chapter.source, ())
    content = document_content(pack, outline, defined)
    entities: dict[str, list[dict[str, Any]]] = {}
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in LISTS}
    for entity in defined:
        entities.setdefault(entity.kind, []).append(entity_data(pack, entity, content.entities[entity.id]))
        lists["corrections"] += _corrections(pack, entity)
    lists["dice"] += _dice(pack, outline)
    lists["tables"] += (_table(pack, table) for table in tables_by_source(pack).get(chapter.source, ()))
    parts = _parts_of(pack, chapter)
    for section in outline.sections:
        lists["corrections"] += _corrections(pack, section)
        own_parts = parts.get(section.slug, _SectionParts())
        lists["sections"].append(_section(pack, section, own_parts, content.sections[section.slug]))
    encoded = {kind: {data["id"]: encode(data) for data in of_kind} for kind, of_kind in entities.items()}
    return ChapterData(encoded, {name: [*map(encode, records)] for name, records in lists.items()})


def entity_files(pack: Pack, path: str) -> LazyFiles:
    """The data files of the entities of the document at this path."""
    for entity in pack.by_source.get(pack.book.outlines[path].chapter.source, ()):
        yield f"data/{entity.id}.json", partial(_entity_file, pack, path, entity)


def _entity_file(pack: Pack, path: str, entity: Entity) -> bytes:
    encoded = chapter_data(pack, path).entities[entity.kind][entity.id]
    head = {"$schema": f"../../schemas/{pack.game.id}/{entity.kind}.json", "format": FORMAT}
    rights = {"licence": pack.game.licence, "attribution": pack.game.attribution}
    return encode({**head, **rights, "entity": Fragment(encoded)}) + b"\n"


@cached_in_pack
def tables_by_source(pack: Pack) -> Mapping[Source, list[BookTable]]:
    """The tables of each source, in text order."""
    return {source: [*tables] for source, tables in groupby(pack.tables, _source_of)}


def _parts_of(pack: Pack, chapter: Chapter) -> Mapping[str, "_SectionParts"]:
    parts: defaultdict[str, _SectionParts] = defaultdict(_SectionParts)
    entities = pack.by_source.get(chapter.source, ())
    for entity in sorted(entities, key=lambda entity: entity.span.start):
        parts[entity.section.slug].entities.append(entity.id)
    for table in tables_by_source(pack).get(chapter.source, ()):
        parts[table.section.slug].tables.append(table.id)
    for slug, calculator in _calculators_by_source(pack).get(chapter.source, ()):
        parts[slug].calculators.append(calculator)
    return parts


def _source_of(table: BookTable) -> Source:
    return table.section.anchor.chapter.source


def data_files(pack: Pack) -> LazyFiles:
    """The data files of a game, except those of its entities."""
    folder = f"data/{pack.game.id}"
    for kind in pack.game.kinds:
        yield f"{folder}/{kind}.json", partial(_kind_file, pack, kind)
    for name in (PACK, *pack.game.kinds):
        yield f"data/schemas/{pack.game.id}/{name}.json", partial(_schema_file, pack, name)
    yield f"{folder}/pack.json", partial(_pack_file, pack)
    yield f"{folder}/calculators.json", partial(_calculators_file, pack)
    yield f"{folder}/diagnostics.json", lambda: json_file([to_dict(found) for found in pack.published_diagnostics])
    yield f"{folder}/doubtful.json", lambda: json_file(ambiguous_mentions_data(pack))


def _kind_file(pack: Pack, kind: str) -> bytes:
    head = {"$schema": "../schemas/entities.schema.json", "format": FORMAT, "game": _game(pack), "kind": kind}
    return b"".join((*object_pieces({**encoded_members(head), "entities": _entity_pieces(pack, kind)}), b"\n"))


def _schema_file(pack: Pack, name: str) -> bytes:
    return json_file(game_schema(pack, name))


def _pack_file(pack: Pack) -> bytes:
    """The file with all data."""
    game = pack.game
    of_game = {
        "rolls": rolls_data(pack),
        "words": game.definition.effect_words.titles,
        "circumstances": {id_: asdict(one) for id_, one in game.definition.effect_words.circumstances.items()},
        "calculators": [calculator_data(pack, calculator) for calculator in game.calculators.values()],
    }
    listed = {
        "entities": object_pieces({kind: _entity_pieces(pack, kind) for kind in game.kinds}),
        **{name: _record_pieces(pack, name) for name in LISTS},
    }
    licence = {"licence_text": game.licence_text} if game.licence_text else {}
    after = encoded_members({**of_game, "diagnostics": count_by_severity(pack.diagnostics)})
    return b"".join((*object_pieces({**encoded_members({**_head(pack), **licence}), **listed, **after}), b"\n"))


def _calculators_file(pack: Pack) -> bytes:
    head = {"$schema": "../schemas/calculators.schema.json", "format": FORMAT, "game": _game(pack)}
    calculators = [calculator_data(pack, calculator) for calculator in pack.game.calculators.values()]
    return json_file({**head, "calculators": calculators})


def _entity_pieces(pack: Pack, kind: str) -> Iterator[bytes]:
    encoded: dict[str, bytes] = {}
    for path in pack.documents:
        encoded |= chapter_data(pack, path).entities.get(kind, {})
    return list_pieces(encoded[entity_id] for entity_id in sorted(encoded, key=pack.positions.__getitem__))


def _record_pieces(pack: Pack, name: str) -> Iterator[bytes]:
    return list_pieces(chain.from_iterable(chapter_data(pack, path).lists[name] for path in pack.documents))


@lru_cache(maxsize=1)
def schema_files() -> Mapping[str, bytes]:
    """The schemas shared by all games, by path."""
    return {f"data/schemas/{name}.schema.json": json_file(schema) for name, schema in general_schemas()}


def _head(pack: Pack) -> dict[str, Any]:
    return {name: make(pack) for name, make in HEAD.items()}


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
        "accent": _colours(game.definition.face.accent),
        "second_accent": _colours(game.definition.face.second_accent),
        "border": game.definition.face.border or None,
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
    """The sample questions that have an answer in the book, each with the answer's id and address."""
    if not pack.game.definition.sample_questions:
        return []
    sections = {section_id(pack.game, part): anchor_address(pack, part.anchor) for part in pack.book.all_sections()}
    addresses = {**pack.addresses.entities, **sections}
    return [
        {"question": question, "answer": answer, "url": addresses[answer]}
        for question, local_id, _ in pack.game.definition.sample_questions
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


HEAD: Mapping[str, Callable[[Pack], Any]] = {
    "$schema": lambda pack: f"../schemas/{pack.game.id}/pack.json",
    "format": lambda _: FORMAT,
    "generator": lambda _: f"kismet-build {__version__}",
    "game": _game,
    "kinds": _kinds,
}
"""The members of a pack that precede its lists."""


def entity_data(pack: Pack, entity: Entity, content: EntityContent | None = None) -> dict[str, Any]:
    """An entity as in docs/CONTRACT.md. Links in its HTML start at the website's root.

    `content`: the entity's text, if it is already made.
    """
    html, text = content or entity_content(pack, entity)
    mentions = pack.mentions_from.get(entity.id, ())
    links = [mention.target for mention in mentions]
    explicit = {mention.target for mention in mentions if not mention.is_autolink}
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
        "summary": first_sentence(text),
        "text": text,
        "html": html,
        **_rulings(pack, entity),
        "links": list(dict.fromkeys(links)),
        "found_links": [target for target in dict.fromkeys(links) if target not in explicit],
        "backlinks": list(dict.fromkeys(backlinks)),
        "section": section_id(pack.game, entity.section),
        "url": pack.addresses.entities[entity.id],
        "source": place_data(entity.span, tuple(anchor.title for anchor in entity.section.headings)),
    }


def _printed(pack: Pack, entity: Entity) -> dict[str, dict[str, str]]:
    """The member `printed`, with the printed words of corrected fields; empty if there are none."""
    printed: dict[str, str] = {}
    for correction in pack.corrections_of(entity):
        before = printed.get(correction.field)
        printed[correction.field] = f"{before}; {correction.printed}" if before else correction.printed
    return {"printed": printed} if printed else {}


def _rulings(pack: Pack, entity: Entity) -> dict[str, list[dict[str, str | None]]]:
    """The member `rulings`, with the questions about an entity and any rulings; empty if there are none."""
    ids = question_ids(pack)
    rulings = [{"question": ids[box.callout.span], "text": box.ruling or None} for box in pack.questions_of(entity)]
    return {"rulings": rulings} if rulings else {}


def _corrections(pack: Pack, subject: Entity | Section) -> Iterator[dict[str, Any]]:
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
    """The member `tags` of an entity or section in the document at this path; empty if it has none."""
    keys = pack.tags_of(path, origin)
    return {"tags": [pack.tags[key].name for key in keys]} if keys else {}


@dataclass(slots=True)
class _SectionParts:
    """The ids of a section's entities and tables, in text order, and of the calculators that cite the section."""

    entities: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    calculators: list[str] = field(default_factory=list)


@cached_in_pack
def _calculators_by_source(pack: Pack) -> Mapping[Source, list[tuple[str, str]]]:
    by_source: defaultdict[Source, list[tuple[str, str]]] = defaultdict(list)
    for calculator in pack.game.calculators.values():
        if cited := pack.cited.get(calculator.citation.span):
            by_source[cited.span.source].append((cited.section.slug, calculator.id))
    return by_source


def _section(pack: Pack, section: Section, parts: _SectionParts, content: Mapping[str, Any]) -> dict[str, Any]:
    anchor = section.anchor
    own_id = section_id(pack.game, section)
    end = max((block.span.end for block in section.blocks), default=anchor.span.end)
    links = (mention.target for origin in (own_id, *parts.entities) for mention in pack.mentions_from.get(origin, ()))
    backlinks = (mention.origin for mention in pack.mentions_of.get(own_id, ()))
    return {
        "id": own_id,
        "title": anchor.title,
        "level": anchor.level,
        "parent": _parent(pack, section),
        **content,
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
    """The id of the section that contains a section; `None` for the text before a document's first heading."""
    sections = pack.book.sections[section.anchor.chapter.source]
    if section.anchor.level == 0:
        return None
    above = section.headings[-2] if len(section.headings) > 1 else sections[0].anchor
    return next(section_id(pack.game, other) for other in sections if other.anchor is above)


def _properties(pack: Pack, section: Section) -> dict[str, Any]:
    """The member `properties` of a chapter's first section; empty for other sections, or without properties."""
    properties = {} if section.anchor.level else pack.documents[section.anchor.chapter.source.path].properties
    return {"properties": dict(properties)} if properties else {}


def _table(pack: Pack, book_table: BookTable) -> dict[str, Any]:
    table, section = book_table.table, book_table.section
    words = [[cell_text(cell) for cell in row.cells] for row in table.rows]
    header_links, *links = ([_targets(pack, cell) for cell in row.cells] for row in (table.header, *table.rows))
    roll = pack.roll_table(table)
    rows = roll.rows if roll else ((),) * len(table.rows)
    several = {"range_columns": [[part.column for part in row] for row in rows]} if roll and roll.columns[1:] else {}
    return {
        "id": book_table.id,
        "caption": book_table.caption,
        "columns": [cell_text(cell) for cell in table.header.cells],
        "rows": words,
        "cells": _cells(pack, table, links),
        **_cell_html(pack, table, words),
        "links": list(dict.fromkeys(chain.from_iterable(chain(header_links, *links)))),
        "section": section_id(pack.game, section),
        "die": roll.die if roll else None,
        "ranges": [[{"min": part.low, "max": part.high} for part in row] for row in rows],
        **several,
        "url": anchor_address(pack, section.anchor),
        "source": place_data(table.span, tuple(anchor.title for anchor in section.headings)),
    }


def _cells(pack: Pack, table: Table, links: Sequence[Sequence[Sequence[str]]]) -> list[list[Any]]:
    """The values of the cells in each row, as read by `type_cells`.

    A cell without a value has the ids that it links to.
    """
    facts = pack.documents.get(table.span.source.path)
    typed = facts.cells.get(table.span) if facts else None
    rows = typed or ((None,) * len(table.header.cells),) * len(table.rows)
    return [
        [
            {"references": targets} if value is None and targets else value
            for value, targets in zip(values, of_row, strict=True)
        ]
        for values, of_row in zip(rows, links, strict=True)
    ]


def _targets(pack: Pack, cell: Cell) -> list[str]:
    targets: dict[str, None] = {}
    for node in walk(*cell.children):
        if isinstance(node, Text):
            found = pack.autolinks.get(node.span)
            targets |= dict.fromkeys(part.target for part in found.ranges) if found else {}
        elif isinstance(node, Link | Embed):
            target = pack.link_entities.get(node.span) or pack.link_sections.get(node.span)
            targets |= {target: None} if target else {}
    return [*targets]


def _cell_html(pack: Pack, table: Table, words: Sequence[Sequence[str]]) -> dict[str, list[list[str | None]]]:
    """The member `html`, with the HTML of each cell that is more than plain text; empty if there is no such cell."""
    html = [
        [_html_of_cell(pack, cell, text) for cell, text in zip(row.cells, of_row, strict=True)]
        for row, of_row in zip(table.rows, words, strict=True)
    ]
    return {"html": html} if any(cell is not None for row in html for cell in row) else {}


def _html_of_cell(pack: Pack, cell: Cell, words: str) -> str | None:
    context = data_context(pack)
    match cell.children:
        case ():
            return None
        case (Paragraph() as only,):
            html = paragraph_html(only, context)
        case _:
            html = to_html(cell.children, context).rstrip("\n")
    return None if html == escape(words) else html


def _dice(pack: Pack, outline: Outline) -> Iterator[dict[str, Any]]:
    source = outline.chapter.source
    for notation, slug, start, end in dice_notations(pack, source.path).written:
        section = outline.section_of[slug]
        yield {
            "expression": notation,
            "tree": dice_tree(notation),
            "url": anchor_address(pack, section.anchor),
            "source": place_data(source.span(start, end), tuple(anchor.title for anchor in section.headings)),
        }


def ambiguous_mentions_data(pack: Pack) -> list[dict[str, Any]]:
    """The ambiguous mentions of a game as JSON data, in book order."""
    return [_mention_data(mention) for mention in pack.ambiguous_mentions]


def _mention_data(mention: AmbiguousMention) -> dict[str, Any]:
    place = mention.span.original
    line, column = place.source.line_and_column(place.start)
    return {
        "words": mention.text,
        "reason": mention.reason,
        "links": mention.links,
        "candidates": list(mention.candidates),
        "path": place.source.path,
        "line": line,
        "column": column,
    }


def migrations_file(pack: Pack) -> bytes:
    """The file with the changed ids, as in docs/CONTRACT.md."""
    return json_file(
        [
            {"from": migration.old_id, "to": migration.new_id, "date": migration.date, "reason": migration.reason}
            for migration in pack.game.definition.migrations
        ]
    )
