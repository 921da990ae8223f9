"""What boards are made of, looked up in a pack: some things of a kind, a table of the text."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kismet_build.config.board import Part
from kismet_build.model.book import Section
from kismet_build.model.nodes import Block, Table, plain_text, walk_blocks
from kismet_build.model.text_normalization import fold, unique
from kismet_build.pack import Entity, Pack, section_id


@dataclass(frozen=True, slots=True)
class BookTable:
    """A table of the text, with the id that it is published with."""

    id: str
    """`game/table/chapter-heading`."""
    caption: str
    """Its own, or the title of the section that it stands in."""
    table: Table
    section: Section


@lru_cache(maxsize=2)
def book_tables(pack: Pack) -> tuple[BookTable, ...]:
    """Every table of the text, in the order of the book."""
    return tuple(_tables(pack))


def _tables(pack: Pack) -> Iterator[BookTable]:
    taken: set[str] = set()
    for section in pack.book.all_sections():
        for table in tables_in(section.blocks):
            base = section_id(pack.game, section).replace("/section/", "/table/", 1)
            caption = plain_text(*table.caption) or section.anchor.title
            yield BookTable(unique(base, taken, 2), caption, table, section)


def tables_in(blocks: Iterable[Block]) -> Iterator[Table]:
    """The tables among blocks and in them, in the order of the text."""
    return (block for block in walk_blocks(*blocks) if isinstance(block, Table))


def find_table(pack: Pack, name: str) -> BookTable | None:
    """The table with an id, the last part of one, or a caption; the first of several."""
    tables = book_tables(pack)
    for one in tables:
        if name in (one.id, one.id.rpartition("/")[2]):
            return one
    return next((one for one in tables if fold(one.caption) == fold(name)), None)


def find_column(table: Table, name: str) -> int | None:
    """The place of a column by what stands at its head."""
    heads = [fold(plain_text(cell).strip()) for cell in table.header.cells]
    return heads.index(fold(name)) if fold(name) in heads else None


def things(pack: Pack, part: Part) -> tuple[Entity, ...]:
    """What a part of a board shows of a kind, in the order that its author gave, else in that of the book."""
    entities = pack.entities.get(part.subject.name, ())
    if part.only:
        by_slug = {entity.slug: entity for entity in entities}
        entities = tuple(by_slug[one.name] for one in part.only if one.name in by_slug)
    return tuple(entity for entity in entities if _fits(entity, part.where))


def _fits(entity: Entity, where: Mapping[str, Any]) -> bool:
    return all(_has(entity.fields.get(name, entity.name), value) for name, value in where.items())


def _has(found: Any, value: Any) -> bool:
    """Whether a value is the one that is looked for, or names it by the last part of its id, or is a list with it."""
    if isinstance(found, list):
        return any(_has(one, value) for one in found)
    if isinstance(found, bool) or isinstance(value, bool):
        return found is value
    return bool(found == value) or (isinstance(found, str) and "/" in found and found.rpartition("/")[2] == value)
