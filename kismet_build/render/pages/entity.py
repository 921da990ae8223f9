"""The pages of a kind: its index, and one page for each of its entities."""

import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from kismet_build.config.kind import Kind
from kismet_build.mechanics.dice.roll_table import RollTable, roll_table
from kismet_build.model.nodes import Block, Heading, Table, flow, plain_text
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import Card, InfoboxRenderer, cards, heads, infobox, is_row
from kismet_build.render.components.citation_link import why
from kismet_build.render.components.kind_table import filters
from kismet_build.render.html.addresses import INDEX, Signpost, root
from kismet_build.render.html.escape import quoted
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.footnotes import Footnotes
from kismet_build.render.html.page_context import outlet
from kismet_build.render.html.renderer import to_html
from kismet_build.render.html.templates import template
from kismet_build.render.pages.backlinks import Group, Reason, references, trail
from kismet_build.render.pages.calculators import calculators_of
from kismet_build.render.pages.page import Lines, Page
from kismet_build.render.pages.print import printed_kinds
from kismet_build.render.pages.table_of_contents import shown_levels

TAG = re.compile(r"<[^>]*>")


def index_page(pack: Pack, kind: Kind) -> Page:
    """The page that lists a kind."""
    game = pack.game
    address = f"{game.id}/{kind.id}/"
    listed = cards(pack, kind, root(address))
    return Page(
        address=address,
        title=kind.plural,
        role="kind",
        article=template("article_kind").render(
            kind=kind,
            cards=listed,
            heads=heads(listed),
            filters=filters(pack, kind),
            json=f"{root(address)}data/{game.id}/{kind.id}.json",
            effects=any(card.effects for card in listed),
            lines=_has_lines(listed),
            roll=_rolled_on(listed),
            to_print=f"../print/cards/{INDEX}" if kind in printed_kinds(pack) else "",
        ),
        breadcrumbs=(Signpost(f"{game.id}/", game.title),),
        kind=kind.id,
        source=_sources(pack.entities.get(kind.id, ())),
        data=f"data/{game.id}/{kind.id}.json",
        description=summary(kind.description or f"All {kind.plural} of {game.title}"),
    )


def entity_page(pack: Pack, large: InfoboxRenderer, place: int, footnotes: Footnotes, order: Mapping[str, int]) -> Page:
    """The page of the entity at a place among those of its kind, which has these large cards.

    `order` is that of the book, as `book_order` has it.
    """
    game, kind = pack.game, large.kind
    entities = pack.entities[kind.id]
    entity = entities[place]
    address = f"{entity.id}/"
    return Page(
        address=address,
        title=entity.name,
        role="entity",
        article=_article(pack, entity, large.of(entity, root(address)), footnotes, order),
        breadcrumbs=(Signpost(f"{game.id}/", game.title), Signpost(f"{game.id}/{kind.id}/", kind.plural)),
        kind=kind.id,
        source=(Lines(entity.span.source.path, *entity.span.lines),),
        data=f"data/{entity.id}.json",
        previous=_signpost(entities[place - 1]) if place else None,
        next=_signpost(entities[place + 1]) if place + 1 < len(entities) else None,
        description=summary(plain_text(*entity.body) or f"{kind.title} of {game.title}"),
    )


def _sources(entities: Sequence[Entity]) -> tuple[Lines, ...]:
    """From where to where in each source the entities stand."""
    by_source: dict[Source, list[int]] = {}
    for entity in entities:
        by_source.setdefault(entity.span.source, []).extend(entity.span.lines)
    return tuple(Lines(source.path, min(lines), max(lines)) for source, lines in by_source.items())


