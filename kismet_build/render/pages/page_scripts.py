"""The scripts that a page loads."""

import re

from kismet_build.render.html.dice_buttons import has_rolls

TABLE_START = '<div class="table'
FILTER_START = '<form hidden class="filter'
"""Start of the form that filters and sorts the table of a kind."""
CALCULATOR_FILTER_START = '<form hidden class="calculator-filter'
SECTIONS_START = '<nav class="sections"'
"""Start of the table of contents of a split chapter."""
PINS_START = '<div id="_pins"'
"""Start of the boards of My table."""
PAGE_LISTS_START = '<div id="_lists"'
"""Place for the lists of pinned and recently read pages."""

SHEET_CALCULATOR = re.compile(r'<kismet-calculator class="at-table" [^>]*name="([^"]+)"')
"""Start of the calculator on a sheet's page, which runs when the page opens; the group is its name."""

SITUATION_START = '<div class="situation-sheet"'
"""Start of the form on the situation page."""


def common_scripts(language: str) -> tuple[str, ...]:
    """Scripts of every page, in the order in which they run. Each is small and loads further code on demand."""
    return ("settings.js", strings_file(language), "page.js", "search.js", "offline.js")


def strings_file(language: str) -> str:
    """The name of the file with the words for scripts in a language (a BCP 47 tag)."""
    return f"strings-{language.lower()}.js"


def scripts(game: str, language: str, article: str, has_pins: bool = True) -> tuple[str, ...]:
    """The scripts of a page with this article, in the order in which they run. `has_pins`: the game has My table."""
    sections = ("sections.js",) if SECTIONS_START in article else ()
    # A sheet runs its calculator when it opens, and calculator.js loads link previews later. Sheets need no table.js.
    is_sheet = SHEET_CALCULATOR.search(article) is not None
    tables: tuple[str, ...] = ("table.js",) if TABLE_START in article and not is_sheet else ()
    tables += ("filter.js",) if FILTER_START in article else ()
    tables += ("calculator-filter.js",) if CALCULATOR_FILTER_START in article else ()
    cards = ("cards.js",) if "<a " in article and not is_sheet else ()
    boards: tuple[str, ...] = ("board.js",) if PAGE_LISTS_START in article else ()
    boards += ("my-table.js",) if PINS_START in article else ()
    shared = (*common_scripts(language), *(("pin.js",) if has_pins else ()))
    return (*shared, *sections, *cards, *tables, *boards, *_calculator_scripts(game, article))


def _calculator_scripts(game: str, article: str) -> tuple[str, ...]:
    """The scripts for calculators and dice; empty if the article has neither."""
    rolls = (f"{game}-dice.js", "roll.js") if has_rolls(article) else ()
    if SITUATION_START in article:
        # situation-form.js loads the evaluator and the rolls' calculators when a reader touches the page.
        return ("situation.js", "situation-form.js", *rolls)
    if sheet := SHEET_CALCULATOR.search(article):
        return ("formula.js", "inputs.js", f"{game}/sheet-{sheet[1]}.js", "chart.js", "calculator.js", *rolls)
    # compute.js loads the evaluator and the game's data when a reader opens a calculator.
    return (*(("compute.js",) if "<kismet-calculator" in article else ()), *rolls)
