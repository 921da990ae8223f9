"""The result of a match: the text of one entity, with everything its fields are fetched from."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from kismet_build.extract.property_texts import PropertyTexts
from kismet_build.model.book import Section
from kismet_build.model.nodes import (
    Block,
    Cell,
    Emphasis,
    HardBreak,
    Heading,
    Inline,
    Link,
    List,
    Paragraph,
    SoftBreak,
    Strong,
    Table,
    Text,
    plain_text,
    walk,
    walk_blocks,
)
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize


class Line(NamedTuple):
    """A source line of a paragraph."""

    is_soft: bool
    """Whether the preceding line break is soft, that is, read as a space."""
    inlines: tuple[Inline, ...]

    @property
    def text(self) -> str:
        return " ".join(plain_text(*self.inlines).split())


class LabelledText(NamedTuple):
    """A line that begins with a label, and the following lines of its paragraph."""

    label: str
    """The label as written, without its colon."""
    lines: tuple[Line, ...]
    """The lines of the paragraph. Shared by all labels, to save memory in a long paragraph."""
    line_number: int
    """Index of the line with the label."""

    @property
    def text(self) -> str:
        """The text after the label. It continues over soft line breaks, up to the next line with a label in bold."""
        first, *following = self._own_lines
        text = first.text[len(self.label) :].lstrip(":* ")
        return " ".join((text, *(line.text for line in following))).strip()

    @property
    def span(self) -> Span:
        """The span of the label and its text."""
        lines = self._own_lines
        first, last = lines[0].inlines[0].span, lines[-1].inlines[-1].span
        return first.source.span(first.start, last.end)

    @property
    def _own_lines(self) -> tuple[Line, ...]:
        """The line with the label and the lines that continue it."""
        end = self.line_number + 1
        while end < len(self.lines) and self.lines[end].is_soft and not _begins_with_label(self.lines[end]):
            end += 1
        return self.lines[self.line_number : end]


class InlineField(NamedTuple):
    """An inline field of Dataview: `Key:: value` as a line, or `[key:: value]` or `(key:: value)` within one."""

    key: str
    value: str
    span: Span
    """The span of its line."""
    text: tuple[Block, ...] = ()
    """The value as a paragraph, if it has links."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchResult:
    """One match of a kind, or a part of a match that a nested field is fetched from."""

    title: str
    """The text that the kind's pattern matched: a heading, a term, a cell, a list item or a name."""
    title_span: Span
    captures: Mapping[str, str | None]
    """The named groups of the pattern."""
    span: Span
    section: Section
    body: tuple[Block, ...]
    row: tuple[Cell, ...] = ()
    """The cells of a table row; empty for other matches."""
    cells: Mapping[str, Cell] = field(default_factory=dict)
    """The cells of a table row and of any row joined to it, by column key; empty for other matches."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The frontmatter of a document, or the YAML in a code block or statblock; empty for other matches."""
    data_span: Span | None = None
    data_spans: Mapping[str, Span] = field(default_factory=dict)
    """The spans of a statblock's values by key; empty for other data."""
    texts: PropertyTexts = field(default_factory=dict)
    """The texts in `data` that have links or dice codes."""
    fetched_text: str | None = None
    """The text or map of a nested object, from which its properties are fetched; `None` for a whole match."""
    part_span: Span | None = None
    """The span of the part; `None` for a whole match."""

    @property
    def is_document(self) -> bool:
        """Whether this is a whole document."""
        return not self.section.anchor.level and self.span == self.span.source.full_span()

    @property
    def error_span(self) -> Span:
        """The span for diagnostics about missing fields."""
        return self.part_span or self.title_span

    @cached_property
    def text(self) -> str:
        """The plain text of the body; for a row, one line for each cell."""
        if self.fetched_text is not None:
            return self.fetched_text
        if self.row:
            cells = [*self.row]
            for cell in self.cells.values():  # includes the cells of a joined row
                if cell not in cells:
                    cells.append(cell)
            return "\n".join(one_line(*cell.children) for cell in cells)
        return plain_text(*self.body)

    @cached_property
    def labels(self) -> Mapping[str, "LabelledText"]:
        """The labels of the body, by normalized label. Labels with a colon take precedence over merely bold ones."""
        labels: dict[str, LabelledText] = {}
        bold: dict[str, LabelledText] = {}
        for paragraph_lines in paragraphs(self.body):
            for index, line in enumerate(paragraph_lines):
                label, colon, _ = line.text.partition(":")
                if colon:
                    labels.setdefault(normalize(label.strip("*_ ")), LabelledText(label, paragraph_lines, index))
                if name := bold_label(line):
                    bold.setdefault(normalize(name.strip("*_ ")), LabelledText(name, paragraph_lines, index))
        return {**bold, **labels}

    @cached_property
    def inline_fields(self) -> Mapping[str, tuple["InlineField", ...]]:
        """The inline fields of Dataview in the body, by normalized key."""
        fields: dict[str, tuple[InlineField, ...]] = {}
        for inline_field in inline_fields(self.body):
            key = normalize(inline_field.key)
            fields[key] = (*fields.get(key, ()), inline_field)
        return fields

    @property
    def paragraph(self) -> Paragraph | None:
        """The first paragraph of the body. Paragraphs in tables count only if the match is a table row."""
        blocks = [block for block in self.body if self.row or not isinstance(block, Table)]
        nested = chain.from_iterable(map(walk_blocks, blocks))
        return next((block for block in nested if isinstance(block, Paragraph)), None)


