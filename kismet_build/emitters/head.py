"""The heads of pages: what many of them have in common is made once."""

from collections.abc import Sequence

from markupsafe import Markup

from kismet_build.emitters.page import Page
from kismet_build.emitters.template import macro
from kismet_build.game import Game


class Head:
    """The heads of pages of a game, or of none, that are so far below the root of the tree."""

    def __init__(self, up: str, language: str, game: Game | None) -> None:
        self.up = up
        self.html = macro("base", "html")(language, game, up)
        self.above_title: dict[str, Markup] = {}
        self.links: dict[Sequence[str], Markup] = {}

    def of(self, page: Page, title: str, about: Markup, scripts: tuple[str, ...]) -> Markup:
        """The head of a page, which loads these scripts, the first of them at once."""
        first, *others = scripts
        if scripts not in self.links:
            self.links[scripts] = macro("base", "links")(self.up, others)
        if first not in self.above_title:
            self.above_title[first] = macro("base", "above_title")(self.up, first)
        return macro("base", "head")(page, title, about, self.html, self.above_title[first], self.links[scripts])
