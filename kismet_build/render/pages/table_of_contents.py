"""The contents of a page as a tree, open as deep as there is room; what a section holds, to open it with."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kismet_build.model.nodes import Heading
from kismet_build.model.source import Span
from kismet_build.render.html.escape import quoted
from kismet_build.render.pages.page import Entry

LONG = 24
"""So many lines fit a screen. What stands below them is open only where the reader is."""
MANY = 4
"""A section with so many below it begins with their names."""


class Branch(NamedTuple):
    """A line of the contents, and the lines below it."""

    entry: Entry
    below: tuple["Branch", ...]


def tree(entries: Sequence[Entry]) -> tuple[Branch, ...]:
    """Lines in a row as branches: each line holds the deeper ones that follow it."""
    return tuple(_branches(entries))


def open_depth(branches: Sequence[Branch]) -> int:
    """How many levels stand open: as many as fit together, and at least one."""
    depth, shown, level = 0, 0, list(branches)
    while level and (depth == 0 or shown + len(level) <= LONG):
        depth, shown = depth + 1, shown + len(level)
        level = [below for branch in level for below in branch.below]
    return depth


def depth(branches: Sequence[Branch]) -> int:
    """How many levels there are."""
    return max((1 + depth(branch.below) for branch in branches), default=0)


def openings(branches: Sequence[Branch]) -> Mapping[str, tuple[Branch, ...]]:
    """The sections that have many below them, by their ids, with these."""
    found: dict[str, tuple[Branch, ...]] = {}
    for branch in branches:
        if len(branch.below) >= MANY:
            found[branch.entry.id] = branch.below
        found.update(openings(branch.below))
    return found


def contents_html(branches: Sequence[Branch]) -> str:
    """The list beside a text; nothing for a page without sections."""
    if not branches:
        return ""
    shown = open_depth(branches)
    folds = " folds" if depth(branches) > shown else ""
    return f"""<nav class="contents{folds}" id="_contents" aria-label="On this page">
<p class="drawer-head"><a href="#_text">On this page</a> <a class="to-all" href="#_navigation">Chapters</a> \
<a class="close" href="#_bar">Close</a></p>
{_list(branches, 1, shown)}</nav>
"""


def _list(branches: Sequence[Branch], level: int, shown: int) -> str:
    lines = ""
    for entry, below in branches:
        is_open = ' class="open" data-open' if below and level < shown else ""
        inside = f"\n{_list(below, level + 1, shown)}" if below else ""
        lines += f'<li{is_open}><a href="{entry.link}">{quoted(entry.title)}</a>{inside}</li>\n'
    return f"<ul>\n{lines}</ul>\n"


def _branches(entries: Sequence[Entry]) -> Iterator[Branch]:
    start = 0
    while start < len(entries):
        end = start + 1
        while end < len(entries) and entries[end].level > entries[start].level:
            end += 1
        yield Branch(entries[start], tree(entries[start + 1 : end]))
        start = end


def shown_levels(headings: Sequence[Heading]) -> Mapping[Span, int]:
    """The levels at which headings are shown: one `<h1>` a page, which is the title, and no level left out below it."""
    levels: dict[Span, int] = {}
    above: list[int] = []
    for heading in headings:
        while above and above[-1] >= heading.level:
            above.pop()
        above.append(heading.level)
        levels[heading.span] = 1 + len(above)
    return levels
