"""Page layout of a game: head with scripts and style sheets, header, navigation, footer and provenance."""

import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from kismet_build.config.design import bar_colours
from kismet_build.config.game import Game
from kismet_build.config.language.catalog import Catalog
from kismet_build.pack import Pack
from kismet_build.render.data.questions_json import question_count
from kismet_build.render.html.addresses import INDEX, calculator_address, emblem_address, path_to_root
from kismet_build.render.html.dice_buttons import has_rolls
from kismet_build.render.html.templates import macro, template
from kismet_build.render.pages.board import boards
from kismet_build.render.pages.calculators import sheets
from kismet_build.render.pages.metadata import page_metadata
from kismet_build.render.pages.navigation import NavigationEntry, Navigator, folders
from kismet_build.render.pages.page import Page, Role, contents_html, tree
from kismet_build.render.pages.print import is_printable, kinds_with_entities
from kismet_build.render.pages.situation import has_situation

STYLE_SHEET = "site.css"
"""The style sheet of all pages."""
SPECIAL_STYLES: Mapping[Role, str] = {
    "board": "board",
    "calculators": "filter",
    "kind": "filter",
    "pins": "board",
    "print": "print",
    "situation": "situation",
}
"""The name of the second style sheet of a game's pages, by their role."""

TABLE_START = '<div class="table'
FILTER_START = '<form hidden class="filter'
"""Start of the form that filters and sorts the table of a kind."""
CALCULATOR_LIST_START = '<form hidden class="calculator-filter'
SECTIONS_START = '<nav class="sections"'
"""Start of the table of contents of a split chapter."""
PINS_START = '<div id="_pins"'
"""Start of the boards of My table."""
PAGE_LISTS_START = '<div id="_lists"'
"""The element for the lists of pinned and recently read pages."""
PAGE_CALCULATOR = re.compile(r'<kismet-calculator class="at-table" [^>]*name="([^"]+)"')
"""Start of a calculator on its own page, where it runs as soon as the page opens. The group has the calculator's
name."""

SITUATION_START = '<div class="situation-sheet"'
"""Start of the form on the situation page."""


def style_sheets(role: Role, is_of_library: bool) -> tuple[str, ...]:
    """The style sheets of a page, in their order. `is_of_library`: whether the page belongs to no game."""
    special = "library" if is_of_library else SPECIAL_STYLES.get(role)
    return (STYLE_SHEET, f"{special}.css") if special else (STYLE_SHEET,)


def common_scripts(language: str) -> tuple[str, ...]:
    """The scripts of every page, in the order in which they run."""
    return ("settings.js", strings_file(language), "page.js", "search.js", "offline.js")


def strings_file(language: str) -> str:
    """The name of the file with the words for scripts in a language (a BCP 47 tag)."""
    return f"strings-{language.lower()}.js"


def calculator_script(game: str, slug: str) -> str:
    """The name of the file with the data of one calculator."""
    return f"{game}/calculator-{slug}.js"


def scripts(game: str, language: str, article: str, has_pins: bool = True) -> tuple[str, ...]:
    """The scripts of a page with this article, in the order in which they run.

    `has_pins`: whether the game has My table.
    """
    sections = ("sections.js",) if SECTIONS_START in article else ()
    # A calculator's own page runs it immediately, without table.js, and calculator.js loads link previews later.
    has_own_page = PAGE_CALCULATOR.search(article) is not None
    tables: tuple[str, ...] = ("table.js",) if TABLE_START in article and not has_own_page else ()
    tables += ("filter.js",) if FILTER_START in article else ()
    tables += ("calculators.js",) if CALCULATOR_LIST_START in article else ()
    cards = ("cards.js",) if "<a " in article and not has_own_page else ()
    boards: tuple[str, ...] = ("board.js",) if PAGE_LISTS_START in article else ()
    boards += ("my-table.js",) if PINS_START in article else ()
    shared = (*common_scripts(language), *(("pin.js",) if has_pins else ()))
    return (*shared, *sections, *cards, *tables, *boards, *_calculator_scripts(game, article))


def _calculator_scripts(game: str, article: str) -> tuple[str, ...]:
    rolls = (f"{game}-dice.js", "roll.js") if has_rolls(article) else ()
    if SITUATION_START in article:
        # situation-form.js loads the evaluator and the calculators of rolls once a reader touches the page.
        return ("situation.js", "situation-form.js", *rolls)
    if found := PAGE_CALCULATOR.search(article):
        return ("formula.js", "inputs.js", calculator_script(game, found[1]), "chart.js", "calculator.js", *rolls)
    # compute.js loads the evaluator and the game's data once a reader opens a calculator.
    return (*(("compute.js",) if "<kismet-calculator" in article else ()), *rolls)


