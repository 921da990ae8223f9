"""State of the Markdown parser for one text, and inline content mapped to its source."""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Source, Span
from kismet_build.parse.markdown.inline_rules import PositionedState
from kismet_build.parse.markdown.shortcodes import Shortcode

ABBREVIATION_START = re.compile(r"\w+|[^\w\s]")
MAX_LENGTHS = 20
"""Maximum number of different lengths of abbreviations that start with the same word."""


class MappedText(NamedTuple):
    """Inline content of one block, without the markers and indents of its lines, mapped to offsets in the source."""

    text: str
    segments: tuple[tuple[int, int], ...]
    """The start of each contiguous part: its position in `text` and its offset in the source."""

    def source_offset(self, position: int) -> int:
        segments = self.segments
        index = 0 if len(segments) == 1 else max(bisect_right(segments, (position, 1 << 60)) - 1, 0)
        start, offset = segments[index]
        return offset + position - start

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        if len(self.segments) == 1:
            segment_start, offset = self.segments[0]
            return start + offset - segment_start, max(start, end) + offset - segment_start
        first = self.source_offset(start)
        return first, max(self.source_offset(end - 1) + 1 if end > start else first, first)

    def position(self, offset: int) -> int:
        """The position in the text of this source offset. Lines of the text may have lost their indents."""
        segments = self.segments
        index = 0
        if len(segments) > 1:
            index = max(bisect_right(segments, offset, key=lambda segment: segment[1]) - 1, 0)
        start, segment_offset = segments[index]
        return start + offset - segment_offset

    def tail(self, start: int) -> "MappedText":
        return self.part(start, len(self.text))

    def part(self, start: int, end: int) -> "MappedText":
        after = self.segments[bisect_right(self.segments, (start, 1 << 60)) : bisect_left(self.segments, (end, -1))]
        segments = ((position - start, offset) for position, offset in after)
        return MappedText(self.text[start:end], ((0, self.source_offset(start)), *segments))


@dataclass(slots=True)
class CellParagraph:
    """One paragraph in a table cell, or in a YAML value of a statblock or property."""

    span: tuple[int, int]
    content: MappedText
    tokens: list[Token] = field(default_factory=list)
    """The inline tokens of the paragraph; empty before parsing."""


class Abbreviations:
    """Abbreviations and their meanings."""

    def __init__(self) -> None:
        self.meanings: dict[str, str] = {}
        self.lengths: dict[str, list[int]] = {}
        """The lengths of the abbreviations that start with a word or sign, the longest first."""

    def __bool__(self) -> bool:
        return bool(self.meanings)

    def add(self, name: str, meaning: str) -> None:
        """Add an abbreviation. A later meaning replaces an earlier one."""
        if name not in self.meanings:
            lengths = self.lengths.setdefault(ABBREVIATION_START.match(name)[0], [])  # type: ignore[index]
            if len(name) not in lengths and len(lengths) < MAX_LENGTHS:
                insort(lengths, len(name), key=lambda length: -length)
        self.meanings[name] = meaning

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """The ranges of the abbreviations in a text, in order. Each is a whole word."""
        end = 0
        for match in ABBREVIATION_START.finditer(text):
            start = match.start()
            for length in self.lengths.get(match[0], ()) if start >= end else ():
                after = text[start + length : start + length + 1]
                if text[start : start + length] in self.meanings and not (
                    after.isalnum() and text[start + length - 1].isalnum()
                ):
                    end = start + length
                    yield start, end
                    break


EMPTY_TEXT = MappedText("", ((0, 0),))


@dataclass(slots=True)
class ParseState:
    """State of the parser for one text."""

    source: Source
    report: Report
    options: Mapping[str, Any]
    """Options of the dialect."""
    may_have_odd_space: bool = True
    """Whether the text may contain odd spaces, typed or as entities; if not, the checks for them are skipped."""
    content: MappedText = EMPTY_TEXT
    """The inline content being parsed."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    """The properties of the text, for inline code that shows a property, such as `= this.hp`."""
    footnotes: dict[str, str] = field(default_factory=dict)
    """Labels of the defined footnotes, by case-folded label."""
    abbreviations: Abbreviations = field(default_factory=Abbreviations)
    markdown_elements: dict[str, int] = field(default_factory=dict)
    """The number of open HTML elements with Markdown in them, by name."""
    shortcodes: dict[int, Shortcode] | None = None
    """The shortcodes in the text by their offset; `None` before they are needed."""
    parses_html: bool = field(init=False)
    """Whether HTML elements contain Markdown: the option `parse_block_html` of kramdown."""
    repairs: bool = field(init=False)
    """Whether the dialect repairs common mistakes."""

    def __post_init__(self) -> None:
        self.repairs = bool(self.options.get("repairs"))
        site = self.options.get("site")
        kramdown = site.get("kramdown") if isinstance(site, Mapping) else None
        self.parses_html = isinstance(kramdown, Mapping) and kramdown.get("parse_block_html") is True

    def span(self, state: StateInline, start: int, end: int) -> Span:
        """The span of a range of the text that an inline rule is parsing."""
        assert isinstance(state, PositionedState)
        return self.source.span(*self.content.source_range(state.base + start, state.base + end))
