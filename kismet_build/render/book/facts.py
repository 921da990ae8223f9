"""What a book shows of a note beside its text."""

from collections.abc import Iterator

from kismet_build.config.kind import FieldRule
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import infobox_fields
from kismet_build.render.components.field import is_empty


def property_fields(pack: Pack, entity: Entity) -> Iterator[FieldRule]:
    """The fields of an entity whose values are properties of its note, above the text: the text does not have them."""
    blocks = pack.book.outlines[entity.span.source.path].chapter.document.blocks
    start = blocks[0].span.start if blocks else len(entity.span.source.text)
    for rule in infobox_fields(pack)[entity.kind]:
        span = entity.field_spans.get(rule.name)
        if span is not None and span.start < span.end <= start and not is_empty(entity.fields.get(rule.name), entity):
            yield rule
