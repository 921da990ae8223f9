"""The result of a match: the text of one entity, from which its fields are fetched."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from kismet_build.model.book import Section
from kismet_build.model.nodes import (
    Block,
    Cell,
    HardBreak,
    Inline,
    List,
    Paragraph,
    SoftBreak,
    Table,
    Text,
    plain_text,
    walk_blocks,
)
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize


class Line(NamedTuple):
    """A source line of a paragraph."""

    is_soft: bool
    """Whether the line break before it is soft: read as a space."""
    inlines: tuple[Inline, ...]

    @property
    def text(self) -> str:
        return " ".join(plain_text(*self.inlines).split())


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchResult:
    """One match of a kind, or the part of a match from which a nested field is fetched."""

    title: str
    """The text that the pattern of the kind matched: a heading, a term, a cell, a list item or a name."""
    title_span: Span
    captures: Mapping[str, str | None]
    """The named groups of the pattern."""
    span: Span
    section: Section
    body: tuple[Block, ...]
    row: tuple[Cell, ...] = ()
    """The cells of a table row; empty for other matches."""
    cells: Mapping[str, Cell] = field(default_factory=dict)
    """The cells of a table row and of a row that is joined to it, by column key; empty for other matches."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The frontmatter of a document or the YAML of a code block; empty for other matches."""
    data_span: Span | None = None
    fetched_text: str | None = None
    """The text that was fetched for an object, from which its properties are fetched; `None` for a whole match."""
    part_span: Span | None = None
    """The span of the part; `None` for a whole match."""

    @property
    def error_span(self) -> Span:
        """The span of diagnostics about missing fields."""
        return self.part_span or self.title_span

    @cached_property
    def text(self) -> str:
        """The plain text of the body; of a row, the text of each cell on a line."""
        if self.fetched_text is not None:
            return self.fetched_text
        if self.row:
            cells = {id(cell): cell for cell in (*self.row, *self.cells.values())}
            return "\n".join(one_line(*cell.children) for cell in cells.values())
        return plain_text(*self.body)

    @cached_property
    def labels(self) -> Mapping[str, tuple[Line, ...]]:
        """The lines of the body that begin with a label and a colon, by normalized label.

        Each is followed by the later lines of its paragraph.
        """
        labels: dict[str, tuple[Line, ...]] = {}
        for block in walk_blocks(*self.body):
            if isinstance(block, Paragraph):
                paragraph_lines = tuple(source_lines(block.children))
                for index, line in enumerate(paragraph_lines):
                    label, colon, _ = line.text.partition(":")
                    if colon:
                        labels.setdefault(normalize(label), paragraph_lines[index:])
        return labels

    @property
    def paragraph(self) -> Paragraph | None:
        """The first paragraph of the body. Paragraphs in tables count only if the match is a table row."""
        blocks = [block for block in self.body if self.row or not isinstance(block, Table)]
        nested = chain.from_iterable(map(walk_blocks, blocks))
        return next((block for block in nested if isinstance(block, Paragraph)), None)


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
    """The plain text of some blocks, with one line for each block and each list item."""
    text_lines = []
    for block in blocks:
        items = [one_line(*item.children) for item in block.items] if isinstance(block, List) else [one_line(block)]
        text_lines += [item for item in items if item]
    return "\n".join(text_lines)


def one_line(*blocks: Block) -> str:
    """The plain text of some blocks on one line."""
    match blocks:
        case (Paragraph(children=(Text(value=text),)),):  # fast path for most table cells
            return " ".join(text.split())
        case _:
            return " ".join(plain_text(*blocks).split())
