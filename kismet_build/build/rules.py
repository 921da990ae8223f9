"""The rules of each game of a library, as packages have them: for commands that answer questions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from kismet_build.build.compile import compile_game
from kismet_build.config.game import Game
from kismet_build.config.load_library import load_library
from kismet_build.mechanics.rules import Rules
from kismet_build.model.diagnostic import Report
from kismet_build.pack import Pack
from kismet_build.render import find


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
