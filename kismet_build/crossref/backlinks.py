"""Find the mentions of entities by links, fields and effects, from which the backlinks of each entity are made."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kismet_build.model.book import Anchor, Chapter, Section, Target
from kismet_build.model.nodes import Heading, Link, plain_text
from kismet_build.model.renewed import Renewed
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Mention, Pack, section_id


def find_backlinks(pack: Pack) -> Pack:
    """The pack with all mentions of entities: links to their place, links by name, fields and effects."""
    entities_by_name = unique_names(pack.all_entities())
    places = _EntityPlaces(pack)
    link_entities: dict[Span, Entity] = {}
    mentions: list[Mention] = []
    for chapter in pack.book.chapters:
        mentions += _link_mentions(pack, chapter, entities_by_name, places, link_entities)
    mentions += _field_mentions(pack.all_entities())
    mentions += _effect_mentions(pack)
    return pack.with_tables(link_entities=link_entities, mentions=tuple(mentions))


def mention_again(pack: Pack, chapter: Chapter, named: Mapping[str, Entity]) -> Pack:
    """The pack with the mentions in a chapter, in place of those in its old version.

    Links in other chapters stay as they are.
    """
    source = chapter.source
    link_entities: dict[Span, Entity] = {}
    mentions = [
        *_link_mentions(pack, chapter, named, _EntityPlaces(pack), link_entities),
        *_field_mentions(pack.by_source.get(source, ())),
    ]
    renewed = Renewed(pack.link_entities, [source.path], link_entities)
    return pack.with_mentions(source, mentions, link_entities=renewed)


def _link_mentions(
    pack: Pack,
    chapter: Chapter,
    entities_by_name: Mapping[str, Entity],
    places: "_EntityPlaces",
    link_entities: dict[Span, Entity],
) -> Iterator[Mention]:
    """Mentions by the links of a chapter. The entity of each link is added to `link_entities`."""
    by_size = sorted(
        pack.by_source.get(chapter.source, ()),
        key=lambda entity: entity.span.end - entity.span.start,
    )
    sections = pack.book.sections[chapter.source]
    section_starts = [section.anchor.span.start for section in sections]
    for node in chapter.document.links:
        target = pack.book.targets.get(node.span) if isinstance(node, Link) else None
        entity = resolve_entity(node, target, places, entities_by_name) if target and isinstance(node, Link) else None
        if entity is not None:
            link_entities[node.span] = entity
            section = sections[bisect_right(section_starts, node.span.start) - 1]
            origin = _origin(pack, section, by_size, node.span)
            if origin != entity.id:
                yield Mention(origin, entity.id, node.span)


def _field_mentions(entities: Iterable[Entity]) -> Iterator[Mention]:
    for entity in entities:
        for field, ids in entity.references.items():
            span = entity.span_of(field)
            yield from (Mention(entity.id, target_id, span, field) for target_id in ids)


def _effect_mentions(pack: Pack) -> Iterator[Mention]:
    """Mentions by the effects of entities, of the entities that an effect names. None of an entity by itself."""
    for subject, effects in pack.game.effects.items():
        origin = f"{pack.game.id}/{subject}"
        for effect in effects if origin in pack.by_id else ():
            for key, value in effect.payload.items():
                for target in value if isinstance(value, list) else [value]:
                    if isinstance(target, str) and target in pack.by_id and target != origin:
                        yield Mention(origin, target, effect.span, effect=key)


class _EntityPlaces:
    """Finds the entity at an anchor, and those below it. Indexes each document when it is first needed."""

    def __init__(self, pack: Pack) -> None:
        self._by_source = pack.by_source
        self._by_span: dict[Source, Mapping[Span, Entity]] = {}
        self._by_heading: dict[Source, Mapping[Anchor, Sequence[Entity]]] = {}
        self._by_name: dict[Anchor, Mapping[str, Entity]] = {}

    def at(self, anchor: Anchor) -> Entity | None:
        """The entity that starts with this heading, or is this definition or block."""
        source = anchor.span.source
        if source not in self._by_span:
            self._by_span[source] = _entities_by_span(self._by_source.get(source, ()))
        return self._by_span[source].get(anchor.span)

    def below(self, anchor: Anchor) -> Mapping[str, Entity]:
        """The entities below a heading, by normalized name."""
        if anchor not in self._by_name:
            source = anchor.span.source
            if source not in self._by_heading:
                self._by_heading[source] = _entities_by_heading(self._by_source.get(source, ()))
            self._by_name[anchor] = unique_names(self._by_heading[source].get(anchor, ()))
        return self._by_name[anchor]


def _entities_by_span(entities: Iterable[Entity]) -> Mapping[Span, Entity]:
    candidates: dict[Span, list[Entity]] = {}
    for entity in entities:
        span = entity.section.anchor.span if _is_section(entity) else entity.span
        candidates.setdefault(span, []).append(entity)
    # A paragraph that defines several entities is the place of none of them.
    return {span: at_span[-1] for span, at_span in candidates.items() if len(at_span) == 1 or _is_section(at_span[-1])}


def _is_section(entity: Entity) -> bool:
    """Whether an entity is a whole section with a heading."""
    return isinstance(entity.section.anchor.node, Heading) and entity.span.start == entity.section.anchor.span.start


def _entities_by_heading(entities: Iterable[Entity]) -> Mapping[Anchor, Sequence[Entity]]:
    """The entities below each heading, at any depth."""
    by_heading: dict[Anchor, list[Entity]] = {}
    for entity in entities:
        for anchor in entity.section.headings:
            by_heading.setdefault(anchor, []).append(entity)
    return by_heading


def unique_names(entities: Iterable[Entity]) -> Mapping[str, Entity]:
    """Entities by normalized name and alias, without the names that several entities share."""
    by_name: dict[str, list[Entity]] = {}
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            by_name.setdefault(normalize(name), []).append(entity)
    return {name: entities[0] for name, entities in by_name.items() if len(entities) == 1}


def resolve_entity(
    node: Link, target: Target, places: _EntityPlaces, entities_by_name: Mapping[str, Entity]
) -> Entity | None:
    """The entity that a link means; `None` if it means none.

    If the link leads to a place, this is the entity there, or the entity below that heading with the link's text as
    its name (`[[#STATES|Dazed]]`). If the place does not exist, it is the entity with the name of the link target
    (`[[Dazed]]`).
    """
    if target.resolved_anchor is not None:
        entity = places.at(target.resolved_anchor)
        if entity is None and (below := places.below(target.resolved_anchor)):
            entity = below.get(normalize(plain_text(node)))
        return entity
    path, *headings = node.target.split("#")
    return entities_by_name.get(normalize(headings[-1] if headings else path))


def _origin(pack: Pack, section: Section, by_size: Sequence[Entity], span: Span) -> str:
    """Id of the smallest entity around a span; of the section if there is none. `by_size`: the smallest first."""
    for entity in by_size:
        if entity.span.start <= span.start and span.end <= entity.span.end:
            return entity.id
    return section_id(pack.game, section)
