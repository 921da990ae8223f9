"""A place in the book where an entity starts, and everything that its fields can be fetched from."""

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
    """A line of a paragraph, as it is typed."""

    is_soft: bool
    """The line end before it is read as a space."""
    inlines: tuple[Inline, ...]

    @property
    def words(self) -> str:
        return " ".join(plain_text(*self.inlines).split())


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """One match of a kind, or the part of one that a nested field is fetched from."""

    title: str
    """The words that the pattern of the kind was sought in: of a heading, a term, a first cell, an item, a name."""
    title_span: Span
    captures: Mapping[str, str | None]
    span: Span
    section: Section
    body: tuple[Block, ...]
    row: tuple[Cell, ...] = ()
    """For a row: its cells."""
    cells: Mapping[str, Cell] = field(default_factory=dict)
    """For a row: its cells, and those of a row that is joined to it, by the folded words of their column."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """For a document its frontmatter, for a code block what is written in it."""
    data_span: Span | None = None
    words: str | None = None
    """The words that were fetched for an object, in which its properties are sought."""
    at: Span | None = None
    """Where the part stands that a nested field is fetched from."""

    @property
    def place(self) -> Span:
        """Where to point when something cannot be found."""
        return self.at or self.title_span

    @cached_property
    def text(self) -> str:
        """All words of the body; of a row those of its cells."""
        if self.words is not None:
            return self.words
        if self.row:
            cells = {id(cell): cell for cell in (*self.row, *self.cells.values())}
            return "\n".join(one_line(*cell.children) for cell in cells.values())
        return plain_text(*self.body)

    @cached_property
    def labels(self) -> Mapping[str, tuple[Line, ...]]:
        """The lines of the body that begin with a label, by its folded words, each with those after it."""
        found: dict[str, tuple[Line, ...]] = {}
        for block in walk_blocks(*self.body):
            if isinstance(block, Paragraph):
                typed = tuple(typed_lines(block.children))
                for number, line in enumerate(typed):
                    label, colon, _ = line.words.partition(":")
                    if colon:
                        found.setdefault(normalize(label), typed[number:])
        return found

    @property
    def paragraph(self) -> Paragraph | None:
        """The first paragraph of the body; one in a table only where a row of it was found."""
        blocks = [block for block in self.body if self.row or not isinstance(block, Table)]
        inside = chain.from_iterable(map(walk_blocks, blocks))
        return next((block for block in inside if isinstance(block, Paragraph)), None)


def typed_lines(inlines: Iterable[Inline]) -> Iterator[Line]:
    """The lines of a paragraph; those without words are none."""
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
    """The words of some blocks, each paragraph and each item of a list on a line of its own."""
    found = []
    for block in blocks:
        items = [one_line(*item.children) for item in block.items] if isinstance(block, List) else [one_line(block)]
        found += [item for item in items if item]
    return "\n".join(found)


def one_line(*blocks: Block) -> str:
    """The words of some blocks on one line."""
    match blocks:
        case (Paragraph(children=(Text(value=words),)),):  # most cells of most tables
            return " ".join(words.split())
        case _:
            return " ".join(plain_text(*blocks).split())
