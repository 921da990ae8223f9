"""Dice buttons: dice expressions in the text, tables whose rows are results of a roll, and codes that roll on them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from kismet_build.mechanics.dice.find import find_dice, may_contain_dice, with_english_dice
from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.mechanics.dice.tree import to_tree
from kismet_build.model import nodes
from kismet_build.model.book import Section
from kismet_build.model.language import ENGLISH, Language
from kismet_build.model.source import Span
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.html.escape import escaped, with_minus

ROLL_ATTRIBUTE = re.compile(r' data-(?:dice|roll|times)="([^"]+)"(?=[^<>]*>)')
"""An attribute with the notation of a dice button or roll table. All matches start the same way, for a fast search."""
WITHOUT_DICE = nodes.LEAVES | {nodes.DiceRoll, nodes.Heading, nodes.Link, nodes.Image}
"""Nodes in which dice expressions do not become buttons."""
WITH_MORE_INLINES = nodes.CHILD_GETTERS.keys() - {nodes.Callout}
"""Types of nodes with dice in inlines that are not among their children."""


def text_with_dice(text: str, has_next: bool = False, language: Language = ENGLISH) -> str:
    """Text as HTML, with each dice expression in a `<span class="dice">`. `has_next`: whether inlines follow.

    Dice expressions keep their spelling. In German, `W20` is a die too.
    """
    read = with_english_dice(text, language)
    if not may_contain_dice(read):
        return escaped(with_minus(text))
    html, end = "", 0
    for dice in find_dice(read, goes_on=has_next):
        html += escaped(with_minus(text[end : dice.start]))
        label = escaped(text[dice.start : dice.end])
        html += f'<span class="dice" data-dice="{escaped(dice.notation)}">{label}</span>'
        end = dice.end
    return html + escaped(with_minus(text[end:]))


def text_without_dice(text: str, _has_next: bool = False) -> str:
    """Text as HTML without dice buttons, for print."""
    return escaped(with_minus(text))


def dice_roll_attributes(roll: nodes.DiceRoll) -> str:
    """The attributes of the `<span>` of a dice code; empty unless it rolls dice."""
    return f' class="dice" data-dice="{escaped(roll.notation)}"' if roll.rolls == "dice" else ""


def roll_attributes(table: RollTable) -> str:
    """The attributes of a roll table: its dice, and any columns that are rolled separately."""
    parallel = f' data-parallel="{",".join(map(str, table.columns))}"' if table.is_parallel else ""
    return f' data-roll="{escaped(table.notation)}"{parallel}'


def results_attributes(table: RollTable, row: int) -> str:
    """The attributes of a table row: the results that select it and, if several columns have results, these columns."""
    if not table.rows[row]:
        return ""
    columns = ",".join(str(part.column) for part in table.rows[row]) if len(table.columns) > 1 else ""
    low, high = table.bounds(row)
    return f' data-low="{low}" data-high="{high}"' + (f' data-columns="{columns}"' if columns else "")


def has_rolls(article: str) -> bool:
    """Whether an article has anything to roll."""
    return ROLL_ATTRIBUTE.search(article) is not None


def dice_trees(notations: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Syntax trees of dice expressions, sorted by notation."""
    return {notation: dice_tree(notation) for notation in sorted({*notations})}


def dice_in(section: Section, language: Language) -> Iterator[tuple[str, Span]]:
    """The notation and span of each dice expression in a section.

    The first section of a document includes its properties.
    """
    for roll in nodes.walk(*section.anchor.chapter.document.properties) if not section.anchor.level else ():
        if isinstance(roll, nodes.DiceRoll) and roll.rolls == "dice":
            yield roll.notation, roll.span
    for node, has_next in _nodes_with_dice(section.blocks, language, []):
        if isinstance(node, nodes.DiceRoll):
            yield node.notation, node.span
            continue
        for dice in find_dice(with_english_dice(node.value, language), goes_on=has_next):
            yield dice.notation, _span(node, dice.start, dice.end)


