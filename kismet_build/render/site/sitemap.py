"""The maps of a tree for programs: llms.txt for language models, sitemap.xml and robots.txt for search engines."""

from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote, urlsplit

from kismet_build.config.library import LibraryConfig
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.content_security_policy import policy
from kismet_build.render.html.templates import template
from kismet_build.render.pages.library import GLOSSARY
from kismet_build.render.pages.metadata import LIBRARY

Files = Iterator[tuple[str, bytes]]

SITEMAP = "sitemap.xml"
MOST_ADDRESSES = 50_000
"""In one sitemap, as its format has it."""
CALCULATORS = "calculators/"


def emit_llms(packs: Sequence[Listing], library_config: LibraryConfig) -> Files:
    """The map of all games, and one of each with every page; in the form of llmstxt.org."""
    games = sorted(packs, key=lambda pack: (pack["game"]["title"], pack["game"]["id"]))
    titles = ", ".join(pack["game"]["title"] for pack in games)
    lines = [
        f"# {library_config.title or LIBRARY}",
        "",
        f"> {_line(library_config.description) or f'The rules of {titles}'}",
        "",
    ]
    lines += ["Every page has its data as JSON; ids are `game/kind/slug`, and so are the addresses of pages.", ""]
    lines += ["## Games", ""]
    for pack in games:
        game = pack["game"]
        lines.append(_link(game["title"], f"{game['id']}/llms.txt", game["description"], library_config.url))
        yield f"{game['id']}/llms.txt", _of_game(pack, library_config).encode()
    lines += ["", "## Optional", ""]
    lines.append(_link("Glossary of all games", GLOSSARY + INDEX, "every name from A to Z", library_config.url))
    lines.append(_link("Manifest", "data/manifest.json", "every data file with size and SHA-256", library_config.url))
    yield "llms.txt", "\n".join([*lines, ""]).encode()


def _of_game(pack: Listing, library_config: LibraryConfig) -> str:
    """The map of a game: its licence first, then chapters, kinds with their entities, calculators, data."""
    game, start = pack["game"], library_config.url or "../"
    lines = [f"# {game['title']}", "", f"> {_line(game['description']) or 'The rules of ' + game['title']}", ""]
    lines += [f"- {name}: {_line(game[key])}" for name, key in RIGHTS if game.get(key)]
    lines += ["", "## Chapters", ""]
    lines += [_link(one["title"], one["url"] + INDEX, "", start) for one in pack["sections"] if one["level"] == 0]
    for kind_id, kind in pack["kinds"].items():
        entities = pack["entities"].get(kind_id, ())
        if entities:
            said = kind.get("description", "")
            lines += ["", f"## {kind['plural']}", ""]
            lines.append(_link(f"All {kind['plural']}", f"{game['id']}/{kind_id}/{INDEX}", said, start))
            lines += [_link(one["name"], one["url"] + INDEX, "", start) for one in entities]
    lines += ["", "## Data", ""]
    number = len(pack["calculators"])
    lines.append(_link("Everything", f"data/{game['id']}/pack.json", "all of this in one file", start))
    lines += [
        _link(f"{kind['plural']} as JSON", f"data/{game['id']}/{kind_id}.json", "", start)
        for kind_id, kind in pack["kinds"].items()
    ]
    if number:
        about = f"{number} rules that compute, with formulas as JSON in data/{game['id']}/calculators.json"
        lines.append(_link("Calculators", f"{game['id']}/{CALCULATORS}{INDEX}", about, start))
    return "\n".join([*lines, ""])


RIGHTS = (("Version", "version"), ("Licence", "licence"), ("Attribution", "attribution"))


def emit_sitemap(library_config: LibraryConfig, paths: Sequence[str]) -> Files:
    """The list of all pages, where to find it, and a page for what is not there; only where the address is known."""
    if not library_config.url:
        return
    addresses = sorted(f"{library_config.url}{quote(path.removesuffix(INDEX))}" for path in paths)[:MOST_ADDRESSES]
    lines = "".join(f"<url><loc>{escape(address, quote=False)}</loc></url>\n" for address in addresses)
    form = "http://www.sitemaps.org/schemas/sitemap/0.9"
    yield SITEMAP, f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{form}">\n{lines}</urlset>\n'.encode()
    place = urlsplit(library_config.url).path
    missing = template("missing").render(base=place, index=INDEX, policy=policy(base=True))
    yield "404.html", missing.encode()
    if place == "/":  # nobody looks for it anywhere else
        yield "robots.txt", f"User-agent: *\nAllow: /\nSitemap: {library_config.url}{SITEMAP}\n".encode()


def _link(title: str, path: str, about: str, start: str) -> str:
    words = title.replace("[", "(").replace("]", ")")
    return f"- [{_line(words)}]({start}{quote(path)})" + (f": {_line(about)}" if about else "")


def _line(text: str) -> str:
    return " ".join(text.split())
