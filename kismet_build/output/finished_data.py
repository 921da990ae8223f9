"""The finished data of one game, from which all exports are made."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

Data = Mapping[str, Any]
"""A JSON object."""


class FinishedData:
    """The data published for a game: bytes by path.

    Files are read when needed. Exporters are given nothing else, so they also work on a tree that was written earlier.
    """

    def __init__(
        self, files: Mapping[str, bytes], schemas: Mapping[str, bytes], attachments: Mapping[str, bytes]
    ) -> None:
        self.files = files
        """Data files by path from `data/<game>/`: `pack.json`, `names.json`, `skill.json`, `skill/climb.json`."""
        self.schemas = schemas
        """Schemas by path from `data/schemas/`: the game's own, such as `<game>/pack.json`, and the shared ones."""
        self.attachments = attachments
        """Images and other files in the texts, by their address in the data's HTML."""

    @cached_property
    def pack(self) -> Data:
        """The content of `pack.json`, which has all data: game, kinds, entities, sections, tables."""
        pack: Data = json.loads(self.files["pack.json"])
        return pack

    @cached_property
    def names(self) -> Data:
        """The content of `names.json`: the ids to which each name may refer."""
        names: Data = json.loads(self.files["names.json"])
        return names

    @cached_property
    def schema(self) -> Data:
        """The schema of `pack.json`, with a definition for each of the game's types."""
        schema: Data = json.loads(self.schemas[f"{self.pack['game']['id']}/pack.json"])
        return schema

    def fields(self, kind: str) -> Mapping[str, Data]:
        """The schemas of a kind's fields, by name, in the order of the kind.

        References in them are relative to `schema`.
        """
        fields: Mapping[str, Data] = self.fields_schema(kind)["properties"]
        return fields

    def fields_schema(self, kind: str) -> Data:
        """The schema of the object that has the fields of an entity of a kind."""
        definitions = self.schema["$defs"]
        entities = (definitions[_name(option)] for option in definitions["Entity"]["oneOf"])
        [entity] = (entity for entity in entities if entity["properties"]["kind"]["const"] == kind)
        fields: Data = definitions[_name(entity["properties"]["fields"])]
        return fields

    def resolved(self, schema: Data) -> Data:
        """A part of `schema`, or the part to which it refers."""
        return self.schema["$defs"][_name(schema)] if "$ref" in schema else schema


def _name(reference: Data) -> str:
    name: str = reference["$ref"].removeprefix("#/$defs/")
    return name


def finished_data(game: str, site: Mapping[str, bytes]) -> FinishedData:
    """The data of a game.

    `site` has the files of the game and the schemas of all games, by path from the root of the website. Files made by
    exporters must not be among them, since no export depends on another.
    """
    folders = {"files": f"data/{game}/", "schemas": "data/schemas/", "attachments": f"{game}/files/"}
    found: dict[str, dict[str, str]] = {name: {} for name in folders}
    for path in site:
        for name, folder in folders.items():
            if path.startswith(folder):
                # The HTML in the data refers to an attachment by its address on the website.
                found[name][path if name == "attachments" else path.removeprefix(folder)] = path
    return FinishedData(**{name: _Part(site, paths) for name, paths in found.items()})


class _Part(Mapping[str, bytes]):
    """A view of some files of a website under other paths."""

    def __init__(self, site: Mapping[str, bytes], paths: Mapping[str, str]) -> None:
        self._site, self._paths = site, paths

    def __getitem__(self, path: str) -> bytes:
        return self._site[self._paths[path]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class TreeFiles(Mapping[str, bytes]):
    """The files of a tree by path, read when needed. Reading one may raise `OSError`."""

    def __init__(self, tree: Path, paths: Iterable[str]) -> None:
        self._tree, self._paths = tree, dict.fromkeys(paths)

    def __getitem__(self, path: str) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        return (self._tree / path).read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