def paragraphs(blocks: Iterable[Block]) -> Iterator[tuple[Line, ...]]:
    """The lines of each paragraph in these blocks, at any depth."""
    for block in walk_blocks(*blocks):
        if isinstance(block, Paragraph):
            yield tuple(chain.from_iterable(map(_split_at_labels, source_lines(block.children))))


LABEL_SEPARATOR = re.compile(r"\s*[;,|•·]\s*$|\s+$")
"""Separators between a value and the next label on the same line."""
NUMBER_START = re.compile(r"\s*[-+−–]?\d")


def _split_at_labels(line: Line) -> Iterator[Line]:
    """Split a line that begins with a bold label into parts with one label each: `**Str** +4, **Dex** -1`.

    Labels with a colon may follow each other without a separator. Without colons, a comma only separates labels after
    numbers: other bold words after a comma belong to a list.
    """
    start = 0
    if bold_label(line) and any(isinstance(inline, Strong) for inline in line.inlines[1:]) and "::" not in line.text:
        has_colon = _begins_with_label(line)
        for index, inline in enumerate(line.inlines[2:-1], 2):
            # The label and the text that may contain its number; copying the entire line at each word would be slow.
            rest = Line(is_soft=False, inlines=line.inlines[index : index + 4])
            if not isinstance(inline, Strong) or not bold_label(rest) or has_colon != _begins_with_label(rest):
                continue
            before = line.inlines[index - 1]
            if not isinstance(before, Text) or (separator := LABEL_SEPARATOR.search(before.value)) is None:
                continue
            if not (
                has_colon or separator[0].strip() not in ("", ",") or NUMBER_START.match(plain_text(*rest.inlines[1:]))
            ):
                continue
            value = Text(before.span, before.value[: separator.start()])
            yield Line(line.is_soft and not start, (*line.inlines[start : index - 1], value))
            start = index
    yield Line(line.is_soft and not start, line.inlines[start:]) if start else line


def bold_label(line: Line) -> str:
    """The bold words at the start of a line, if text follows them; otherwise an empty text.

    Bold words that are also italic, or that end a sentence, belong to the text.
    """
    first = line.inlines[0]
    if not isinstance(first, Strong) or len(line.inlines) == 1 or any(isinstance(n, Emphasis) for n in first.children):
        return ""
    if plain_text(line.inlines[1]).startswith((".", ",", ";")):
        return ""
    label = " ".join(plain_text(first).split())
    return "" if label.endswith((".", "!", "?", ",", ";")) else label.rstrip(": ")


