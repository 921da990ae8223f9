"""Which page shows which lines of a text, as the data in a tree tell it."""

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LAST = 10**9
"""A line that no text has."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A part of a text: its path in the game, the first and the last line."""

    path: str
    first: int = 1
    last: int = LAST

    def holds(self, path: str, line: int) -> bool:
        """Whether a place lies in it."""
        return path == self.path and self.first <= line <= self.last


@dataclass(frozen=True, slots=True)
class Places:
    """The pages of one game."""

    title: str
    pages: Mapping[str, Shown]
    """For the address of a chapter or an entity what it shows."""
    sections: Mapping[str, tuple[tuple[int, str], ...]]
    """For the path of a text the lines that its sections begin with, in order, and their addresses."""

    def address(self, path: str, line: int) -> str:
        """The address of the section that a place is in; empty for what is no text of the game."""
        sections = self.sections.get(path, ())
        if not sections:
            return ""
        return sections[max(0, bisect_right(sections, (line, "\U0010ffff")) - 1)][1]


def places(tree: Path) -> dict[str, Places]:
    """The places of every game in a tree, by its id; what cannot be read just now is left out."""
    found = {}
    for file in sorted(tree.glob("data/*/pack.json")):
        try:
            found[file.parent.name] = _places(json.loads(file.read_bytes()))
        except (OSError, ValueError, KeyError):
            continue
    return found


def _places(pack: Mapping[str, Any]) -> Places:
    sections: dict[str, list[tuple[int, str]]] = {}
    pages: dict[str, Shown] = {}
    for section in pack["sections"]:
        path, url = section["source"]["path"], section["url"]
        sections.setdefault(path, []).append((section["source"]["line"], url))
        pages[url.partition("#")[0]] = Shown(path)
    for entities in pack["entities"].values():
        for entity in entities:
            source = entity["source"]
            pages[entity["url"]] = Shown(source["path"], source["line"], source["end_line"])
    ordered = {path: tuple(sorted(found)) for path, found in sections.items()}
    return Places(pack["game"]["title"], pages, ordered)
