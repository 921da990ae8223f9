"""What a page tells programs of itself: its whole address, previews (Open Graph), and what it is about (JSON-LD)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from markupsafe import Markup, escape

from kismet_build.emitters.library_pages import Published
from kismet_build.emitters.page import INDEX, Page, Signpost, root
from kismet_build.entity import Pack
from kismet_build.game import Game
from kismet_build.shelf import Shelf

CONTEXT = "https://schema.org"
LIBRARY = "Rules"
"""The title of a library that says none."""

Thing = dict[str, Any]
"""Something that schema.org has a word for."""


def about_page(pack: Pack, page: Page, title: str) -> Markup:
    """What stands in the head of a page of a game."""
    shelf = pack.game.shelf
    return _head(shelf, page, title, pack.game.title, _things(pack, page, _Places(shelf, page)))


def about_library(packs: Sequence[Published], shelf: Shelf, page: Page) -> Markup:
    """What stands in the head of a page above all games."""
    places = _Places(shelf, page)
    things: list[Thing] = []
    if page.role == "library":
        games = sorted((pack["game"] for pack in packs), key=lambda game: game["id"])
        books = [_thing("Book", name=game["title"], url=places.of(f"{game['id']}/")) for game in games]
        name, here = shelf.title or page.title, places.of(page.address)
        things = [_thing("WebSite", name=name, url=here, description=page.description, hasPart=books)]
    return _head(shelf, page, page.title, shelf.title or LIBRARY, things)


class _Places:
    """How one page names others: in full where the library says its address, else from where the page is."""

    def __init__(self, shelf: Shelf, page: Page) -> None:
        self.start = shelf.url or root(page.address)
        self.index = "" if shelf.url else INDEX

    def of(self, address: str) -> str:
        return f"{self.start}{address}{self.index}"


def _head(shelf: Shelf, page: Page, title: str, site: str, things: Sequence[Thing]) -> Markup:
    lines = [*_links(shelf, page, title, site)]
    if things:
        graph = things[0] if len(things) == 1 else {"@graph": things}
        # Nothing in a title may end the block; in JSON this is the same letter.
        text = orjson.dumps({"@context": CONTEXT, **graph}).decode().replace("<", "\\u003c")
        lines.append(f'<script type="application/ld+json">{text}</script>')
    return Markup("\n".join(lines))


def _links(shelf: Shelf, page: Page, title: str, site: str) -> Iterator[str]:
    """A canonical address must be whole, so there is none where nobody said where the tree stands; so with pictures."""
    if shelf.url:
        yield f'<link rel="canonical" href="{escape(shelf.url + page.address)}">'
    said = {
        "og:type": "website" if page.role in ("library", "home") else "article",
        "og:site_name": site,
        "og:title": title,
        "og:description": page.description,
    }
    if shelf.url:
        said |= {"og:url": shelf.url + page.address, "og:image": f"{shelf.url}assets/icon-512.png"}
    for name, value in said.items():
        if value:
            yield f'<meta property="{name}" content="{escape(value)}">'
    # The rest of its card is taken from what stands above.
    yield '<meta name="twitter:card" content="summary">'


def _things(pack: Pack, page: Page, places: _Places) -> list[Thing]:
    game = pack.game
    book = _thing("Book", name=game.title, url=places.of(f"{game.id}/"))
    here = {"name": page.title, "url": places.of(page.address), "description": page.description}
    match page.role:
        case "home":
            return [_book(game, here)]
        case "kind":
            main = _thing("DefinedTermSet", **here, inLanguage=game.language, isPartOf=book, **_rights(game))
        case "entity":
            kind = pack.game.kinds[page.kind]
            whole = places.of(f"{game.id}/{kind.id}/")
            terms = _thing("DefinedTermSet", name=kind.plural, url=whole, isPartOf=book, license=_licence(game))
            main = _thing("DefinedTerm", **here, inDefinedTermSet=terms)
        case "chapter":
            main = _thing("Chapter", **here, inLanguage=game.language, isPartOf=book, **_rights(game))
        case _:
            main = _thing("WebPage", **here, inLanguage=game.language, isPartOf=book)
    return [main, _breadcrumbs([*page.breadcrumbs, Signpost(page.address, page.title)], places)]


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


def _breadcrumbs(way: Sequence[Signpost], places: _Places) -> Thing:
    steps = [
        _thing("ListItem", position=number, name=step.title, item=places.of(step.address))
        for number, step in enumerate(way, 1)
    ]
    return _thing("BreadcrumbList", itemListElement=steps)


def _thing(sort: str, **said: Any) -> Thing:
    """A thing with what is said of it; what is not said is left out."""
    return {"@type": sort, **{name: value for name, value in said.items() if value}}