def _begins_with_label(line: Line) -> bool:
    first, *rest = line.inlines
    text = plain_text(first).rstrip()
    return isinstance(first, Strong) and (text.endswith(":") or plain_text(*rest[:1]).lstrip().startswith(":"))


INLINE_FIELD = re.compile(r"^[*_]*(?P<line>[^:()\[\]]{1,60}?)[*_]*::(?!:)\s*(?P<text>.*)$")
"""An inline field that takes up an entire line."""
ENCLOSED_FIELD = re.compile(r"[\[(](?P<key>[^:()\[\]]{1,60}?)::(?!:)\s*(?P<value>[^()\[\]]*)[\])]")
"""An inline field within a line."""

BLOCK_MACRO = re.compile(r"(?:ifn?def|ifeval|endif|include|image|video|audio|toc)::\S*\[")
"""A line of AsciiDoc that is kept as text but resembles an inline field: `ifdef::print[]`."""


def inline_fields(blocks: Iterable[Block]) -> Iterator[InlineField]:
    """The inline fields of Dataview in these blocks, with their values as plain text."""
    for paragraph_lines in paragraphs(blocks):
        for line in paragraph_lines:
            text = line.text
            if "::" not in text or BLOCK_MACRO.match(text):
                continue
            first, last = line.inlines[0].span, line.inlines[-1].span
            span = first.source.span(first.start, last.end)
            if match := INLINE_FIELD.match(text):
                yield InlineField(match["line"].strip(), match["text"].strip(), span, _linked_value(line))
            else:
                for match in ENCLOSED_FIELD.finditer(text):
                    yield InlineField(match["key"].strip("*_ "), match["value"].strip(), span)


def _linked_value(line: Line) -> tuple[Paragraph, ...]:
    """The text after `::` on a line as a paragraph, if it has links."""
    for index, inline in enumerate(line.inlines):
        if isinstance(inline, Text) and "::" in inline.value:
            first = Text(inline.span, inline.value.partition("::")[2].lstrip())
            value = (*((first,) if first.value else ()), *line.inlines[index + 1 :])
            if any(isinstance(node, Link) for node in walk(*value)):
                return (Paragraph(span=line.inlines[-1].span, children=value),)
            break
    return ()


def subtitle(blocks: Sequence[Block]) -> Paragraph | None:
    """The paragraph after the first heading, or at the start of a text without one, if its first line is in italics."""
    start = next((index + 1 for index, block in enumerate(blocks) if isinstance(block, Heading)), 0)
    for block in blocks[start : start + 1]:
        if isinstance(block, Paragraph) and (inlines := tuple(source_lines(block.children))):
            words = [inline for inline in inlines[0].inlines if plain_text(inline).strip()]
            if len(words) == 1 and isinstance(words[0], Emphasis) and isinstance(inlines[0].inlines[0], Emphasis):
                return Paragraph(span=words[0].span, children=(words[0],))
    return None


def source_lines(inlines: Iterable[Inline]) -> Iterator[Line]:
    """The lines of a paragraph, without empty lines."""
    line: list[Inline] = []
    is_soft = False
    for inline in inlines:
        if isinstance(inline, (HardBreak, SoftBreak)):
            if line:
                yield Line(is_soft, tuple(line))
                is_soft = True
            is_soft = is_soft and isinstance(inline, SoftBreak)
            line = []
        else:
            line.append(inline)
    if line:
        yield Line(is_soft, tuple(line))


def lines(blocks: Sequence[Block]) -> str:
    """The plain text of these blocks, with one line for each block and each list item."""
    text_lines = []
    for block in blocks:
        items = [one_line(*item.children) for item in block.items] if isinstance(block, List) else [one_line(block)]
        text_lines += [item for item in items if item]
    return "\n".join(text_lines)


def one_line(*blocks: Block) -> str:
    """The plain text of these blocks on one line."""
    match blocks:
        case (Paragraph(children=(Text(value=text),)),):  # fast path for most table cells
            return " ".join(text.split())
        case _:
            return " ".join(plain_text(*blocks).split())
