"""The scripts and style sheets that a page loads."""

import re
from collections.abc import Mapping

from kismet_build.render.html.dice_buttons import has_rolls
from kismet_build.render.pages.page import Role

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
