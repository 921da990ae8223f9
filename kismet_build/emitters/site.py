"""Publish packs as a website: the frame around every page, the library above the games, the assets."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from kismet_build.emitters.calculator_pages import sheet_address, sheets
from kismet_build.emitters.page import INDEX, Page, root
from kismet_build.emitters.pages import library_page, pages_of_calculators, pages_of_text
from kismet_build.emitters.scripts import script_data, scripts
from kismet_build.emitters.template import SITE, template
from kismet_build.entity import Pack

Files = Iterator[tuple[str, bytes]]


def emit_site(pack: Pack) -> Files:
    """The pages that show the text of a game, what their scripts know of it, its colours."""
    game = pack.game
    if game.accent:
        light, dark = game.accent
        style = f":root {{ --fate: {light}; }}\n@media (prefers-color-scheme: dark) {{ :root {{ --fate: {dark}; }} }}\n"
        yield f"assets/{game.id}.css", style.encode()
    shown = pages_of_text(pack)
    if game.calculators or any(scripts(game.id, page.article) for page in shown):
        yield f"assets/{game.id}-data.js", script_data(pack, shown)
    yield from _frames(pack, shown)


def emit_calculators(pack: Pack) -> Files:
    """The pages that are made of calculators. Nothing rolls on them: what they know of dice is in their formulas."""
    yield from _frames(pack, pages_of_calculators(pack))


def _frames(pack: Pack, shown: Sequence[Page]) -> Files:
    # What all pages share differs only by the way up to the root: one rendering for each depth.
    navigation: dict[str, str] = {}
    for page in shown:
        up = root(page.address)
        if up not in navigation:
            navigation[up] = _navigation(pack, up)
        yield page.address + INDEX, _framed(pack, page, up, navigation[up]).encode()


def emit_library(packs: Sequence[Pack]) -> Files:
    """The page of all games, and the files that every page uses."""
    page = library_page(packs)
    languages = {pack.game.language for pack in packs}
    library = template("library").render(
        article=Markup(page.article),
        title=page.title,
        description=page.description,
        language=languages.pop() if len(languages) == 1 else "en",
        up=root(page.address),
        scripts=(),
    )
    yield page.address + INDEX, library.encode()
    for file in sorted((SITE / "assets").iterdir()):
        yield f"assets/{file.name}", file.read_bytes()


def _navigation(pack: Pack, up: str) -> str:
    kinds = [(kind, len(pack.entities.get(kind.id, ()))) for kind in pack.game.kinds.values()]
    return template("navigation").render(
        game=pack.game,
        chapters=pack.book.chapters,
        kinds=kinds,
        sheets=[(calculator.title, sheet_address(calculator)) for calculator in sheets(pack)],
        up=up,
        index=INDEX,
    )


def _framed(pack: Pack, page: Page, up: str, navigation: str) -> str:
    game = pack.game
    above = page.breadcrumbs[-1].title if page.role == "entity" else ""
    here = page.breadcrumbs[-1].address if page.role == "entity" else page.address
    link = f'href="{up}{here}{INDEX}"'
    current = "true" if page.role == "entity" else "page"
    return template("frame").render(
        page=page,
        article=Markup(page.article),
        navigation=Markup(navigation.replace(link, f'{link} aria-current="{current}"')),
        game=game,
        scripts=scripts(game.id, page.article),
        title=" · ".join(dict.fromkeys(filter(None, (page.title, above, game.title)))),
        description=page.description,
        language=game.language,
        up=up,
        index=INDEX,
    )
