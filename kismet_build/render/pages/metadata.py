"""What a page tells programs of itself: its whole address, previews (Open Graph), and what it is about (JSON-LD)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from markupsafe import Markup

from kismet_build.config.game import Game
from kismet_build.config.library import LibraryConfig
from kismet_build.pack import Pack
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.html.addresses import INDEX, Signpost, root
from kismet_build.render.html.escape import quoted
from kismet_build.render.pages.page import Page

CONTEXT = "https://schema.org"
LIBRARY = "Rules"
"""The title of a library that says none."""

Thing = dict[str, Any]
"""Something that schema.org has a word for."""


def about_page(pack: Pack, page: Page, title: str) -> Markup:
    """What stands in the head of a page of a game."""
    library_config = pack.game.library_config
    return _head(library_config, page, title, pack.game.title, _things(pack.game, page, _places(library_config, page)))


def about_library(packs: Sequence[Listing], library_config: LibraryConfig, page: Page) -> Markup:
    """What stands in the head of a page above all games."""
    places = _places(library_config, page)
    things: list[Thing] = []
    if page.role == "library":
        games = sorted((pack["game"] for pack in packs), key=lambda game: game["id"])
        books = [_thing("Book", name=game["title"], url=places.of(f"{game['id']}/")) for game in games]
        name, here = library_config.title or page.title, places.of(page.address)
        things = [_thing("WebSite", name=name, url=here, description=page.description, hasPart=books)]
    return _head(library_config, page, page.title, library_config.title or LIBRARY, things)


class _Places(NamedTuple):
    """How one page names others: in full where the library says its address, else from where the page is."""

    start: str
    end: str

    def of(self, address: str) -> str:
        return f"{self.start}{address}{self.end}"


def _places(library_config: LibraryConfig, page: Page) -> _Places:
    return _Places(library_config.url, "") if library_config.url else _Places(root(page.address), INDEX)


def _head(library_config: LibraryConfig, page: Page, title: str, site: str, things: Sequence[Thing]) -> Markup:
    lines = [*_links(library_config, page, title, site)]
    if things:
        graph = things[0] if len(things) == 1 else {"@graph": things}
        # Nothing in a title may end the block; in JSON this is the same letter.
        text = orjson.dumps({"@context": CONTEXT, **graph}).decode().replace("<", "\\u003c")
        lines.append(f'<script type="application/ld+json">{text}</script>')
    return Markup("\n".join(lines))


def _links(library_config: LibraryConfig, page: Page, title: str, site: str) -> Iterator[str]:
    """A canonical address must be whole, so there is none where nobody said where the tree stands; so with pictures."""
    if library_config.url:
        yield f'<link rel="canonical" href="{quoted(library_config.url + page.address)}">'
    said = {
        "og:type": "website" if page.role in ("library", "home") else "article",
        "og:site_name": site,
        "og:title": title,
        "og:description": page.description,
    }
    if library_config.url:
        said |= {"og:url": library_config.url + page.address, "og:image": f"{library_config.url}assets/icon-512.png"}
    for name, value in said.items():
        if value:
            yield f'<meta property="{name}" content="{quoted(value)}">'
    # The rest of its card is taken from what stands above.
    yield '<meta name="twitter:card" content="summary">'


def _things(game: Game, page: Page, places: _Places) -> list[Thing]:
    here = {"name": page.title, "url": places.of(page.address), "description": page.description}
    match page.role:
        case "home":
            return [_book(game, here)]
        case "kind":
            main = _thing("DefinedTermSet", **here, **_of_book(game, places), **_rights(game))
        case "entity":
            main = _thing("DefinedTerm", **here, inDefinedTermSet=_terms(game, page.kind, places))
        case "chapter":
            main = _thing("Chapter", **here, **_of_book(game, places), **_rights(game))
        case _:
            main = _thing("WebPage", **here, **_of_book(game, places))
    steps = _steps(page.breadcrumbs, places)
    last = _step(len(steps) + 1, Signpost(page.address, page.title), places)
    return [main, _thing("BreadcrumbList", itemListElement=[*steps, last])]


# What follows is the same for many pages, and nobody changes what was made once.


@lru_cache(maxsize=64)
def _of_book(game: Game, places: _Places) -> Mapping[str, Any]:
    """What is said of every part of a book."""
    book = _thing("Book", name=game.title, url=places.of(f"{game.id}/"))
    return {"inLanguage": game.language, "isPartOf": book}


@lru_cache(maxsize=64)
def _terms(game: Game, kind: str, places: _Places) -> Thing:
    """The set of terms that the entities of a kind are."""
    whole = places.of(f"{game.id}/{kind}/")
    book = _of_book(game, places)["isPartOf"]
    return _thing("DefinedTermSet", name=game.kinds[kind].plural, url=whole, isPartOf=book, license=_licence(game))


@lru_cache(maxsize=256)
def _steps(breadcrumbs: tuple[Signpost, ...], places: _Places) -> Sequence[Thing]:
    """The way down to a page."""
    return [_step(number, step, places) for number, step in enumerate(breadcrumbs, 1)]


def _step(number: int, step: Signpost, places: _Places) -> Thing:
    return _thing("ListItem", position=number, name=step.title, item=places.of(step.address))


def _book(game: Game, here: Mapping[str, str]) -> Thing:
    said = {"inLanguage": game.language, "version": game.version, "author": list(game.authors)}
    return _thing("Book", **here, **said, **_rights(game))


def _rights(game: Game) -> Mapping[str, Any]:
    """Under what a text may be used, and who is to be named."""
    return {
        "license": _licence(game),
        "creditText": game.attribution,
        "copyrightNotice": " ".join(game.notices),
    }


def _licence(game: Game) -> Thing | None:
    return _thing("CreativeWork", name=game.licence) if game.licence else None


def _thing(sort: str, **said: Any) -> Thing:
    """A thing with what is said of it; what is not said is left out."""
    return {"@type": sort, **{name: value for name, value in said.items() if value}}
