"""Fetch the words of a field from the place where its entity starts: the few ways to fetch."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kismet_build.extract.found import Found
from kismet_build.kind import Way
from kismet_build.model import (
    Cell,
    FootnoteDefinition,
    FootnoteReference,
    HardBreak,
    Inline,
    Link,
    Paragraph,
    SoftBreak,
    plain_text,
    walk,
)
from kismet_build.model import List as ListBlock
from kismet_build.name import fold
from kismet_build.source import Span


@dataclass(frozen=True, slots=True)
class Words:
    """What was fetched, and where it stands."""

    values: tuple[Any, ...]
    """One entry for each find; strings, but for what a data file or the kind itself gives."""
    span: Span


def fetch(way: Way, found: Found) -> Words | None:
    """The words that one way gives, or `None` where it finds nothing."""
    words = FETCHERS[way.how](found, way.argument)
    if words is None or way.pattern is None:
        return words
    values: list[Any] = []
    for text in words.values:
        for hit in way.pattern.finditer(str(text)):
            groups = [group for group in hit.groups() if group is not None] or [hit.group(0)]
            values.extend([way.value] if way.value is not None else groups)
    return Words(tuple(dict.fromkeys(values)), words.span) if values else None


def _title(found: Found, _argument: str) -> Words | None:
    return Words((found.title,), found.title_span)


def _capture(found: Found, argument: str) -> Words | None:
    value = found.captures.get(argument)
    return None if value is None else Words((value,), found.title_span)


def _text(found: Found, _argument: str) -> Words | None:
    return Words((found.text,), found.span) if found.text else None


def _meta(found: Found, argument: str) -> Words | None:
    value = found.data.get(argument)
    if value is None:
        return None
    return Words(tuple(value) if isinstance(value, list) else (value,), found.data_span or found.title_span)


def _column(found: Found, argument: str) -> Words | None:
    cell = found.cells.get(fold(argument))
    return None if cell is None else Words((" ".join(plain_text(*cell.children).split()),), cell.span)


def _label(found: Found, argument: str) -> Words | None:
    """What stands after a run-in label on the same line: `**Granted by:** these words`."""
    wanted = fold(argument).rstrip(":")
    for block in walk(*found.body):
        for line in _lines(block.children) if isinstance(block, Paragraph) else ():
            text = " ".join(plain_text(*line).split())
            label, colon, rest = text.partition(":")
            if colon and fold(label) == wanted:
                return Words((rest.strip(),), line[0].span.source.span(line[0].span.start, line[-1].span.end))
    return None


def _lines(inlines: tuple[Inline, ...]) -> Iterator[tuple[Inline, ...]]:
    line: list[Inline] = []
    for inline in inlines:
        if isinstance(inline, HardBreak | SoftBreak):
            if line:
                yield tuple(line)
            line = []
        else:
            line.append(inline)
    if line:
        yield tuple(line)


def _links(found: Found, _argument: str) -> Words | None:
    """The words of every link; which of them name entities of the kind is found out later."""
    links = [node for node in walk(*found.body) if isinstance(node, Link)]
    values = tuple(dict.fromkeys(" ".join(plain_text(link).split()) for link in links))
    return Words(values, links[0].span) if links else None


def _notes(found: Found, _argument: str) -> Words | None:
    """What footnotes, or stars and daggers, of a row say below its table."""
    notes = [note for cell in found.cells.values() for note in (*_footnotes(cell, found), *_starred(cell, found))]
    return Words(tuple(notes), found.span) if notes else None


def _footnotes(cell: Cell, found: Found) -> Iterator[str]:
    document = found.section.anchor.chapter.document
    labels = [node.label for node in walk(cell) if isinstance(node, FootnoteReference)]
    for node in walk(*document.blocks) if labels else ():
        if isinstance(node, FootnoteDefinition) and node.label in labels:
            yield " ".join(plain_text(*node.children).split())


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


FETCHERS: dict[str, Callable[[Found, str], Words | None]] = {
    "slug": _title,
    "title": _title,
    "capture": _capture,
    "meta": _meta,
    "label": _label,
    "column": _column,
    "text": _text,
    "notes": _notes,
    "links": _links,
}
