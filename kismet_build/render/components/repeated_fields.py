"""Leave out blocks that repeat the infobox: lines, lists and tables of fields."""

import re
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from kismet_build.model.nodes import (
    Block,
    BlockQuote,
    Cell,
    DefinitionList,
    DiceRoll,
    Emphasis,
    HardBreak,
    Inline,
    Link,
    List,
    ListItem,
    Node,
    Paragraph,
    SoftBreak,
    Strong,
    Table,
    Text,
    ThematicBreak,
    children,
    plain_text,
    walk,
)
from kismet_build.model.text_normalization import normalize
from kismet_build.render.components.card import Card

TAG = re.compile(r"<[^>]*>")
WORD = re.compile(r"\w+|\+")
"""A word or a plus sign. Infoboxes show `+2` as 2, so a line with `+2` does not repeat anything."""
INFOBOX_NODES = (DiceRoll, Emphasis, Link, Strong, Text)
"""Inlines that an infobox can show."""

Words = tuple[str, ...]


def without_repeated_fields(blocks: Sequence[Block], card: Card) -> tuple[Block, ...]:
    """The blocks of an entity that its infobox does not fully repeat.

    A thematic break after a repeated block is dropped as well.
    """
    shown = {(*words_of(badge.label), *words_of(text_of(badge.value))): badge.value for badge in card.badges}
    kept: list[Block] = []
    follows_repeated = False
    for block in blocks:
        follows_repeated = _is_repeated(block, shown) or (follows_repeated and isinstance(block, ThematicBreak))
        if not follows_repeated:
            kept.append(block)
    return tuple(kept)


def words_of(text: str) -> Words:
    """The words of a text, normalized."""
    return tuple(WORD.findall(normalize(text)))


def text_of(html: Markup) -> str:
    """The words of HTML, with a space in place of each tag."""
    return Markup(TAG.sub(" ", html)).unescape()


def _is_repeated(block: Block, shown: dict[Words, Markup]) -> bool:
    """Whether an infobox shows all of a block: lines of fields, also in a list or quote, or a table of fields."""
    if getattr(block, "block_id", ""):
        return False
    match block:
        case Paragraph(children=inlines):
            fields = tuple(_fields(inlines))
            return bool(fields) and all(_begins_field(field) and _is_shown(field, shown) for field in fields)
        case List() | ListItem() | BlockQuote():
            parts = children(block)
            return bool(parts) and all(_is_repeated(part, shown) for part in parts)  # type: ignore[arg-type]
        case Table(header=header, rows=rows, caption=()):
            in_columns = [row.cells for row in (header, *rows)] if len(header.cells) == 2 else []
            in_rows = [*zip(header.cells, rows[0].cells, strict=True)] if len(rows) == 1 else []
            return any(pairs and _are_shown(pairs, shown) for pairs in (in_columns, in_rows))
        case DefinitionList(items=items):
            return bool(items) and all(_is_shown((*item.term, *item.children), shown) for item in items)
        case _:
            return False


def _are_shown(pairs: Iterable[Sequence[Cell]], shown: dict[Words, Markup]) -> bool:
    filled = [pair for pair in pairs if plain_text(*pair[1].children).strip()]
    return bool(filled) and all(_is_shown(pair, shown) for pair in filled)


def _begins_field(field: Sequence[Inline]) -> bool:
    return isinstance(field[0], Strong | Emphasis) or "::" in plain_text(*field)


def _is_shown(field: Sequence[Node], shown: dict[Words, Markup]) -> bool:
    value = shown.get(words_of(" ".join(plain_text(node) for node in field)))
    nodes = [node for node in walk(*field) if not isinstance(node, Cell | Paragraph)]
    if value is None or not all(isinstance(node, INFOBOX_NODES) for node in nodes):
        return False
    return "<a " in value or not any(isinstance(node, Link) for node in nodes)


def _fields(inlines: Sequence[Inline]) -> Iterator[list[Inline]]:
    """The lines of a paragraph; a line with several labels in bold or italics is split before each."""
    field: list[Inline] = []
    for inline in inlines:
        is_break = isinstance(inline, HardBreak | SoftBreak)
        begins = isinstance(inline, Strong | Emphasis) and bool(field) and type(field[0]) is type(inline)
        if field and (is_break or begins):
            yield field
            field = []
        if not is_break:
            field.append(inline)
    if field:
        yield field
