"""Entity cards, for lists, tables, infoboxes and link previews."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from markupsafe import Markup

from kismet_build.config.kind import FieldRule, Kind
from kismet_build.model.nodes import Statblock, walk_blocks
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components import field
from kismet_build.render.components.effect_sentence import EffectChip, effect_chips
from kismet_build.render.fragments.page_context import tag_links
from kismet_build.render.html.addresses import INDEX, PageLink, entity_href
from kismet_build.render.html.escape import link_html
from kismet_build.render.html.excerpt import prose, summary

MIN_WIDE_CHARACTERS = 60
"""A badge whose value has more characters takes the full width of an infobox."""
MAX_LINE_CHARACTERS = 150
"""Maximum length of the excerpt in `Card.line`."""


class Badge(NamedTuple):
    """A small labelled value: of a field, a column or the tags."""

    label: str
    value: Markup
    number: bool
    """Whether the kind's cards show this value in large type."""
    empty: bool
    group: str = ""
    """Label of the object field that contains the column's part; empty for a column that is a whole field."""
    figure: bool = False
    """Whether the column shows only numbers; see `is_number_column`."""

    @property
    def is_wide(self) -> bool:
        """Whether the value has parts or is long, so that it takes the full width of an infobox."""
        return 'class="parts' in self.value or self.is_long

    @property
    def is_long(self) -> bool:
        """Whether the value, without its tags, has more than `MIN_WIDE_CHARACTERS`."""
        # Stripping tags is slow, and never makes a value longer.
        return len(self.value) > MIN_WIDE_CHARACTERS and len(self.value.striptags()) > MIN_WIDE_CHARACTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An entity's card, for a template."""

    name: str
    href: str
    kind: Kind
    kind_href: str
    aliases: tuple[str, ...]
    badges: tuple[Badge, ...]
    """A badge for each column in a list or table, or for each field in an infobox, in schema order."""
    effects: tuple[EffectChip, ...]
    tags: tuple[PageLink, ...] = ()
    """Links to the pages of the entity's tags, for an infobox."""
    line: str
    """Excerpt of the entity's text without tables; empty if nothing remains."""

    @property
    def number(self) -> Badge | None:
        """The badge in large type, or `None`."""
        return next((badge for badge in self.badges if badge.number), None)

    @property
    def filled(self) -> list[Badge]:
        return [badge for badge in self.badges if not badge.empty and not badge.number]


def cards(pack: Pack, kind: Kind, root: str) -> tuple[Card, ...]:
    """The cards of a kind's entities for lists and tables, with a badge for each column; links start with `root`."""
    entities = pack.entities.get(kind.id, ())
    columns = field.columns_of(field.shown_fields(kind, entities), entities)
    number = field.number_field(kind, entities)
    prepared = [(column, column.label, column.group, field.is_number_column(column, entities)) for column in columns]

    def badges(entity: Entity) -> tuple[Badge, ...]:
        return tuple(
            Badge(
                label=label,
                group=group,
                value=field.column_html(pack, entity, column, root),
                number=column.rule.name == number and not group,
                figure=figure,
                empty=field.is_empty(column.value(entity), entity),
            )
            for column, label, group, figure in prepared
        )

    return tuple(_card(pack, kind, entity, root, badges(entity)) for entity in entities)


def tag_badges(pack: Pack, kind: Kind, root: str) -> Iterator[Badge]:
    """The badges of the tag column, for all entities of a kind; links start with `root`."""
    for entity in pack.entities.get(kind.id, ()):
        links = tag_links(pack, pack.tags_of_entity(entity), root)
        value = Markup(" ").join(link_html(link.address, f"#{link.title}") for link in links) or field.NOTHING
        yield Badge(pack.game.catalog.text("title.tags"), value, number=False, empty=not links)


def infobox(
    pack: Pack,
    entity: Entity,
    root: str,
    shown_keys: Collection[str] = (),
    shown_fields: Collection[str] = (),
    *,
    folds: bool = False,
) -> Card:
    """The infobox at the top of an entity's page: a card with the fields as badges; links start with `root`.

    `shown_fields` and the fields that come from the properties `shown_keys` are left out. `folds`: show long lists in
    full, behind a fold.
    """
    number = _infobox_number(pack)[entity.kind]
    badges = tuple(
        Badge(
            label=field.label(rule).removesuffix(field.PRINTED_TEXT),
            value=field.field_html(pack, entity, rule, root, folds=folds),
            number=rule.name == number,
            empty=field.is_empty(entity.fields.get(rule.name), entity),
        )
        for rule in infobox_fields(pack)[entity.kind]
        if rule.name not in shown_fields and not (shown_keys and _is_from(rule, shown_keys))
    )
    tags = tag_links(pack, pack.tags_of_entity(entity), root)
    return replace(_card(pack, pack.kind(entity), entity, root, badges), tags=tags)


@cached_in_pack
def infobox_fields(pack: Pack) -> Mapping[str, Sequence[FieldRule]]:
    """The fields shown in infoboxes, by the id of the kind. The printed text of a number replaces the number."""
    return {
        kind.id: tuple(
            rule
            for rule in field.shown_fields(kind, pack.entities.get(kind.id, ()))
            if not field.is_printed_text(kind.rules.get(f"{rule.name}_text"))
        )
        for kind in pack.game.kinds.values()
    }


@cached_in_pack
def _infobox_number(pack: Pack) -> Mapping[str, str]:
    """The result of `number_field` for each kind, by the id of the kind."""
    return {kind.id: field.number_field(kind, pack.entities.get(kind.id, ())) for kind in pack.game.kinds.values()}


def statblock_data(entity: Entity) -> Mapping[str, Any]:
    """The properties of the statblock in an entity's text; empty unless the text has exactly one statblock."""
    blocks = [block for block in walk_blocks(*entity.body) if isinstance(block, Statblock)]
    return blocks[0].data if len(blocks) == 1 else {}


def _is_from(rule: FieldRule, keys: Collection[str]) -> bool:
    return any(source.method == "meta" and source.argument.partition(".")[0] in keys for source in rule.sources)


def _card(pack: Pack, kind: Kind, entity: Entity, root: str, badges: tuple[Badge, ...]) -> Card:
    return Card(
        name=entity.name,
        href=entity_href(pack, entity.id, root),
        kind=kind,
        kind_href=f"{root}{pack.game.id}/{kind.id}/{INDEX}",
        aliases=entity.aliases,
        badges=badges,
        effects=effect_chips(pack, entity, root),
        line=_line(pack, entity),
    )


@cached_in_pack  # each entity has several cards
def _line(_pack: Pack, entity: Entity) -> str:
    return summary(prose(entity.body), MAX_LINE_CHARACTERS)


@dataclass(frozen=True, slots=True)
class TableHeader:
    """The header of a table of cards, without the name column: one or two rows."""

    columns: tuple[Badge, ...]

    @property
    def groups(self) -> tuple[tuple[str, int, Badge], ...]:
        """The cells of the upper row: group label, number of columns spanned, and the first of these columns."""
        groups: list[tuple[str, int, Badge]] = []
        for badge in self.columns:
            if badge.group and groups and groups[-1][0] == badge.group:
                groups[-1] = (badge.group, groups[-1][1] + 1, groups[-1][2])
            else:
                groups.append((badge.group, 1, badge))
        return tuple(groups)

    @property
    def are_grouped(self) -> bool:
        """Whether there are two rows."""
        return any(badge.group for badge in self.columns)


def table_header(cards: Sequence[Card]) -> TableHeader:
    """The header of a table of these cards, all of one kind."""
    return TableHeader(cards[0].badges if cards else ())
