"""State of the AsciiDoc parser for one text: attributes, ids, footnotes and the nesting depth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from posixpath import splitext

from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import FootnoteDefinition, Link
from kismet_build.model.source import Source, Span

# The numbers of sections in texts with `:sectnums:`:
# https://docs.asciidoctor.org/asciidoc/latest/sections/numbers/

APPENDIX = "appendix"
USUAL_LEVELS = "3"
"""The deepest level whose number is shown, unless `sectnumlevels` is set."""


@dataclass(slots=True)
class _Section:
    level: int
    number: str
    is_numbered: bool
    is_special: bool
    count: int = 0
    """Number of numbered sections in this section so far."""


@dataclass(slots=True)
class SectionNumbers:
    """The open sections, and the counters for the numbers of the next sections."""

    open: list[_Section] = field(default_factory=lambda: [_Section(-1, "", is_numbered=False, is_special=False)])
    chapters: int = 0
    appendices: int = 0

    def next(self, level: int, style: str, attributes: Mapping[str, str]) -> str:
        """The number of the next section, which has this level; empty if its number is not shown."""
        while self.open[-1].level >= level:
            self.open.pop()
        parent = self.open[-1]
        setting = attributes.get("sectnums")
        is_special = bool(style) or parent.is_special
        is_numbered = setting is not None and level > 0
        if is_special:
            is_numbered &= setting == "all" if style else parent.is_numbered
        number = ""
        if style == APPENDIX and setting is not None:
            letter = chr(ord("A") + self.appendices % 26)
            self.appendices += 1
            self.open.append(_Section(level, f"{letter}.", is_numbered=True, is_special=True))
            return f"{attributes.get('appendix-caption', 'Appendix')} {letter}:".lstrip()
        if is_numbered and level == 1 and attributes.get("doctype") == "book":
            # Chapters are counted through all parts of a book.
            self.chapters += 1
            number = f"{self.chapters}."
        elif is_numbered:
            parent.count += 1
            number = f"{parent.number}{parent.count}."
        self.open.append(_Section(level, number, is_numbered, is_special))
        deepest = attributes.get("sectnumlevels", USUAL_LEVELS)
        return number if not deepest.isdecimal() or level <= int(deepest) else ""


MAX_NESTING = 25
"""Maximum depth of nested blocks or link labels. Deeper levels are read as plain text."""

MAX_EXPANDED = 1_000_000
"""Maximum characters that attribute values add to one text.

A value can contain another value twice, which can double its length many times.

docs/decisions/0022-bounds-of-input.md describes what happens beyond the limit.
"""


@dataclass(slots=True)
class ParseState:
    """State of the parser for one text."""

    source: Source
    report: Report
    attributes: dict[str, str] = field(default_factory=dict)
    """Values of the document attributes set so far, by lower-case name."""
    locked: frozenset[str] = frozenset()
    """Names of the attributes that the text cannot change, because `game.yaml` sets them."""
    files: dict[str, str] = field(init=False)
    """The paths of the files in a composed text, by path without suffix."""
    file_ids: dict[str, str] = field(default_factory=dict)
    """The id of the first heading in each file of a composed text, by path."""
    link_texts: dict[str, str] = field(default_factory=dict)
    """The default text of links to each id; may be empty."""
    id_spans: dict[str, Span] = field(default_factory=dict)
    """Spans of the ids written by the author."""
    ids_by_title: dict[str, str] = field(default_factory=dict)
    """Ids by title, since a link may use the title instead of the id."""
    next_suffix: dict[str, int] = field(default_factory=dict)
    """The next number to append to each section id that is already taken."""
    id_aliases: dict[str, str] = field(default_factory=dict)
    """The block's own id, by each additional id of the block."""
    footnotes: list[FootnoteDefinition] = field(default_factory=list)
    footnote_count: int = 0
    """Number of footnotes without an id so far."""
    pending_links: list[Link] = field(default_factory=list)
    """Links within the document whose targets and default texts may be defined after them."""
    expansion_left: int = MAX_EXPANDED
    """Number of characters that attribute values may still add."""
    numbering: SectionNumbers = field(default_factory=SectionNumbers)
    depth: int = 0
    """Current nesting depth."""

    def __post_init__(self) -> None:
        self.files = {splitext(piece.span.source.path)[0]: piece.span.source.path for piece in self.source.pieces}

    def define_id(self, block_id: str, link_text: str, span: Span) -> bool:
        """Record an id written by the author. If it is taken, report it and return `False`."""
        if block_id in self.link_texts:
            first = self.id_spans.get(block_id)
            related = (Related(first, "the first one is here"),) if first else ()
            hint = "links lead to the first; rename this one"
            self.report(warning("duplicate-block-id", span, f'two blocks have the name "{block_id}"', hint, related))
            return False
        self.link_texts[block_id] = link_text
        self.id_spans[block_id] = span
        return True

    def report_unknown(self, span: Span, construct: str, hint: str = "") -> None:
        """Report unsupported markup, which is kept as text."""
        self.report(warning("unknown-markup", span, f"{construct} is not supported: it is kept as text", hint))