def _article(pack: Pack, entity: Entity, card: Card, footnotes: Footnotes, order: Mapping[str, int]) -> str:
    address = f"{entity.id}/"
    source = entity.span.source
    of_row = is_row(entity)
    shown = entity.body if of_row else _not_on_the_card(entity.body, card)
    levels = shown_levels([block for block in flow(tuple(shown)) if isinstance(block, Heading)])
    ways = outlet(pack, address, end=INDEX, levels=levels, spelled=True)
    body = to_html(shown, ways, footnotes=footnotes.get(source, {}))
    effects = [(plate, why(pack, plate.citation, address)) for plate in card.effects]
    calculators = calculators_of(pack, entity, address)
    return entity_html(
        card=infobox(card, effects),
        text=text_html(body, of_row),
        calculators=f"{calculators}\n" if calculators else "",
        stands_in=trail(pack, entity.section, root(address)),
        groups=references(pack, entity, root(address), order),
    )


def _not_on_the_card(body: Sequence[Block], card: Card) -> tuple[Block, ...]:
    """What the book says, without the tables of which the card shows every word."""
    if not any(isinstance(block, Table) for block in body):
        return tuple(body)
    words = {word for plate in card.badges for word in _words(Markup(TAG.sub(" ", plate.value)).unescape())}
    return tuple(
        block for block in body if not (isinstance(block, Table) and words.issuperset(_words(plain_text(*block.rows))))
    )


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", normalize(text)))


def _has_lines(listed: Sequence[Card]) -> bool:
    """Whether the table of a kind has room for the first words of each text."""
    is_wide = len(heads(listed).columns) > 4 or any(plate.is_wide for card in listed for plate in card.badges)
    return not is_wide and any(card.line for card in listed)


def _rolled_on(listed: Sequence[Card]) -> RollTable | None:
    """How to roll on a list of cards, by the first of their fields that says so."""
    columns = zip(*(card.badges for card in listed), strict=True)
    tables = (roll_table(badges[0].label, [str(plate.value) for plate in badges]) for badges in columns)
    return next(filter(None, tables), None)


def _signpost(entity: Entity) -> Signpost:
    return Signpost(f"{entity.id}/", entity.name)


NO_REFERENCES = (
    '<p class="nothing-here">Nothing yet. A link to it in the text, or a field that names it, is listed here.</p>\n'
)


def entity_html(card: str, text: str, calculators: str, stands_in: Sequence[Signpost], groups: Sequence[Group]) -> str:
    """The card of an entity, what the book says of it and works out from it, where that stands, what refers to it."""
    chapter, *headings = (f'href="{one.address}">{quoted(one.title)}</a>' for one in stands_in)
    stands = " <i>›</i> ".join((f"<a {chapter}", *(f'<a class="heading" {one}' for one in headings)))
    return f"""<div class="spread">
<div class="spread-text">
{card}
{text}{calculators}<p class="stands-in"><span>Stands in</span> {stands}</p>
</div>
<div class="spread-margin">
<section class="references" aria-labelledby="_references">
<h2 id="_references">What refers to this</h2>
{"".join(map(_group, groups)) or NO_REFERENCES}</section>
</div>
</div>
"""


def text_html(body: str, is_row: bool) -> str:
    """What the book says, below the card; of a row, that it is printed so."""
    printed = '<p class="printed">As printed</p>\n' if is_row else ""
    return f'<div class="text">\n{printed}{body}\n</div>\n' if body else ""


def _group(group: Group) -> str:
    return f"<h3>{quoted(group.title)}</h3>\n<dl>\n{''.join(_reason(one, group) for one in group.reasons)}</dl>\n"


def _reason(reason: Reason, group: Group) -> str:
    folded, number = reason.folded, len(reason.places)
    more = f"<details><summary>{len(folded)} more</summary>{_list(folded, group)}</details>" if folded else ""
    if reason.table and number > 3:
        more += f'<a class="as-table" href="{reason.table}">All {number} as a table</a>'
    return f"<div><dt>{quoted(reason.label)}</dt><dd>{_list(reason.shown, group)}{more}</dd></div>\n"


def _list(places: Sequence[Signpost], group: Group) -> str:
    items = "".join(f'<li><a href="{place.address}">{quoted(place.title)}</a></li>' for place in places)
    return f'<ul class="headings">{items}</ul>' if group.are_sections else f"<ul>{items}</ul>"
