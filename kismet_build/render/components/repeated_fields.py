"""Leave out lines of a text that repeat the infobox: bold labels and inline fields."""

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from kismet_build.model.nodes import (
    Block,
    DiceRoll,
    Emphasis,
    HardBreak,
    Inline,
    Link,
    Paragraph,
    SoftBreak,
    Strong,
    Text,
    ThematicBreak,
    plain_text,
    walk,
)
from kismet_build.model.text_normalization import normalize
from kismet_build.render.components.card import Card

TAG = re.compile(r"<[^>]*>")
WORD = re.compile(r"\w+|\+")
"""A word or a plus sign. Infoboxes show `+2` as 2, so a line with `+2` does not repeat anything."""
TEXT_OF_NUMBER = " (text)"
"""Suffix of a found field's label if it has the printed text and another field has the number."""
INFOBOX_NODES = (DiceRoll, Emphasis, Link, Strong, Text)
"""Inlines that an infobox can show."""

Words = tuple[str, ...]


def without_repeated_fields(blocks: Sequence[Block], card: Card) -> tuple[Block, ...]:
    """The blocks of an entity, without paragraphs whose lines are all in its infobox, and the rules after them."""
    shown = {
        (*words_of(badge.label.removesuffix(TEXT_OF_NUMBER)), *words_of(text_of(badge.value))): badge.value
        for badge in card.badges
    }
    kept: list[Block] = []
    follows_repeated = False
    for block in blocks:
        follows_repeated = _is_repeated(block, shown) or (follows_repeated and isinstance(block, ThematicBreak))
        if not follows_repeated:
            kept.append(block)
    return tuple(kept)


def words_of(text: str) -> Words:
    """The normalized words of a text."""
    return tuple(WORD.findall(normalize(text)))


def text_of(html: Markup) -> str:
    """The words of some HTML, with a space in place of each tag."""
    return Markup(TAG.sub(" ", html)).unescape()


def _is_repeated(block: Block, shown: dict[Words, Markup]) -> bool:
    if not isinstance(block, Paragraph) or block.block_id:
        return False
    fields = tuple(_fields(block.children))
    return bool(fields) and all(_is_shown(field, shown) for field in fields)


def _is_shown(field: Sequence[Inline], shown: dict[Words, Markup]) -> bool:
    words = plain_text(*field)
    if not isinstance(field[0], Strong) and "::" not in words:
        return False
    value = shown.get(words_of(words))
    nodes = [*walk(*field)]
    if value is None or not all(isinstance(node, INFOBOX_NODES) for node in nodes):
        return False
    return "<a " in value or not any(isinstance(node, Link) for node in nodes)


def _fields(inlines: Sequence[Inline]) -> Iterator[list[Inline]]:
    """The lines of a paragraph; a line with several bold labels is split into parts."""
    field: list[Inline] = []
    for inline in inlines:
        is_break = isinstance(inline, HardBreak | SoftBreak)
        begins = isinstance(inline, Strong) and bool(field) and isinstance(field[0], Strong)
        if field and (is_break or begins):
            yield field
            field = []
        if not is_break:
            field.append(inline)
    if field:
        yield field
