"""Labels and their values: `**Range:** 30 feet` in a line, a list item, a table row or a definition list.

All shapes become lines that begin with a label.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from kismet_build.model import nodes
from kismet_build.model.nodes import plain_text, walk_blocks
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import BULLETS, normalize_label

MAX_LABEL_LENGTH = 40
"""Maximum length of a label in a table, in a definition list or of a found kind, in characters."""
WEAK_LABELS = frozenset(
    (
        *("attention", "caution", "conclusion", "danger", "example", "examples", "gm", "hint", "important", "info"),
        *("introduction", "note", "notes", "optional", "sidebar", "summary", "tip", "todo", "variant", "warning"),
        *("achtung", "beispiel", "beispiele", "einleitung", "hinweis", "tipp", "wichtig", "zusammenfassung"),
        *("exemple", "exemples", "remarque", "resume"),
        *("ejemplo", "ejemplos", "importante", "introduccion", "nota", "notas", "resumen"),
        *("attenzione", "esempi", "esempio", "introduzione", "riassunto"),
        *("atencao", "exemplo", "exemplos", "introducao", "resumo"),
        *("inleiding", "opmerking", "samenvatting", "voorbeeld", "voorbeelden"),
    )
)
"""Labels that are not fields of a found kind, because they occur in any text.

