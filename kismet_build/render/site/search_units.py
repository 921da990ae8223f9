"""The search units of a document: each sentence, list item, table row and field, as printed."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from kismet_build.config.kind import FieldRule
from kismet_build.mechanics.search.words import fold_words
from kismet_build.model import nodes
from kismet_build.model.book import BLOCK_LEVEL, Section
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.card import infobox_fields
from kismet_build.render.components.entity_text import entity_text, field_words
from kismet_build.render.components.field import has_objects, label
from kismet_build.render.html.escape import with_minus
from kismet_build.render.html.excerpt import sentences, summary

CELL_SEPARATOR = " · "
MAX_SHORT_UNITS = 2
"""Maximum number of units of an entity or section in a long game, whose entire text is searched with Pagefind."""
MAX_SHORT_CHARACTERS = 60
"""Maximum length of a unit in a long game."""
VALUE = re.compile(r"[^:]{1,20}: [-+−]?\d[^:]{0,11}")
"""A number with its label, such as `HP: 666`: what is looked up at the table."""
MAX_VALUES = 12
"""Maximum number of values of an entity that a long game has, too."""

Origin: TypeAlias = Literal["book", "editors", "fields"]
"""The origin of a unit: the book, the editors' box about an open question, or a sentence that kismet made from
fields."""

Unit: TypeAlias = tuple[str, Origin]


@cached_in_pack
def search_units(pack: Pack, path: str) -> Mapping[str, tuple[Unit, ...]]:
    """The search units of the document at this path, by the id of an entity or the `section_key` of a section.

    A block belongs to the entity that its row, item or heading defines, or else to its section. An entity defined
    within a sentence has a copy of that sentence. In a long game, only the first units of each are kept, and shortened,
    and short values.
    """
    chapter = pack.book.outlines[path].chapter
    entities = pack.by_source.get(chapter.source, ())
    sections = pack.book.sections[chapter.source]
    boxes = [(box.callout.span.start, box.callout.span.end) for box in pack.documents[path].questions]
    units: defaultdict[str, list[Unit]] = defaultdict(list)

    def unit(start: int, text: str) -> Unit:
        return text, "editors" if any(first <= start < end for first, end in boxes) else "book"

    owners = _Owners(entities, sections)
    for section in sections:
        if section.anchor.level < BLOCK_LEVEL:
            key = section_key(path, section.anchor.id)
            for block in section.blocks:
                for start, text in _units_of(block):
                    if not any(len(word) > 1 or word.isdigit() for word in fold_words(text)):
                        continue  # Text without words is a diagram.
                    for owner in owners.of(section, start) or (key,):
                        units[owner].append(unit(start, text))
    for entity in entities:
        if entity.id not in units and not entity.is_document:
            units[entity.id] = [unit(*each) for block in entity.body for each in _units_of(block)]
        texts = [text for text, _ in units[entity.id]]
        fields = _fields(pack, entity, infobox_fields(pack)[entity.kind], texts)
        units[entity.id][:] = _with_fields(units[entity.id], fields)
        units[entity.id] += [(sentence, "fields") for sentence in _sentences_of_fields(pack, entity)]
    if not pack.is_searched_whole:
        for of_key in units.values():
            values = [unit for unit in of_key[MAX_SHORT_UNITS:] if VALUE.fullmatch(unit[0])][:MAX_VALUES]
            first = [(summary(text, MAX_SHORT_CHARACTERS), by) for text, by in of_key[:MAX_SHORT_UNITS]]
            of_key[:] = [*first, *values]
    return {key: tuple(texts) for key, texts in units.items() if texts}


def section_key(path: str, anchor_id: str) -> str:
    """Key of a section's units in the document at this path."""
    return f"{path}#{anchor_id}"


