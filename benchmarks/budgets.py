"""Tables of what pages weigh and what Lighthouse says of them, beside the limits that the tests hold them to."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.table import Table

from benchmarks.host import Compressing, hosted
from benchmarks.lighthouse import LEAST, TRIES, scores
from benchmarks.npm import package
from benchmarks.weight import MOST_SCRIPTS, Weight, weights

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
JUDGED = ("home", "chapter", "entity", "calculators", "board")
"""The roles of pages that Lighthouse is asked about: the heaviest page of each."""


def budget_tables(folder: Path) -> Iterator[Table]:
    """The tables for a built tree; the second only where there are Lighthouse and a browser."""
    every = list(weights(folder))
    yield weight_table(every)
    program, browser = package("lighthouse"), next(filter(None, map(shutil.which, BROWSERS)), None)
    if program and browser:
        yield score_table(folder, [worst(every, role) for role in JUDGED], program, browser)


def weight_table(every: Iterable[Weight]) -> Table:
    """For each role the heaviest page, and the heaviest scripts of all."""
    every = list(every)
    table = Table(title="A first visit over the wire, compressed by gzip, in kB")
    table.add_column("page")
    for name in ("page", "style", "scripts", "all", "limit"):
        table.add_column(name, justify="right")
    table.add_column("heaviest")
    for role in sorted({one.role for one in every}):
        one = worst(every, role)
        parts = (one.page, one.style, one.scripts, one.whole)
        table.add_row(role, *map(kilobytes, parts), verdict(one.whole, one.limit), one.path)
    most = max(every, key=lambda one: one.scripts)
    scripts = kilobytes(most.scripts)
    table.add_row("scripts of any", "", "", scripts, "", verdict(most.scripts, MOST_SCRIPTS), most.path)
    return table


def score_table(folder: Path, judged: Iterable[Weight], program: Path, browser: str) -> Table:
    """The points of Lighthouse."""
    table = Table(title=f"Lighthouse, a phone on a slow line, the middle of {TRIES} runs, in points of 100")
    table.add_column("page")
    names = ("performance", "accessibility", "best-practices", "seo")
    for name in (*names, "limit"):
        table.add_column(name, justify="right")
    with hosted(folder, host=Compressing) as address:
        for one in judged:
            found = scores(program, browser, address + one.path)
            met = "met" if min(found.values()) >= LEAST else "MISSED"
            table.add_row(one.path, *(str(found[name]) for name in names), f"{LEAST} {met}")
    return table


def worst(every: Iterable[Weight], role: str) -> Weight:
    """The heaviest page of a role."""
    return max((one for one in every if one.role == role), key=lambda one: one.whole)


def kilobytes(count: int) -> str:
    """Bytes in kB with one decimal."""
    return f"{count / 1000:.1f}"


def verdict(count: int, limit: int) -> str:
    """A limit in kB, and whether it is kept."""
    return f"{limit // 1000} {'met' if count <= limit else 'MISSED'}"
