"""Page weight on a first visit: the compressed bytes of a page and of every file that its HTML loads."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from gzip import compress
from pathlib import Path

GZIP_LEVEL = 6
"""Compression level of gzip, the default of most hosts."""
COMPRESSED_SUFFIXES = (".png", ".woff2")
"""Suffixes of files that are sent without further compression."""
ROLE = re.compile(r'<body class="([a-z-]+)')
LOADED_FILE = re.compile(r'<(?:script [^>]*src|link rel="(?:stylesheet|icon)" href)="([^"]+)"')
MAX_BYTES_BY_ROLE = {"entity": 60_000}
"""Maximum bytes of a page of a role with all files that it loads, without fonts."""
MAX_PAGE_BYTES = 120_000
"""Maximum bytes of any other page with all files that it loads, without fonts."""
MAX_FONT_BYTES = 130_000
"""Maximum bytes of the fonts of a page. All pages share them, so a browser loads them once."""
MAX_SCRIPT_BYTES = 25_000
"""Maximum bytes of the scripts of a page, without strings, and without the files that search loads when it is opened.

Other scripts are loaded on demand: docs/decisions/0015-website-without-a-server.md.
"""
MAX_WORDS_BYTES = 4_000
"""Maximum bytes of the strings for scripts in a language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """The weight of one page, in bytes."""

    path: str
    """Path from the root of the tree."""
    role: str
    game: str
    """The folder of the game; empty for the pages of the library."""
    page: int
    style: int
    scripts: int
    words: int
    """The strings for scripts."""
    pictures: int

    @property
    def total(self) -> int:
        return self.page + self.style + self.scripts + self.words + self.pictures

    @property
    def limit(self) -> int:
        return MAX_BYTES_BY_ROLE.get(self.role, MAX_PAGE_BYTES)


def heaviest_pages(folder: Path) -> list[Weight]:
    """The heaviest page for each role of each game, in alphabetical order."""
    heaviest_of: dict[tuple[str, str], Weight] = {}
    for weight in weights(folder):
        key = (weight.role, weight.game)
        if key not in heaviest_of or weight.total > heaviest_of[key].total:
            heaviest_of[key] = weight
    return [heaviest_of[key] for key in sorted(heaviest_of)]


@cache
def weights(folder: Path) -> tuple[Weight, ...]:
    """The weight of every page of a tree, except redirects. No test changes the tree."""
    return tuple(_weights(folder))


def _weights(folder: Path) -> Iterator[Weight]:
    games = {file.name.removesuffix("-search.js") for file in (folder / "assets").glob("*-search.js")}
    for file in sorted(folder.rglob("*.html")):
        html = file.read_text(encoding="utf-8")
        role = ROLE.search(html)
        if role is None or 'http-equiv="refresh"' in html:
            continue
        path = file.relative_to(folder)
        loaded = [(file.parent / address).resolve() for address in LOADED_FILE.findall(html)]
        scripts = [file for file in loaded if file.suffix == ".js"]
        words = [file for file in scripts if file.name.startswith("strings-")]
        yield Weight(
            path=path.as_posix(),
            role=role[1],
            game=path.parts[0] if path.parts[0] in games else "",
            page=transfer_size(file),
            style=sum(transfer_size(file) for file in loaded if file.suffix == ".css"),
            scripts=sum(transfer_size(file) for file in scripts if file not in words),
            words=sum(map(transfer_size, words)),
            pictures=sum(transfer_size(file) for file in loaded if file.suffix not in (".css", ".js")),
        )


@cache
def transfer_size(file: Path) -> int:
    content = file.read_bytes()
    return len(content if file.suffix in COMPRESSED_SUFFIXES else compress(content, GZIP_LEVEL, mtime=0))
