"""Leave out blocks that repeat the infobox: lines, lists and tables of fields."""

import re
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from kismet_build.model import nodes
from kismet_build.model.text_normalization import normalize
from kismet_build.render.components.card import Card

TAG = re.compile(r"<[^>]*>")
WORD = re.compile(r"\w+|\+")
"""A word or a plus sign. Infoboxes show `+2` as 2, so a line with `+2` does not repeat anything."""
INFOBOX_NODES = (nodes.DiceRoll, nodes.Emphasis, nodes.Link, nodes.Strong, nodes.Text)
"""Inlines that an infobox can show."""

Words = tuple[str, ...]


def without_repeated_fields(blocks: Sequence[nodes.Block], card: Card) -> tuple[nodes.Block, ...]:
    """The blocks of an entity that its infobox does not fully repeat.

    A thematic break after a repeated block is dropped as well.
    """
    shown = {(*words_of(badge.label), *words_of(text_of(badge.value))): badge.value for badge in card.badges}
    kept: list[nodes.Block] = []
    follows_repeated = False
    for block in blocks:
        follows_repeated = _is_repeated(block, shown) or (follows_repeated and isinstance(block, nodes.ThematicBreak))
        if not follows_repeated:
            kept.append(block)
    return tuple(kept)


def words_of(text: str) -> Words:
    """The words of a text, normalized."""
    return tuple(WORD.findall(normalize(text)))


def text_of(html: Markup) -> str:
    """The words of HTML, with a space in place of each tag."""
    return Markup(TAG.sub(" ", html)).unescape()


def _is_repeated(block: nodes.Block, shown: dict[Words, Markup]) -> bool:
    """Whether an infobox shows all of a block: lines of fields, also in a list or quote, or a table of fields."""
    if getattr(block, "block_id", ""):
        return False
    match block:
        case nodes.Paragraph(children=inlines):
            fields = tuple(_fields(inlines))
            return bool(fields) and all(_begins_field(field) and _is_shown(field, shown) for field in fields)
        case nodes.List() | nodes.ListItem() | nodes.BlockQuote():
            parts = nodes.children(block)
            return bool(parts) and all(_is_repeated(part, shown) for part in parts)  # type: ignore[arg-type]
        case nodes.Table(header=header, rows=rows, caption=()):
            in_columns = [row.cells for row in (header, *rows)] if len(header.cells) == 2 else []
            in_rows = [*zip(header.cells, rows[0].cells, strict=True)] if len(rows) == 1 else []
            return any(pairs and _are_shown(pairs, shown) for pairs in (in_columns, in_rows))
        case nodes.DefinitionList(items=items):
            return bool(items) and all(_is_shown((*item.term, *item.children), shown) for item in items)
        case _:
            return False


def _are_shown(pairs: Iterable[Sequence[nodes.Cell]], shown: dict[Words, Markup]) -> bool:
    filled = [pair for pair in pairs if nodes.plain_text(*pair[1].children).strip()]
    return bool(filled) and all(_is_shown(pair, shown) for pair in filled)


def _begins_field(field: Sequence[nodes.Inline]) -> bool:
    return isinstance(field[0], nodes.Strong | nodes.Emphasis) or "::" in nodes.plain_text(*field)


def _is_shown(field: Sequence[nodes.Node], shown: dict[Words, Markup]) -> bool:
    value = shown.get(words_of(" ".join(nodes.plain_text(node) for node in field)))
    inner = [node for node in nodes.walk(*field) if not isinstance(node, nodes.Cell | nodes.Paragraph)]
    if value is None or not all(isinstance(node, INFOBOX_NODES) for node in inner):
        return False
    return "<a " in value or not any(isinstance(node, nodes.Link) for node in inner)


def _fields(inlines: Sequence[nodes.Inline]) -> Iterator[list[nodes.Inline]]:
    """The lines of a paragraph; a line with several labels in bold or italics is split before each."""
    field: list[nodes.Inline] = []
    for inline in inlines:
        is_break = isinstance(inline, nodes.HardBreak | nodes.SoftBreak)
        begins = isinstance(inline, nodes.Strong | nodes.Emphasis) and bool(field) and type(field[0]) is type(inline)
        if field and (is_break or begins):
            yield field
            field = []
        if not is_break:
            field.append(inline)
    if field:
        yield field
