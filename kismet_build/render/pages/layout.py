"""Page layout of a game: head, header, navigation, footer and provenance around each article."""

from collections.abc import Sequence
from urllib.parse import quote

from kismet_build.config.game import Game
from kismet_build.pack import Pack
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.escape import jinja_escaped
from kismet_build.render.html.templates import macro, template
from kismet_build.render.pages.board import boards
from kismet_build.render.pages.calculators import sheet_address, sheets
from kismet_build.render.pages.metadata import page_metadata
from kismet_build.render.pages.navigation import NavigationEntry, Navigator, folders
from kismet_build.render.pages.page import Page
from kismet_build.render.pages.page_scripts import scripts
from kismet_build.render.pages.print import is_printable
from kismet_build.render.pages.table_of_contents import contents_html, tree


class Layout:
    """Layout of all pages of a game."""

    def __init__(self, pack: Pack, navigator: Navigator | None = None) -> None:
        self._pack = pack
        self._navigator = navigator or Navigator(pack, folders(pack))
        self._chrome_by_root: dict[str, _Chrome] = {}

    def page_html(self, page: Page) -> str:
        """The whole HTML document of a page."""
        root = path_to_root(page.address)
        if root not in self._chrome_by_root:
            self._chrome_by_root[root] = _Chrome(self._pack, root, self._navigator.entries(""))
        chrome = self._chrome_by_root[root]
        game = self._pack.game
        parents = [breadcrumb.title for breadcrumb in reversed(page.breadcrumbs[1:])]
        title = " · ".join(dict.fromkeys(filter(None, (page.title, *parents, game.title))))
        metadata = page_metadata(self._pack, page, title)
        head = chrome.head.html(page, title, metadata, scripts(game.id, page.article))
        return _page_html(page, head, chrome, self._navigation(page, chrome))

    def _navigation(self, page: Page, chrome: "_Chrome") -> str:
        """The navigation of a page, with its own entry marked as current."""
        if page.role == "entity":
            return chrome.kind_navigation(page.breadcrumbs[-1].address)
        is_shared = not self._navigator.key(page.address)
        navigation = chrome.navigation if is_shared else chrome.navigation_html(self._navigator.entries(page.address))
        return chrome.mark_current(navigation, page.address, "page")


class Head:
    """Head elements of the pages at one URL depth, of one game or of the library (`game` is `None`)."""

    def __init__(self, root: str, language: str, game: Game | None) -> None:
        self._root = root
        self._html_tag = str(macro("base", "html")(language, game, root))
        self._above_title: dict[str, str] = {}
        self._links: dict[Sequence[str], str] = {}

    def html(self, page: Page, title: str, metadata: str, scripts: tuple[str, ...]) -> str:
        """Everything up to `</head>`; the first script loads asynchronously, the others are deferred.

        An f-string for speed: it runs once for each page (gain to be measured).
        """
        first, *deferred = scripts
        if scripts not in self._links:
            self._links[scripts] = str(macro("base", "links")(self._root, deferred))
        if first not in self._above_title:
            self._above_title[first] = str(macro("base", "above_title")(self._root, first))
        escaped_title = jinja_escaped(title)
        robots = '<meta name="robots" content="noindex">\n' if page.role == "print" else ""
        return f"""{self._html_tag} data-paper="{escaped_title}"{_source_attribute(page)}>
{self._above_title[first]}
<title>{escaped_title}</title>
<meta name="description" content="{jinja_escaped(page.description)}">
{robots}{metadata}
{self._links[scripts]}"""


