"""Sitemaps: llms.txt and llms-full.txt for language models, sitemap.xml and robots.txt for search engines."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any
from urllib.parse import quote, urlsplit

from kismet_build.config.language.catalog import catalog
from kismet_build.config.language.strings import DEFAULT
from kismet_build.config.library import LibraryConfig
from kismet_build.model.markdown_text import escaped_text
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack
from kismet_build.render.data.listing import Listing
from kismet_build.render.data.pack_json import HEAD
from kismet_build.render.fragments.markdown import link_to
from kismet_build.render.html.addresses import INDEX, LazyFiles
from kismet_build.render.html.content_security_policy import policy
from kismet_build.render.html.templates import template
from kismet_build.render.pages.library import description_of_games, glossary_address, library_catalog
from kismet_build.render.site.markdown_pages import FULL_TEXT, MARKDOWN, markdown_of_document

SITEMAP = "sitemap.xml"
MAX_ADDRESSES = 50_000
"""Maximum number of URLs in a sitemap, https://www.sitemaps.org/protocol.html"""
FIRST_SENTENCES = "Of each entry, only the first sentence is here. Open its file before you answer from it."
RIGHTS = (("Version", "version"), ("Licence", "licence"), ("Attribution", "attribution"))
"""Labels and keys of the members of a game that llms.txt lists first."""


def llms_files(packs: Sequence[Listing], library_config: LibraryConfig) -> LazyFiles:
    """An llms.txt for the library and one for each game, in the format of https://llmstxt.org"""
    for pack in packs:
        yield f"{pack['game']['id']}/llms.txt", partial(_game_llms, pack, library_config)
    yield "llms.txt", partial(_llms, packs, library_config)


def _llms(packs: Sequence[Listing], library_config: LibraryConfig) -> bytes:
    games = sorted(packs, key=lambda pack: (normalize(pack["game"]["title"]), pack["game"]["id"]))
    description = library_config.description or description_of_games(games, catalog(DEFAULT, library_config.design))
    lines = [
        f"# {escaped_text(library_config.title) or 'Rules'}",
        "",
        f"> {escaped_text(description)}",
        "",
    ]
    lines += [
        "The data of every page is available as JSON. Ids have the form `game/kind/slug`, like the addresses of pages. "
        "The lists of games link to chapters and entries as Markdown. Without `.md` at the end, an address is that of "
        f"the web page. A game's `{FULL_TEXT}` has its entire text.",
        "",
    ]
    lines += ["## Games", ""]
    for pack in games:
        game = pack["game"]
        lines.append(_link(game["title"], f"{game['id']}/llms.txt", game["description"], library_config.url))
    lines += ["", "## Optional", ""]
    if glossary := glossary_address(packs):
        lines.append(_link("Glossary of all games", glossary + INDEX, "every name from A to Z", library_config.url))
    lines.append(_link("Manifest", "data/manifest.json", "every data file with size and SHA-256", library_config.url))
    return "\n".join([*lines, ""]).encode()


def _game_llms(pack: Listing, library_config: LibraryConfig) -> bytes:
    game, base = pack["game"], library_config.url or "../"
    markdown_of, texts = _markdown_of_entities(pack), _texts(pack)
    lines = [*_head(game), "", FIRST_SENTENCES, "", "## Chapters", ""]
    lines.append(_link("The whole text", f"{game['id']}/{FULL_TEXT}", "all chapters in one file", base))
    lines += [_link(title, page + MARKDOWN, "", base) for page, title in texts.items()]
    for kind_id, kind in pack["kinds"].items():
        entities = pack["entities"].get(kind_id, ())
        if entities:
            description = kind.get("description", "")
            lines += ["", f"## {escaped_text(kind['plural'])}", ""]
            lines.append(_link(f"All {kind['plural']}", f"{game['id']}/{kind_id}/{INDEX}", description, base))
            by_file: dict[str, list[Mapping[str, Any]]] = {}
            for entity in entities:
                by_file.setdefault(markdown_of[entity["id"]], []).append(entity)
            for file, (entity, *others) in by_file.items():
                if others:
                    lines.append(_link(texts[file.removesuffix(MARKDOWN)], file, "", base))
                    lines += [f"  - {_described(each['name'], each['summary'])}" for each in (entity, *others)]
                else:
                    lines.append(_link(entity["name"], file, entity["summary"], base))
    lines += ["", "## Data", ""]
    lines.append(_link("Everything", f"data/{game['id']}/pack.json", "all of this in one file", base))
    lines += [
        _link(f"{kind['plural']} as JSON", f"data/{game['id']}/{kind_id}.json", "", base)
        for kind_id, kind in pack["kinds"].items()
    ]
    if pack["calculators"]:
        description = f"formulas as JSON in data/{game['id']}/calculators.json"
        lines += ["", "## Calculators", ""]
        lines.append(_link("All calculators", f"{game['id']}/calculators/{INDEX}", description, base))
        lines += [_link(calculator["title"], calculator["url"] + INDEX, "", base) for calculator in pack["calculators"]]
    return "\n".join([*lines, ""]).encode()


