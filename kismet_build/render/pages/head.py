"""The heads of pages: what many of them have in common is made once."""

from collections.abc import Sequence

from kismet_build.config.game import Game
from kismet_build.render.html.escape import quoted
from kismet_build.render.html.templates import macro
from kismet_build.render.pages.page import Page


class Head:
    """The heads of pages of a game, or of none, that are so far below the root of the tree."""

    def __init__(self, up: str, language: str, game: Game | None) -> None:
        self.up = up
        self.html = str(macro("base", "html")(language, game, up))
        self.above_title: dict[str, str] = {}
        self.links: dict[Sequence[str], str] = {}

    def of(self, page: Page, title: str, about: str, scripts: tuple[str, ...]) -> str:
        """The head of a page, which loads these scripts, the first of them at once."""
        first, *others = scripts
        if scripts not in self.links:
            self.links[scripts] = str(macro("base", "links")(self.up, others))
        if first not in self.above_title:
            self.above_title[first] = str(macro("base", "above_title")(self.up, first))
        named = quoted(title)
        robots = '<meta name="robots" content="noindex">\n' if page.role == "print" else ""
        return f"""{self.html} data-paper="{named}"{_source(page)}>
{self.above_title[first]}
<title>{named}</title>
<meta name="description" content="{quoted(page.description)}">
{robots}{about}
{self.links[scripts]}"""


def _source(page: Page) -> str:
    """Where the words of a page stand, for paper; nothing where that is not one place."""
    if len(page.source) != 1:
        return ""
    (part,) = page.source
    return f' data-source="{quoted(part.path)}, {part.words}"'