@lru_cache(maxsize=1024)
def dice_tree(notation: str) -> dict[str, Any]:
    """The syntax tree of a dice expression, as JSON data."""
    return to_tree(parse(notation))


def _nodes_with_dice(
    siblings: Sequence[nodes.Node], language: Language, found: list[tuple[nodes.Text | nodes.DiceRoll, bool]]
) -> list[tuple[nodes.Text | nodes.DiceRoll, bool]]:
    """Append the nodes that may contain dice to `found`, each with whether inlines follow, and return `found`."""
    last = len(siblings) - 1
    for index, node in enumerate(siblings):
        if isinstance(node, nodes.Text):
            if may_contain_dice(with_english_dice(node.value, language)):
                found.append((node, index < last))
        elif isinstance(node, nodes.DiceRoll):
            if node.rolls == "dice":
                found.append((node, False))
        elif (node_type := type(node)) not in WITHOUT_DICE:
            inner = nodes.CHILD_GETTERS[node_type](node) if node_type in WITH_MORE_INLINES else node.children  # type: ignore[union-attr]
            _nodes_with_dice(inner, language, found)
    return found


def _span(text: nodes.Text, start: int, end: int) -> Span:
    """The span of a part of a text node, or of the entire node if the source spells it differently."""
    span = text.span
    return span.source.span(span.start + start, span.start + end) if span.text == text.value else span


def table_roll_attributes(pack: Pack, roll: nodes.DiceRoll) -> str:
    """The attributes of the `<span>` of a dice code that rolls on a table; empty if the code can only be a link.

    `data-rows` is a JSON list with a list for each row: its words, then the lowest and highest result of each range.
    """
    rolled = pack.rolled_rows(roll)
    if rolled is None or rolled.is_too_long or not rolled.rows:
        return ""
    data = orjson.dumps([[row.words, *row.ends] for row in rolled.rows]).decode()
    times = f' data-times="{escaped(roll.notation)}"' if roll.notation else ""
    return f' class="table-roll" data-dice="{escaped(rolled.notation)}"{times} data-rows="{escaped(data)}"'


class WrittenDice(NamedTuple):
    """A dice expression in the text of a document."""

    notation: str
    section: str
    """Slug of the section that contains the dice."""
    start: int
    end: int
    """`start` and `end` are offsets in the source."""


class Notations(NamedTuple):
    """The dice notations of one document."""

    written: tuple[WrittenDice, ...]
    """The dice in the document's text, with duplicates, section by section."""
    rolled: frozenset[str]
    """The notations that dice buttons and roll tables on the document's pages may have."""


@cached_in_pack
def dice_notations(pack: Pack, path: str) -> Notations:
    """The dice notations of the document at this path."""
    facts, chapter = pack.documents[path], pack.book.outlines[path].chapter
    language = pack.game.text_language
    written = tuple(
        WrittenDice(notation, section.slug, span.start, span.end)
        for section in pack.book.sections[chapter.source]
        for notation, span in dice_in(section, language)
    )
    rolled = {*(dice.notation for dice in written), *(table.notation for table in facts.roll_tables.values())}
    for roll in chapter.document.dice_rolls:
        if roll.rolls == "table" and (rows := pack.rolled_rows(roll)):
            rolled |= {rows.notation, roll.notation} - {""}
    for entity in facts.entities:
        rolled.update(_of_value(entity.fields, language))
    return Notations(written, frozenset(rolled))


def _of_value(value: Any, language: Language) -> Iterator[str]:
    match value:
        case str():
            read = with_english_dice(value, language)
            if may_contain_dice(read):
                yield from (dice.notation for dice in find_dice(read))
        case Mapping():
            for member in value.values():
                yield from _of_value(member, language)
        case list() | tuple():
            for item in value:
                yield from _of_value(item, language)
