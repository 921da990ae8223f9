"""The result of a match: the text of one entity, and the data for its fields."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from kismet_build.extract.labels import LabelledText, Line, labels_of, source_lines
from kismet_build.extract.property_texts import PropertyTexts
from kismet_build.model import nodes
from kismet_build.model.book import Section
from kismet_build.model.nodes import plain_text, walk, walk_blocks
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize


class FieldText(NamedTuple):
    """An inline field of Dataview: a line `Key:: value`, or `[key:: value]` or `(key:: value)` within a line."""

    key: str
    value: str
    span: Span
    """The span of the line with the field."""
    text: tuple[nodes.Block, ...] = ()
    """The value as a paragraph, if it has markup."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchResult:
    """One match of a kind, or the part of a match for a nested object."""

    title: str
    """The text that usually becomes the name, such as a heading, a term, a cell, a list item or a document's title."""
    title_span: Span
    captures: Mapping[str, str | None]
    """The named groups of the pattern."""
    span: Span
    section: Section
    body: tuple[nodes.Block, ...]
    row: tuple[nodes.Cell, ...] = ()
    """The cells of a table row; empty for other matches."""
    cells: Mapping[str, nodes.Cell] = field(default_factory=dict)
    """The cells of a table row and of any row joined to it, by column key; empty for other matches."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The front matter of a document, the YAML in a code block or statblock, the map of a nested object, or
    the aliases of a defined term.
    """
    data_span: Span | None = None
    data_spans: Mapping[str, Span] = field(default_factory=dict)
    """The spans of the values of a statblock, by key; empty for other data."""
    texts: PropertyTexts = field(default_factory=dict)
    """The strings in `data` that contain Markdown, with their paragraphs."""
    fetched_text: str | None = None
    """The text from which the fields of a nested object are fetched; `None` for a row, a map or a whole match."""
    known_labels: frozenset[str] = frozenset()
    """The keys of the labels that are field sources of the kind."""
    part_span: Span | None = None
    """The span of the part; `None` for a whole match."""

    @property
    def is_document(self) -> bool:
        return not self.section.anchor.level and self.span == self.span.source.full_span()

    @property
    def error_span(self) -> Span:
        """The span for diagnostics about missing fields."""
        return self.part_span or self.title_span

    @cached_property
    def text(self) -> str:
        """The fetched text of a nested object, or a line for each cell of a row, or the plain text of the body."""
        if self.fetched_text is not None:
            return self.fetched_text
        if self.row:
            cells = [*self.row]
            for cell in self.cells.values():  # this includes the cells of a joined row
                if cell not in cells:
                    cells.append(cell)
            return "\n".join(one_line(*cell.children) for cell in cells)
        return plain_text(*self.body)

    @cached_property
    def labels(self) -> Mapping[str, LabelledText]:
        return labels_of(self.body, self.known_labels)

    @cached_property
    def inline_fields(self) -> Mapping[str, tuple["FieldText", ...]]:
        fields: dict[str, tuple[FieldText, ...]] = {}
        for inline_field in inline_fields(self.body):
            key = normalize(inline_field.key)
            fields[key] = (*fields.get(key, ()), inline_field)
        return fields

    @property
    def paragraph(self) -> nodes.Paragraph | None:
        """The first paragraph of the body. Top-level tables are searched only if the match is a row."""
        blocks = [block for block in self.body if self.row or not isinstance(block, nodes.Table)]
        nested = chain.from_iterable(map(walk_blocks, blocks))
        return next((block for block in nested if isinstance(block, nodes.Paragraph)), None)


INLINE_FIELD = re.compile(r"^[*_]*(?P<line>[^:()\[\]]{1,60}?)[*_]*::(?!:)\s*(?P<text>.*)$")
"""An inline field that is an entire line."""
ENCLOSED_FIELD = re.compile(r"[\[(](?P<key>[^:()\[\]]{1,60}?)::(?!:)\s*(?P<value>[^()\[\]]*)[\])]")
"""An inline field within a line."""
BLOCK_MACRO = re.compile(r"(?:ifn?def|ifeval|endif|include|image|video|audio|toc)::\S*\[")
"""A line of AsciiDoc that is kept as text but resembles an inline field: `ifdef::print[]`."""


