"""Find where entities start in a document's text. A page of the text links to each entity's own page there."""

from bisect import bisect_left
from collections.abc import Mapping
from typing import NamedTuple

from kismet_build.model.nodes import DefinitionItem, Heading, Paragraph, Row, walk_blocks
from kismet_build.model.source import Span
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack

STARTING_NODES = frozenset((Heading, Paragraph, DefinitionItem, Row))
"""Nodes that can start with a link to an entity's page."""


class EntityStart(NamedTuple):
    """The entities that start at the same place."""

    entities: list[Entity]
    is_heading: bool


def entity_starts(pack: Pack, path: str) -> Mapping[Span, EntityStart]:
    """The entities that start in the document at this path, by the span of the block or term where they start.

    The entity of a note is left out. For a table row, the block is the first one in its cells.
    """
    found = _starts(pack)
    if path not in found:
        found[path] = _find(pack, path)
    return found[path]


@cached_in_pack
def _starts(_pack: Pack) -> dict[str, Mapping[Span, EntityStart]]:
    return {}


def _find(pack: Pack, path: str) -> Mapping[Span, EntityStart]:
    starts: dict[int, list[Entity]] = {}
    note = pack.note_entities.get(path)
    for entity in pack.documents[path].entities:
        if entity.id != note:
            starts.setdefault(entity.span.start, []).append(entity)
    found: dict[Span, EntityStart] = {}
    offsets = sorted(starts)
    for node in walk_blocks(*pack.book.outlines[path].chapter.document.blocks) if starts else ():
        if type(node) not in STARTING_NODES or (start := node.span.start) not in starts:
            continue
        match node:
            case Heading() | Paragraph():
                # A paragraph in which several entities start does not belong to any of them.
                inside = offsets[bisect_left(offsets, start) : bisect_left(offsets, node.span.end)]
                if inside == [start]:
                    found[node.span] = EntityStart(starts[start], isinstance(node, Heading))
            case DefinitionItem():
                found[node.span] = EntityStart(starts[start], is_heading=False)
            case Row():
                first = next((block for cell in node.cells for block in cell.children), None)
                if first is not None:
                    found[first.span] = EntityStart(starts.pop(start), is_heading=False)
    return found
