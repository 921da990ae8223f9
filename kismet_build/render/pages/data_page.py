"""The page about a game's data: how to read it, what each file is for, and the fields of each kind."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Any, NamedTuple

from kismet_build.config.kind import Kind
from kismet_build.config.language.catalog import Catalog
from kismet_build.model.downloads import FOUNDRY_MANIFEST, archive_names, module_name, package_name
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.field import label
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.templates import template
from kismet_build.render.pages.page import Entry, Page
from kismet_build.render.pages.print import is_printable, printed_kinds

MAX_EXAMPLE_CHARACTERS = 60
"""Length to which examples are cut."""
ENTITY_MEMBERS = frozenset({"id", "name", "aliases"})
"""Properties of kinds that are usually members of an entity, and not fields."""
TYPE_KEYS = {
    "string": "type.string",
    "integer": "type.integer",
    "number": "type.number",
    "boolean": "type.boolean",
    "object": "type.object",
    "array": "type.array",
    "null": "type.null",
}
"""Catalog keys of the words for JSON types."""
SECTION_KEYS = ("data.start", "data.files", "data.archives", "data.records", "data.kinds", "title.licence")
"""Catalog keys of the titles of the page's sections."""


class FieldLine(NamedTuple):
    """A field of a kind, as a row of the table."""

    name: str
    type: str
    meaning: str
    example: str


class KindFields(NamedTuple):
    """The fields of a kind's entities."""

    kind: Kind
    total: int
    example: str
    """Id of the first entity, or an empty string."""
    fields: tuple[FieldLine, ...]


class Snippet(NamedTuple):
    """A short program that reads the data."""

    language: str
    code: str


def data_page(pack: Pack) -> Page:
    """The page that explains the game's data files."""
    game = pack.game
    address = f"{game.id}/downloads/"
    kinds = [_kind_fields(pack, kind) for kind in game.kinds.values()]
    article = template("article_downloads", game.catalog).render(
        game=game,
        root=path_to_root(address),
        index=INDEX,
        chapters=len(pack.book.chapters),
        kinds=kinds,
        snippets=[*_snippets(pack)],
        effect=_effect_example(pack),
        diagnostics=len(pack.diagnostics),
        printable=is_printable(pack),
        cards=printed_kinds(pack),
        exports=game.options.linked_exports,
        archives=archive_names(game.id, game.version),
        foundry_module=package_name(game.id),
        foundry_manifest=FOUNDRY_MANIFEST if game.library_config.url else "",
    )
    sections = [key for key in SECTION_KEYS if key != "data.archives" or game.options.linked_exports]
    return Page(
        address=address,
        title=game.catalog.text("title.data"),
        role="downloads",
        article=article,
        contents=tuple(Entry(1, game.catalog.text(key), f"_{key.partition('.')[2]}") for key in sections),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=game.catalog.text("data.description", game=game.title),
    )


def _kind_fields(pack: Pack, kind: Kind) -> KindFields:
    entities = pack.entities.get(kind.id, ())
    return KindFields(kind, len(entities), entities[0].id if entities else "", tuple(_fields(pack, kind, entities)))


def _fields(pack: Pack, kind: Kind, entities: tuple[Entity, ...]) -> Iterator[FieldLine]:
    words, schemas = pack.game.catalog, pack.published_schema(kind)["properties"]
    for rule in kind.rules.values():
        if rule.name in ENTITY_MEMBERS and not any(rule.name in entity.fields for entity in entities):
            continue
        values = (entity.fields.get(rule.name) for entity in entities)
        example = next((value for value in values if value not in (None, [], "")), None)
        title = label(rule)
        description = rule.schema.get("description", "")
        is_named = title.casefold() == rule.name.replace("_", " ")
        yield FieldLine(
            rule.name,
            _type(words, schemas.get(rule.name, rule.schema), rule.referenced_kinds),
            ": ".join(filter(None, ("" if is_named else title, description))),
            "" if example is None else _example(example),
        )


