"""Tie links and fields to the entities that they name, so that everything knows what refers to it."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kismet_build.model.book import Anchor, Chapter, Section, Target
from kismet_build.model.nodes import Heading, Link, plain_text
from kismet_build.model.renewed import Renewed
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Mention, Pack, section_id


def find_backlinks(pack: Pack) -> Pack:
    """The pack with every mention of an entity: by a link to its place, by a link to its name, by a field or effect."""
    named = names_of(pack.every())
    starts = _Starts(pack)
    link_entities: dict[Span, Entity] = {}
    mentions: list[Mention] = []
    for chapter in pack.book.chapters:
        mentions += _in_text(pack, chapter, named, starts, link_entities)
    mentions += _by_fields(pack.every())
    mentions += _by_effects(pack)
    return pack.plus(link_entities=link_entities, mentions=tuple(mentions))


def mention_again(pack: Pack, chapter: Chapter, named: Mapping[str, Entity]) -> Pack:
    """The pack with the mentions in a chapter, in place of those in its old version.

    Links in other chapters name what they named.
    """
    source = chapter.source
    link_entities: dict[Span, Entity] = {}
    mentions = [
        *_in_text(pack, chapter, named, _Starts(pack), link_entities),
        *_by_fields(pack.by_source.get(source, ())),
    ]
    renewed = Renewed(pack.link_entities, [source.path], link_entities)
    return pack.with_mentions(source, mentions, link_entities=renewed)


def _in_text(
    pack: Pack, chapter: Chapter, named: Mapping[str, Entity], starts: "_Starts", link_entities: dict[Span, Entity]
) -> Iterator[Mention]:
    """The mentions by links that stand in a chapter; what each link names is put with the others."""
    inside = sorted(
        pack.by_source.get(chapter.source, ()),
        key=lambda entity: entity.span.end - entity.span.start,
    )
    sections = pack.book.sections[chapter.source]
    starts_of = [section.anchor.span.start for section in sections]
    for node in chapter.document.links:
        target = pack.book.targets.get(node.span) if isinstance(node, Link) else None
        entity = resolve_entity(node, target, starts, named) if target and isinstance(node, Link) else None
        if entity is not None:
            link_entities[node.span] = entity
            section = sections[bisect_right(starts_of, node.span.start) - 1]
            origin = _origin(pack, section, inside, node.span)
            if origin != entity.id:
                yield Mention(origin, entity.id, node.span)


def _by_fields(entities: Iterable[Entity]) -> Iterator[Mention]:
    for entity in entities:
        for name, ids in entity.references.items():
            span = entity.place_of(name)
            yield from (Mention(entity.id, target_id, span, name) for target_id in ids)


def _by_effects(pack: Pack) -> Iterator[Mention]:
    """The mentions in what things do: of what one brings, say. A subject that names itself is no mention."""
    for subject, effects in pack.game.effects.items():
        origin = f"{pack.game.id}/{subject}"
        for effect in effects if origin in pack.by_id else ():
            for key, value in effect.payload.items():
                for name in value if isinstance(value, list) else [value]:
                    if isinstance(name, str) and name in pack.by_id and name != origin:
                        yield Mention(origin, name, effect.span, effect=key)


class _Starts:
    """What a link to a place names, worked out for each text that one leads to."""

    def __init__(self, pack: Pack) -> None:
        self._by_source = pack.by_source
        self._starts: dict[Source, Mapping[Span, Entity]] = {}
        self._below: dict[Source, Mapping[Anchor, Sequence[Entity]]] = {}
        self._named: dict[Anchor, Mapping[str, Entity]] = {}

    def at(self, place: Anchor) -> Entity | None:
        """The entity of a place: of its heading, or of the term or block that is all of it."""
        source = place.span.source
        if source not in self._starts:
            self._starts[source] = _starts(self._by_source.get(source, ()))
        return self._starts[source].get(place.span)

    def below(self, place: Anchor) -> Mapping[str, Entity]:
        """The entities that stand below a heading, by name."""
        if place not in self._named:
            source = place.span.source
            if source not in self._below:
                self._below[source] = _below(self._by_source.get(source, ()))
            self._named[place] = names_of(self._below[source].get(place, ()))
        return self._named[place]


def _starts(entities: Iterable[Entity]) -> Mapping[Span, Entity]:
    found: dict[Span, list[Entity]] = {}
    for entity in entities:
        place = entity.section.anchor.span if _is_section(entity) else entity.span
        found.setdefault(place, []).append(entity)
    # Several may stand in one paragraph, which then is none of them.
    return {place: some[-1] for place, some in found.items() if len(some) == 1 or _is_section(some[-1])}


def _is_section(entity: Entity) -> bool:
    return isinstance(entity.section.anchor.node, Heading) and entity.span.start == entity.section.anchor.span.start


def _below(entities: Iterable[Entity]) -> Mapping[Anchor, Sequence[Entity]]:
    found: dict[Anchor, list[Entity]] = {}
    for entity in entities:
        for anchor in entity.section.headings:
            found.setdefault(anchor, []).append(entity)
    return found


def names_of(entities: Iterable[Entity]) -> Mapping[str, Entity]:
    """Entities by folded name or alias, but no name that two of them share."""
    found: dict[str, list[Entity]] = {}
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            found.setdefault(normalize(name), []).append(entity)
    return {name: entities[0] for name, entities in found.items() if len(entities) == 1}


def resolve_entity(node: Link, target: Target, starts: _Starts, named: Mapping[str, Entity]) -> Entity | None:
    """The entity that a link means.

    It is the one whose heading the link leads to; or one that stands below that heading, if the words of the link are
    its name (`[[#STATES|Dazed]]`); or, where the place is missing, the one that is called so (`[[Dazed]]`).
    """
    if target.found is not None:
        entity = starts.at(target.found)
        if entity is None and (below := starts.below(target.found)):
            entity = below.get(normalize(plain_text(node)))
        return entity
    path, *headings = node.target.split("#")
    return named.get(normalize(headings[-1] if headings else path))


def _origin(pack: Pack, section: Section, inside: list[Entity], span: Span) -> str:
    """The id of the smallest entity around a place, or of the section where no entity is around it."""
    for entity in inside:
        if entity.span.start <= span.start and span.end <= entity.span.end:
            return entity.id
    return section_id(pack.game, section)
