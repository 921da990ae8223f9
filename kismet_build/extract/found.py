"""A place in the book where an entity starts, and everything that its fields can be fetched from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kismet_build.book import Section
from kismet_build.model import Block, Cell, plain_text
from kismet_build.source import Span


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """One match of a kind."""

    title: str
    """The words that the pattern of the kind was sought in: of a heading, a term, a first cell, an item, a name."""
    title_span: Span
    captures: Mapping[str, str | None]
    span: Span
    section: Section
    body: tuple[Block, ...]
    cells: Mapping[str, Cell] = field(default_factory=dict)
    """For a row: its cells by the folded words of their column."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """For a document its frontmatter, for a code block what is written in it."""
    data_span: Span | None = None

    @cached_property
    def text(self) -> str:
        """All words of the body; of a row those of its cells."""
        if self.cells:
            return "\n".join(" ".join(plain_text(*cell.children).split()) for cell in self.cells.values())
        return plain_text(*self.body)
