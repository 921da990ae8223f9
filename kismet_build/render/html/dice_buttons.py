"""Dice buttons: dice expressions in the text, and tables whose rows are the results of a roll."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import unescape
from typing import Any

from kismet_build.mechanics.dice.find import find_dice, may_contain_dice
from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.roll_table import RollTable, detect_roll_table
from kismet_build.mechanics.dice.tree import to_tree
from kismet_build.model.book import Section
from kismet_build.model.nodes import CHILD_GETTERS, LEAVES, Callout, Heading, Image, Link, Node, Table, Text, plain_text
from kismet_build.model.source import Span
from kismet_build.render.html.escape import escaped
from kismet_build.render.html.tables import cell_text

ROLL_ATTRIBUTE = re.compile(r'<(?:span class="dice" data-dice|table(?: class="\w+")? data-roll)="([^"]+)"')

WITHOUT_DICE = LEAVES | {Heading, Link, Image}
"""Nodes in which dice expressions are not buttons."""
WITH_MORE_INLINES = CHILD_GETTERS.keys() - {Callout}
"""Nodes that have inlines with dice besides their children."""


def text_with_dice(text: str, has_next: bool = False) -> str:
    """Text as HTML, with each dice expression in a `<span class="dice">`; `has_next` says whether inlines follow."""
    if not may_contain_dice(text):
        return escaped(text)
    html, end = "", 0
    for dice in find_dice(text, goes_on=has_next):
        html += escaped(text[end : dice.start])
        label = escaped(text[dice.start : dice.end])
        html += f'<span class="dice" data-dice="{escaped(dice.notation)}">{label}</span>'
        end = dice.end
    return html + escaped(text[end:])


def roll_table_of(table: Table) -> RollTable | None:
    """How to roll on a table; `None` if its first column does not hold the results of a roll."""
    first_column = tuple(cell_text(row.cells[0]) for row in table.rows if row.cells)
    return _roll_table(plain_text(table.header.cells[0]), first_column) if table.header.cells else None


@lru_cache(maxsize=256)
def _roll_table(header: str, cells: tuple[str, ...]) -> RollTable | None:
    # Cached because many tables have the same results, and the possible totals of dice are slow to compute.
    return detect_roll_table(header, cells)


def has_rolls(article: str) -> bool:
    """Whether an article has anything to roll."""
    return ROLL_ATTRIBUTE.search(article) is not None


def rolled_notations(html: str) -> Iterator[str]:
    """The notation of each dice button and roll table in the HTML of a page."""
    return map(unescape, ROLL_ATTRIBUTE.findall(html))


def dice_trees(notations: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Syntax trees of dice expressions by notation, sorted."""
    return {notation: dice_tree(notation) for notation in sorted({*notations})}


def dice_in(section: Section) -> Iterator[tuple[str, Span]]:
    """The notation and span of each dice expression in the text of a section."""
    for text, has_next in _texts(section.blocks, []):
        for dice in find_dice(text.value, goes_on=has_next):
            yield dice.notation, _span(text, dice.start, dice.end)


@lru_cache(maxsize=1024)
def dice_tree(notation: str) -> dict[str, Any]:
    """The syntax tree of a dice expression, as JSON data."""
    return to_tree(parse(notation))


def _texts(nodes: Sequence[Node], texts: list[tuple[Text, bool]]) -> list[tuple[Text, bool]]:
    """Append the text nodes that may hold dice to `texts`, each with whether inlines follow, and return `texts`."""
    last = len(nodes) - 1
    for index, node in enumerate(nodes):
        node_type = type(node)
        if node_type is Text:
            if may_contain_dice(node.value):  # type: ignore[union-attr]
                texts.append((node, index < last))  # type: ignore[arg-type]
        elif node_type not in WITHOUT_DICE:
            _texts(CHILD_GETTERS[node_type](node) if node_type in WITH_MORE_INLINES else node.children, texts)  # type: ignore[union-attr]
    return texts


def _span(text: Text, start: int, end: int) -> Span:
    """The span of a part of a text node; that of the whole node if the source spells it differently."""
    span = text.span
    return span.source.span(span.start + start, span.start + end) if span.text == text.value else span
