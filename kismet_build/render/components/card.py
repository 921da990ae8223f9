"""Cards: an entity as it is shown everywhere, at the head of its page, in a list, in a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup

from kismet_build.config.kind import Kind
from kismet_build.model.nodes import Table, plain_text
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.citation_link import Why
from kismet_build.render.components.effect_badge import EffectBadge, effect_badges
from kismet_build.render.components.field import (
    column_html,
    columns_of,
    field_html,
    is_figure,
    label,
    number_field,
    shown_fields,
)
from kismet_build.render.html.addresses import INDEX, Signpost
from kismet_build.render.html.escape import quoted
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import macro, ornament

WIDE = 60
"""Characters from which on a value is set over the whole width of a card."""


class Badge(NamedTuple):
    """One field on a card."""

    label: str
    value: Markup
    number: bool
    """It is the one that cards of its kind set large."""
    empty: bool
    group: str = ""
    """The label of the field that it is a part of."""
    figure: bool = False
    """It is a number, in a column of numbers."""

    @property
    def is_wide(self) -> bool:
        """Whether it needs the whole width of a card: it has parts, or is long."""
        return 'class="parts' in self.value or self.is_long

    @property
    def is_long(self) -> bool:
        """Whether its words are."""
        # Without its tags it is no longer than with them, and taking them off takes a while.
        return len(self.value) > WIDE and len(self.value.striptags()) > WIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An entity, ready for a template."""

    name: str
    href: str
    kind: Kind
    kind_href: str
    aliases: tuple[str, ...]
    badges: tuple[Badge, ...]
    """A plate for every field that the cards of its kind show, in the order of the schema."""
    effects: tuple[EffectBadge, ...]
    line: str
    """The first words of its text without its tables; empty where it is a row of one, which the plates show."""

    @property
    def number(self) -> Badge | None:
        """The plate that is set large."""
        return next((plate for plate in self.badges if plate.number), None)

    @property
    def filled(self) -> list[Badge]:
        """The other plates that have something on them."""
        return [plate for plate in self.badges if not plate.empty and not plate.number]


def cards(pack: Pack, kind: Kind, up: str) -> tuple[Card, ...]:
    """The cards of all entities of a kind as they are listed, a plate for each column; links start with `up`."""
    entities = pack.entities.get(kind.id, ())
    columns = columns_of(shown_fields(kind, entities), entities)
    number = number_field(kind, entities)
    known = [(column, column.label, column.group, is_figure(column, entities)) for column in columns]

    def badges(entity: Entity) -> tuple[Badge, ...]:
        return tuple(
            Badge(
                label=words,
                group=group,
                value=column_html(pack, entity, column, up),
                number=column.rule.name == number and not group,
                figure=figure,
                empty=_is_empty(entity, column.of(entity)),
            )
            for column, words, group, figure in known
        )

    return tuple(_card(pack, kind, entity, up, badges(entity)) for entity in entities)


def infoboxes(pack: Pack, kind: Kind, up: str) -> tuple[Card, ...]:
    """The large cards of all entities of a kind; links start with `up`."""
    large = InfoboxRenderer(pack, kind)
    return tuple(large.of(entity, up) for entity in pack.entities.get(kind.id, ()))


class InfoboxRenderer:
    """The cards of a kind as they stand at the head of the pages of its entities, a plate for each field, whole."""

    def __init__(self, pack: Pack, kind: Kind) -> None:
        entities = pack.entities.get(kind.id, ())
        self.pack = pack
        self.kind = kind
        self.fields = [(rule, label(rule)) for rule in shown_fields(kind, entities)]
        self.number = number_field(kind, entities)

    def of(self, entity: Entity, up: str) -> Card:
        """The card of an entity; links start with `up`."""
        badges = tuple(
            Badge(
                label=words,
                value=field_html(self.pack, entity, rule, up),
                number=rule.name == self.number,
                empty=_is_empty(entity, entity.fields.get(rule.name)),
            )
            for rule, words in self.fields
        )
        return _card(self.pack, self.kind, entity, up, badges)


def _card(pack: Pack, kind: Kind, entity: Entity, up: str, badges: tuple[Badge, ...]) -> Card:
    return Card(
        name=entity.name,
        href=f"{up}{entity.id}/{INDEX}",
        kind=kind,
        kind_href=f"{up}{pack.game.id}/{kind.id}/{INDEX}",
        aliases=entity.aliases,
        badges=badges,
        effects=effect_badges(pack, entity, up),
        line=_line(pack, entity),
    )


def _line(pack: Pack, entity: Entity) -> str:
    known = _lines(pack)
    if entity.id not in known:
        words = plain_text(*(block for block in entity.body if not isinstance(block, Table)))
        known[entity.id] = summary(words, 150)
    return known[entity.id]


