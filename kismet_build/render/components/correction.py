"""Corrections for readers: the words printed in the source, and those that replace them."""

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
    """The labels from the outermost field to the corrected one, or `Name`, `Title` or `Text`."""
    printed: str
    taken: str
    reason: str


def shown_corrections(pack: Pack, subject: Entity | Section) -> Iterator[ShownCorrection]:
    """The corrections of an entity or section."""
    for correction in pack.corrections_of(subject):
        rules = () if isinstance(subject, Section) else rules_at(pack.game.kinds[subject.kind], correction.field)
        yield ShownCorrection(
            field=": ".join(map(label, rules)) or correction.field.capitalize(),
            printed=with_minus(correction.printed),
            taken=with_minus(taken_text(pack, subject, correction)),
            reason=with_minus(correction.reason),
        )
