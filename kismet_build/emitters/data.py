"""Publish a pack as JSON: everything in one file, each kind, each entity, and the schemas that they satisfy."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from io import BytesIO
from itertools import islice
from typing import Any

from kismet_build.book import Anchor, Chapter
from kismet_build.composed import book_tables
from kismet_build.datafile import Test, quick_test, shipped_schema
from kismet_build.diagnostic import count, to_record
from kismet_build.emitters.calculator_data import calculator_data, effects_data, place_data
from kismet_build.emitters.doubts import doubts_data
from kismet_build.emitters.html import Outlet, to_html
from kismet_build.emitters.html_table import cell_words
from kismet_build.emitters.json_text import keyed, listed, merged, to_bytes, to_text
from kismet_build.emitters.library_pages import Listing
from kismet_build.emitters.outlet import outlet
from kismet_build.emitters.page import fragment
from kismet_build.emitters.rolls import dice_in
from kismet_build.entity import Entity, Pack, section_id
from kismet_build.kind import Kind
from kismet_build.model import plain_text

FORMAT = 1
"""The version of these shapes; see CHANGELOG.md for what a new one would mean."""
LISTS = ("tables", "sections", "dice", "calculators")
TOGETHER = 200
"""So many items are looked at together."""

Files = Iterator[tuple[str, bytes]]


class InvalidPack(Exception):
    """The data does not satisfy the schema that it is published with: a fault of this program, not of the text."""


def emit_data(pack: Pack) -> Files:
    """Every data file of a game. Raises `InvalidPack` rather than publish data that its schema denies."""
    game = pack.game
    sound = _Sound(pack)
    own = {"game": _game(pack)}
    owner = to_text({"licence": game.licence, "attribution": game.attribution})
    known: dict[str, list[bytes]] = {}
    for kind in game.kinds.values():
        entities = sound.texts((entity_data(pack, one) for one in pack.entities[kind.id]), "entities", kind.id)
        known[kind.id] = texts = [*entities]
        schema = to_text({"$schema": f"../../schemas/{game.id}/{kind.id}.json", "format": FORMAT})
        for entity, text in zip(pack.entities[kind.id], texts, strict=True):
            path = entity.id.removeprefix(f"{game.id}/")
            yield f"data/{game.id}/{path}.json", merged(schema, text, owner) + b"\n"
        head = {"$schema": "../schemas/entities.schema.json", "format": FORMAT, **own, "kind": kind.id}
        yield f"data/{game.id}/{kind.id}.json", _whole({**_texts(head), "entities": listed(texts)})
        yield f"data/schemas/{game.id}/{kind.id}.json", to_bytes(entity_schema(pack, kind))
    calculators = [calculator_data(pack, calculator) for calculator in game.calculators.values()]
    every: dict[str, Iterable[bytes]] = {
        **_texts(_head(pack)),
        "entities": keyed((kind, listed(texts)) for kind, texts in known.items()),
        "tables": listed(sound.texts(_tables(pack), "tables")),
        "sections": listed(sound.texts(_sections(pack), "sections")),
        "dice": listed(sound.texts(_dice(pack), "dice")),
        "calculators": listed(sound.texts(calculators, "calculators")),
        **_texts({"diagnostics": count(pack.diagnostics)}),
    }
    yield f"data/{game.id}/pack.json", _whole(every)
    one = {"$schema": "../schemas/calculators.schema.json", "format": FORMAT, **own, "calculators": calculators}
    yield f"data/{game.id}/calculators.json", to_bytes(one)
    yield f"data/{game.id}/diagnostics.json", to_bytes([to_record(one) for one in pack.diagnostics])
    yield f"data/{game.id}/doubtful.json", to_bytes(doubts_data(pack))


def _texts(data: Mapping[str, Any]) -> dict[str, Iterable[bytes]]:
    return {name: (to_text(value),) for name, value in data.items()}


def _whole(members: Mapping[str, Iterable[bytes]]) -> bytes:
    """An object as a file."""
    file = BytesIO()
    file.writelines(keyed(members.items()))
    file.write(b"\n")
    return file.getvalue()


class _Sound:
    """Takes the data of a pack item by item, and lets through only what is as the schema of packs says.

    The whole of it would take ten times the room of its text, and the schema asks for nothing that several items have
    to be together.
    """

    def __init__(self, pack: Pack) -> None:
        self.empty = {**_head(pack), "entities": {}, **{name: [] for name in LISTS}}
        self.empty["diagnostics"] = count(pack.diagnostics)
        self._refuse(self.empty, "")
        # A list of ten thousand texts is looked at once.
        self.empty["game"] = {**self.empty["game"], "sources": []}

    def texts(self, items: Iterable[dict[str, Any]], name: str, kind: str = "") -> Iterator[bytes]:
        """The texts of items of the list with a name, or of entities of a kind."""
        waiting = iter(items)
        while some := [*islice(waiting, TOGETHER)]:
            if not fits()(self._pack(some, name, kind)):
                for one in some:
                    self._refuse(self._pack([one], name, kind), f"{one.get('id', name)}: ")
                self._refuse(self._pack(some, name, kind), "")
            yield from map(to_text, some)

    def _pack(self, items: list[dict[str, Any]], name: str, kind: str) -> dict[str, Any]:
        return {**self.empty, name: {kind: items} if kind else items}

    def _refuse(self, data: dict[str, Any], about: str) -> None:
        if fits()(data):
            return
        from jsonschema import Draft202012Validator

        for problem in Draft202012Validator(pack_schema()).iter_errors(data):
            raise InvalidPack(f"{about}{problem.json_path}: {problem.message[:200]}")


def emit_schemas(_packs: Sequence[Listing]) -> Files:
    """The schemas that are the same for every game."""
    yield "data/schemas/pack.schema.json", to_bytes(pack_schema())
    for name in ("formula", "diagnostics"):
        yield f"data/schemas/{name}.schema.json", to_bytes(shipped_schema(name))
    entities = pack_schema()["properties"]["entities"]["additionalProperties"]
    kind = {"kind": {"$ref": "#/$defs/word"}}
    yield "data/schemas/entities.schema.json", to_bytes(_part("Entities of one kind", {**kind, "entities": entities}))
    calculators = {"calculators": pack_schema()["properties"]["calculators"]}
    yield "data/schemas/calculators.schema.json", to_bytes(_part("Calculators of one game", calculators))


def listing(pack: Pack) -> Listing:
    """Of what is published of a pack as much as the pages above all games, and the maps of them, tell of it."""
    told = ("id", "name", "aliases", "url")
    return {
        **_head(pack),
        "entities": {
            kind: [dict(zip(told, (one.id, one.name, [*one.aliases], f"{one.id}/"), strict=True)) for one in entities]
            for kind, entities in pack.entities.items()
        },
        "sections": [
            {"title": section.anchor.title, "level": 0, "url": _url(pack, section.anchor)}
            for section in pack.book.all_sections()
            if section.anchor.level == 0
        ],
        "dice": [{"tree": one["tree"]} for one in _dice(pack)],
        "calculators": [{"id": f"{pack.game.id}/{slug}"} for slug in pack.game.calculators],
    }


def _head(pack: Pack) -> dict[str, Any]:
    """What a pack says before its lists."""
    return {"$schema": "../schemas/pack.schema.json", "format": FORMAT, "game": _game(pack), "kinds": _kinds(pack)}


def _game(pack: Pack) -> dict[str, Any]:
    game = pack.game
    return {
        "id": game.id,
        "title": game.title,
        "version": game.version,
        "description": game.description,
        "language": game.language,
        "authors": list(game.authors),
        "accent": dict(zip(("light", "dark"), game.accent, strict=True)) if game.accent else None,
        "licence": game.licence,
        "attribution": game.attribution,
        "notices": list(game.notices),
        "sources": [
            {"path": chapter.source.path, "sha256": chapter.source.digest, "dialect": chapter.document.dialect}
            for chapter in pack.book.chapters
        ],
    }


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
    """One entity as CONTRACT.md shows it; links in its HTML start at the root of the tree."""
    links = [mention.target for mention in pack.mentions_from.get(entity.id, ())]
    written = {mention.target for mention in pack.mentions_from.get(entity.id, ()) if not mention.is_found}
    backlinks = [mention.origin for mention in pack.mentions_of.get(entity.id, ())]
    return {
        "id": entity.id,
        "kind": entity.kind,
        "name": entity.name,
        "aliases": list(entity.aliases),
        "fields": dict(entity.fields),
        "effects": effects_data(pack, entity),
        "text": plain_text(*entity.body),
        "html": to_html(entity.body, _plain_ways(pack)),
        "links": list(dict.fromkeys(links)),
        "found_links": [target for target in dict.fromkeys(links) if target not in written],
        "backlinks": list(dict.fromkeys(backlinks)),
        "url": f"{entity.id}/",
        "source": place_data(entity.span, tuple(anchor.title for anchor in entity.section.headings)),
    }


@lru_cache(maxsize=2)
def _plain_ways(pack: Pack) -> Outlet:
    """The outlet of data: links start at the root of the tree, and end in folders."""
    return outlet(pack, "")


def entity_schema(pack: Pack, kind: Kind) -> dict[str, Any]:
    """The schema of one published entity of a kind."""
    envelope = pack_schema()["$defs"]["entity"]
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
        "$defs": pack_schema()["$defs"],
    }


@cache
def pack_schema() -> dict[str, Any]:
    """The schema of a pack as it is published: whole in itself, so that nobody needs a second file to check one."""
    pack, effects, formula = map(shipped_schema, ("pack", "effects", "formula"))
    effect = effects["$defs"]["effect"]
    properties = {key: _published(one) for key, one in effect["properties"].items()}
    whole = {
        **pack,
        "$defs": {
            **effects["$defs"],
            "effect": {**effect, "properties": properties},
            **formula["$defs"],
            **pack["$defs"],
        },
    }
    text = json.dumps(whole).replace('"effects.schema.json#', '"#').replace('"formula.schema.json#', '"#')
    schema: dict[str, Any] = json.loads(text)
    return schema


def _published(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a part of an effect; what authors may write as one word or as a list is always a list."""
    lists = [one for one in schema.get("anyOf", ()) if one.get("type") == "array"]
    described = {"description": schema["description"]} if "description" in schema else {}
    return {**described, **lists[0], "minItems": 1} if lists else schema


