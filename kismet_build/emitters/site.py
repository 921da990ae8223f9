"""Publish packs as a website: the frame around every page, the library above the games, the assets."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
from kismet_build.emitters.print_pages import is_printable
from kismet_build.emitters.redirects import emit_redirects
from kismet_build.emitters.scripts import EVERYWHERE, script_data, scripts
from kismet_build.emitters.template import SITE, template
from kismet_build.entity import Pack
from kismet_build.shelf import Shelf

STYLE = "site.css"
"""The style sheet of every page."""

Files = Iterator[tuple[str, bytes]]


def emit_pages(pages: Callable[[Pack], Sequence[Page]], pack: Pack) -> Files:
    """Some pages of a game, in their frames."""
    yield from framed(pack, pages(pack), Navigator(pack, folders(pack)))


def emit_of_pages(pack: Pack, pages: Mapping[str, bytes]) -> Files:
    """What follows from all pages of a game, by their paths: data of scripts, ways from other names, what is found."""
    yield from script_data(pack, (page.decode() for page in pages.values()))
    yield from emit_redirects(pack, {path.removesuffix(INDEX) for path in pages})
    yield from emit_names(pack)


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around an article, as HTML: the same for pages at one depth that show the same of the chapters."""

    bar: Markup
    navigation: Markup
    colophon: Markup
    bottom: Markup
    bottom_of_sections: Markup
    """On pages that have contents of their own."""


def framed(pack: Pack, shown: Iterable[Page], navigator: Navigator) -> Files:
    """Some pages of a game, in their frames."""
    made: dict[tuple[str, str], Around] = {}
    for page in shown:
        up = root(page.address)
        key = (up, navigator.key(page.address))
        if key not in made:
            made[key] = _around(pack, up, navigator.lines(key[1]))
        yield page.address + INDEX, _framed(pack, page, up, made[key]).encode()


def emit_library(packs: Sequence[Published], shelf: Shelf) -> Files:
    """The pages of all games, and the files that every page uses."""
    languages = {pack["game"]["language"] for pack in packs}
    for page in library_pages(packs):
        whole = template("library").render(
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
        yield page.address + INDEX, whole.encode()
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


def _around(pack: Pack, up: str, lines: Sequence[Line]) -> Around:
    kinds = [(kind, len(pack.entities.get(kind.id, ()))) for kind in pack.game.kinds.values()]

    def part(name: str, **more: object) -> Markup:
        whole = template(name).render(game=pack.game, boards=boards(pack), up=up, index=INDEX, **more)
        return Markup(whole.strip("\n"))

    return Around(
        bar=part("around_bar"),
        navigation=part(
            "navigation",
            lines=lines,
            kinds=kinds,
            printable=is_printable(pack),
            sheets=[(calculator.title, sheet_address(calculator)) for calculator in sheets(pack)],
        ),
        colophon=part("around_colophon"),
        bottom=part("around_bottom", has_contents=False),
        bottom_of_sections=part("around_bottom", has_contents=True),
    )


def _contents(page: Page) -> str:
    """The list beside a text; nothing for a page without sections."""
    branches = tree(page.contents)
    if not branches:
        return ""
    return template("contents").render(branches=branches, depth=depth(branches), open_depth=open_depth(branches))


def _framed(pack: Pack, page: Page, up: str, around: Around) -> str:
    game = pack.game
    above = [crumb.title for crumb in reversed(page.breadcrumbs[1:])]
    here = page.breadcrumbs[-1].address if page.role == "entity" else page.address
    link = f'href="{up}{here}{INDEX}"'
    current = "true" if page.role == "entity" else "page"
    title = " · ".join(dict.fromkeys(filter(None, (page.title, *above, game.title))))
    return template("frame").render(
        page=page,
        article=Markup(page.article),
        around=replace(around, navigation=around.navigation.replace(link, Markup(f'{link} aria-current="{current}"'))),
        contents=Markup(_contents(page)),
        game=game,
        scripts=scripts(game.id, page.article),
        title=title,
        about=about_page(pack, page, title),
        description=page.description,
        language=game.language,
        up=up,
        index=INDEX,
    )
