"""Question boxes shown with an entity, such as those after the list or table that contains it."""

import re
from collections.abc import Iterable

from kismet_build.model.book import SpanMapping
from kismet_build.model.language.inflection import plural
from kismet_build.model.nodes import Callout, Link, walk
from kismet_build.model.text_normalization import normalize
from kismet_build.pack.entity import Entity
from kismet_build.pack.facts import QuestionBox


def boxes_beside(entity: Entity, boxes: Iterable[QuestionBox], link_entities: SpanMapping[str]) -> tuple[Callout, ...]:
    """The question boxes in the entity's section, outside of its text, that link to it or name it in their title.

    `boxes`: those of its document. `link_entities`: the entity id of each link, by span.
    """
    beside = [box for box in boxes if box.section.anchor.span == entity.section.anchor.span]
    names = [normalize(name) for name in (entity.name, *entity.aliases)] if beside else ()
    return tuple(
        box.callout
        for box in beside
        if not entity.span.start <= box.callout.span.start < entity.span.end
        and (any(_names(box, name) for name in names) or _links(box, entity, link_entities))
    )


def _names(box: QuestionBox, name: str) -> bool:
    pattern = rf"(?<!\w)(?:{re.escape(name)}|{re.escape(normalize(plural(name)))})(?!\w)"
    return re.search(pattern, normalize(box.title)) is not None


def _links(box: QuestionBox, entity: Entity, link_entities: SpanMapping[str]) -> bool:
    links = (node.span for node in walk(*box.callout.children) if isinstance(node, Link))
    return any(link_entities.get(span) == entity.id for span in links)
