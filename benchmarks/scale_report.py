"""Tables of how a build grows: one for each size of library, and one of what was promised."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.process import Cost, Memory

OURS = "kismet"
SMALL, LARGE = 1_000, 10_000
"""The numbers of pages that the limits speak of."""


@dataclass(slots=True)
class Measured:
    """What was found of one program at one number of pages."""

    pages: int
    fresh: list[Cost] = field(default_factory=list)
    """From nothing."""
    again: list[Cost] = field(default_factory=list)
    """The same once more, nothing changed."""
    with_search: list[Cost] = field(default_factory=list)
    memory: Memory | None = None
    edits: list[float] = field(default_factory=list)
    """From a file that is saved to its page that is written, in seconds."""
    no_edits: str = ""
    """Why there are none."""
    files: int = 0
    """How many HTML pages it wrote."""
    failed: str = ""


Found = dict[tuple[str, int], Measured]
"""By program and number of pages."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table before it is known how it will be printed."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


COLUMNS = ("program", "seconds", "best", "kismet = 1", "busy", "MB", "at most", "again", "edit", "pages")
MEANING = (
    "seconds: from nothing, the median; best: the shortest run; busy: processors, on the average; "
    "MB: the most memory that all processes used together, what they share counted once; "
    "at most: the same with each process counted whole, at its peak until then; "
    "again: seconds, nothing changed; edit: seconds from saving one page to its HTML, while served; "
    "pages: HTML files that it writes"
)


def size_sheet(pages: int, found: Found) -> Sheet:
    """Everything that was found with one library."""
    ours = middle(found[OURS, pages].fresh)
    rows = [_row(name, one, ours) for (name, size), one in found.items() if size == pages]
    return Sheet(f"{pages:,} pages", COLUMNS, rows)


def _row(name: str, one: Measured, ours: float | None) -> tuple[str, ...]:
    fresh = middle(one.fresh)
    if fresh is None:
        return (name, "failed", *[""] * (len(COLUMNS) - 2))
    return (
        name,
        in_seconds(fresh),
        in_seconds(min(cost.seconds for cost in one.fresh)),
        f"{fresh / ours:.2f}" if ours else "",
        f"{processors(one.fresh):.1f}",
        f"{one.memory.together / 1e6:.0f}" if one.memory else "",
        f"{one.memory.bound / 1e6:.0f}" if one.memory else "",
        in_seconds(middle(one.again)),
        in_seconds(median(one.edits)) if one.edits else "",
        f"{one.files:,}",
    )


def limit_sheet(found: Found, games: Sequence[Cost]) -> Sheet:
    """What was promised, and whether it is so."""
    return Sheet("Limits", ("what", "found", "limit", ""), [*_limits(found, games)])


def _limits(found: Found, games: Sequence[Cost]) -> Iterator[tuple[str, str, str, str]]:
    sizes = {pages: one for (name, pages), one in found.items() if name == OURS}
    small, large = sizes.get(SMALL), sizes.get(LARGE)
    if small and (fresh := middle(small.fresh)):
        if hugo := _peer_middle(found, "Hugo"):
            yield _limit(f"from nothing, {SMALL:,} pages, Hugo = 1", fresh / hugo, 1.5)
        if mkdocs := _peer_middle(found, "MkDocs"):
            faster = mkdocs / fresh
            verdict = "met" if faster >= 15 else "MISSED"
            yield f"times as fast as MkDocs with Material, {SMALL:,} pages", f"{faster:.1f}", "at least 15", verdict
    for pages, one in sizes.items():
        if one.fresh:
            used, most = processors(one.fresh), min(2, os.cpu_count() or 1)
            verdict = "met" if used >= 0.75 * most else "MISSED"
            yield f"processors in use, {pages:,} pages", f"{used:.1f}", f"{0.75 * most:.1f} of {most}", verdict
    if small and large and (few := middle(small.fresh)) and (many := middle(large.fresh)):
        yield _limit(f"time for each page, {LARGE:,} pages to {SMALL:,}", many / LARGE / (few / SMALL), 1.10)
    if large and large.memory:
        yield _limit(f"memory, {LARGE:,} pages (MB)", large.memory.together / 1e6, 600)
    for pages, least, most_edit in ((SMALL, 0.3, 0.08), (LARGE, 1.0, 0.2)):
        at = sizes.get(pages)
        if at and (again := middle(at.again)):
            yield _limit(f"nothing changed, {pages:,} pages (s)", again, least)
        if at and at.edits:
            yield _limit(f"one page edited, {pages:,} pages (s)", median(at.edits), most_edit)
        elif at:
            yield f"one page edited, {pages:,} pages (s)", at.no_edits or "failed", f"under {most_edit:g}", ""
    if fresh := middle(games):
        yield _limit("the four games from nothing (s)", fresh, 1.5)
    for pages, measured in sizes.items():
        if (without := middle(measured.fresh)) and (whole := middle(measured.with_search)):
            yield (
                f"the index of words, {pages:,} pages (s)",
                in_seconds(whole - without),
                "measured apart",
                "",
            )


def _limit(what: str, value: float, most: float) -> tuple[str, str, str, str]:
    return what, f"{value:.3g}", f"under {most:g}", "met" if value < most else "MISSED"


def _peer_middle(found: Mapping[tuple[str, int], Measured], name: str) -> float | None:
    every = [one for (peer, pages), one in found.items() if peer.startswith(name) and pages == SMALL]
    return middle(every[0].fresh) if every else None


def middle(costs: Sequence[Cost]) -> float | None:
    """The median of some runs, in seconds on the clock."""
    return median(cost.seconds for cost in costs) if costs else None


def processors(costs: Sequence[Cost]) -> float:
    """How many processors were busy on the average."""
    return sum(cost.processor for cost in costs) / sum(cost.seconds for cost in costs)


def in_seconds(seconds: float | None) -> str:
    """Seconds with as many digits as mean something."""
    return "" if seconds is None else f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}"


def show(sheets: Sequence[Sheet], notes: Sequence[str], *, markdown: bool) -> None:
    """Print what was found, for a terminal or for the README."""
    if markdown:
        for sheet in sheets:
            rule = ["---", *["---:"] * (len(sheet.columns) - 1)]
            print(
                "\n".join([f"**{sheet.title}**\n", *map(in_markdown, (sheet.columns, rule, *sheet.rows))]), end="\n\n"
            )
        print("\n".join(f"- {one}" for one in notes))
        return
    # Where nobody looks, as in a log, a table is as wide as it wants.
    console = Console(highlight=False, width=None if Console().is_terminal else 120)
    for sheet in sheets:
        table = Table(title=sheet.title)
        for number, column in enumerate(sheet.columns):
            table.add_column(column, justify="right" if number else "left", overflow="fold")
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)
    for one in notes:
        console.print(one)


def notes_on(found: Found, absent: Mapping[str, str], *, has_search_apart: bool) -> Iterator[str]:
    """What the tables do not say: what their columns mean, and what was not measured and why."""
    yield MEANING
    yield from (f"{name}: {reason}" for name, reason in absent.items())
    for (name, pages), one in found.items():
        if one.failed:
            yield f"{name}, {pages:,} pages: failed: {one.failed}"
        elif one.no_edits:
            yield f"{name}, {pages:,} pages: no edits: {one.no_edits}"
    if not has_search_apart:
        yield "kismet makes its index of words in these times: it has no --no-search"


def in_markdown(cells: Sequence[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
