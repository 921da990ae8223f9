"""Publish a pack as JSON: everything in one file, each kind, each entity, and the schemas that they satisfy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import chain, groupby
from typing import Any

from kismet_build.config.data_file import shipped_schema
from kismet_build.config.kind import Kind
from kismet_build.config.pack_schema import fits, pack_schema
from kismet_build.model.book import Anchor, Chapter, Section
from kismet_build.model.diagnostic import count, to_record
from kismet_build.model.nodes import plain_text
from kismet_build.model.source import Source
from kismet_build.pack import BookTable, Entity, Pack, section_id
from kismet_build.render.data.ambiguous_names import ambiguous_mentions_data
from kismet_build.render.data.calculator_json import calculator_data, effects_data, place_data
from kismet_build.render.data.json_writer import items, keyed, listed, merged, to_bytes, to_text
from kismet_build.render.data.shard_result import LISTS, ShardResult
from kismet_build.render.html.addresses import fragment
from kismet_build.render.html.dice_buttons import dice_in, dice_tree
from kismet_build.render.html.page_context import render_context
from kismet_build.render.html.renderer import RenderContext, to_html
from kismet_build.render.html.tables import cell_text

FORMAT = 1
"""The version of these shapes; see CHANGELOG.md for what a new one would mean."""

Files = Iterator[tuple[str, bytes]]
Listing = Mapping[str, Any]
"""A published pack, or the part of it that `listing` makes; the pack of an earlier build has the same keys."""
_NOTHING: Mapping[str, Any] = {"entities": {}, **{name: [] for name in LISTS}, "calculators": []}


class InvalidPack(Exception):
    """The data does not satisfy the schema that it is published with: a fault of this program, not of the text."""


class TextData:
    """Makes the data of texts, some at a time. Raises `InvalidPack` rather than publish data that its schema denies."""

    def __init__(self, pack: Pack) -> None:
        """Work out what depends on all texts: the ids of tables, and where each entity stands among those of a kind."""
        game = pack.game
        self._pack = pack
        self._places = {id(one): place for some in pack.entities.values() for place, one in enumerate(some)}
        self._tables = {source: [*some] for source, some in groupby(pack.tables, _source_of)}
        self._owner = to_text({"licence": game.licence, "attribution": game.attribution})
        self._heads = {
            kind: to_text({"$schema": f"../../schemas/{game.id}/{kind}.json", "format": FORMAT}) for kind in game.kinds
        }
        self._empty = _empty(pack)
        # A list of ten thousand texts is looked at once, in `emit_data`.
        self._empty["game"] = {**self._empty["game"], "sources": []}

    def files(self, chapters: Iterable[Chapter], share: ShardResult) -> Files:
        """The files of the entities in some texts; what files of all texts say of these goes into a share."""
        pack, game = self._pack, self._pack.game
        known: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        lists: dict[str, list[dict[str, Any]]] = {name: [] for name in LISTS}
        for chapter in chapters:
            for entity in pack.by_source.get(chapter.source, ()):
                known.setdefault(entity.kind, []).append((self._places[id(entity)], entity_data(pack, entity)))
            lists["tables"] += (_table(pack, one) for one in self._tables.get(chapter.source, ()))
            for section in pack.book.sections[chapter.source]:
                lists["sections"].append(_section(pack, section))
                for notation, found in _dice(pack, section):
                    share.dice.append(notation)
                    lists["dice"].append(found)
        self._refuse_some({kind: [data for _, data in some] for kind, some in known.items()}, lists)
        for kind, some in known.items():
            share.entities[kind] = [(place, to_text(data)) for place, data in some]
            for (_, data), (_, text) in zip(some, share.entities[kind], strict=True):
                path = data["id"].removeprefix(f"{game.id}/")
                yield f"data/{game.id}/{path}.json", merged(self._heads[kind], text, self._owner) + b"\n"
        share.lists = {name: items(map(to_text, some)) for name, some in lists.items()}

    def _refuse_some(self, known: Mapping[str, list[Any]], lists: Mapping[str, list[Any]]) -> None:
        """Refuse what is not as the schema of packs says.

        The whole of a pack would take ten times the room of its text, and the schema asks for nothing that what stands
        in several texts has to be together.
        """
        if not fits()(some := {**self._empty, **lists, "entities": known}):
            for kind, entities in known.items():
                for one in entities:
                    _refuse({**self._empty, "entities": {kind: [one]}}, f"{one.get('id', kind)}: ")
            _refuse(some, "")


def _empty(pack: Pack) -> dict[str, Any]:
    """The data of a pack without anything in its lists."""
    return {**_head(pack), **_NOTHING, "diagnostics": count(pack.diagnostics)}


def _source_of(table: BookTable) -> Source:
    return table.section.anchor.chapter.source


def _refuse(data: dict[str, Any], about: str) -> None:
    if fits()(data):
        return
    from jsonschema import Draft202012Validator

    for problem in Draft202012Validator(pack_schema()).iter_errors(data):
        raise InvalidPack(f"{about}{problem.json_path}: {problem.message[:200]}")


def emit_data(pack: Pack, shares: Sequence[ShardResult]) -> Files:
    """The data files about all texts of a game, from the shares of these in the order of the book."""
    game = pack.game
    own = {"game": _game(pack)}
    known = {kind: sorted(chain.from_iterable(share.entities.get(kind, ()) for share in shares)) for kind in game.kinds}
    for kind in game.kinds.values():
        head = {"$schema": "../schemas/entities.schema.json", "format": FORMAT, **own, "kind": kind.id}
        yield f"data/{game.id}/{kind.id}.json", _whole({**_texts(head), "entities": _listed(known[kind.id])})
        yield f"data/schemas/{game.id}/{kind.id}.json", to_bytes(entity_schema(pack, kind))
    calculators = [calculator_data(pack, calculator) for calculator in game.calculators.values()]
    _refuse({**_empty(pack), "calculators": calculators}, "")
    every: dict[str, Iterable[bytes]] = {
        **_texts(_head(pack)),
        "entities": keyed((kind, _listed(texts)) for kind, texts in known.items()),
        **{name: listed([share.lists.get(name, b"") for share in shares]) for name in LISTS},
        **_texts({"calculators": calculators, "diagnostics": count(pack.diagnostics)}),
    }
    yield f"data/{game.id}/pack.json", _whole(every)
    one = {"$schema": "../schemas/calculators.schema.json", "format": FORMAT, **own, "calculators": calculators}
    yield f"data/{game.id}/calculators.json", to_bytes(one)
    yield f"data/{game.id}/diagnostics.json", to_bytes([to_record(one) for one in pack.diagnostics])
    yield f"data/{game.id}/doubtful.json", to_bytes(ambiguous_mentions_data(pack))


def _listed(known: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
    return listed(items((text,)) for _, text in known)


def _texts(data: Mapping[str, Any]) -> dict[str, Iterable[bytes]]:
    return {name: (to_text(value),) for name, value in data.items()}


def _whole(members: Mapping[str, Iterable[bytes]]) -> bytes:
    """An object as a file."""
    file = BytesIO()
    file.writelines(keyed(members.items()))
    file.write(b"\n")
    return file.getvalue()


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


def listing(pack: Pack, dice: Iterable[str]) -> Listing:
    """Of what is published of a pack as much as the pages above all games, and the maps of them, tell of it.

    With the `dice` in its texts, as often as they stand there.
    """
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
        "dice": [{"tree": dice_tree(notation)} for notation in dice],
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
def _plain_ways(pack: Pack) -> RenderContext:
    """The outlet of data: links start at the root of the tree, and end in folders."""
    return render_context(pack, "")


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


def _section(pack: Pack, section: Section) -> dict[str, Any]:
    anchor = section.anchor
    end = max((block.span.end for block in section.blocks), default=anchor.span.end)
    return {
        "id": section_id(pack.game, section),
        "title": anchor.title,
        "level": anchor.level,
        "url": _url(pack, anchor),
        "source": place_data(
            anchor.span.source.span(anchor.span.start, end), tuple(above.title for above in section.headings)
        ),
    }


def _table(pack: Pack, one: BookTable) -> dict[str, Any]:
    table, section = one.table, one.section
    return {
        "id": one.id,
        "caption": one.caption,
        "columns": [cell_text(cell) for cell in table.header.cells],
        "rows": [[cell_text(cell) for cell in row.cells] for row in table.rows],
        "url": _url(pack, section.anchor),
        "source": place_data(table.span, tuple(anchor.title for anchor in section.headings)),
    }


def _dice(pack: Pack, section: Section) -> Iterator[tuple[str, dict[str, Any]]]:
    """The dice among the words of a section by their notation."""
    for notation, span in dice_in(section):
        headings = tuple(anchor.title for anchor in section.headings)
        url = _url(pack, section.anchor)
        source = place_data(span, headings)
        yield notation, {"expression": notation, "tree": dice_tree(notation), "url": url, "source": source}


def text_dice(pack: Pack) -> Iterator[str]:
    """The dice in the texts of a game, as often as they stand there."""
    return (notation for section in pack.book.all_sections() for notation, _ in dice_in(section))


def _url(pack: Pack, anchor: Anchor) -> str:
    return address(pack, anchor.chapter) + fragment(anchor.id)


def address(pack: Pack, chapter: Chapter) -> str:
    """The address of a chapter in the tree."""
    return f"{pack.game.id}/{chapter.slug}/"