@lru_cache(maxsize=2)
def _lines(_pack: Pack) -> dict[str, str]:
    """The first words of the texts of entities, by their ids, as far as they were asked for: each has several cards."""
    return {}


def _is_empty(entity: Entity, value: object) -> bool:
    return value in (None, [], "", entity.name)


def is_row(entity: Entity) -> bool:
    """Whether all that the book says of an entity is a row of a table."""
    return all(isinstance(block, Table) and len(block.rows) == 1 for block in entity.body)


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of the columns that a table of cards has after the name."""

    columns: tuple[Badge, ...]

    @property
    def groups(self) -> tuple[tuple[str, int, Badge], ...]:
        """The upper line: each label with how many columns it stands over, and the first of these."""
        found: list[tuple[str, int, Badge]] = []
        for plate in self.columns:
            if plate.group and found and found[-1][0] == plate.group:
                found[-1] = (plate.group, found[-1][1] + 1, found[-1][2])
            else:
                found.append((plate.group, 1, plate))
        return tuple(found)

    @property
    def are_grouped(self) -> bool:
        """Whether there are two lines of them."""
        return any(plate.group for plate in self.columns)


def heads(listed: Sequence[Card]) -> Heads:
    """The heads for some cards of one kind."""
    return Heads(listed[0].badges if listed else ())


Effects = Sequence[tuple[EffectBadge, Why | None]]
"""What a card shows of effects, each with where it comes from; `None` where that is not told."""


def infobox(card: Card, effects: Effects) -> str:
    """The card at the head of the page of an entity."""
    return f"""<header class="card card-large tint-{quoted(card.kind.colour)}">
{_face(card, f"<h1>{quoted(card.name)}</h1>", effects)}</header>
"""


def entity_card(card: Card, effects: Effects, text: str) -> str:
    """What links to an entity show: its card with the first words about it, as HTML."""
    name, kind = quoted(card.name), card.kind
    head = f'<p class="card-name"><a href="{card.href}">{name}</a></p>'
    return f"""<div class="card link-card tint-{quoted(kind.colour)}" aria-label="{name}, {quoted(kind.title)}">
{_face(card, head, effects)}{_paragraph("card-text", text)}</div>"""


def section_card(
    title: str, is_chapter: bool, href: str, path: Sequence[str], text: str, below: Sequence[Signpost]
) -> str:
    """What links to a chapter or a section show: what it stands in, its first words as HTML, what is below it."""
    sort, sign = ("Chapter", "❧") if is_chapter else ("Section", "§")
    name = quoted(title or "A passage")
    above = ' › <span class="heading">'.join(f"{quoted(one)}</span>" for one in path)
    inside = " <i>·</i> ".join(f'<a href="{one.address}">{quoted(one.title)}</a>' for one in below)
    return f"""<div class="card link-card tint-fate" aria-label="{name}, {sort}">
<div class="card-head">
<span class="emblem">{ornament(sign)}</span>
<p class="card-kind">{sort}</p>
<p class="card-name{"" if is_chapter else " heading"}"><a href="{href}">{name}</a></p>
{_paragraph("card-also", f"<span>{above}" if above else "")}</div>
{_paragraph("card-text", text)}{_paragraph("card-below", inside)}</div>"""


def _face(card: Card, name: str, effects: Effects) -> str:
    """The head with the name as HTML, the plates, the effects."""
    number, aliases = card.number, ", ".join(f"<b>{quoted(alias)}</b>" for alias in card.aliases)
    badges = "".join(map(_plate, card.filled))
    return f"""<div class="card-head">
<span class="emblem">{ornament(card.kind.ornament)}</span>
<p class="card-kind"><a href="{card.kind_href}">{quoted(card.kind.title)}</a></p>
{name}
{_paragraph("card-also", f"also {aliases}" if aliases else "")}
{_paragraph("card-number", f"<span>{quoted(number.label)}</span> {number.value}" if number else "")}</div>
{_plates(badges)}{macro("effect", "badges")(effects) if effects else ""}
"""


def _plates(badges: str) -> str:
    return f'<dl class="plates">\n{badges}</dl>\n' if badges else ""


def _plate(plate: Badge) -> str:
    wide = ' class="wide"' if plate.is_wide else ""
    return f"<div{wide}><dt>{quoted(plate.label)}</dt> <dd>{plate.value}</dd></div>\n"


def _paragraph(name: str, html: str) -> str:
    """A line of a card; none where there is nothing to say."""
    return f'<p class="{name}">{html}</p>\n' if html else ""
