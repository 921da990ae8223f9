"""What is known while a text is read: the text, where the words of a block stand in it, and whom to tell."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Source, Span


class Content(NamedTuple):
    """The words of one block, with the marks at the start of its lines taken off."""

    text: str
    pieces: tuple[tuple[int, int], ...]
    """Where each unbroken part starts: its offset in these words, and in the source."""

    def offset(self, position: int) -> int:
        """The offset in the source of a position in these words."""
        pieces = self.pieces
        place = 0 if len(pieces) == 1 else max(bisect_right(pieces, (position, 1 << 60)) - 1, 0)
        start, offset = pieces[place]
        return offset + position - start

    def ends(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in the source of a part of these words."""
        if len(self.pieces) == 1:
            at, offset = self.pieces[0]
            return start + offset - at, max(start, end) + offset - at
        first = self.offset(start)
        return first, max(self.offset(end - 1) + 1 if end > start else first, first)

    def part(self, start: int) -> "Content":
        """The words from a position on."""
        after = tuple((at - start, offset) for at, offset in self.pieces if at > start)
        return Content(self.text[start:], ((0, self.offset(start)), *after))


@dataclass(slots=True)
class Passage:
    """One paragraph in a cell of a table."""

    span: tuple[int, int]
    content: Content
    tokens: list[Token] = field(default_factory=list)
    """Its inline tokens; empty until they are parsed."""


NO_WORDS = Content("", ((0, 0),))


@dataclass(slots=True)
class Reading:
    """One text while it is read."""

    source: Source
    report: Report
    options: Mapping[str, Any]
    """What the dialect says beside its rules."""
    odd: bool = True
    """Whether an odd space may stand in the text, as it is or as an entity; where none can, nobody looks for one."""
    content: Content = NO_WORDS
    """The words that are read just now."""
    footnotes: dict[str, str] = field(default_factory=dict)
    """The label of every footnote that is defined, by its case-folded label."""
    repairs: bool = field(init=False)
    """Whether words are read as they were meant."""

    def __post_init__(self) -> None:
        self.repairs = bool(self.options.get("repairs"))

    def span(self, state: StateInline, start: int, end: int) -> Span:
        """The place of a part of the words that an inline rule reads."""
        # The words for a picture are read apart from those around it.
        base = 0 if state.src is self.content.text else max(self.content.text.find(state.src), 0)
        return self.source.span(*self.content.ends(base + start, base + end))
