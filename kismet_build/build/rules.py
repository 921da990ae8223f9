"""The rules of each game of a library or of built data, as packages have them: for commands that answer questions."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from kismet_build.build.compile import compile_game
from kismet_build.config.game import Game
from kismet_build.config.load_library import load_library
from kismet_build.mechanics.rules import Rules
from kismet_build.model.diagnostic import Report
from kismet_build.output.tree import MANIFEST as TREE_MANIFEST
from kismet_build.output.verify_bundle import DATA_NAMES, MANIFEST, BadBundle, verify_bundle
from kismet_build.pack import Pack
from kismet_build.render import find


def rules_at(path: Path, game_file: Path | None, report: Report) -> Iterator[Rules]:
    """The rules of each game in a bundle, a built website, or a library, which is compiled.

    Raises `UsageError`, and `OSError` if a file cannot be read.
    """
    is_built = path.is_file() or any((path / manifest).is_file() for manifest in (MANIFEST, TREE_MANIFEST))
    yield from bundle_rules(path) if is_built else library_rules(path, game_file, report)


def bundle_rules(path: Path) -> Iterator[Rules]:
    """The rules of each game in a bundle or a built website. Raises `BadBundle`, and `OSError` if it cannot be read."""
    for game, files in verify_bundle(path).games.items():
        if missing := [name for name in DATA_NAMES if f"data/{game}/{name}" not in files and name != "migrations.json"]:
            raise BadBundle(f'"{path}" has no {missing[0]} of "{game}", which a newer kismet writes: build it again')
        yield Rules(partial(_file, files, game))


def _file(files: Mapping[str, bytes], game: str, name: str) -> Any:
    return orjson.loads(files.get(f"data/{game}/{name}", b"[]"))


def library_rules(path: Path, game_file: Path | None, report: Report) -> Iterator[Rules]:
    """Compile a library, and yield the rules of each game. Raises `UsageError`.

    A game that cannot be loaded is reported.
    """
    for game in load_library(path, game_file, report).games:
        yield game_rules(game, report)


def game_rules(game: Game, report: Report) -> Rules:
    """Compile a game, and return its rules."""
    pack = compile_game(game, report)
    return Rules(lambda name: _data(pack, name))


def _data(pack: Pack, name: str) -> Any:
    """The content of a data file; an empty list if the game has none of this name."""
    make = find(pack, f"data/{pack.game.id}/{name}")
    return orjson.loads(make()) if make else []
