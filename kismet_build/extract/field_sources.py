"""Fetch the text of a field from a match. `FETCHERS` has a function for each field source."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from posixpath import basename, dirname
from typing import Any

from kismet_build.config.kind import FieldSource
from kismet_build.extract.candidates import column_keys
from kismet_build.extract.match_result import BRACKETS, MatchResult, lines, one_line, subtitle
from kismet_build.extract.name_lists import locate
from kismet_build.extract.rows import row_of
from kismet_build.model import nodes
from kismet_build.model.nodes import List as ListBlock
from kismet_build.model.nodes import children, flatten_layout, plain_text, walk, walk_blocks
from kismet_build.model.pattern import Pattern
from kismet_build.model.source import Span, file_stem
from kismet_build.model.tag import tag_key
from kismet_build.model.text_normalization import normalize, normalize_label


@dataclass(frozen=True, slots=True)
class FetchedValue:
    """A value fetched by a field source, with its span in the text."""

    value: Any
    """A string, unless the value comes from YAML data or is the fixed `value` of a field source."""
    span: Span
    is_data: bool = False
    """Whether the value comes from YAML data. Its type is then known: the string `None` is not a missing value."""
    text: tuple[nodes.Block, ...] = ()
    """The value of an inline field as a paragraph, if it has markup; otherwise empty."""
    printed: str = ""
    """The printed words that the field source replaces with its fixed `value`; empty for other values."""
    mends: str = ""
    """Why the printed words are wrong; empty if they are right."""


def fetch(sources: Sequence[FieldSource], result: MatchResult) -> tuple[FetchedValue, ...]:
    """The values of the first field source with values; empty if no field source has values."""
    for source in sources:
        fetched = FETCHERS[source.method](result, source.argument)
        if fetched and source.pattern is not None:
            fetched = _search(source, source.pattern, fetched)
        if fetched:
            return fetched
    return ()


def _search(source: FieldSource, pattern: Pattern, fetched: Sequence[FetchedValue]) -> tuple[FetchedValue, ...]:
    """The distinct values of the groups of a pattern in all matches, or of entire matches if it has no groups.

    If the source has a `value`, the result is this value.
    """
    value = source.value
    values: dict[Any, FetchedValue] = {}
    for item in fetched:
        for match in pattern.find_all(str(item.value)):
            groups = [group for group in match.groups() if group is not None] or [match.group(0)]
            for group in [" ".join(group.split()) for group in groups] if value is None else (value,):
                if group not in values:
                    printed = "" if value is None else " ".join(match.group(0).split())
                    span = locate(match.group(0), item.span)
                    values[group] = FetchedValue(group, span, printed=printed, mends=source.mends)
    return tuple(values.values())


def fetch_parts(sources: Sequence[FieldSource], result: MatchResult) -> list[MatchResult]:
    """The parts of a match that become objects: table rows, or the values of another field source."""
    for source in sources:
        if source.method == "table":
            part_results = _rows(result, source)
        else:
            fetched = fetch((source,), result)
            part_results = [_part(result, item) for item in fetched]
        if part_results:
            return part_results
    return []


def _part(result: MatchResult, item: FetchedValue) -> MatchResult:
    if isinstance(item.value, dict):
        return replace(result, body=(), data=item.value, fetched_text=None, part_span=item.span)
    return replace(result, fetched_text=str(item.value), part_span=item.span)


def _rows(result: MatchResult, source: FieldSource) -> list[MatchResult]:
    """The rows that are not empty of the first table with the column in `source`.

    If `source` names no column, the first table is used. If it has a pattern, only matching rows are included.
    """
    for table in walk_blocks(*result.body):
        if not isinstance(table, nodes.Table):
            continue
        columns = column_keys(table)
        if source.argument and normalize(source.argument) not in columns:
            continue
        rows = []
        for row in (row for row in table.rows if any(map(plain_text, row.cells))):
            body, cells = row_of(table, columns, row)
            rows.append(replace(result, body=body, row=row.cells, cells=cells, fetched_text=None, part_span=row.span))
        return [row_result for row_result in rows if source.pattern is None or source.pattern.search(row_result.text)]
    return []


def _title(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    return (FetchedValue(result.title, result.title_span),)


def _capture(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    value = result.captures.get(argument)
    return () if value is None else (FetchedValue(value, result.title_span),)


def _text(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    return (FetchedValue(result.text, result.part_span or result.span),) if result.text else ()


def _paragraph(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    first = result.paragraph
    return () if first is None else (FetchedValue(one_line(first), first.span),)


def _items(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    return tuple(FetchedValue(one_line(*item.children), item.span) for item in _top_level_items(result.body))


def _top_level_items(blocks: Sequence[nodes.Block]) -> Iterator[nodes.ListItem]:
    """The items of the lists in these blocks, without items of nested lists."""
    for block in blocks:
        if isinstance(block, ListBlock):
            yield from block.items
        elif not isinstance(block, nodes.Paragraph):
            yield from _top_level_items(children(block))  # type: ignore[arg-type]


def _above(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    above = [anchor for anchor in result.section.headings if anchor.span.start != result.span.start]
    return tuple(FetchedValue(anchor.title, anchor.span) for anchor in reversed(above))


def _meta(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    value = nested_value(result.data, argument)
    span = result.data_spans.get(argument) or result.data_span
    if span is None:
        document = result.section.anchor.chapter.document
        span = document.property_span(argument if argument in document.metadata else argument.partition(".")[0])
    items = value if isinstance(value, list) else [value]
    # An empty map has no value, just like an empty list.
    return tuple(FetchedValue(item, span, is_data=True) for item in items if item is not None and item != {})


def nested_value(data: Any, path: str) -> Any:
    """The value at a key, which may contain dots, or at a path of keys such as `stats.str`; `None` if it is missing."""
    data = _as_map(data)
    if not isinstance(data, Mapping):
        return None
    if path in data:
        return data[path]
    key, dot, rest = path.partition(".")
    return nested_value(data.get(key), rest) if dot else None


def _as_map(value: Any) -> Any:
    """One map from a list of maps without a common key: `- str: 1` and `- dex: 2`. Other values are unchanged."""
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        return value
    joined = {key: item for part in value for key, item in part.items()}
    return joined if len(joined) == sum(map(len, value)) else value


def _column(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    return _cell_text(result.cells.get(normalize(argument)))


def _cell(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    number = int(argument)
    return _cell_text(result.row[number - 1]) if number <= len(result.row) else ()


def _cell_text(cell: nodes.Cell | None) -> tuple[FetchedValue, ...]:
    return () if cell is None else (FetchedValue(lines(cell.children), cell.span),)


def _inline(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    fields = result.inline_fields.get(normalize(argument), ())
    return tuple(FetchedValue(item.value, item.span, text=item.text) for item in fields)


def _file(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    return (FetchedValue(file_stem(result.span.source.path), result.title_span),)


def _folder(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    name = basename(dirname(result.span.source.path))
    return (FetchedValue(name, result.title_span),) if name else ()


def _subtitle(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    anchor = result.section.anchor
    is_note = anchor.level == 0 and result.span == result.span.source.full_span()
    # The body of a note has no heading that repeats its title.
    paragraph = subtitle(anchor.chapter.document.blocks if is_note else result.body)
    return () if paragraph is None else (FetchedValue(one_line(paragraph), paragraph.span),)


def _heading(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    """The text below a heading, up to the next heading of the same or a higher level."""
    wanted = normalize(argument)
    blocks = flatten_layout(tuple(result.body))
    for block in blocks:
        if isinstance(block, nodes.Heading) and normalize(one_line(block)) == wanted:
            level = block.level
            below = tuple(takewhile(lambda b: not isinstance(b, nodes.Heading) or b.level > level, blocks))  # noqa: B023
            return (FetchedValue(lines(below), block.span),) if below else ()
    return ()


def _label(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    """The text after a run-in label: `**Granted by:** this text`."""
    labelled = result.labels.get(normalize_label(argument))
    return () if labelled is None else (FetchedValue(labelled.text, labelled.span),)


def _tag(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    """The text after this tag in the tags of a note: `8` of `#Creature/Level/8`."""
    prefix = f"{tag_key(argument)}/"
    document = result.section.anchor.chapter.document
    values = [tag[len(prefix) :] for tag in document.tags if result.is_document and tag_key(tag).startswith(prefix)]
    return tuple(FetchedValue(value, result.title_span) for value in values)


def _brackets(result: MatchResult, argument: str) -> tuple[FetchedValue, ...]:
    """The number after a word in brackets at the end of the first heading of a note, or of the title."""
    blocks = result.section.anchor.chapter.document.blocks if result.is_document else ()
    headings = [one_line(block) for block in blocks[:1] if isinstance(block, nodes.Heading)]
    for title in (*headings, result.title):
        if (found := BRACKETS.search(title)) and normalize(found[1]) == normalize(argument):
            return (FetchedValue(found[2], result.title_span),)
    return ()


def _links(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    links: dict[str, FetchedValue] = {}
    for node in walk(*result.body):
        if isinstance(node, nodes.Link):
            text = " ".join(plain_text(node).split())
            links.setdefault(text, FetchedValue(text, node.span))
    return tuple(links.values())


def _notes(result: MatchResult, _argument: str) -> tuple[FetchedValue, ...]:
    """The notes on the cells of a row: footnotes, and other texts of the section with the cell's star or dagger."""
    notes = [note for cell in result.cells.values() for note in (*_footnotes(cell, result), *_starred(cell, result))]
    return tuple(FetchedValue(note, result.span) for note in notes)


