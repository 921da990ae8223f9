"""What stays of a game that cannot be published as it stands now: its last good pages and data."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kismet_build.config.pack_schema import fits


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousBuild:
    """The part of a tree that belongs to one game."""

    pack: Mapping[str, Any]
    """Its pack as it was published."""
    tree: Path

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Every file of the game with its path in the tree."""
        game = self.pack["game"]["id"]
        for folder in (game, f"data/{game}", f"data/schemas/{game}", f"assets/{game}"):
            for file in sorted((self.tree / folder).rglob("*")):
                if file.is_file():
                    yield file.relative_to(self.tree).as_posix(), file.read_bytes()
        own = re.compile(rf"{re.escape(game)}-[a-z]+\.[a-z]+")  # a game of a longer name has a hyphen more
        for file in sorted((self.tree / "assets").iterdir()):
            if own.fullmatch(file.name):
                yield f"assets/{file.name}", file.read_bytes()


def previous_build(tree: Path, game: str) -> PreviousBuild | None:
    """The game with an id in a tree; `None` where it is not there, or as a version with other data wrote it."""
    try:
        pack = json.loads((tree / "data" / game / "pack.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    sound = fits()(pack) and pack["game"]["id"] == game and (tree / game / "index.html").is_file()
    return PreviousBuild(pack=pack, tree=tree) if sound else None
