"""Cards: an entity as it is shown everywhere, at the head of its page, in a list, in a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kismet_build.emitters.effect_plate import EffectPlate, effect_plates
from kismet_build.emitters.field import field_html, is_figure, label, number_field, shown_fields
from kismet_build.emitters.page import INDEX, summary
from kismet_build.entity import Entity, Pack
from kismet_build.kind import Kind
from kismet_build.model import Table, plain_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Plate:
    """One field on a card."""

    label: str
    value: Markup
    number: bool
    """It is the one that cards of its kind set large."""
    figure: bool
    """It is a number, in a column of numbers."""
    empty: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An entity, ready for a template."""

    name: str
    href: str
    kind: Kind
    kind_href: str
    aliases: tuple[str, ...]
    plates: tuple[Plate, ...]
    """A plate for every field that the cards of its kind show, in the order of the schema."""
    effects: tuple[EffectPlate, ...]
    line: str
    """The first words of its text without its tables; empty where it is a row of one, which the plates show."""

    @property
    def number(self) -> Plate | None:
        """The plate that is set large."""
        return next((plate for plate in self.plates if plate.number), None)


def cards(pack: Pack, kind: Kind, up: str) -> tuple[Card, ...]:
    """The cards of all entities of a kind, with links that start with `up`."""
    entities = pack.entities.get(kind.id, ())
    rules = shown_fields(kind, entities)
    number = number_field(kind, entities)
    figures = {rule.name for rule in rules if is_figure(rule, entities)}

    def card(entity: Entity) -> Card:
        return Card(
            name=entity.name,
            href=f"{up}{entity.id}/{INDEX}",
            kind=kind,
            kind_href=f"{up}{pack.game.id}/{kind.id}/{INDEX}",
            aliases=entity.aliases,
            plates=tuple(
                Plate(
                    label=label(rule),
                    value=field_html(pack, entity, rule, up),
                    number=rule.name == number,
                    figure=rule.name in figures,
                    empty=entity.fields.get(rule.name) in (None, [], "", entity.name),
                )
                for rule in rules
            ),
            effects=effect_plates(pack, entity, up),
            line=summary(plain_text(*(block for block in entity.body if not isinstance(block, Table))), 150),
        )

    return tuple(map(card, entities))


def is_row(entity: Entity) -> bool:
    """Whether all that the book says of an entity is a row of a table."""
    return all(isinstance(block, Table) for block in entity.body)


def columns(listed: Sequence[Card]) -> tuple[Mapping[str, object], ...]:
    """The heads of the columns that a table of these cards has after the name."""
    return tuple({"label": plate.label, "figure": plate.figure} for plate in (listed[0].plates if listed else ()))
