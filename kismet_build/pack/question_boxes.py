"""Find question boxes in an entity's text, and after the list or table that contains the entity."""

import re
from collections.abc import Collection, Iterable
from dataclasses import fields, replace
from typing import Any

from kismet_build.model.book import SpanMapping
from kismet_build.model.language.inflection import plural
from kismet_build.model.nodes import Block, Link, walk
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack.entity import Entity
from kismet_build.pack.facts import QuestionBox


def boxes_inside(blocks: Iterable[Block], boxes: Iterable[QuestionBox]) -> tuple[QuestionBox, ...]:
    """The question boxes that these blocks contain or are in. `boxes` are the boxes of their document."""
    spans = [block.span for block in blocks]
    return tuple(
        box
        for box in boxes
        if any(_covers(box.callout.span, span) or _covers(span, box.callout.span) for span in spans)
    )


def without_blocks(blocks: Iterable[Block], spans: Collection[Span]) -> tuple[Block, ...]:
    """Blocks without the blocks in these spans, at any depth, for example without question boxes.

    Other blocks stay the same objects.
    """
    return tuple(_without(block, spans) for block in blocks if not any(_covers(span, block.span) for span in spans))


def _without(block: Block, spans: Collection[Span]) -> Block:
    if not any(_covers(block.span, span) for span in spans):
        return block
    changes: dict[str, Any] = {
        field.name: without_blocks(value, spans)
        for field in fields(block)
        if isinstance(value := getattr(block, field.name), tuple) and value and isinstance(value[0], Block)
    }
    return replace(block, **changes)


def _covers(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and outer.source.path == inner.source.path


def boxes_beside(
    entity: Entity, boxes: Iterable[QuestionBox], link_entities: SpanMapping[str]
) -> tuple[QuestionBox, ...]:
    """The question boxes in the entity's section, outside of its text, that link to the entity or name it in their
    title. `boxes` are the boxes of the document. `link_entities` has the entity id of each link, by span.
    """
    beside = [box for box in boxes if box.section.anchor.span == entity.section.anchor.span]
    names = [normalize(name) for name in (entity.name, *entity.aliases)] if beside else ()
    return tuple(
        box
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
