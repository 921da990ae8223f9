"""Record what a build wrote for each game. The next build takes the files of an unchanged game from the tree."""

import json
from collections.abc import Mapping
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from kismet_build.driver.build_cache import BuildCache, Digests
from kismet_build.driver.json_values import UNREADABLE, from_json
from kismet_build.driver.result import GameResult
from kismet_build.output.tree import OutputFile


class BuiltGame(NamedTuple):
    """A game after a build. A game that cannot be published has no files."""

    result: GameResult
    files: tuple[OutputFile, ...]
    exports: Mapping[str, tuple[OutputFile, ...]] = MappingProxyType({})
    """The files that exporters made for it, by the exporter's name."""


class GameRecord(NamedTuple):
    """A published game and its inputs."""

    digest: str
    """The digest of the digests of the game's source files."""
    linked_exports: frozenset[str]
    """The exports that the pages of the game link to."""
    game: BuiltGame


def digest_of_digests(digests: Digests) -> str:
    """A single digest, made from the digests of many files."""
    return sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()


def read_games(build: BuildCache) -> Mapping[str, GameRecord]:
    """The published games of a build by id, except games with files that are missing from the tree.

    Empty if the record is damaged.
    """
    try:
        records = from_json(dict[str, GameRecord], build.games.encode())
    except UNREADABLE:
        return {}
    paths = build.tree.paths()
    return {
        game: record
        for game, record in records.items()
        if all(file.path in paths for file in chain(record.game.files, *record.game.exports.values()))
    }
