"""Read the published files of a game from the present tree, if the game is unchanged or cannot be published now.

A game with errors must not remove other games from the website: docs/decisions/0024-games-with-errors.md.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kismet_build.config.pack_schema import pack_test


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousBuild:
    """A game in the present tree."""

    pack: Mapping[str, Any]
    """The content of the game's `pack.json`."""
    tree: Path

    @property
    def id(self) -> str:
        game: str = self.pack["game"]["id"]
        return game

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Each file of the game: its path from the root of the tree, and its content."""
        game = self.id
        for folder in (game, f"data/{game}", f"data/schemas/{game}", f"assets/{game}"):
            for file in sorted((self.tree / folder).rglob("*")):
                if file.is_file() and not file.is_symlink():
                    yield file.relative_to(self.tree).as_posix(), file.read_bytes()
        # Not a glob pattern: the assets of the game `ember-court` would seem to belong to `ember`.
        asset_name = re.compile(rf"{re.escape(game)}-[a-z]+\.js")
        for file in sorted((self.tree / "assets").iterdir()):
            if asset_name.fullmatch(file.name) and not file.is_symlink():
                yield f"assets/{file.name}", file.read_bytes()


def previous_build(tree: Path, game: str) -> PreviousBuild | None:
    """The game with this id as published.

    `None` if it is not published, or if its data does not match the schema of this version of the compiler.
    """
    try:
        pack = json.loads((tree / "data" / game / "pack.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    is_complete = pack_test()(pack) and pack["game"]["id"] == game and (tree / game / "index.html").is_file()
    return PreviousBuild(pack=pack, tree=tree) if is_complete else None
