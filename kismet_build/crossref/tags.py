"""Find the entities and sections of a document that have tags."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from kismet_build.model.book import Outline
from kismet_build.model.tag import tags_of_properties, unique_tags
from kismet_build.pack import Entity


def find_tags(outline: Outline, entities: Sequence[Entity], game_id: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The ids of entities and sections, each with its tags as written but without `#`.

    An entity has the tags in its text and, if it is an entire document, also the tags in its properties. Other tags in
    the text belong to the section around them, and other tags in properties to the first section.
    """
    document = outline.chapter.document
    of_document = tags_of_properties(document.metadata)
    # A statblock may contain text that it takes over from another document.
    in_text = sorted((tag.span.start, tag.name) for tag in document.text_tags if tag.span.source == document.source)
    if not of_document and not in_text:
        return ()
    found: dict[str, list[str]] = {}
    in_entities: set[int] = set()
    for entity in entities:
        inside = range(*(bisect_left(in_text, (offset,)) for offset in (entity.span.start, entity.span.end)))
        in_entities.update(inside)
        properties = of_document if entity.is_document else ()
        found[entity.id] = [*properties, *(in_text[number][1] for number in inside)]
    sections = [f"{game_id}/section/{section.slug}" for section in outline.sections]
    if not any(entity.is_document for entity in entities):
        found[sections[0]] = [*of_document]
    starts = [section.anchor.span.start for section in outline.sections]
    for number, (start, name) in enumerate(in_text):
        if number not in in_entities:
            found.setdefault(sections[bisect_right(starts, start) - 1], []).append(name)
    return tuple((origin, unique_tags(names)) for origin, names in found.items() if names)
