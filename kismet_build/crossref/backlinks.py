"""Find the mentions of entities in links, fields and effects. Backlinks are made from these mentions."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from kismet_build.config.effect import Effect
from kismet_build.model.book import Anchor, AnchorRef, Outline, ResolvedLinks, Target
from kismet_build.model.language.inflection import singular
from kismet_build.model.nodes import Document, Embed, Heading, Link, plain_text, walk
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, EntityNames, Mention


@dataclass(frozen=True, slots=True)
class EntityPlaces:
    """The entities at and below the anchors of a document."""

    at: Mapping[AnchorRef, str]
    """The ids of the entities that anchors such as headings, definitions or blocks stand for."""
    below: Mapping[AnchorRef, Mapping[str, str]]
    """The ids of the entities below each heading, by normalized name."""
    sections: Mapping[AnchorRef, str]
    """The slug of the section that each anchor is in."""


@dataclass(frozen=True, slots=True)
class LinkMentions:
    """The links of one document that lead to entities and sections."""

    link_entities: Mapping[Span, str]
    """The id of the entity that a link refers to, by the span of the link."""
    link_sections: Mapping[Span, str]
    """For each remaining link or embed that leads into the book, by span: the id of the section that it leads to."""
    mentions: tuple[Mention, ...]
    """The mentions by these links, in text order."""


def join_places(places: Mapping[str, EntityPlaces]) -> EntityPlaces:
    """The entities at and below all anchors. `places`: the places in each document."""
    at: dict[AnchorRef, str] = {}
    below: dict[AnchorRef, Mapping[str, str]] = {}
    sections: dict[AnchorRef, str] = {}
    for of_document in places.values():
        at |= of_document.at
        below |= of_document.below
        sections |= of_document.sections
    return EntityPlaces(at, below, sections)


def find_link_mentions(
    outline: Outline,
    links: ResolvedLinks,
    entities: Sequence[Entity],
    game_id: str,
    places: EntityPlaces,
    entities_by_name: Mapping[str, str],
) -> LinkMentions:
    """The mentions of entities and sections by the links of a document. Links refer to entities by place or name."""
    by_size = sorted(entities, key=lambda entity: entity.span.end - entity.span.start)
    section_starts = [section.anchor.span.start for section in outline.sections]
    link_entities: dict[Span, str] = {}
    link_sections: dict[Span, str] = {}
    mentions = []
    property_of = _property_of_links(outline.chapter.document)
    for node in outline.chapter.document.links:
        target = links.targets.get(node.span) if isinstance(node, Link | Embed) else None
        entity = resolve_entity(node, target, places, entities_by_name) if target and isinstance(node, Link) else None
        slug = places.sections.get(target.resolved_anchor) if target and target.resolved_anchor else None
        if entity is not None:
            link_entities[node.span] = entity
        elif slug is not None:
            link_sections[node.span] = f"{game_id}/section/{slug}"
        if (mentioned := entity or link_sections.get(node.span)) is not None:
            section = outline.sections[bisect_right(section_starts, node.span.start) - 1]
            origin = _enclosing_entity(by_size, node.span) or f"{game_id}/section/{section.slug}"
            if origin != mentioned:
                mentions.append(Mention(origin, mentioned, node.span, property=property_of.get(node.span, "")))
    return LinkMentions(link_entities, link_sections, tuple(mentions))


def _property_of_links(document: Document) -> Mapping[Span, str]:
    """The property key of each link in the front matter or a statblock, by the span of the link."""
    properties = (*document.properties, *chain.from_iterable(statblock.children for statblock in document.statblocks))
    return {node.span: item.key for item in properties for node in walk(item) if isinstance(node, Link)}


def field_mentions(entities: Iterable[Entity]) -> tuple[Mention, ...]:
    """The mentions in the fields of entities."""
    return tuple(
        Mention(entity.id, target_id, entity.span_of(field), field)
        for entity in entities
        for field, ids in entity.references.items()
        for target_id in ids
    )


def effect_mentions(
    game_id: str, effects: Mapping[str, Sequence[Effect]], names: Iterable[EntityNames]
) -> tuple[Mention, ...]:
    """The mentions of entities in effects. An entity does not mention itself.

    `names`: the names of all entities.
    """
    return tuple(_effect_mentions(game_id, effects, frozenset(entity.id for entity in names)))


def _effect_mentions(
    game_id: str, effects: Mapping[str, Sequence[Effect]], entity_ids: frozenset[str]
) -> Iterator[Mention]:
    for subject, of_subject in effects.items():
        origin = f"{game_id}/{subject}"
        for effect in of_subject if origin in entity_ids else ():
            for key, value in effect.payload.items():
                for target in value if isinstance(value, list) else [value]:
                    if isinstance(target, str) and target in entity_ids and target != origin:
                        yield Mention(origin, target, effect.span, effect=key)


def entity_places(outline: Outline, entities: Sequence[Entity]) -> EntityPlaces:
    """The entities at and below the anchors of a document."""
    starts = [section.anchor.span.start for section in outline.sections]
    sections = {
        anchor.ref: outline.sections[bisect_right(starts, anchor.span.start) - 1 if anchor.level else 0].slug
        for anchor in outline.anchors
    }
    if not entities:
        return EntityPlaces({}, {}, sections)
    by_span = _entities_by_span(entities)
    at = {anchor.ref: by_span[anchor.span].id for anchor in outline.anchors if anchor.span in by_span}
    by_heading = _entities_by_heading(entities)
    below = {anchor.ref: unique_names(map(_names, below)) for anchor, below in by_heading.items()}
    return EntityPlaces(at, below, sections)


def _names(entity: Entity) -> EntityNames:
    return EntityNames(entity.kind, entity.id, entity.name, entity.aliases)


def _entities_by_span(entities: Iterable[Entity]) -> Mapping[Span, Entity]:
    candidates: dict[Span, list[Entity]] = {}
    for entity in entities:
        span = entity.section.anchor.span if _is_section(entity) or entity.is_document else entity.span
        candidates.setdefault(span, []).append(entity)
    # A paragraph that defines several entities stands for none of them.
    return {span: at_span[-1] for span, at_span in candidates.items() if len(at_span) == 1 or _is_section(at_span[-1])}


def _is_section(entity: Entity) -> bool:
    """Whether an entity is a whole section with a heading."""
    return isinstance(entity.section.anchor.node, Heading) and entity.span.start == entity.section.anchor.span.start


def _entities_by_heading(entities: Iterable[Entity]) -> Mapping[Anchor, Sequence[Entity]]:
    by_heading: dict[Anchor, list[Entity]] = {}
    for entity in entities:
        for anchor in entity.section.headings:
            by_heading.setdefault(anchor, []).append(entity)
    return by_heading


def unique_names(entities: Iterable[EntityNames]) -> dict[str, str]:
    """Ids of entities by normalized name and alias, except for names shared by several entities."""
    by_name: dict[str, list[EntityNames]] = {}
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            by_name.setdefault(normalize(name), []).append(entity)
    return {name: same_name[0].id for name, same_name in by_name.items() if len(same_name) == 1}


def resolve_entity(node: Link, target: Target, places: EntityPlaces, entities_by_name: Mapping[str, str]) -> str | None:
    """The id of the entity that a link refers to, or `None`.

    A link to a heading refers to the entity at or below the heading that is named like the text of the link, in the
    singular or plural (`[[#STATES|Dazed]]`), or else to the entity at the heading. A link without an existing target
    refers to the entity with its name (`[[Dazed]]`). docs/decisions/0005-links-by-label.md says why the label matters.
    """
    if (ref := target.resolved_anchor) is not None:
        if below := places.below.get(ref):
            label = normalize(plain_text(node))
            if named := below.get(label) or below.get(singular(label)):
                return named
        return places.at.get(ref)
    path, *headings = node.target.split("#")
    return entities_by_name.get(normalize(headings[-1] if headings else path))


def _enclosing_entity(by_size: Sequence[Entity], span: Span) -> str | None:
    """Id of the smallest entity around a span. `by_size`: the entities, smallest first."""
    for entity in by_size:
        if entity.span.start <= span.start and span.end <= entity.span.end:
            return entity.id
    return None
