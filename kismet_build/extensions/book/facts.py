"""Content that a PDF and an EPUB share: the properties of a note, and the groups of calculators."""

from collections.abc import Iterator, Mapping, Sequence

from kismet_build.config.game import Game
from kismet_build.config.kind import FieldRule
from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.titles import subject_title
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import infobox_fields
from kismet_build.render.components.field import is_empty


def property_fields(pack: Pack, entity: Entity) -> Iterator[FieldRule]:
    """The infobox fields whose values are in the front matter of an entity's note."""
    blocks = pack.book.outlines[entity.span.source.path].chapter.document.blocks
    start = blocks[0].span.start if blocks else len(entity.span.source.text)
    for rule in infobox_fields(pack)[entity.kind]:
        span = entity.field_spans.get(rule.name)
        if span is not None and span.start < span.end <= start and not is_empty(entity.fields.get(rule.name), entity):
            yield rule


def calculator_groups(game: Game) -> Mapping[str, Sequence[Calculator]]:
    """The calculators that are not sheets, by the title of their group."""
    groups: dict[str, list[Calculator]] = {}
    for calculator in game.calculators.values():
        if not calculator.sheet:
            groups.setdefault(subject_title(calculator.group), []).append(calculator)
    return groups
