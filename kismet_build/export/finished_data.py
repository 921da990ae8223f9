"""The finished data of one game, from which every export is made."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

Data = Mapping[str, Any]
"""A JSON object."""


class FinishedData:
    """What a game publishes as data: bytes by path. A file is read when it is asked for.

    An exporter gets nothing else, so it runs as well on a tree that was written before.
    """

    def __init__(
        self, files: Mapping[str, bytes], schemas: Mapping[str, bytes], attachments: Mapping[str, bytes]
    ) -> None:
        self.files = files
        """Data files by path from `data/<game>/`: `pack.json`, `names.json`, `skill.json`, `skill/climb.json`."""
        self.schemas = schemas
        """Schemas by path from `data/schemas/`: `<game>/pack.json`, and those of all games, `pack.schema.json`."""
        self.attachments = attachments
        """Pictures and other files of the texts, by the address that the HTML in the data has for them."""

    @cached_property
    def pack(self) -> Data:
        """The content of `pack.json`, which has all of the data: game, kinds, entities, sections, tables."""
        pack: Data = json.loads(self.files["pack.json"])
        return pack

    @cached_property
    def names(self) -> Data:
        """The content of `names.json`: the ids that a name may mean."""
        names: Data = json.loads(self.files["names.json"])
        return names

    @cached_property
    def schema(self) -> Data:
        """The schema of `pack.json`, with a definition for each type of the game."""
        schema: Data = json.loads(self.schemas[f"{self.pack['game']['id']}/pack.json"])
        return schema

    def fields(self, kind: str) -> Mapping[str, Data]:
        """The schemas of the fields of a kind, by name in the order of the kind. References lead into `schema`."""
        definitions = self.schema["$defs"]
        entity = next(
            definition
            for option in definitions["Entity"]["oneOf"]
            if (definition := definitions[_name(option)])["properties"]["kind"]["const"] == kind
        )
        fields: Mapping[str, Data] = definitions[_name(entity["properties"]["fields"])]["properties"]
        return fields

    def resolved(self, schema: Data) -> Data:
        """A part of `schema`, or what it refers to."""
        return self.schema["$defs"][_name(schema)] if "$ref" in schema else schema


def _name(reference: Data) -> str:
    """The name of the definition that a reference leads to."""
    name: str = reference["$ref"].removeprefix("#/$defs/")
    return name


def finished_data(game: str, site: Mapping[str, bytes]) -> FinishedData:
    """The data of a game. `site`: its files and the schemas of all games, by path from the root of the site.

    Files that exporters made are not among them: no export depends on another.
    """
    folders = {"files": f"data/{game}/", "schemas": "data/schemas/", "attachments": f"{game}/files/"}
    found: dict[str, dict[str, str]] = {name: {} for name in folders}
    for path in site:
        for name, folder in folders.items():
            if path.startswith(folder):
                # The HTML in the data names an attachment by its address on the site.
                found[name][path if name == "attachments" else path.removeprefix(folder)] = path
    return FinishedData(**{name: _Part(site, paths) for name, paths in found.items()})


class _Part(Mapping[str, bytes]):
    """Some files of a site under other paths."""

    def __init__(self, site: Mapping[str, bytes], paths: Mapping[str, str]) -> None:
        self._site, self._paths = site, paths

    def __getitem__(self, path: str) -> bytes:
        return self._site[self._paths[path]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class TreeFiles(Mapping[str, bytes]):
    """Files of a tree by path, each read when it is asked for. Raises `OSError`."""

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
