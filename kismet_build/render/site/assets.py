"""Publish packs as a website: the frame around every page, the library above the games, the assets."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from kismet_build.config.library import LibraryConfig
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.html.addresses import INDEX, root
from kismet_build.render.html.templates import SITE, template
from kismet_build.render.pages.head import Head
from kismet_build.render.pages.library import library_pages
from kismet_build.render.pages.metadata import about_library
from kismet_build.render.pages.page_scripts import EVERYWHERE
from kismet_build.render.site.lean import lean

STYLE = "site.css"
"""The style sheet of every page."""

Files = Iterator[tuple[str, bytes]]


def emit_library(packs: Sequence[Listing], library_config: LibraryConfig) -> Files:
    """The pages of all games, and the files that every page uses."""
    languages = {pack["game"]["language"] for pack in packs}
    for page in library_pages(packs):
        up = root(page.address)
        head = Head(up, min(languages) if len(languages) == 1 else "en", None)
        framed = template("library").render(
            page=page,
            article=Markup(page.article),
            head=Markup(head.of(page, page.title, about_library(packs, library_config, page), EVERYWHERE)),
            up=up,
            index=INDEX,
        )
        yield page.address + INDEX, framed.encode()
    for file in sorted(file for file in (SITE / "assets").rglob("*") if file.is_file()):
        content = lean(file.name, file.read_bytes())
        yield file.relative_to(SITE).as_posix(), content + _accents(packs) if file.name == STYLE else content


def _accents(packs: Sequence[Listing]) -> bytes:
    """The colours that games chose. They are in the one style sheet, because a second would hold up every page."""
    rules = ""
    for game in sorted((pack["game"] for pack in packs), key=lambda game: game["id"]):
        if accent := game["accent"]:
            rules += f'[data-game="{game["id"]}"] {{ --light: {accent["light"]}; --dark: {accent["dark"]}; }}\n'
    return rules.encode()
