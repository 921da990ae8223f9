"""The scripts that a page runs."""

import re

from kismet_build.render.html.dice_buttons import has_rolls

EVERYWHERE = ("settings.js", "page.js", "search.js", "offline.js")
"""What every page loads, late and in this order; each is small, and fetches what it needs when it is asked for it."""

TABLE = '<div class="table'
"""How a table begins, which can be copied."""
FILTER = '<form hidden class="filter'
"""What is above a table that is filtered and sorted."""

SHEET = re.compile(r'<kismet-calculator class="at-table" [^>]*name="([^"]+)"')
"""How a calculator begins that has a page for itself, and runs at once."""


def scripts(game: str, article: str) -> tuple[str, ...]:
    """The scripts of a page in the order in which they run."""
    tables: tuple[str, ...] = ("table.js",) if TABLE in article else ()
    tables += ("filter.js",) if FILTER in article else ()
    cards = ("cards.js",) if "<a " in article else ()
    return (*EVERYWHERE, *cards, *tables, *_own(game, article))


def _own(game: str, article: str) -> tuple[str, ...]:
    """The scripts that what stands on a page needs; none where it holds nothing that rolls or computes."""
    rolls = ("odds.js", f"{game}-dice.js", "roll.js") if has_rolls(article) else ()
    if sheet := SHEET.search(article):
        return ("formula.js", f"{game}/sheet-{sheet[1]}.js", "chart.js", "calculator.js", *rolls)
    # What computes, and what it has to know of a game, is fetched by compute.js for those who open a calculator.
    return (*(("compute.js",) if "<kismet-calculator" in article else ()), *rolls)
