"""The whole text of the terms that a section defines: from each definition to the next one or the next heading."""

import re
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from kismet_build.model.book import Outline, Section
from kismet_build.model.nodes import Block, FootnoteDefinition, Paragraph, plain_text
from kismet_build.model.text_normalization import normalize
from kismet_build.pack.entity import Entity


def whole_definitions(
    outline: Outline, entities: Sequence[Entity], terms: Collection[str]
) -> Mapping[str, tuple[Block, ...]]:
    """By id, the text of each entity whose text goes on after its definition.

    `entities` are the entities of the document, `terms` the kinds whose entities are defined in running text. The text
    of a term ends at the next paragraph in which an entity begins. If several entities begin in a paragraph, only one
    of them goes on, so no other block is in two texts. The text of a term that is defined in a list item is that item.
    """
    by_section: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        by_section[entity.section.slug].append(entity)
    wholes: dict[str, tuple[Block, ...]] = {}
    for slug, inside in by_section.items():
        section = outline.section_of[slug]
        defined = [entity for entity in inside if entity.kind in terms]
        # The text of an entity that begins with a heading is the whole section.
        if defined and all(entity.span.start > section.anchor.span.start for entity in inside):
            wholes |= _in_section(section, defined, inside)
    return wholes


def _in_section(
    section: Section, defined: Sequence[Entity], inside: Sequence[Entity]
) -> Mapping[str, tuple[Block, ...]]:
    blocks = [block for block in section.blocks if not isinstance(block, FootnoteDefinition)]
    starts = [
        index
        for index, block in enumerate(blocks)
        if isinstance(block, Paragraph)
        and any(block.span.start <= entity.span.start < block.span.end for entity in inside)
    ]
    wholes: dict[str, tuple[Block, ...]] = {}
    for start, end in pairwise([*starts, len(blocks)]):
        here = [entity for entity in defined if entity.body and entity.body[0] is blocks[start]]
        if here:
            chosen = min(here, key=lambda entity: _rank(entity, section.anchor.title, blocks[start]))
            wholes[chosen.id] = (*chosen.body, *blocks[start + len(chosen.body) : end])
    return wholes


def _rank(entity: Entity, title: str, paragraph: Block) -> tuple[bool, int]:
    """The order in which entities may go on after a paragraph: first an entity that the title names, then by their
    place in the paragraph.
    """
    name = rf"(?<!\w){re.escape(normalize(entity.name))}(?!\w)"
    place = re.search(name, normalize(plain_text(paragraph)))
    return re.search(name, normalize(title)) is None, place.start() if place else sys.maxsize
