"""Map pages to source lines and source lines to pages, from the `pack.json` files of a tree."""

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LAST_LINE = 10**9
"""Larger than any line number."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A range of lines of a source file, both ends included. The path is relative to the folder of the game."""

    path: str
    first: int = 1
    last: int = LAST_LINE

    def contains(self, path: str, line: int) -> bool:
        """Whether a line of a file is in the range."""
        return path == self.path and self.first <= line <= self.last


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Pages and source lines of one game."""

    title: str
    """The title of the game."""
    pages: Mapping[str, SourceRange]
    """Source range of each chapter and entity, by the URL of its page."""
    sections: Mapping[str, tuple[tuple[int, str], ...]]
    """First line and URL of each section, in order, by the path of the source file."""

    def url(self, path: str, line: int) -> str:
        """URL of the section that contains a source line; empty if the file is no document of the game."""
        sections = self.sections.get(path, ())
        if not sections:
            return ""
        return sections[max(0, bisect_right(sections, (line, "\U0010ffff")) - 1)][1]


def load_source_maps(tree: Path) -> dict[str, SourceMap]:
    """Source map of every game in a tree, by game id. A `pack.json` that cannot be read is left out."""
    source_maps = {}
    for file in sorted(tree.glob("data/*/pack.json")):
        try:
            source_maps[file.parent.name] = _source_map(json.loads(file.read_bytes()))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
    return source_maps


def _source_map(pack: Mapping[str, Any]) -> SourceMap:
    sections: dict[str, list[tuple[int, str]]] = {}
    pages: dict[str, SourceRange] = {}
    for section in pack["sections"]:
        path, url = section["source"]["path"], section["url"]
        sections.setdefault(path, []).append((section["source"]["line"], url))
        pages[url.partition("#")[0]] = SourceRange(path)
    for entities in pack["entities"].values():
        for entity in entities:
            source = entity["source"]
            pages[entity["url"]] = SourceRange(source["path"], source["line"], source["end_line"])
    ordered = {path: tuple(sorted(lines)) for path, lines in sections.items()}
    return SourceMap(pack["game"]["title"], pages, ordered)