They are in the languages that `language.py` detects, without accents.
"""
MAX_LABELS_OF_TABLE = 100
"""Maximum number of labels of one table. A table with more labels is data, not the fields of one thing."""
SEPARATORS = ";,|•·"
"""Characters between a value and the next label on the same line."""
NUMBER_START = re.compile(r"\s*[-+−–]?\d")
OPENING_TAG = re.compile(r"<(b|strong|i|em|(?:span|font)\b[^>]*small-?caps[^>]*)>", re.IGNORECASE)
"""An HTML tag that sets a label in bold, italics or small capitals."""
CLOSING_TAG = re.compile(r"</(?:b|strong|i|em|span|font)>", re.IGNORECASE)


class Line(NamedTuple):
    """A source line of a paragraph, or the part of a line that begins with a label."""

    is_soft: bool
    """Whether the line break before the line is soft, that is, read as a space."""
    inlines: tuple[nodes.Inline, ...]

    @property
    def text(self) -> str:
        return " ".join(plain_text(*self.inlines).split())


class LabelledText(NamedTuple):
    """A line that begins with a label, and the following lines of its paragraph."""

    label: str
    """The label as written, without a colon."""
    lines: tuple[Line, ...]
    """The lines of the paragraph. All labels share this tuple, which saves memory for a long paragraph."""
    line_number: int
    """Index of the line with the label."""

    @property
    def text(self) -> str:
        """The text after the label. It continues over soft line breaks up to a line with a bold label and a colon."""
        first, *following = self._own_lines
        text = first.text[len(self.label) :].lstrip(":* ").removeprefix(". ")
        return " ".join((text, *(line.text for line in following))).strip()

    @property
    def span(self) -> Span:
        lines = self._own_lines
        first, last = lines[0].inlines[0].span, lines[-1].inlines[-1].span
        return first.source.span(first.start, last.end)

    @property
    def _own_lines(self) -> tuple[Line, ...]:
        end = self.line_number + 1
        while end < len(self.lines) and self.lines[end].is_soft and not _has_colon(self.lines[end]):
            end += 1
        return self.lines[self.line_number : end]


def labels_of(blocks: Iterable[nodes.Block], known: Collection[str]) -> Mapping[str, LabelledText]:
    """The labels in these blocks, by `normalize_label`; of several equal labels, the first.

    Labels with a colon take precedence over labels that are only bold, and both over labels in tables and definition
    lists. `known`: keys of the labels that the kind has, which also end the value of another label within a line.
    """
    labels: dict[str, LabelledText] = {}
    bold: dict[str, LabelledText] = {}
    other: dict[str, LabelledText] = {}
    for block in walk_blocks(*blocks):
        match block:
            case nodes.Paragraph():
                lines = labelled_lines(block, known)
                for index, line in enumerate(lines):
                    label, colon, _ = line.text.partition(":")
                    if colon:
                        labels.setdefault(normalize_label(label), LabelledText(label, lines, index))
                    label = leading_label(line)
                    if label and (has_plain_label(line) or normalize_label(label) in known):
                        bold.setdefault(normalize_label(label), LabelledText(label, lines, index))
            case nodes.Table() | nodes.DefinitionList():
                lines = lines_of_pairs(block)
                for index, line in enumerate(lines):
                    label = leading_label(line)
                    other.setdefault(normalize_label(label), LabelledText(label, lines, index))
    return {**other, **bold, **labels}


# --- lines of paragraphs


def labelled_lines(paragraph: nodes.Paragraph, known: Collection[str] = ()) -> tuple[Line, ...]:
    """The lines of a paragraph. A line with several labels is split into one line per label."""
    return tuple(part for line in source_lines(paragraph.children) for part in _split_at_labels(line, known))


def source_lines(inlines: Iterable[nodes.Inline]) -> Iterator[Line]:
    """The lines of a paragraph, without empty lines."""
    line: list[nodes.Inline] = []
    is_soft = False
    for inline in inlines:
        if isinstance(inline, (nodes.HardBreak, nodes.SoftBreak)):
            if line:
                yield Line(is_soft, tuple(line))
                is_soft = True
            is_soft = is_soft and isinstance(inline, nodes.SoftBreak)
            line = []
        else:
            line.append(inline)
    if line:
        yield Line(is_soft, tuple(line))


def leading_label(line: Line) -> str:
    """The label in bold or italics at the start of a line; empty if the words there cannot be a label."""
    first = line.inlines[0]
    if len(line.inlines) == 1 or not isinstance(first, (nodes.Strong, nodes.Emphasis)):
        return ""
    label = " ".join(plain_text(first).split())
    if label.endswith(("!", "?", ",", ";")) or plain_text(line.inlines[1]).startswith((".", ",", ";")):
        return ""
    return label.rstrip(":. ")


def has_plain_label(line: Line) -> bool:
    """Whether the label of a line is bold and not a sentence.

    Other words are a label only if the kind has this label.
    """
    first = line.inlines[0]
    if not isinstance(first, nodes.Strong) or any(isinstance(child, nodes.Emphasis) for child in first.children):
        return False
    return not plain_text(first).rstrip().endswith(".")


class InnerLabel(NamedTuple):
    """Bold or italic words within a line that may be a label."""

    position: int
    """The index of the label among the inlines of the line."""
    label: str
    is_certain: bool


def labels_within(line: Line) -> Iterator[InnerLabel]:
    """The words within a line that may be labels.

    Labels with a colon need no separator between them. Without colons, a label is certain after a wide gap, after a
    separator other than a comma, or before a number. Other bold words after a comma belong to a list.
    """
    has_colon = _has_colon(line)
    for index, inline in enumerate(line.inlines[2:-1], 2):
        before = line.inlines[index - 1]
        if not isinstance(inline, (nodes.Strong, nodes.Emphasis)) or not isinstance(before, nodes.Text):
            continue
        # Copy only the label and the text that may contain its number: copying the entire line for each word would be
        # slow.
        rest = Line(is_soft=False, inlines=line.inlines[index : index + 4])
        if not (label := leading_label(rest)) or value_before(before.value) == before.value:
            continue
        value = before.value.rstrip()
        # A sentence may also end with two spaces.
        is_wide_gap = len(before.value) > len(value) + 1 and not value.endswith((".", "!", "?", ","))
        is_separate = value.endswith(tuple(SEPARATORS.replace(",", ""))) or is_wide_gap
        is_certain = has_colon or is_separate or NUMBER_START.match(plain_text(*rest.inlines[1:])) is not None
        are_plain = has_plain_label(line) and has_plain_label(rest)
        yield InnerLabel(index, label, are_plain and is_certain and has_colon == _has_colon(rest))


def value_before(text: str) -> str:
    """The text before a label, without the separator and the spaces between them."""
    value = text.rstrip()
    return value[:-1].rstrip() if value.endswith(tuple(SEPARATORS)) else value


def _split_at_labels(line: Line, known: Collection[str]) -> Iterator[Line]:
    """Split a line that begins with a label into parts with one label each: `**Str** +4, **Dex** -1`."""
    line = line._replace(inlines=_with_strong(line.inlines))
    start = 0
    first = leading_label(line)
    if first and "::" not in line.text:
        is_known = normalize_label(first) in known
        for index, label, is_certain in labels_within(line):
            if is_certain or (is_known and normalize_label(label) in known):
                before = line.inlines[index - 1]
                value = nodes.Text(before.span, value_before(before.value))  # type: ignore[union-attr]
                yield Line(line.is_soft and not start, (*line.inlines[start : index - 1], value))
                start = index
        # A label of the kind ends the value of the label before it.
        line = line._replace(is_soft=line.is_soft and not is_known)
    yield Line(line.is_soft and not start, line.inlines[start:]) if start else line


def _has_colon(line: Line) -> bool:
    """Whether a line begins with a bold label and a colon."""
    first, *rest = line.inlines
    text = plain_text(first).rstrip()
    return isinstance(first, nodes.Strong) and (text.endswith(":") or plain_text(*rest[:1]).lstrip().startswith(":"))


def _with_strong(inlines: tuple[nodes.Inline, ...]) -> tuple[nodes.Inline, ...]:
    """The inlines of a line, without a bullet, and with words in HTML tags such as `<b>` as bold inlines."""
    if isinstance(inlines[0], nodes.Text) and len(inlines) > 1 and not inlines[0].value.strip(f"{BULLETS} "):
        inlines = inlines[1:]
    if not any(isinstance(inline, nodes.RawInline) for inline in inlines):
        return inlines
    result: list[nodes.Inline] = []
    opened: int | None = None
    for inline in inlines:
        if isinstance(inline, nodes.RawInline) and OPENING_TAG.fullmatch(inline.text):
            opened = len(result)
        elif isinstance(inline, nodes.RawInline) and CLOSING_TAG.fullmatch(inline.text) and opened is not None:
            tag, *words = result[opened:]
            span = tag.span.source.span(tag.span.start, inline.span.end)
            result[opened:] = [nodes.Strong(span, tuple(words))]
            opened = None
            continue
        result.append(inline)
    return tuple(result)


# --- lines of tables and definition lists


def lines_of_pairs(block: nodes.Table | nodes.DefinitionList) -> tuple[Line, ...]:
    """A line for each pair of a label and its value; empty if the block does not consist of such pairs.

    The pairs of a table are rows of two columns, including the header, or column titles with the cells of a single row.
    """
    if isinstance(block, nodes.DefinitionList):
        return _pairs((item.span, item.term, item.children) for item in block.items)
    header = block.header.cells
    pairs: tuple[Line, ...] = ()
    if len(header) == 2 and len(block.rows) <= MAX_LABELS_OF_TABLE:
        rows = (row.cells for row in (block.header, *block.rows))
        pairs = _pairs((label.span, label.children, value.children) for label, value in rows)
    if not pairs and len(block.rows) == 1 and len(header) <= MAX_LABELS_OF_TABLE:
        cells = zip(header, block.rows[0].cells, strict=True)
        pairs = _pairs((label.span, label.children, value.children) for label, value in cells)
    return pairs


def _pairs(items: Iterable[tuple[Span, tuple[nodes.Node, ...], tuple[nodes.Block, ...]]]) -> tuple[Line, ...]:
    """A line for each label with its value; empty if there are fewer than two, or if labels are equal or are not
    words.
    """
    lines: list[Line] = []
    labels: set[str] = set()
    for span, words, value in items:
        label = " ".join(plain_text(*words).split())
        if not label:
            continue
        key = normalize_label(label)
        if key in labels or not key[:1].isalpha() or len(key) > MAX_LABEL_LENGTH:
            return ()
        labels.add(key)
        values = [block.children for block in value if isinstance(block, nodes.Paragraph)]
        if values:
            inlines = [inline for words in values for inline in (nodes.Text(span, ", "), *words)]
            lines.append(
                Line(False, (nodes.Strong(span, (nodes.Text(span, label),)), nodes.Text(span, ": "), *inlines[1:]))
            )
    return tuple(lines) if len(labels) > 1 else ()