class _Owners:
    """Finds the entities that a piece of text belongs to, by its offset in the document."""

    def __init__(self, entities: Sequence[Entity], sections: Iterable[Section]) -> None:
        anchors = {section.anchor.span.start for section in sections}
        self._of_heading: defaultdict[int, list[str]] = defaultdict(list)
        self._inside: list[Entity] = []
        for entity in entities:
            if entity.span.start in anchors:
                self._of_heading[entity.span.start].append(entity.id)
            else:
                self._inside.append(entity)
        self._inside.sort(key=lambda entity: entity.span.start)
        self._starts = [entity.span.start for entity in self._inside]

    def of(self, section: Section, start: int) -> Sequence[str]:
        """The ids of the entities that the text at an offset belongs to; empty if it only belongs to the section."""
        place = bisect_right(self._starts, start)
        nearest = self._starts[place - 1] if place else -1
        found = []
        while place and self._starts[place - 1] == nearest and self._inside[place - 1].span.end > start:
            place -= 1
            found.append(self._inside[place].id)
        return found[::-1] or self._of_heading[section.anchor.span.start]


def _units_of(block: nodes.Block) -> Iterator[tuple[int, str]]:
    """The units of a block, each with its offset in the source."""
    if isinstance(block, nodes.Table):
        header = [_line(cell) for cell in block.header.cells]
        if text := CELL_SEPARATOR.join(filter(None, (_line(*block.caption), *header))):
            yield block.header.span.start, text
        yield from ((row.span.start, text) for row in block.rows if (text := _row(row, header)))
    elif isinstance(block, nodes.Property):
        yield from ((block.span.start, with_minus(line)) for line in nodes.property_lines(block))
    elif blocks := [child for child in nodes.children(block) if isinstance(child, nodes.Block)]:
        if isinstance(block, nodes.Callout) and block.title:
            yield block.span.start, _line(*block.title)
        if isinstance(block, nodes.DefinitionItem):
            yield block.span.start, _line(*block.term)
        for child in blocks:
            yield from _units_of(child)
    else:
        yield from ((block.span.start, text) for text in sentences(with_minus(nodes.reading_text(block))))


def _row(row: nodes.Row, header: Sequence[str]) -> str:
    """The cells of a row on one line, each after the title of its column, except the first."""
    cells = [_line(cell) for cell in row.cells]
    titled = (
        f"{title}: {cell}" if title and place else cell
        for place, (title, cell) in enumerate(zip(header, cells, strict=False))
        if cell
    )
    return CELL_SEPARATOR.join(titled)


def _line(*parts: nodes.Node) -> str:
    return with_minus(" ".join(nodes.reading_text(*parts).split()))


def _sentences_of_fields(pack: Pack, entity: Entity) -> list[str]:
    if not pack.game.kinds[entity.kind].sentences:
        return []
    own = {sentence for block in entity.body for sentence in sentences(with_minus(nodes.reading_text(block)))}
    return [sentence for sentence in sentences(with_minus(entity_text(pack, entity))) if sentence not in own]


def _with_fields(units: Sequence[Unit], fields: Iterable[tuple[str, str]]) -> list[Unit]:
    """Units of an entity, after units for its fields, which are given as labels and values.

    The first cell of a row has no title, because it is mostly a name. If it is the value of a field, the row gets the
    field's label, and the field no unit.
    """
    labelled = [*units]
    rest: list[Unit] = []
    for name, value in fields:
        row = next((at for at, (text, _) in enumerate(labelled) if text.startswith(value + CELL_SEPARATOR)), None)
        if row is None:
            rest.append((f"{name}: {value}", "book"))
        else:
            labelled[row] = (f"{name}: {labelled[row][0]}", labelled[row][1])
    return [*rest, *labelled]


def _fields(pack: Pack, entity: Entity, rules: Iterable[FieldRule], texts: Sequence[str]) -> list[tuple[str, str]]:
    """The label and the value of each field of an entity, unless a unit has both of them already."""
    shown = [f" {' '.join(fold_words(text))} " for text in texts]
    found = []
    for rule in rules:
        value = "" if has_objects(rule) else field_words(pack, entity, rule)
        if value not in ("", entity.name):
            words = [f" {' '.join(fold_words(part))} " for part in (label(rule), value)]
            if not any(all(part in text for part in words) for text in shown):
                found.append((label(rule), value))
    return found
