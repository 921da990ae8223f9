"""Corrections as readers see them: the words that the source of a game prints, and those in their place."""

from collections.abc import Iterator
from typing import NamedTuple

from kismet_build.model.book import Section
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.entity_text import rules_at, taken_text
from kismet_build.render.components.field import label
from kismet_build.render.html.escape import with_minus


class ShownCorrection(NamedTuple):
    """A correction of an entity or section."""

    field: str
    """The label of the field, after those of the fields that it is a part of; or `Name`, `Title` and `Text`."""
    printed: str
    taken: str
    reason: str


def shown_corrections(pack: Pack, subject: Entity | Section) -> Iterator[ShownCorrection]:
    """The corrections of an entity or section, in the order of the data."""
    for correction in pack.corrections_of(subject):
        rules = () if isinstance(subject, Section) else rules_at(pack.game.kinds[subject.kind], correction.field)
        yield ShownCorrection(
            field=": ".join(map(label, rules)) or correction.field.capitalize(),
            printed=with_minus(correction.printed),
            taken=with_minus(taken_text(pack, subject, correction)),
            reason=with_minus(correction.reason),
        )
