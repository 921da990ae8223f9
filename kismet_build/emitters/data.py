"""Publish a pack as JSON: everything in one file, each kind, each entity, and the schemas that they satisfy."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kismet_build.book import Anchor, Chapter
from kismet_build.datafile import shipped_schema
from kismet_build.diagnostic import count, to_record
from kismet_build.emitters.html import to_html
from kismet_build.emitters.outlet import outlet
from kismet_build.entity import Entity, Pack, section_id
from kismet_build.kind import Kind
from kismet_build.model import Table, plain_text, walk
from kismet_build.name import unique
from kismet_build.source import Span

FORMAT = 1
"""The version of these shapes; see CHANGELOG.md for what a new one would mean."""

Files = Iterator[tuple[str, bytes]]


class InvalidPack(Exception):
    """The data does not satisfy the schema that it is published with: a fault of this program, not of the text."""


def emit_data(pack: Pack) -> Files:
    """Every data file of a game. Raises `InvalidPack` rather than publish data that its schema denies."""
    game = pack.game
    data = pack_data(pack)
    _validate(data)
    yield f"data/{game.id}/pack.json", to_bytes(data)
    for kind in game.kinds.values():
        entities = data["entities"][kind.id]
        listed = {"format": FORMAT, "game": data["game"], "kind": kind.id, "entities": entities}
        yield f"data/{game.id}/{kind.id}.json", to_bytes({"$schema": "../schemas/entities.schema.json", **listed})
        for entity in entities:
            path = entity["id"].removeprefix(f"{game.id}/")
            up = "../../schemas"
            owner = {"licence": game.licence, "attribution": game.attribution}
            body = {"$schema": f"{up}/{game.id}/{kind.id}.json", "format": FORMAT, **entity, **owner}
            yield f"data/{game.id}/{path}.json", to_bytes(body)
        yield f"data/schemas/{game.id}/{kind.id}.json", to_bytes(entity_schema(pack, kind))
    calculators = {"format": FORMAT, "game": data["game"], "calculators": data["calculators"]}
    yield f"data/{game.id}/calculators.json", to_bytes(calculators)
    yield f"data/{game.id}/diagnostics.json", to_bytes([to_record(one) for one in pack.diagnostics])


def emit_schemas(_packs: Sequence[Pack]) -> Files:
    """The schemas that are the same for every game."""
    for name in ("pack", "diagnostics"):
        yield f"data/schemas/{name}.schema.json", to_bytes(shipped_schema(name))
    yield "data/schemas/entities.schema.json", to_bytes(_entities_schema())


def pack_data(pack: Pack) -> dict[str, Any]:
    """A pack as CONTRACT.md shows it."""
    game = pack.game
    return {
        "$schema": "../schemas/pack.schema.json",
        "format": FORMAT,
        "game": {
            "id": game.id,
            "title": game.title,
            "version": game.version,
            "description": game.description,
            "language": game.language,
            "authors": list(game.authors),
            "licence": game.licence,
            "attribution": game.attribution,
            "sources": [
                {"path": chapter.source.path, "sha256": chapter.source.digest, "dialect": chapter.document.dialect}
                for chapter in pack.book.chapters
            ],
        },
        "kinds": {
            kind.id: {
                "title": kind.title,
                "plural": kind.plural,
                "description": kind.description,
                "schema": f"../schemas/{game.id}/{kind.id}.json",
            }
            for kind in game.kinds.values()
        },
        "entities": {
            kind: [entity_data(pack, entity) for entity in entities] for kind, entities in pack.entities.items()
        },
        "tables": list(_tables(pack)),
        "sections": list(_sections(pack)),
        "calculators": [],
        "diagnostics": count(pack.diagnostics),
    }


def entity_data(pack: Pack, entity: Entity) -> dict[str, Any]:
    """One entity as CONTRACT.md shows it; links in its HTML start at the root of the tree."""
    links = [mention.target for mention in pack.mentions_from.get(entity.id, ())]
    backlinks = [mention.origin for mention in pack.mentions_of.get(entity.id, ())]
    return {
        "id": entity.id,
        "kind": entity.kind,
        "name": entity.name,
        "aliases": list(entity.aliases),
        "fields": dict(entity.fields),
        "text": plain_text(*entity.body),
        "html": to_html(entity.body, outlet(pack, "")),
        "links": list(dict.fromkeys(links)),
        "backlinks": list(dict.fromkeys(backlinks)),
        "url": f"{entity.id}/",
        "source": _place(entity.span, tuple(anchor.title for anchor in entity.section.headings)),
    }


def entity_schema(pack: Pack, kind: Kind) -> dict[str, Any]:
    """The schema of one published entity of a kind."""
    envelope = shipped_schema("pack")["$defs"]["entity"]
    properties = dict(envelope["properties"])
    properties["id"] = {"type": "string", "pattern": f"^{pack.game.id}/{kind.id}/[a-z0-9]+(-[a-z0-9]+)*$"}
    properties["kind"] = {"const": kind.id}
    properties["fields"] = kind.schema
    extra = {"$schema": {"type": "string"}, "format": {"const": FORMAT}}
    owner = {"licence": {"type": "string"}, "attribution": {"type": "string"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{kind.id}.json",
        "title": kind.title,
        "description": kind.description,
        "type": "object",
        "required": envelope["required"],
        "properties": {**extra, **properties, **owner},
        "additionalProperties": False,
        "$defs": shipped_schema("pack")["$defs"],
    }


def _validate(data: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    for problem in Draft202012Validator(shipped_schema("pack")).iter_errors(data):
        raise InvalidPack(f"{problem.json_path}: {problem.message[:200]}")


def _entities_schema() -> dict[str, Any]:
    """The schema of `<kind>.json`: what the pack says of one kind, in a file of its own."""
    pack = shipped_schema("pack")
    properties = pack["properties"]
    return {
        "$schema": pack["$schema"],
        "$id": "entities.schema.json",
        "title": "Entities of one kind",
        "type": "object",
        "required": ["format", "game", "kind", "entities"],
        "additionalProperties": False,
        "properties": {
            **{name: properties[name] for name in ("$schema", "format", "game")},
            "kind": {"$ref": "#/$defs/word"},
            "entities": properties["entities"]["additionalProperties"],
        },
        "$defs": pack["$defs"],
    }


def to_bytes(data: Any) -> bytes:
    """JSON as it is published: the keys in the order of the shape, two spaces, line feeds, UTF-8."""
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def _sections(pack: Pack) -> Iterator[dict[str, Any]]:
    for section in pack.book.all_sections():
        anchor = section.anchor
        end = max((block.span.end for block in section.blocks), default=anchor.span.end)
        yield {
            "id": section_id(pack.game, section),
            "title": anchor.title,
            "level": anchor.level,
            "url": _url(pack, anchor),
            "source": _place(
                anchor.span.source.span(anchor.span.start, end), tuple(above.title for above in section.headings)
            ),
        }


def _tables(pack: Pack) -> Iterator[dict[str, Any]]:
    taken: set[str] = set()
    for section in pack.book.all_sections():
        for table in (node for node in walk(*section.blocks) if isinstance(node, Table)):
            base = section_id(pack.game, section).replace("/section/", "/table/", 1)
            caption = plain_text(*table.caption) or section.anchor.title
            yield {
                "id": unique(base, taken, 2),
                "caption": caption,
                "columns": [plain_text(cell).strip() for cell in table.header.cells],
                "rows": [[plain_text(cell).strip() for cell in row.cells] for row in table.rows],
                "url": _url(pack, section.anchor),
                "source": _place(table.span, tuple(anchor.title for anchor in section.headings)),
            }


def _url(pack: Pack, anchor: Anchor) -> str:
    return address(pack, anchor.chapter) + (f"#{anchor.id}" if anchor.id else "")


def address(pack: Pack, chapter: Chapter) -> str:
    """The address of a chapter in the tree."""
    return f"{pack.game.id}/{chapter.slug}/"


def _place(span: Span, headings: tuple[str, ...]) -> dict[str, Any]:
    first, last = span.lines
    return {"path": span.source.path, "line": first, "end_line": last, "headings": list(headings)}
