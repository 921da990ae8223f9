"""What can be rolled on a page: dice among its words, and tables that a roll picks a row of."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import unescape
from typing import Any

from kismet_build.mechanics.dice.find import find, may_hold_dice
from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.roll_table import RollTable, roll_table
from kismet_build.mechanics.dice.tree import to_tree
from kismet_build.model.book import Section
from kismet_build.model.nodes import LEAVES, MORE, Callout, Heading, Image, Link, Node, Table, Text, plain_text
from kismet_build.model.source import Span
from kismet_build.render.html.escape import escaped
from kismet_build.render.html.tables import cell_words

MARKED = re.compile(r'<(?:span class="dice" data-dice|table(?: class="\w+")? data-roll)="([^"]+)"')

SILENT = LEAVES | {Heading, Link, Image}
"""Nodes without words that roll."""
TITLED = MORE.keys() - {Callout}
"""Nodes with words that roll beside their children."""


def words_with_dice(text: str, goes_on: bool = False) -> str:
    """Words as HTML, every dice expression in a span of its own, which a script can roll."""
    if not may_hold_dice(text):
        return escaped(text)
    html, place = "", 0
    for found in find(text, goes_on=goes_on):
        shown = escaped(text[found.start : found.end])
        html += escaped(text[place : found.start])
        html += f'<span class="dice" data-dice="{escaped(found.notation)}">{shown}</span>'
        place = found.end
    return html + escaped(text[place:])


def rolled_on(table: Table) -> RollTable | None:
    """How to roll on a table, or `None` where nobody would."""
    first = tuple(cell_words(row.cells[0]) for row in table.rows if row.cells)
    return _roll_table(plain_text(table.header.cells[0]), first) if table.header.cells else None


@lru_cache(maxsize=256)
def _roll_table(header: str, cells: tuple[str, ...]) -> RollTable | None:
    # Many tables have the same results, and it takes long to work out what their dice can show.
    return roll_table(header, cells)


def has_rolls(article: str) -> bool:
    """Whether there is anything to roll on a page."""
    return MARKED.search(article) is not None


def dice_on(page: str) -> Iterator[str]:
    """The notation of every expression that is to be rolled on a page."""
    return map(unescape, MARKED.findall(page))


def dice_trees(notations: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The trees of expressions by their notations, in alphabetical order."""
    return {notation: dice_tree(notation) for notation in sorted({*notations})}


def dice_in(section: Section) -> Iterator[tuple[str, Span]]:
    """Every dice expression among the words of a section: its notation and its place."""
    for text, goes_on in _texts(section.blocks, []):
        for found in find(text.value, goes_on=goes_on):
            yield found.notation, _place(text, found.start, found.end)


@lru_cache(maxsize=1024)
def dice_tree(notation: str) -> dict[str, Any]:
    """The tree of an expression as data."""
    return to_tree(parse(notation))


def _texts(nodes: Sequence[Node], found: list[tuple[Text, bool]]) -> list[tuple[Text, bool]]:
    """The words of nodes that may roll, and whether others follow in the same run; none of links and titles."""
    last = len(nodes) - 1
    for place, node in enumerate(nodes):
        kind = type(node)
        if kind is Text:
            if may_hold_dice(node.value):  # type: ignore[union-attr]
                found.append((node, place < last))  # type: ignore[arg-type]
        elif kind not in SILENT:
            _texts(MORE[kind](node) if kind in TITLED else node.children, found)  # type: ignore[union-attr]
    return found


def _place(text: Text, start: int, end: int) -> Span:
    """A part of a text in its source; all of it where the source spells it in another way."""
    span = text.span
    return span.source.span(span.start + start, span.start + end) if span.text == text.value else span
