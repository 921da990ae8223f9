"""The frame around the pages of a game: a head, the ways through the game beside the text, and what is below it."""

from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup

from kismet_build.emitters.about import about_page
from kismet_build.emitters.board_pages import boards
from kismet_build.emitters.calculator_pages import sheet_address, sheets
from kismet_build.emitters.contents import depth, open_depth, tree
from kismet_build.emitters.folders import Line, Navigator, folders
from kismet_build.emitters.head import Head
from kismet_build.emitters.page import INDEX, Page, Signpost, root
from kismet_build.emitters.print_pages import is_printable
from kismet_build.emitters.scripts import scripts
from kismet_build.emitters.template import macro, template
from kismet_build.entity import Pack


@lru_cache(maxsize=2)
def frame_of(pack: Pack) -> "Frame":
    """The frame of a game."""
    return Frame(pack)


class Around:
    """What stands around an article, as HTML: the same for all pages that are so far below the root of the tree."""

    def __init__(self, pack: Pack, up: str, lines: Sequence[Line]) -> None:
        game = pack.game
        self.up = up
        self.head = Head(up, game.language, game)
        self.breadcrumbs: dict[tuple[Signpost, ...], Markup] = {}

        def part(name: str, **more: object) -> Markup:
            whole = template(name).render(game=game, boards=boards(pack), up=up, index=INDEX, **more)
            return Markup(whole.strip("\n"))

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

    def crumbs(self, breadcrumbs: tuple[Signpost, ...]) -> Markup:
        """The way down to a page, which is the same for all of a kind and all in a folder."""
        if breadcrumbs not in self.breadcrumbs:
            self.breadcrumbs[breadcrumbs] = macro("frame", "crumbs")(breadcrumbs, self.up)
        return self.breadcrumbs[breadcrumbs]

    def navigation_with(self, lines: Sequence[Line]) -> str:
        """The navigation with these lines as its chapters."""
        return f"{self.above_chapters}{self._list(lines)}{self.below_chapters}"

    def _list(self, lines: Sequence[Line]) -> str:
        return f"<ul>\n{''.join(map(self._entry, lines))}</ul>\n"

    def _entry(self, line: Line) -> str:
        entry = macro("navigation", "entry")
        if line.below:
            return entry(line, self.up, Markup(self._list(line.below)))
        # Neighbours have most of their lines in common.
        if line not in self.entries:
            self.entries[line] = entry(line, self.up)
        return self.entries[line]


class Frame:
    """The frame of a game: what many pages share is made once."""

    def __init__(self, pack: Pack, navigator: Navigator | None = None) -> None:
        self.pack = pack
        self.navigator = navigator or Navigator(pack, folders(pack))
        self.by_depth: dict[str, Around] = {}

    def framed(self, page: Page) -> str:
        """A page in its frame."""
        around = self._around(root(page.address))
        game = self.pack.game
        above = [crumb.title for crumb in reversed(page.breadcrumbs[1:])]
        title = " · ".join(dict.fromkeys(filter(None, (page.title, *above, game.title))))
        return macro("frame", "frame")(
            page,
            around.head.of(page, title, about_page(self.pack, page, title), scripts(game.id, page.article)),
            around,
            self._navigation(page, around),
            _contents(page),
        )

    def _around(self, up: str) -> Around:
        if up not in self.by_depth:
            self.by_depth[up] = Around(self.pack, up, self.navigator.lines(""))
        return self.by_depth[up]

    def _navigation(self, page: Page, around: Around) -> str:
        """The navigation beside a page, the place of the reader marked."""
        is_shared = not self.navigator.key(page.address)
        whole = around.navigation if is_shared else around.navigation_with(self.navigator.lines(page.address))
        here = page.breadcrumbs[-1].address if page.role == "entity" else page.address
        link = f'href="{around.up}{here}{INDEX}"'
        current = "true" if page.role == "entity" else "page"
        return whole.replace(link, f'{link} aria-current="{current}"')


def _contents(page: Page) -> str:
    """The list beside a text; nothing for a page without sections."""
    branches = tree(page.contents)
    if not branches:
        return ""
    return macro("contents", "contents")(branches, depth(branches), open_depth(branches))
