"""Metadata in a page's head: canonical URL, Open Graph tags and schema.org data as JSON-LD."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from markupsafe import Markup

from kismet_build.config.game import Game
from kismet_build.config.language.catalog import Catalog
from kismet_build.config.library import LibraryConfig
from kismet_build.pack import Pack
from kismet_build.render.data.listing import Listing
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.templates import macro
from kismet_build.render.pages.library import has_many
from kismet_build.render.pages.page import Page

CONTEXT = "https://schema.org"

Item = dict[str, Any]
"""A schema.org item with its type and properties."""


def page_metadata(pack: Pack, page: Page, title: str) -> Markup:
    """The metadata of a page of a game."""
    library_config = pack.game.library_config
    return _head(
        library_config,
        page,
        title,
        pack.game.title,
        _items(pack.game, page, _urls(library_config, page)),
        pack.game.catalog,
    )


def library_metadata(packs: Sequence[Listing], library_config: LibraryConfig, page: Page, words: Catalog) -> Markup:
    """The metadata of a page of the library."""
    urls = _urls(library_config, page)
    items: list[Item] = []
    if not page.address:
        # In a library with many games, the list would be most of the page.
        games = () if has_many(packs) else sorted((pack["game"] for pack in packs), key=lambda game: game["id"])
        books = [_item("Book", name=game["title"], url=urls.url(f"{game['id']}/")) for game in games]
        name, url = library_config.title or page.title, urls.url(page.address)
        items = [_item("WebSite", name=name, url=url, description=page.description, hasPart=books)]
    return _head(library_config, page, page.title, library_config.title or words.text("title.rules"), items, words)


class _Urls(NamedTuple):
    """URLs of pages: absolute if the library has a `url`, else relative to one page."""

    start: str
    end: str

    def url(self, address: str) -> str:
        return f"{self.start}{address}{self.end}"


def _urls(library_config: LibraryConfig, page: Page) -> _Urls:
    return _Urls(library_config.url, "") if library_config.url else _Urls(path_to_root(page.address), INDEX)


def _head(
    library_config: LibraryConfig, page: Page, title: str, site: str, items: Sequence[Item], words: Catalog
) -> Markup:
    """The tags of a page. Tags that need an absolute URL are only included if `library.yaml` has a `url`."""
    properties = {
        "og:type": "website" if page.role in ("library", "home") else "article",
        "og:site_name": site,
        "og:title": title,
        "og:description": page.description,
    }
    canonical = ""
    if library_config.url:
        canonical = library_config.url + page.address
        properties |= {"og:url": canonical, "og:image": f"{library_config.url}assets/icon-512.png"}
    json_ld = ""
    if items:
        graph = items[0] if len(items) == 1 else {"@graph": items}
        # Escaped, since a title could otherwise end the script element.
        json_ld = orjson.dumps({"@context": CONTEXT, **graph}).decode().replace("<", "\\u003c")
    return macro("base", "metadata", words)(canonical, properties, Markup(json_ld))


def _items(game: Game, page: Page, urls: _Urls) -> list[Item]:
    properties = {"name": page.title, "url": urls.url(page.address), "description": page.description}
    match page.role:
        case "home":
            return [_book(game, properties)]
        case "kind":
            main = _item("DefinedTermSet", **properties, **_part_of_book(game, urls), **_rights(game))
        case "entity":
            main = _item("DefinedTerm", **properties, inDefinedTermSet=_term_set(game, page.kind, urls))
        case "chapter":
            main = _item("Chapter", **properties, **_part_of_book(game, urls), **_rights(game))
        case _:
            main = _item("WebPage", **properties, **_part_of_book(game, urls))
    parents = _breadcrumbs(page.breadcrumbs, urls)
    own = _breadcrumb(len(parents) + 1, PageLink(page.address, page.title), urls)
    return [main, _item("BreadcrumbList", itemListElement=[*parents, own])]


# Not cached: in `kismet serve`, a cache would keep old versions of the game in memory, with all paths and kinds.


def _part_of_book(game: Game, urls: _Urls) -> Mapping[str, Any]:
    book = _item("Book", name=game.title, url=urls.url(f"{game.id}/"))
    return {"inLanguage": game.language, "isPartOf": book}


def _term_set(game: Game, kind: str, urls: _Urls) -> Item:
    url = urls.url(f"{game.id}/{kind}/")
    book = _part_of_book(game, urls)["isPartOf"]
    return _item("DefinedTermSet", name=game.kinds[kind].plural, url=url, isPartOf=book, license=_licence(game))


@lru_cache(maxsize=256)
def _breadcrumbs(breadcrumbs: tuple[PageLink, ...], urls: _Urls) -> Sequence[Item]:
    """The pages above a page. Many pages share the result, so it must not be changed."""
    return [_breadcrumb(position, link, urls) for position, link in enumerate(breadcrumbs, 1)]


def _breadcrumb(position: int, link: PageLink, urls: _Urls) -> Item:
    return _item("ListItem", position=position, name=link.title, item=urls.url(link.address))


def _book(game: Game, properties: Mapping[str, str]) -> Item:
    more = {"inLanguage": game.language, "version": game.version, "author": list(game.authors)}
    return _item("Book", **properties, **more, **_rights(game))


def _rights(game: Game) -> Mapping[str, Any]:
    return {
        "license": _licence(game),
        "creditText": game.attribution,
        "copyrightNotice": " ".join(game.notices),
    }


def _licence(game: Game) -> Item | None:
    return _item("CreativeWork", name=game.licence) if game.licence else None


def _item(item_type: str, **properties: Any) -> Item:
    return {"@type": item_type, **{name: value for name, value in properties.items() if value}}