class Layout:
    """Layout of all pages of a game."""

    def __init__(self, pack: Pack, navigator: Navigator | None = None) -> None:
        self._pack = pack
        self._navigator = navigator or Navigator(pack, folders(pack))
        self._chrome_by_root: dict[str, _Chrome] = {}

    def page_html(self, page: Page) -> str:
        root = path_to_root(page.address)
        if root not in self._chrome_by_root:
            self._chrome_by_root[root] = _Chrome(self._pack, root, self._navigator.entries(""))
        chrome = self._chrome_by_root[root]
        game = self._pack.game
        parents = [breadcrumb.title for breadcrumb in reversed(page.breadcrumbs[1:])]
        title = " · ".join(dict.fromkeys(filter(None, (page.title, *parents, game.title))))
        metadata = page_metadata(self._pack, page, title)
        head = chrome.head.html(
            page, title, metadata, scripts(game.id, game.language, page.article, not game.is_manual)
        )
        return macro("layout", "page", game.catalog)(
            page,
            head,
            chrome,
            macro("breadcrumbs", "breadcrumbs", game.catalog)(page.breadcrumbs, root, game.options.is_alone)
            if page.breadcrumbs
            else "",
            self._navigation(page, chrome),
            Markup(page.article),
            contents_html(tree(page.contents), game.catalog),
        )

    def _navigation(self, page: Page, chrome: "_Chrome") -> Markup:
        if page.role == "entity":
            return chrome.mark_current(chrome.navigation, page.breadcrumbs[-1].address, "true")
        address = page.chapter or page.address
        is_shared = not self._navigator.key(address)
        navigation = chrome.navigation if is_shared else chrome.navigation_html(self._navigator.entries(address))
        return chrome.mark_current(navigation, address, "true" if page.chapter else "page")


class Head:
    """Head elements of the pages at one URL depth, for a game, or for the library if `game` is `None`."""

    def __init__(self, root: str, language: str, catalog: Catalog, game: Game | None) -> None:
        self._root = root
        self._catalog = catalog
        self._html_tag = macro("base", "html", self._catalog)(language, game, root)
        self._bar = bar_colours(game.definition.face.accent if game else None)
        self._icon = catalog.design.icon or (emblem_address(game.id) if game else "assets/icon.svg")
        self._is_of_library = game is None

    def html(self, page: Page, title: str, metadata: str, scripts: tuple[str, ...]) -> Markup:
        """The start of a page up to `</head>`.

        The first script runs before the first paint; the others are deferred.
        """
        first, *deferred = scripts
        styles = style_sheets(page.role, self._is_of_library)
        links = macro("base", "links", self._catalog)(self._root, styles, deferred, self._icon)
        above_title = macro("base", "above_title", self._catalog)(self._root, first, self._bar)
        return macro("base", "head", self._catalog)(
            self._html_tag, above_title, links, page, title, Markup(metadata), self._root
        )


class _Chrome:
    """Page chrome (header, navigation, footer) as HTML, cached per URL depth; links start with `root`."""

    def __init__(self, pack: Pack, root: str, entries: Sequence[NavigationEntry]) -> None:
        game = pack.game
        self.root = root
        self.has_full_text = not pack.is_searched_whole
        self._catalog = game.catalog
        self.head = Head(root, game.language, game.catalog, game)

        kinds = kinds_with_entities(pack)

        def render(name: str, **variables: object) -> Markup:
            html = template(name, game.catalog).render(
                game=game,
                boards=boards(pack),
                kinds=kinds,
                questions=question_count(pack),
                root=root,
                index=INDEX,
                emblem=emblem_address(game.id),
                **variables,
            )
            return Markup(html.strip("\n"))

        self.header = render("layout_header")
        self.footer = render("layout_footer")
        self.bottom_bar = render("layout_bottom_bar", has_contents=False)
        self.bottom_bar_with_contents = render("layout_bottom_bar", has_contents=True)
        self._above_chapters = macro("navigation", "above_chapters", game.catalog)(game, root)
        self._below_chapters = macro("navigation", "below_chapters", game.catalog)(
            game,
            root,
            boards(pack),
            kinds,
            [(calculator.title, calculator_address(calculator)) for calculator in sheets(pack)],
            is_printable(pack),
            bool(pack.tags),
            bool(question_count(pack)),
            has_situation(game),
        )
        self._entries: dict[NavigationEntry, Markup] = {}
        self.navigation = self.navigation_html(entries)

    def navigation_html(self, entries: Sequence[NavigationEntry]) -> Markup:
        return self._above_chapters + self._list(entries) + self._below_chapters

    def mark_current(self, navigation: Markup, address: str, current: str) -> Markup:
        link = f'href="{self.root}{address}{INDEX}"'
        return Markup(str.replace(navigation, link, f'{link} aria-current="{current}"'))

    def _list(self, entries: Sequence[NavigationEntry]) -> Markup:
        return Markup(f"<ul>\n{''.join(map(self._entry, entries))}</ul>\n")

    def _entry(self, entry: NavigationEntry) -> Markup:
        render = macro("navigation", "entry", self._catalog)
        if entry.children:
            return render(entry, self.root, "\n" + self._list(entry.children))
        # Cached, because neighbouring pages share most of their entries.
        if entry not in self._entries:
            self._entries[entry] = render(entry, self.root, "")
        return self._entries[entry]


def provenance(page: Page, root: str, catalog: Catalog) -> str:
    """Collapsed provenance of a page as HTML, such as source lines and a data file; links start with `root`."""
    return str(macro("layout", "provenance", catalog)(page, root))