def _footnotes(cell: nodes.Cell, result: MatchResult) -> Iterator[str]:
    document = result.section.anchor.chapter.document
    labels = [node.label for node in walk(cell) if isinstance(node, nodes.FootnoteReference)]
    for note in document.footnotes if labels else ():
        if note.label in labels:
            yield " ".join(plain_text(*note.children).split())


def _starred(cell: nodes.Cell, result: MatchResult) -> Iterator[str]:
    mark = re.search(r"(?<=\w)(\*+|†+|‡+)$", plain_text(*cell.children).strip())
    if mark is None:
        return
    escaped = re.escape(mark[1])
    note = re.compile(rf"^{escaped}(?![*†‡])|(?<![*†‡]){escaped}$")
    for block in result.section.blocks:
        text = " ".join(plain_text(block).split()) if isinstance(block, nodes.Paragraph | ListBlock) else ""
        if text and note.search(text):
            yield note.sub("", text).strip()


FETCHERS: dict[str, Callable[[MatchResult, str], tuple[FetchedValue, ...]]] = {
    "slug": _title,
    "title": _title,
    "capture": _capture,
    "meta": _meta,
    "inline": _inline,
    "label": _label,
    "tag": _tag,
    "brackets": _brackets,
    "heading": _heading,
    "subtitle": _subtitle,
    "file": _file,
    "folder": _folder,
    "column": _column,
    "cell": _cell,
    "text": _text,
    "paragraph": _paragraph,
    "items": _items,
    "above": _above,
    "notes": _notes,
    "links": _links,
}
"""Functions by their names in `schemas/kind.schema.json` under `way`. `fetch_parts` reads `table`, which gives rows."""
