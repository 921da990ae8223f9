"""Fetch the words of a field from the place where its entity starts: the few ways to fetch."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kismet_build.config.kind import Way
from kismet_build.extract.candidates import header
from kismet_build.extract.match_result import Found, lines, one_line
from kismet_build.extract.name_lists import exact
from kismet_build.extract.rows import row_of
from kismet_build.model.nodes import (
    Block,
    Cell,
    FootnoteReference,
    Inline,
    Link,
    ListItem,
    Paragraph,
    Strong,
    Table,
    children,
    plain_text,
    walk,
    walk_blocks,
)
from kismet_build.model.nodes import List as ListBlock
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize


@dataclass(frozen=True, slots=True)
class Words:
    """One find: what it says, and where it stands."""

    value: Any
    """A string, but for what a data file or the kind itself gives."""
    span: Span


def fetch(ways: Sequence[Way], found: Found) -> tuple[Words, ...]:
    """What the first way gives that finds anything; empty where none does."""
    for way in ways:
        words = FETCHERS[way.how](found, way.argument)
        if words and way.pattern is not None:
            words = _sought(way.pattern, way.value, words)
        if words:
            return words
    return ()


def _sought(pattern: re.Pattern[str], value: Any, words: Sequence[Words]) -> tuple[Words, ...]:
    """Every find of a pattern in some words, each once: its groups, all of it, or the value that stands for it."""
    values: dict[Any, Words] = {}
    for one in words:
        for hit in pattern.finditer(str(one.value)):
            groups = [group for group in hit.groups() if group is not None] or [hit.group(0)]
            for group in [" ".join(group.split()) for group in groups] if value is None else (value,):
                if group not in values:
                    values[group] = Words(group, exact(hit.group(0), one.span))
    return tuple(values.values())


def parts(ways: Sequence[Way], found: Found) -> list[Found]:
    """The places of which each gives one object: every row of a table, or every find of another way."""
    for way in ways:
        places = _rows(found, way) if way.how == "table" else _narrowed(fetch((way,), found), found)
        if places:
            return places
    return []


def _rows(found: Found, way: Way) -> list[Found]:
    """The rows of the first table that has the column; of a way with a pattern those in whose cells it is found."""
    for table in walk_blocks(*found.body):
        if not isinstance(table, Table):
            continue
        columns = header(table)
        if way.argument and normalize(way.argument) not in columns:
            continue
        places = []
        for row in (row for row in table.rows if any(map(plain_text, row.cells))):
            body, cells = row_of(table, columns, row)
            places.append(replace(found, body=body, row=row.cells, cells=cells, words=None, at=row.span))
        return [place for place in places if way.pattern is None or way.pattern.search(place.text)]
    return []


def _narrowed(words: Sequence[Words], found: Found) -> list[Found]:
    return [replace(found, words=str(one.value), at=one.span) for one in words]


def _title(found: Found, _argument: str) -> tuple[Words, ...]:
    return (Words(found.title, found.title_span),)


def _capture(found: Found, argument: str) -> tuple[Words, ...]:
    value = found.captures.get(argument)
    return () if value is None else (Words(value, found.title_span),)


def _text(found: Found, _argument: str) -> tuple[Words, ...]:
    return (Words(found.text, found.at or found.span),) if found.text else ()


def _paragraph(found: Found, _argument: str) -> tuple[Words, ...]:
    first = found.paragraph
    return () if first is None else (Words(one_line(first), first.span),)


def _items(found: Found, _argument: str) -> tuple[Words, ...]:
    return tuple(Words(one_line(*item.children), item.span) for item in _outer_items(found.body))


def _outer_items(blocks: Sequence[Block]) -> Iterator[ListItem]:
    """The items of the lists in some blocks; a list in an item belongs to that item."""
    for block in blocks:
        if isinstance(block, ListBlock):
            yield from block.items
        elif not isinstance(block, Paragraph):
            yield from _outer_items(children(block))  # type: ignore[arg-type]


def _above(found: Found, _argument: str) -> tuple[Words, ...]:
    """The titles of the headings that it stands below, the nearest first."""
    above = [anchor for anchor in found.section.headings if anchor.span.start != found.span.start]
    return tuple(Words(anchor.title, anchor.span) for anchor in reversed(above))


def _meta(found: Found, argument: str) -> tuple[Words, ...]:
    value = found.data.get(argument)
    if value is None:
        return ()
    span = found.data_span or found.title_span
    return tuple(Words(one, span) for one in (value if isinstance(value, list) else [value]))


def _column(found: Found, argument: str) -> tuple[Words, ...]:
    return _cell_words(found.cells.get(normalize(argument)))


def _cell(found: Found, argument: str) -> tuple[Words, ...]:
    number = int(argument)
    return _cell_words(found.row[number - 1]) if number <= len(found.row) else ()


def _cell_words(cell: Cell | None) -> tuple[Words, ...]:
    return () if cell is None else (Words(lines(cell.children), cell.span),)


def _label(found: Found, argument: str) -> tuple[Words, ...]:
    """What stands after a run-in label on the same line: `**Granted by:** these words`.

    Where a line end is a space, they run on to the end of the paragraph or to the next line with a label in bold.
    """
    first, *following = found.labels.get(normalize(argument).rstrip(":"), (None,))
    if first is None:
        return ()
    words, last = first.words.partition(":")[2], first
    for line in following:
        if not line.is_soft or _begins_with_label(line.inlines):
            break
        words, last = f"{words} {line.words}", line
    start = first.inlines[0].span
    return (Words(words.strip(), start.source.span(start.start, last.inlines[-1].span.end)),)


def _begins_with_label(line: tuple[Inline, ...]) -> bool:
    words = plain_text(line[0]).rstrip()
    return isinstance(line[0], Strong) and (words.endswith(":") or plain_text(*line[1:2]).lstrip().startswith(":"))


def _links(found: Found, _argument: str) -> tuple[Words, ...]:
    """The words of every link; which of them name entities of the kind is found out later."""
    links: dict[str, Words] = {}
    for node in walk(*found.body):
        if isinstance(node, Link):
            words = " ".join(plain_text(node).split())
            links.setdefault(words, Words(words, node.span))
    return tuple(links.values())


def _notes(found: Found, _argument: str) -> tuple[Words, ...]:
    """What footnotes, or stars and daggers, of a row say below its table."""
    notes = [note for cell in found.cells.values() for note in (*_footnotes(cell, found), *_starred(cell, found))]
    return tuple(Words(note, found.span) for note in notes)


def _footnotes(cell: Cell, found: Found) -> Iterator[str]:
    document = found.section.anchor.chapter.document
    labels = [node.label for node in walk(cell) if isinstance(node, FootnoteReference)]
    for note in document.footnotes if labels else ():
        if note.label in labels:
            yield " ".join(plain_text(*note.children).split())


def _starred(cell: Cell, found: Found) -> Iterator[str]:
    mark = re.search(r"(?<=\w)(\*+|†+|‡+)$", plain_text(*cell.children).strip())
    if mark is None:
        return
    sign = re.escape(mark[1])
    note = re.compile(rf"^{sign}(?![*†‡])|(?<![*†‡]){sign}$")
    for block in found.section.blocks:
        text = " ".join(plain_text(block).split()) if isinstance(block, Paragraph | ListBlock) else ""
        if text and note.search(text):
            yield note.sub("", text).strip()


FETCHERS: dict[str, Callable[[Found, str], tuple[Words, ...]]] = {
    "slug": _title,
    "title": _title,
    "capture": _capture,
    "meta": _meta,
    "label": _label,
    "column": _column,
    "cell": _cell,
    "text": _text,
    "paragraph": _paragraph,
    "items": _items,
    "above": _above,
    "notes": _notes,
    "links": _links,
}
"""By the words of schemas/kind.schema.json under `way`; `table` gives places, not words."""
