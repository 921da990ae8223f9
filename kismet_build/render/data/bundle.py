"""The bundle of a game: its data as SQLite, CSV, JSON Lines, types and packages, made from the published data.

docs/decisions/0032-bundles.md says why nothing else is read.
"""

import json
from collections.abc import Mapping
from typing import Any

from kismet_build.mechanics.calculator.calculation import needed_library
from kismet_build.model.active_content import published_content
from kismet_build.model.source import read_regular_file
from kismet_build.model.text_normalization import folder_name
from kismet_build.pack import Pack
from kismet_build.render.data.archives import zip_file
from kismet_build.render.data.bundle_csv import kind_csv, table_csv
from kismet_build.render.data.bundle_sqlite import sqlite_file
from kismet_build.render.data.foundry import MODULE, foundry_module
from kismet_build.render.data.foundry_tool import packed_files
from kismet_build.render.data.json_writer import encode, json_file
from kismet_build.render.data.pack_json import schema_files
from kismet_build.render.data.packages import FOUNDRY_MANIFEST, archive_names, npm_package, wheel, with_manifest
from kismet_build.render.data.schemas import game_schema
from kismet_build.render.data.types import python_types, typescript_types
from kismet_build.render.html.addresses import Files

OMITTED = ("diagnostics.json", "doubtful.json")
"""Data files about the text as its author wrote it, which no archive contains."""
MAX_FILE_NAME = 200
"""Characters of the name of a file without its ending; systems allow 255."""


def emit_data_bundle(pack: Pack, data: Mapping[str, bytes]) -> Files:
    """The files of a bundle. `data`: the other data files of the game, by path.

    They are made from `data`, so that all of them say the same.
    """
    game, folder = pack.game, f"data/{pack.game.id}"
    content: dict[str, Any] = json.loads(data[f"{folder}/pack.json"])
    schema = game_schema(pack)
    files = {
        **_kind_files(pack, content),
        **{f"{folder}/csv/tables/{_file_name(table['id'])}.csv": table_csv(table) for table in content["tables"]},
        f"{folder}/types/{game.id}.d.ts": typescript_types(schema).encode(),
        f"{folder}/types/{game.id}.py": python_types(schema).encode(),
        f"{folder}/migrations.json": json_file(_migrations(pack)),
        f"{folder}/{game.id}.sqlite": sqlite_file(pack, content, json.loads(data[f"{folder}/names.json"])),
    }
    yield from files.items()
    yield from _archives(pack, content, {**data, **files})


def _file_name(table_id: str) -> str:
    """The end of the id of a table, which may be longer than the name of a file, because it has a whole heading."""
    name = table_id.rpartition("/")[2]
    return name if len(name) <= MAX_FILE_NAME else folder_name(name)


def _kind_files(pack: Pack, content: Mapping[str, Any]) -> dict[str, bytes]:
    """CSV and JSON Lines of each kind."""
    folder = f"data/{pack.game.id}"
    rights = {key: content["game"][key] for key in ("licence_id", "attribution")}
    files: dict[str, bytes] = {}
    for kind, entities in content["entities"].items():
        schema = pack.published_schema(pack.game.kinds[kind])
        names = tuple(schema.get("properties", ()))
        lines = b"".join(encode({**entity, **rights}) + b"\n" for entity in entities)
        files |= {f"{folder}/csv/{kind}.csv": kind_csv(entities, names, rights), f"{folder}/{kind}.jsonl": lines}
    return files


def _archives(pack: Pack, pack_content: Mapping[str, Any], files: Mapping[str, bytes]) -> Files:
    """The archives, from the content of `pack.json` and all data files of the game by path."""
    game = pack_content["game"]
    folder, names = f"data/{game['id']}", archive_names(pack.game.id, pack.game.version)
    licence = _licence(pack).encode()
    packed = {"LICENSE": licence}
    omitted = {f"{folder}/{name}" for name in OMITTED}
    packed |= {path.removeprefix("data/"): content for path, content in files.items() if path not in omitted}
    packed |= {path.removeprefix("data/"): content for path, content in schema_files().items()}
    yield f"{folder}/{names.zip}", zip_file(with_manifest(dict(sorted(packed.items()))))
    shared = {"LICENSE": licence}
    shared |= {name: files[f"{folder}/{name}"] for name in ("pack.json", "names.json", "migrations.json")}
    library = {"library.json": json_file(needed_library(pack.records, pack.game.calculators.values()))}
    example = _example_name(pack_content)
    types = f"{folder}/types/{game['id']}"
    yield f"{folder}/{names.npm}", npm_package(game, shared | library, files[f"{types}.d.ts"], example)
    yield f"{folder}/{names.wheel}", wheel(game, shared, files[f"{types}.py"], example)
    module = _foundry_module(pack, pack_content, licence)
    if game["url"]:
        yield f"{folder}/{FOUNDRY_MANIFEST}", module[MODULE]
    yield f"{folder}/{names.foundry}", zip_file(with_manifest(module))


def _example_name(content: Mapping[str, Any]) -> str:
    """The name of the first entity, or else of the first section, for the example of a package."""
    entities = (entity["name"] for of_kind in content["entities"].values() for entity in of_kind)
    return str(next(entities, content["sections"][0]["title"] if content["sections"] else content["game"]["title"]))


def _foundry_module(pack: Pack, content: Mapping[str, Any], licence: bytes) -> dict[str, bytes]:
    """The files of the module for Foundry VTT, by path: those of its documents, its packs, and the images."""
    attachments = {pack.addresses[path]: path for path in pack.book.attachment_of.values()}
    module = foundry_module(content, licence, attachments)
    packs = packed_files(module.files, pack.game.options.foundry_tool) if pack.game.options.foundry_tool else {}
    paths = {address: attachments[address] for address in module.images}
    images = {
        address: published_content(path, read_regular_file(pack.game.files.folder / path))
        for address, path in paths.items()
    }
    return {**module.files, **packs, **images}


def _migrations(pack: Pack) -> list[dict[str, Any]]:
    """The content of migrations.json: ids that changed from one version of the game to another."""
    return [
        {"from": migration.old_id, "to": migration.new_id, "date": migration.date, "reason": migration.reason}
        for migration in pack.game.definition.migrations
    ]


def _licence(pack: Pack) -> str:
    """The licence of a game as a text: name, identifier, attribution, notices, and the whole text if there is one."""
    game = pack.game
    parts = (game.licence, game.licence_id, game.attribution, *game.notices, game.licence_text)
    return "\n\n".join(part for part in (game.title, *parts) if part) + "\n"