def llms_full(pack: Pack) -> bytes:
    """A game's llms-full.txt, with its rights and its entire text."""
    head = "\n".join(_head(HEAD["game"](pack)))
    return ("\n\n".join([head, *(markdown_of_document(pack, path) for path in pack.documents)]) + "\n").encode()


def _head(game: Mapping[str, Any]) -> list[str]:
    title = escaped_text(game["title"])
    lines = [f"# {title}", "", f"> {escaped_text(game['description']) or 'The rules of ' + title}", ""]
    return lines + [f"- {name}: {escaped_text(game[key])}" for name, key in RIGHTS if game.get(key)]


def _markdown_of_entities(pack: Listing) -> dict[str, str]:
    """The Markdown file of each entity, by id: its own file, or that of the text that contains it."""
    addresses = {section["id"]: section["url"] for section in pack["sections"]}
    places = (
        (entity["id"], entity["url"] if entity["url"].endswith("/") else addresses[entity["section"]])
        for entities in pack["entities"].values()
        for entity in entities
    )
    return {entity_id: place.partition("#")[0] + MARKDOWN for entity_id, place in places}


def _texts(pack: Listing) -> dict[str, str]:
    """The title of each chapter and, after the chapter's title, of each section of a split chapter, by page."""
    titles: dict[str, str] = {}
    chapter = ""
    for section in pack["sections"]:
        page, title = section["url"].partition("#")[0], section["title"]
        chapter = chapter if section["level"] else title
        titles.setdefault(page, f"{chapter} › {title}" if section["level"] else title)
    return titles


def sitemap_files(
    packs: Sequence[Listing], library_config: LibraryConfig, list_pages: Callable[[], Iterable[str]]
) -> LazyFiles:
    """sitemap.xml, robots.txt and 404.html, if the library has a `url`. `list_pages`: the paths of its pages."""
    if not library_config.url:
        return
    yield SITEMAP, partial(_sitemap, library_config, list_pages)
    yield "404.html", partial(_not_found, packs, library_config)
    if urlsplit(library_config.url).path == "/":  # Crawlers read robots.txt only at the root of a host.
        yield "robots.txt", partial(_robots, library_config)


def _sitemap(library_config: LibraryConfig, list_pages: Callable[[], Iterable[str]]) -> bytes:
    pages = (quote(path.removesuffix(INDEX)) for path in list_pages())
    addresses = sorted(f"{library_config.url}{page}" for page in pages)[:MAX_ADDRESSES]
    lines = "".join(f"<url><loc>{escape(address, quote=False)}</loc></url>\n" for address in addresses)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{namespace}">\n{lines}</urlset>\n'.encode()


def _not_found(packs: Sequence[Listing], library_config: LibraryConfig) -> bytes:
    words = library_catalog(packs, library_config)
    not_found = template("not_found", words).render(
        language=words.text_language,
        base=urlsplit(library_config.url).path,
        index=INDEX,
        policy=policy(library_config.design.policy, base=True),
        has_several_games=len(packs) > 1,
        glossary=glossary_address(packs),
    )
    return not_found.encode()


def _robots(library_config: LibraryConfig) -> bytes:
    return f"User-agent: *\nAllow: /\nSitemap: {library_config.url}{SITEMAP}\n".encode()


def _link(title: str, path: str, description: str, base: str) -> str:
    return f"- {link_to(base + quote(path), _described(title, ''))}" + _described("", description)


def _described(title: str, description: str) -> str:
    return escaped_text(title) + (f": {escaped_text(description)}" if description else "")
