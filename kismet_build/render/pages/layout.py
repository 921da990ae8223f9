"""The frame around the pages of a game: a head, the ways through the game beside the text, and what is below it."""

from kismet_build.pack import Pack
from kismet_build.render.html.addresses import root
from kismet_build.render.pages.around import Around
from kismet_build.render.pages.metadata import about_page
from kismet_build.render.pages.navigation import Navigator, folders
from kismet_build.render.pages.page import Page
from kismet_build.render.pages.page_html import page_html
from kismet_build.render.pages.page_scripts import scripts
from kismet_build.render.pages.table_of_contents import contents_html, tree


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
        return page_html(
            page,
            around.head.of(page, title, about_page(self.pack, page, title), scripts(game.id, page.article)),
            around,
            self._navigation(page, around),
            contents_html(tree(page.contents)),
        )

    def _around(self, up: str) -> Around:
        if up not in self.by_depth:
            self.by_depth[up] = Around(self.pack, up, self.navigator.lines(""))
        return self.by_depth[up]

    def _navigation(self, page: Page, around: Around) -> str:
        """The navigation beside a page, the place of the reader marked."""
        if page.role == "entity":
            return around.navigation_in(page.breadcrumbs[-1].address)
        is_shared = not self.navigator.key(page.address)
        whole = around.navigation if is_shared else around.navigation_with(self.navigator.lines(page.address))
        return around.marked(whole, page.address, "page")