def inline_fields(blocks: Iterable[nodes.Block]) -> Iterator[FieldText]:
    """The inline fields of Dataview in these blocks, with their values as plain text."""
    for paragraph in walk_blocks(*blocks):
        for line in source_lines(paragraph.children) if isinstance(paragraph, nodes.Paragraph) else ():
            first, last = line.inlines[0].span, line.inlines[-1].span
            span = first.source.span(first.start, last.end)
            if "::" not in span.text:
                continue
            text, is_macro = plain_text(*line.inlines), BLOCK_MACRO.match(line.text)
            if not is_macro and (match := INLINE_FIELD.match(line.text)):
                blocks = _with_markup(line, text.index("::") + 2, len(text))
                yield FieldText(match["line"].strip(), match["text"].strip(), span, blocks)
                continue
            yield from (_field_text(node, span) for node in walk(*line.inlines) if isinstance(node, nodes.InlineField))
            for match in () if is_macro else ENCLOSED_FIELD.finditer(text):
                key, value = (" ".join(match[group].split()) for group in ("key", "value"))
                yield FieldText(key.strip("*_ "), value, span, _with_markup(line, *match.span("value")))


def _field_text(node: nodes.InlineField, line: Span) -> FieldText:
    value = " ".join(plain_text(*node.content).split())
    is_plain = all(isinstance(inline, nodes.Text) for inline in node.content)
    return FieldText(
        node.key, value, line, () if is_plain else (nodes.Paragraph(span=node.span, children=node.content),)
    )


def _with_markup(line: Line, start: int, end: int) -> tuple[nodes.Paragraph, ...]:
    """The part of a line between two offsets of its plain text as a paragraph.

    Empty if the part has no markup, or begins or ends within an inline other than text.
    """
    part: list[nodes.Inline] = []
    offset = 0
    for inline in line.inlines:
        length = len(plain_text(inline))
        first, last = max(start - offset, 0), min(end - offset, length)
        offset += length
        if first >= last:
            continue
        if isinstance(inline, nodes.Text):
            text = inline.value[first:last]
            part.append(nodes.Text(inline.span, text if part else text.lstrip()))
        elif last - first == length:
            part.append(inline)
        else:
            return ()  # the part begins or ends within the inline
    is_plain = all(isinstance(inline, nodes.Text) for inline in part)
    return () if is_plain else (nodes.Paragraph(span=line.inlines[-1].span, children=tuple(part)),)


BRACKETS = re.compile(r"\S\s*[(\[]\s*([^\W\d]{2,20})\s*:?\s+(\d{1,3})\s*[)\]]$")
"""A word and a number in brackets at the end of a heading: `Pilot (Rank 2)`."""


def subtitle(blocks: Sequence[nodes.Block]) -> nodes.Paragraph | None:
    """The line in italics at the start of a text or after its first heading, or `None`."""
    start = next((index + 1 for index, block in enumerate(blocks) if isinstance(block, nodes.Heading)), 0)
    for block in (*blocks[:1], *blocks[start : start + 1]):
        if isinstance(block, nodes.Paragraph) and (inlines := tuple(source_lines(block.children))):
            words = [inline for inline in inlines[0].inlines if plain_text(inline).strip()]
            if (
                len(words) == 1
                and isinstance(words[0], nodes.Emphasis)
                and isinstance(inlines[0].inlines[0], nodes.Emphasis)
            ):
                return nodes.Paragraph(span=words[0].span, children=(words[0],))
    return None


def lines(blocks: Sequence[nodes.Block]) -> str:
    """The plain text of these blocks, with one line for each block or, for a list, each item."""
    text_lines = []
    for block in blocks:
        items = (
            [one_line(*item.children) for item in block.items] if isinstance(block, nodes.List) else [one_line(block)]
        )
        text_lines += [item for item in items if item]
    return "\n".join(text_lines)


def one_line(*blocks: nodes.Block) -> str:
    """The plain text of these blocks on one line."""
    return " ".join(plain_text(*blocks).split())
