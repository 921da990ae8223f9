"""Page weight on a first visit: the compressed bytes of a page and of every file that its HTML loads."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from gzip import compress
from pathlib import Path

LEVEL = 6
"""Compression level of gzip, the default of most hosts."""
PACKED = (".png", ".woff2")
"""Suffixes of files that are compressed already, and sent as they are."""
ROLE = re.compile(r'<body class="([a-z]+)')
ASKED = re.compile(r'<(?:script [^>]*src|link rel="(?:stylesheet|icon)" href)="([^"]+)"')
LIMITS = {"entity": 60_000}
"""Bytes of all that a page of a role asks for, without fonts."""
MOST = 120_000
"""Bytes of all that any other page asks for, without fonts."""
MOST_FONTS = 130_000
"""Bytes of the fonts of any page. They are the same on every page, and asked for once."""
MOST_SCRIPTS = 25_000
"""Most bytes of the scripts of any page; files that search loads on opening do not count."""


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
    pictures: int

    @property
    def whole(self) -> int:
        return self.page + self.style + self.scripts + self.pictures

    @property
    def limit(self) -> int:
        return LIMITS.get(self.role, MOST)


def heaviest(folder: Path) -> Iterator[Weight]:
    """The heaviest page for each role of each game, in alphabetical order."""
    heaviest_of: dict[tuple[str, str], Weight] = {}
    for weight in weights(folder):
        key = (weight.role, weight.game)
        if key not in heaviest_of or weight.whole > heaviest_of[key].whole:
            heaviest_of[key] = weight
    yield from (heaviest_of[key] for key in sorted(heaviest_of))


def weights(folder: Path) -> Iterator[Weight]:
    """Every page of a tree except redirects."""
    games = {file.name.removesuffix("-names.js") for file in (folder / "assets").glob("*-names.js")}
    for file in sorted(folder.rglob("*.html")):
        html = file.read_text(encoding="utf-8")
        role = ROLE.search(html)
        if role is None or 'http-equiv="refresh"' in html:
            continue
        path = file.relative_to(folder)
        asked = [(file.parent / address).resolve() for address in ASKED.findall(html)]
        yield Weight(
            path=path.as_posix(),
            role=role[1],
            game=path.parts[0] if path.parts[0] in games else "",
            page=sent(file),
            style=sum(sent(file) for file in asked if file.suffix == ".css"),
            scripts=sum(sent(file) for file in asked if file.suffix == ".js"),
            pictures=sum(sent(file) for file in asked if file.suffix not in (".css", ".js")),
        )


@cache
def sent(file: Path) -> int:
    """Bytes of a file as sent."""
    content = file.read_bytes()
    return len(content if file.suffix in PACKED else compress(content, LEVEL, mtime=0))
