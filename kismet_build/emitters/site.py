"""Publish packs as a website: the frame around every page, the library above the games, the assets."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from kismet_build.emitters.about import about_library, about_page
from kismet_build.emitters.board_pages import boards
from kismet_build.emitters.calculator_pages import sheet_address, sheets
from kismet_build.emitters.contents import depth, open_depth, tree
from kismet_build.emitters.folders import Line, Navigator, folders
from kismet_build.emitters.lean import lean
from kismet_build.emitters.library_pages import Published, library_pages
from kismet_build.emitters.name_index import emit_names
from kismet_build.emitters.page import INDEX, Page, root
from kismet_build.emitters.pages import pages_of_calculators, pages_of_text
from kismet_build.emitters.print_pages import is_printable
from kismet_build.emitters.redirects import emit_redirects
from kismet_build.emitters.scripts import EVERYWHERE, script_data, scripts
from kismet_build.emitters.template import SITE, template
from kismet_build.entity import Pack
from kismet_build.shelf import Shelf

STYLE = "site.css"
"""The style sheet of every page."""

Files = Iterator[tuple[str, bytes]]


def emit_site(pack: Pack) -> Files:
    """The pages that show the text of a game, and what their scripts know of it."""
    shown = pages_of_text(pack)
    yield from script_data(pack, shown)
    yield from _frames(pack, shown)
    yield from emit_redirects(pack, shown)
    yield from emit_names(pack)


def emit_calculators(pack: Pack) -> Files:
    """The pages that are made of calculators. Nothing rolls on them: what they know of dice is in their formulas."""
    yield from _frames(pack, pages_of_calculators(pack))


def _frames(pack: Pack, shown: Sequence[Page]) -> Files:
    # What most pages share differs only by the way up to the root: one rendering for each depth.
    navigation: dict[tuple[str, str], str] = {}
    navigator = Navigator(pack, folders(pack))
    for page in shown:
        up = root(page.address)
        key = (up, navigator.key(page.address))
        if key not in navigation:
            navigation[key] = _navigation(pack, up, navigator.lines(key[1]))
        yield page.address + INDEX, _framed(pack, page, up, navigation[key]).encode()


def emit_library(packs: Sequence[Published], shelf: Shelf) -> Files:
    """The pages of all games, and the files that every page uses."""
    languages = {pack["game"]["language"] for pack in packs}
    for page in library_pages(packs):
        framed = template("library").render(
            page=page,
            article=Markup(page.article),
            title=page.title,
            description=page.description,
            language=min(languages) if len(languages) == 1 else "en",
            up=root(page.address),
            index=INDEX,
            game=None,
            scripts=EVERYWHERE,
            about=about_library(packs, shelf, page),
        )
        yield page.address + INDEX, framed.encode()
    for file in sorted((SITE / "assets").iterdir()):
        content = lean(file.name, file.read_bytes())
        yield f"assets/{file.name}", content + _accents(packs) if file.name == STYLE else content


def _accents(packs: Sequence[Published]) -> bytes:
    """The colours that games chose. They are in the one style sheet, because a second would hold up every page."""
    rules = ""
    for game in sorted((pack["game"] for pack in packs), key=lambda game: game["id"]):
        if accent := game["accent"]:
            rules += f'[data-game="{game["id"]}"] {{ --light: {accent["light"]}; --dark: {accent["dark"]}; }}\n'
    return rules.encode()


def _navigation(pack: Pack, up: str, lines: Sequence[Line]) -> str:
    kinds = [(kind, len(pack.entities.get(kind.id, ()))) for kind in pack.game.kinds.values()]
    return template("navigation").render(
        game=pack.game,
        lines=lines,
        kinds=kinds,
        boards=boards(pack),
        printable=is_printable(pack),
        sheets=[(calculator.title, sheet_address(calculator)) for calculator in sheets(pack)],
        up=up,
        index=INDEX,
    )


def _contents(page: Page) -> str:
    """The list beside a text; nothing for a page without sections."""
    branches = tree(page.contents)
    if not branches:
        return ""
    return template("contents").render(branches=branches, depth=depth(branches), open_depth=open_depth(branches))


def _framed(pack: Pack, page: Page, up: str, navigation: str) -> str:
    game = pack.game
    above = [crumb.title for crumb in reversed(page.breadcrumbs[1:])]
    here = page.breadcrumbs[-1].address if page.role == "entity" else page.address
    link = f'href="{up}{here}{INDEX}"'
    current = "true" if page.role == "entity" else "page"
    title = " · ".join(dict.fromkeys(filter(None, (page.title, *above, game.title))))
    return template("frame").render(
        page=page,
        article=Markup(page.article),
        navigation=Markup(navigation.replace(link, f'{link} aria-current="{current}"')),
        contents=Markup(_contents(page)),
        boards=boards(pack),
        game=game,
        scripts=scripts(game.id, page.article),
        title=title,
        about=about_page(pack, page, title),
        description=page.description,
        language=game.language,
        up=up,
        index=INDEX,
    )
