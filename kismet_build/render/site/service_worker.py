"""What keeps the website on a device: the service worker, the list of what it keeps, the page for what it does not."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson

from kismet_build.config.library import LibraryConfig
from kismet_build.render.data.json_writer import to_bytes
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.content_security_policy import policy
from kismet_build.render.html.templates import SITE, template

Files = Iterator[tuple[str, bytes]]
Digests = Mapping[str, tuple[int, str]]
"""Of the files of a tree that may be kept: their size in bytes and their SHA-256."""

LARGEST_FILE = 1_000_000
"""In bytes; what is larger, such as a picture of a map, is not kept on a device."""
SHORT = 8
"""Hexadecimal digits that tell the versions of one file apart."""

FOR_PROGRAMS = (".txt", ".xml", ".webmanifest", "404.html")
"""The ends of what no page asks for."""

WORKER, LIST, ABSENT, MANIFEST = "sw.js", "offline.json", "offline.html", "manifest.webmanifest"
GROUND = "#F1EBDD"
"""What an installed window opens with: the raised ground of the light scheme."""


def emit_absent(packs: Sequence[Listing], library_config: LibraryConfig) -> Files:
    """The page for what was never kept, as it stands in the tree, and what makes the website installable."""
    games = sorted((pack["game"]["title"], pack["game"]["id"]) for pack in packs)
    page = template("absent").render(games=games, base="./", index=INDEX, policy=policy(base=True))
    yield ABSENT, page.encode()
    yield MANIFEST, to_bytes(_manifest(packs, library_config))


def emit_worker(digests: Digests, games: Sequence[str]) -> Files:
    """The service worker of a tree, which must be complete: the version is what all of its files are."""
    kept = {path: digest[:SHORT] for path, (size, digest) in sorted(digests.items()) if _is_kept(path, size)}
    sizes = {game: sum(digests[path][0] for path in kept if _is_of(game, path)) for game in sorted(games)}
    shell = [path for path in kept if _is_shell(path, games)]
    worker = (SITE / WORKER).read_text(encoding="utf-8")
    version = sha256(repr((kept, worker)).encode()).hexdigest()[: 2 * SHORT]
    yield LIST, orjson.dumps({"version": version, "shell": shell, "games": sizes, "files": kept})
    yield WORKER, f'const VERSION = "{version}";\n{worker}'.encode()


def _is_kept(path: str, size: int) -> bool:
    """Whether a file belongs to the website as one reads it, and is small enough."""
    return not path.endswith(FOR_PROGRAMS) and size <= LARGEST_FILE


def _is_of(game: str, path: str) -> bool:
    """Whether only the pages of a game need a file; `sw.js` asks the same of the games that are visited."""
    return path.startswith((f"{game}/", f"assets/{game}-", f"assets/{game}/", f"assets/pagefind/{game}/"))


def _is_shell(path: str, games: Sequence[str]) -> bool:
    """Whether every page needs it, or it is the way to all others."""
    if path.startswith("assets/"):
        return path.endswith((".css", ".js", ".svg", ".woff2")) and not any(_is_of(game, path) for game in games)
    return path in (INDEX, ABSENT)


def _manifest(packs: Sequence[Listing], library_config: LibraryConfig) -> dict[str, Any]:
    """What a browser asks for before it offers to install the website."""
    titles = [pack["game"]["title"] for pack in packs]
    name = library_config.title or (titles[0] if len(titles) == 1 else "Rules")
    return {
        "name": name,
        "short_name": name,
        "description": library_config.description or "The rules of " + ", ".join(titles),
        "start_url": f"./{INDEX}",
        "scope": "./",
        "display": "standalone",
        "background_color": GROUND,
        "theme_color": GROUND,
        "icons": [
            {"src": "assets/icon.svg", "sizes": "any", "type": "image/svg+xml"},
            {"src": "assets/icon-192.png", "sizes": "192x192", "type": "image/png"},
            {"src": "assets/icon-512.png", "sizes": "512x512", "type": "image/png"},
            {"src": "assets/icon-maskable.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
        ],
    }