def _example(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= MAX_EXAMPLE_CHARACTERS else f"{written[:MAX_EXAMPLE_CHARACTERS]} …"


def _type(words: Catalog, schema: Mapping[str, Any], kinds: tuple[str, ...] = ()) -> str:
    """The type of a value as worded for readers: `list of id of bird or tree`."""
    if "anyOf" in schema:
        return _either(words, dict.fromkeys(_type(words, part, kinds) for part in schema["anyOf"]))
    if "enum" in schema:
        return _either(words, (json.dumps(value, ensure_ascii=False) for value in schema["enum"]))
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    return _either(words, (_type_name(words, name, schema, kinds) for name in names))


def _either(words: Catalog, options: Iterable[str]) -> str:
    named = [*options]
    return reduce(lambda first, second: words.text("type.or", first=first, second=second), named) if named else ""


def _type_name(words: Catalog, name: str, schema: Mapping[str, Any], kinds: tuple[str, ...]) -> str:
    match name:
        case "array":
            return words.text(
                "type.list", items=_type(words, schema.get("items", {}), kinds) or words.text("type.values")
            )
        case "object" if {*schema.get("properties", {})} == {"min", "max"}:
            return words.text("type.range")
        case "string" if kinds:
            return words.text("type.id", kinds=_either(words, kinds))
        case _:
            return words.text(TYPE_KEYS[name])


def _snippets(pack: Pack) -> Iterator[Snippet]:
    """Programs that read the data of a kind, in several languages. Those that use a package look up a name.

    Addresses in them start with the library's URL, or with a placeholder.
    """
    kind = next((kind for kind in pack.game.kinds if pack.entities.get(kind)), None)
    if kind is None:
        return
    site = pack.game.library_config.url or "https://example.org/"
    file = f"{site}data/{pack.game.id}/pack.json"
    yield Snippet(
        "Python",
        "import json, urllib.request\n"
        f'pack = json.load(urllib.request.urlopen("{file}"))\n'
        f'print(*(entity["name"] for entity in pack["entities"]["{kind}"]), sep="\\n")',
    )
    yield Snippet(
        "JavaScript",
        f'const pack = await (await fetch("{file}")).json();\n'
        f'for (const entity of pack.entities["{kind}"]) console.log(entity.name);',
    )
    yield Snippet("curl", f"curl --silent {site}data/{pack.game.id}/{kind}.json")
    exports = pack.game.options.linked_exports
    archives = archive_names(pack.game.id, pack.game.version)
    address, module = f"{site}data/{pack.game.id}/", module_name(pack.game.id)
    name = json.dumps(pack.entities[kind][0].name, ensure_ascii=False)
    if "sqlite" in exports:
        # Use the kind, because its table may have a different name.
        yield Snippet("SQL", f"SELECT name FROM entity WHERE kind = '{kind}' ORDER BY rowid;")
    if "wheel" in exports:
        yield Snippet(
            pack.game.catalog.text("data.wheel_snippet"),
            f"# pip install {address}{archives.wheel}\n"
            f"import {module} as data\n"
            f'print(*(found["id"] for found in data.find({name})), len(data.load()["sections"]), sep="\\n")',
        )
    if "npm" in exports:
        yield Snippet(
            pack.game.catalog.text("data.npm_snippet"),
            f"// npm install {address}{archives.npm}\n"
            f'import {{ find, pack }} from "{package_name(pack.game.id)}";\n'
            f'console.log([...find({name}).map((found) => found.id), pack.sections.length].join("\\n"));',
        )


def _effect_example(pack: Pack) -> str:
    """The first effect on a roll, or else the first effect, without its citation, or an empty string."""
    payloads = [effect.payload for effects in pack.game.effects.values() for effect in effects]
    shown = next((payload for payload in payloads if "roll" in payload), payloads[0] if payloads else None)
    return "" if shown is None else json.dumps(shown, ensure_ascii=False)
