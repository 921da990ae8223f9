"""The lines that search shows as answers: an entity's fields and first words, or a section's first words."""

from collections.abc import Iterable, Mapping

from kismet_build.config.kind import FieldRule
from kismet_build.model.book import BLOCK_LEVEL
from kismet_build.model.nodes import Block, Callout, Heading, Statblock, Table, plain_text
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import infobox_fields
from kismet_build.render.components.entity_text import field_words
from kismet_build.render.components.field import has_objects
from kismet_build.render.data.document_parts import document_part
from kismet_build.render.html.excerpt import summary

SearchLine = tuple[tuple[tuple[str, str], ...], str]
"""The line that search shows for an entity or section: field names with values, and the first words."""
MAX_SENTENCE_CHARACTERS = 240
"""Maximum length of the first words of an entity or section."""
MAX_VALUE_CHARACTERS = 260
"""Maximum length of a field's value. A list of names may be long, and players search for the names in it."""


@document_part
def search_lines(pack: Pack, path: str) -> Mapping[str, SearchLine]:
    """The search lines of the document at this path: its entities' by id, its sections' by `section_key`."""
    lines: dict[str, SearchLine] = {}
    chapter = pack.book.outlines[path].chapter
    for entity in pack.by_source.get(chapter.source, ()):
        lines[entity.id] = (
            _values(pack, entity, infobox_fields(pack)[entity.kind]),
            _first_words(entity.body, entity.name),
        )
    for section in pack.book.sections[chapter.source]:
        if 0 < section.anchor.level < BLOCK_LEVEL:
            lines[section_key(chapter.source.path, section.anchor.id)] = ((), _first_words(section.blocks, ""))
    return lines


def section_key(path: str, anchor_id: str) -> str:
    """Key of a section's line in the document at this path."""
    return f"{path}#{anchor_id}"


def _values(pack: Pack, entity: Entity, fields: Iterable[FieldRule]) -> tuple[tuple[str, str], ...]:
    """An entity's fields that have a value, each with the value in words."""
    values = ((rule.name, field_words(pack, entity, rule)) for rule in fields if not has_objects(rule))
    return tuple(
        (name, summary(value, MAX_VALUE_CHARACTERS)) for name, value in values if value not in ("", entity.name)
    )


def _first_words(blocks: tuple[Block, ...], name: str) -> str:
    """The first words of a text, without tables, callouts, and the name with which they begin."""
    prose = (block for block in blocks if not isinstance(block, Table | Statblock | Callout | Heading))
    words = " ".join(plain_text(*prose).split())
    if name and words.casefold().startswith(name.casefold()) and words[len(name) :].lstrip()[:1] in tuple(":.–—"):
        words = words[len(name) :].lstrip().lstrip(":.–— ")
    return summary(words, MAX_SENTENCE_CHARACTERS)