class _Chrome:
    """Page chrome (header, navigation, footer) as HTML, cached per URL depth; links start with `root`."""

    def __init__(self, pack: Pack, root: str, entries: Sequence[NavigationEntry]) -> None:
        game = pack.game
        self.root = root
        self.head = Head(root, game.language, game)

        def render(name: str, **variables: object) -> str:
            return (
                template(name).render(game=game, boards=boards(pack), root=root, index=INDEX, **variables).strip("\n")
            )

        self.header = render("layout_header")
        self.footer = render("layout_footer")
        self.bottom_bar = render("layout_bottom_bar", has_contents=False)
        self.bottom_bar_with_contents = render("layout_bottom_bar", has_contents=True)
        self._above_chapters = macro("navigation", "above_chapters")(game, root)
        self._below_chapters = macro("navigation", "below_chapters")(
            game,
            root,
            boards(pack),
            [(kind, len(pack.entities.get(kind.id, ()))) for kind in game.kinds.values()],
            [(calculator.title, sheet_address(calculator)) for calculator in sheets(pack)],
            is_printable(pack),
        )
        self._breadcrumbs: dict[tuple[PageLink, ...], str] = {}
        self._entries: dict[NavigationEntry, str] = {}
        self._kind_navigations: dict[str, str] = {}
        self.navigation = self.navigation_html(entries)

    def breadcrumbs_html(self, breadcrumbs: tuple[PageLink, ...]) -> str:
        """The breadcrumbs of a page, cached: all pages of a kind or a folder share them."""
        if breadcrumbs not in self._breadcrumbs:
            self._breadcrumbs[breadcrumbs] = str(macro("breadcrumbs", "breadcrumbs")(breadcrumbs, self.root))
        return self._breadcrumbs[breadcrumbs]

    def navigation_html(self, entries: Sequence[NavigationEntry]) -> str:
        """The navigation with these chapters and folders."""
        return f"{self._above_chapters}{self._list(entries)}{self._below_chapters}"

    def kind_navigation(self, kind_address: str) -> str:
        """The navigation of the pages of entities, with their kind marked as current."""
        if kind_address not in self._kind_navigations:
            self._kind_navigations[kind_address] = self.mark_current(self.navigation, kind_address, "true")
        return self._kind_navigations[kind_address]

    def mark_current(self, navigation: str, address: str, current: str) -> str:
        """A navigation whose link to an address has the attribute `aria-current`."""
        link = f'href="{self.root}{address}{INDEX}"'
        return navigation.replace(link, f'{link} aria-current="{current}"')

    def _list(self, entries: Sequence[NavigationEntry]) -> str:
        return f"<ul>\n{''.join(map(self._entry, entries))}</ul>\n"

    def _entry(self, entry: NavigationEntry) -> str:
        if entry.children:
            return self._item(entry, f"\n{self._list(entry.children)}")
        # Cached because neighbouring pages share most of their entries.
        if entry not in self._entries:
            self._entries[entry] = self._item(entry, "")
        return self._entries[entry]

    def _item(self, entry: NavigationEntry, children: str) -> str:
        # An f-string for speed: a large book has thousands of entries (gain to be measured).
        title = jinja_escaped(entry.title)
        if entry.number:
            title += f' <span class="number">{entry.number}</span>'
        group = ' class="group"' if entry.number else ""
        return f'<li{group}><a href="{self.root}{entry.address}{INDEX}">{title}</a>{children}</li>\n'


def _page_html(page: Page, head: str, chrome: _Chrome, navigation: str) -> str:
    # An f-string for speed: it runs once for each page (gain to be measured).
    breadcrumbs = f"{chrome.breadcrumbs_html(page.breadcrumbs)}\n" if page.breadcrumbs else ""
    return f"""{head}
<body class="{page.role}{"" if page.contents else " wide"}">
<a class="skip" href="#_text">Skip to the text</a>
<div class="frame">
<div class="side">
{chrome.header}
{navigation}
</div>
<main id="_text">
{breadcrumbs}<article{" data-pagefind-body" if page.role in ("chapter", "entity") else ""}>
{page.article}
</article>
{provenance(page, chrome.root) if page.source or page.data else ""}{_pager_html(page, chrome.root)}</main>
{contents_html(tree(page.contents))}
{chrome.footer}
</div>
<a class="to-top" href="#"><span aria-hidden="true">↑</span> Back to top</a>
{chrome.bottom_bar_with_contents if page.contents else chrome.bottom_bar}
</body>
</html>
"""


def provenance(page: Page, root: str) -> str:
    """The list of an entity's id, the source lines and the data file of a page, as HTML; links start with `root`."""
    # An f-string for speed: it runs once for each page (gain to be measured).
    rows = ""
    if page.role == "entity":
        rows += f"<div><dt>Id</dt><dd><code>{page.address.rstrip('/')}</code></dd></div>\n"
    if page.source:
        sources = "; ".join(f"{jinja_escaped(lines.path)}, {lines.label}" for lines in page.source)
        rows += f"<div><dt>Source</dt><dd>{sources}</dd></div>\n"
    if page.data:
        label = "JSON of the whole game" if page.role == "chapter" else "JSON"
        rows += f'<div><dt>Data</dt><dd><a href="{root}{quote(page.data)}">{label}</a></dd></div>\n'
    return f'<dl class="source">\n{rows}</dl>\n'


def _pager_html(page: Page, root: str) -> str:
    """Links to the previous and the next page; empty if there is neither."""
    # An f-string for speed: it runs once for each page (gain to be measured).
    if not (page.previous or page.next):
        return ""
    links = _pager_link(root, page.previous, "prev", "Previous") + _pager_link(root, page.next, "next", "Next")
    return f'<nav class="turn" aria-label="Previous and next">\n{links}</nav>\n'


def _pager_link(root: str, target: PageLink | None, relation: str, label: str) -> str:
    if target is None:
        return ""
    href, title = f"{root}{target.address}{INDEX}", jinja_escaped(target.title)
    return f'<a rel="{relation}" href="{href}"><span>{label}</span> {title}</a>\n'


def _source_attribute(page: Page) -> str:
    """Attribute with the source lines of a page, for its printed footer; empty unless there is exactly one source."""
    if len(page.source) != 1:
        return ""
    (lines,) = page.source
    return f' data-source="{jinja_escaped(lines.path)}, {lines.label}"'
