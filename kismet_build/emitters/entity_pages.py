"""The pages of a kind: its index, and one page for each of its entities."""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from kismet_build.book import Section
from kismet_build.dice.roll_table import RollTable, roll_table
from kismet_build.emitters.calculator_pages import calculators_of
from kismet_build.emitters.card import Card, cards, columns, is_row
from kismet_build.emitters.citation_link import why
from kismet_build.emitters.field import label
from kismet_build.emitters.html import to_html
from kismet_build.emitters.outlet import chapter_address, outlet
from kismet_build.emitters.page import INDEX, Page, Signpost, root, summary
from kismet_build.emitters.template import template
from kismet_build.entity import Entity, Mention, Pack, section_id
from kismet_build.kind import Kind
from kismet_build.model import FootnoteDefinition, plain_text
from kismet_build.name import fold
from kismet_build.source import Source

Footnotes = Mapping[Source, Mapping[str, FootnoteDefinition]]


def kind_pages(pack: Pack, kind: Kind, footnotes: Footnotes) -> Iterator[Page]:
    """The index of a kind, then its entities."""
    game = pack.game
    address = f"{game.id}/{kind.id}/"
    listed = cards(pack, kind, root(address))
    home = Signpost(f"{game.id}/", game.title)
    yield Page(
        address=address,
        title=kind.plural,
        role="kind",
        article=template("article_kind").render(
            kind=kind,
            cards=listed,
            columns=columns(listed),
            effects=any(card.effects for card in listed),
            lines=_has_lines(listed),
            roll=_rolled_on(listed),
        ),
        breadcrumbs=(home,),
        description=summary(kind.description or f"All {kind.plural} of {game.title}"),
    )
    entities = pack.entities.get(kind.id, ())
    sections = {section_id(game, section): section for section in pack.book.all_sections()}
    deep = cards(pack, kind, root(f"{address}-/"))
    for place, (entity, card) in enumerate(zip(entities, deep, strict=True)):
        yield Page(
            address=f"{entity.id}/",
            title=entity.name,
            role="entity",
            article=_article(pack, entity, card, sections, footnotes),
            breadcrumbs=(home, Signpost(address, kind.plural)),
            previous=_signpost(entities[place - 1]) if place else None,
            next=_signpost(entities[place + 1]) if place + 1 < len(entities) else None,
            description=summary(plain_text(*entity.body) or f"{kind.title} of {game.title}"),
        )


def _article(pack: Pack, entity: Entity, card: Card, sections: Mapping[str, Section], footnotes: Footnotes) -> str:
    address = f"{entity.id}/"
    source = entity.span.source
    body = to_html(entity.body, outlet(pack, address, end=INDEX), footnotes=footnotes.get(source, {}))
    first, last = entity.span.lines
    return template("article_entity").render(
        card=card,
        effects=[(plate, why(pack, plate.citation, address)) for plate in card.effects],
        body=Markup(body),
        calculators=Markup(calculators_of(pack, entity, address)),
        is_row=is_row(entity),
        stands_in=_trail(pack, entity.section, root(address)),
        references=_references(pack, entity, sections, root(address)),
        id=entity.id,
        data=f"{root(address)}data/{entity.id}.json",
        source=source.path,
        lines=f"line {first}" if first == last else f"lines {first}–{last}",
    )


def _has_lines(listed: Sequence[Card]) -> bool:
    """Whether the table of a kind has room for the first words of each text."""
    return len(columns(listed)) <= 4 and any(card.line for card in listed)


def _rolled_on(listed: Sequence[Card]) -> RollTable | None:
    """How to roll on a list of cards, by the first of their fields that says so."""
    columns = zip(*(card.plates for card in listed), strict=True)
    tables = (roll_table(plates[0].label, [str(plate.value) for plate in plates]) for plates in columns)
    return next(filter(None, tables), None)


def _signpost(entity: Entity) -> Signpost:
    return Signpost(f"{entity.id}/", entity.name)


def _trail(pack: Pack, section: Section, up: str) -> list[Signpost]:
    """The chapter and the headings that a section stands below, and its own."""
    chapter = section.anchor.chapter
    address = f"{up}{chapter_address(pack, section.anchor)}{INDEX}"
    trail = [Signpost(address, chapter.title)]
    trail.extend(
        Signpost(f"{address}#{anchor.id}", anchor.title)
        for anchor in section.headings
        if fold(anchor.title) != fold(chapter.title)
    )
    return trail


Group = tuple[str, dict[str, dict[str, Signpost]]]


def _references(pack: Pack, entity: Entity, sections: Mapping[str, Section], up: str) -> list[Group]:
    """Everything that refers to an entity: by the kind of what refers, then by the reason, each origin once."""
    groups: dict[str, dict[str, dict[str, Signpost]]] = {}
    for mention in pack.mentions_of.get(entity.id, ()):
        origin = pack.by_id.get(mention.origin)
        if origin is not None:
            kind, signpost = origin.kind, Signpost(f"{up}{origin.id}/{INDEX}", origin.name)
        elif mention.origin in sections:
            kind, signpost = "", _trail(pack, sections[mention.origin], up)[-1]
        else:
            continue
        reasons = groups.setdefault(kind, {})
        reasons.setdefault(_reason(pack, origin, mention), {}).setdefault(mention.origin, signpost)
    order = [*pack.game.kinds, ""]
    return [
        (pack.game.kinds[kind].plural if kind else "Sections", groups[kind]) for kind in sorted(groups, key=order.index)
    ]


def _reason(pack: Pack, origin: Entity | None, mention: Mention) -> str:
    if not mention.field or origin is None:
        return "in the text"
    return label(pack.kind(origin).rules[mention.field])