@cache
def fits() -> Test:
    """The test whether some data is a pack as this program publishes it."""
    return quick_test(pack_schema())


def _part(title: str, own: dict[str, Any]) -> dict[str, Any]:
    """The schema of a file that holds a part of the pack."""
    pack = pack_schema()
    return {
        "$schema": pack["$schema"],
        "$id": f"{next(reversed(own))}.schema.json",
        "title": title,
        "type": "object",
        "required": ["format", "game", *own],
        "additionalProperties": False,
        "properties": {**{name: pack["properties"][name] for name in ("$schema", "format", "game")}, **own},
        "$defs": pack["$defs"],
    }


def _sections(pack: Pack) -> Iterator[dict[str, Any]]:
    for section in pack.book.all_sections():
        anchor = section.anchor
        end = max((block.span.end for block in section.blocks), default=anchor.span.end)
        yield {
            "id": section_id(pack.game, section),
            "title": anchor.title,
            "level": anchor.level,
            "url": _url(pack, anchor),
            "source": place_data(
                anchor.span.source.span(anchor.span.start, end), tuple(above.title for above in section.headings)
            ),
        }


def _tables(pack: Pack) -> Iterator[dict[str, Any]]:
    for one in book_tables(pack):
        table, section = one.table, one.section
        yield {
            "id": one.id,
            "caption": one.caption,
            "columns": [cell_words(cell) for cell in table.header.cells],
            "rows": [[cell_words(cell) for cell in row.cells] for row in table.rows],
            "url": _url(pack, section.anchor),
            "source": place_data(table.span, tuple(anchor.title for anchor in section.headings)),
        }


def _dice(pack: Pack) -> Iterator[dict[str, Any]]:
    for section in pack.book.all_sections():
        for notation, tree, span in dice_in(section):
            headings = tuple(anchor.title for anchor in section.headings)
            url = _url(pack, section.anchor)
            yield {"expression": notation, "tree": tree, "url": url, "source": place_data(span, headings)}


def _url(pack: Pack, anchor: Anchor) -> str:
    return address(pack, anchor.chapter) + fragment(anchor.id)


def address(pack: Pack, chapter: Chapter) -> str:
    """The address of a chapter in the tree."""
    return f"{pack.game.id}/{chapter.slug}/"
