"""The dice notations in a document's nodes and fields, which readers may roll on its pages."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kismet_build.mechanics.dice.find import find_dice, may_contain_dice, with_english_dice
from kismet_build.model.language import Language
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.html.dice_buttons import dice_in


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
