"""What stands around the articles of a game: the same for all pages that are so far below the root of the tree."""

from collections.abc import Sequence

from kismet_build.pack import Pack
from kismet_build.render.html.addresses import INDEX, Signpost
from kismet_build.render.html.escape import quoted
from kismet_build.render.html.templates import macro, template
from kismet_build.render.pages.board import boards
from kismet_build.render.pages.calculators import sheet_address, sheets
from kismet_build.render.pages.head import Head
from kismet_build.render.pages.navigation import Line
from kismet_build.render.pages.print import is_printable


class Around:
    """What stands around an article, as HTML."""

    def __init__(self, pack: Pack, up: str, lines: Sequence[Line]) -> None:
        game = pack.game
        self.up = up
        self.head = Head(up, game.language, game)
        self.breadcrumbs: dict[tuple[Signpost, ...], str] = {}

        def part(name: str, **more: object) -> str:
            return template(name).render(game=game, boards=boards(pack), up=up, index=INDEX, **more).strip("\n")

        self.bar = part("around_bar")
        self.colophon = part("around_colophon")
        self.bottom = part("around_bottom", has_contents=False)
        # On pages that have contents of their own.
        self.bottom_of_sections = part("around_bottom", has_contents=True)
        self.entries: dict[Line, str] = {}
        self.above_chapters = macro("navigation", "above_chapters")(game, up)
        self.below_chapters = macro("navigation", "below_chapters")(
            game,
            up,
            boards(pack),
            [(kind, len(pack.entities.get(kind.id, ()))) for kind in game.kinds.values()],
            [(calculator.title, sheet_address(calculator)) for calculator in sheets(pack)],
            is_printable(pack),
        )
        self.navigation = self.navigation_with(lines)
        self.navigations: dict[str, str] = {}

    def crumbs(self, breadcrumbs: tuple[Signpost, ...]) -> str:
        """The way down to a page, which is the same for all of a kind and all in a folder."""
        if breadcrumbs not in self.breadcrumbs:
            self.breadcrumbs[breadcrumbs] = str(macro("crumbs", "crumbs")(breadcrumbs, self.up))
        return self.breadcrumbs[breadcrumbs]

    def navigation_with(self, lines: Sequence[Line]) -> str:
        """The navigation with these lines as its chapters."""
        return f"{self.above_chapters}{self._list(lines)}{self.below_chapters}"

    def navigation_in(self, kind: str) -> str:
        """The navigation of all pages of entities of a kind, which is marked as the reader's place."""
        if kind not in self.navigations:
            self.navigations[kind] = self.marked(self.navigation, kind, "true")
        return self.navigations[kind]

    def marked(self, navigation: str, address: str, current: str) -> str:
        """A navigation with the reader's place marked."""
        link = f'href="{self.up}{address}{INDEX}"'
        return navigation.replace(link, f'{link} aria-current="{current}"')

    def _list(self, lines: Sequence[Line]) -> str:
        return f"<ul>\n{''.join(map(self._entry, lines))}</ul>\n"

    def _entry(self, line: Line) -> str:
        if line.below:
            return self._item(line, f"\n{self._list(line.below)}")
        # Neighbours have most of their lines in common.
        if line not in self.entries:
            self.entries[line] = self._item(line, "")
        return self.entries[line]

    def _item(self, line: Line, below: str) -> str:
        """A chapter or a folder, with what is shown of a folder that is open."""
        title = quoted(line.title)
        if line.number:
            title += f' <span class="number">{line.number}</span>'
        group = ' class="group"' if line.number else ""
        return f'<li{group}><a href="{self.up}{line.address}{INDEX}">{title}</a>{below}</li>\n'
