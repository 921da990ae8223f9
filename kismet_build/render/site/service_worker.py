"""Offline use: the service worker, its list of cached files, the offline page and the web app manifest."""

from collections.abc import Container, Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson

from kismet_build.config.library import LibraryConfig
from kismet_build.model.json_writer import json_file
from kismet_build.render.data.listing import Listing
from kismet_build.render.html.addresses import INDEX, Files, emblem_address
from kismet_build.render.html.content_security_policy import policy
from kismet_build.render.html.templates import SITE, template
from kismet_build.render.pages.library import MAX_LISTED_GAMES, description_of_games, library_catalog
from kismet_build.render.site.name_shards import FOLDER as NAMES

Digests = Mapping[str, tuple[int, str]]
"""Size in bytes and SHA-256 of each file that may be cached, by path."""

MAX_FILE_BYTES = 1_000_000
"""Maximum size of cached files, which excludes large maps: docs/decisions/0015-website-without-a-server.md."""
VERSION_DIGITS = 8
"""Number of hexadecimal digits in a file's version. The version of the worker has twice as many."""

ASSETS, PAGEFIND = "assets", "pagefind"
"""Folder of scripts and other shared files, and its subfolder with full-text indexes."""
UNCACHED_ENDINGS = (".txt", ".xml", ".webmanifest", "404.html")
"""Suffixes of files that no page loads, which are not cached."""
SHELL_ENDINGS = (".css", ".js", ".svg", ".woff2")
"""Suffixes of shared assets that are always cached."""

WORKER, FILE_LIST, OFFLINE_PAGE, MANIFEST = "sw.js", "offline.json", "offline.html", "manifest.webmanifest"
MAX_SHORTCUTS = 10
"""Maximum number of games in the menu of the installed website. Systems show fewer."""
BACKGROUND = "#F1EBDD"
"""Background of an app window while it opens: the colour of raised surfaces in the light scheme."""


def offline_page(packs: Sequence[Listing], library_config: LibraryConfig) -> bytes:
    """The page shown offline in place of a page that is not cached."""
    words = library_catalog(packs, library_config)
    page = template("offline", words).render(
        language=words.text_language,
        has_several_games=len(packs) > 1,
        base="./",
        index=INDEX,
        policy=policy(library_config.design.policy, base=True),
    )
    return page.encode()


def emit_service_worker(digests: Digests, games: Sequence[str]) -> Files:
    """The service worker and its lists of files.

    The worker's version is a digest of its code and of all cached files in the complete tree.
    """
    cached = {
        path: digest[:VERSION_DIGITS]
        for path, (size, digest) in sorted(digests.items())
        if not path.endswith(UNCACHED_ENDINGS) and size <= MAX_FILE_BYTES
    }
    of_games: dict[str, dict[str, str]] = {game: {} for game in sorted(games)}
    shared: dict[str, str] = {}
    for path, version in cached.items():
        game = _game_of(path, of_games)
        (of_games[game] if game else shared)[path] = version
        # The home page shows the emblem of each game, unless there are too many.
        if path.endswith("/emblem.svg") and len(games) <= MAX_LISTED_GAMES:
            shared[path] = version
    lists: dict[str, str] = {}
    for game, files in of_games.items():
        content = orjson.dumps({"size": sum(digests[path][0] for path in files), "files": files})
        lists[game] = sha256(content).hexdigest()[:VERSION_DIGITS]
        yield f"assets/{game}-{FILE_LIST}", content
    shell = [path for path in shared if path in (INDEX, OFFLINE_PAGE) or _is_shared_asset(path)]
    worker = (SITE / WORKER).read_text(encoding="utf-8")
    version = sha256(repr((cached, worker)).encode()).hexdigest()[: 2 * VERSION_DIGITS]
    yield FILE_LIST, orjson.dumps({"version": version, "shell": shell, "games": lists, "files": shared})
    yield WORKER, f'const VERSION = "{version}";\n{worker}'.encode()


def _is_shared_asset(path: str) -> bool:
    is_asset = path.startswith(f"{ASSETS}/") and path.endswith(SHELL_ENDINGS)
    return is_asset and not path.startswith((f"{ASSETS}/{NAMES}/", f"{ASSETS}/{PAGEFIND}/"))


def _game_of(path: str, games: Container[str]) -> str:
    """The game that a file belongs to, or an empty string for a file of the entire website."""
    first, *rest = path.split("/")
    if first != ASSETS:
        return first if first in games else ""
    if len(rest) > 1:
        name = rest[1] if rest[0] == PAGEFIND else rest[0]
        return name if name in games else ""
    if (SITE / path).is_file():  # `settings-box.js` does not belong to the game `settings`
        return ""
    # The id of a game may contain hyphens, and so may the rest of the name.
    parts = rest[0].split("-")
    ids = ("-".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
    return next((game for game in ids if game in games), "")


def _shortcut(game: Mapping[str, Any]) -> dict[str, Any]:
    icon = {"src": emblem_address(game["id"]), "sizes": "any", "type": "image/svg+xml"}
    return {"name": game["title"], "url": f"./{game['id']}/{INDEX}", "icons": [icon]}


def manifest(packs: Sequence[Listing], library_config: LibraryConfig) -> bytes:
    """The web app manifest, which makes the website installable."""
    words = library_catalog(packs, library_config)
    titles = [pack["game"]["title"] for pack in packs]
    name = library_config.title or (titles[0] if len(titles) == 1 else words.text("title.rules"))
    data = {
        "name": name,
        "short_name": name,
        "lang": words.text_language,
        "description": library_config.description or description_of_games(packs, words),
        "start_url": f"./{INDEX}",
        "scope": "./",
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": BACKGROUND,
        "icons": [
            {"src": "assets/icon.svg", "sizes": "any", "type": "image/svg+xml"},
            {"src": "assets/icon-192.png", "sizes": "192x192", "type": "image/png"},
            {"src": "assets/icon-512.png", "sizes": "512x512", "type": "image/png"},
            {"src": "assets/icon-maskable.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
        ],
        "shortcuts": [_shortcut(pack["game"]) for pack in packs[:MAX_SHORTCUTS]] if len(packs) > 1 else [],
    }
    return json_file(data)
