"""State of the AsciiDoc parser for one text: attributes, ids, footnotes and the nesting depth."""

from dataclasses import dataclass, field

from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import FootnoteDefinition, Link
from kismet_build.model.source import Source, Span

MAX_NESTING = 25
"""Levels of blocks or link labels inside each other; deeper levels are read as plain text."""

MAX_EXPANDED = 1_000_000
"""Characters that the values of attributes add to one text: a value may have other values in it, each twice as long.

docs/decisions/0022-bounds-of-input.md says what becomes of more.
"""


@dataclass(slots=True)
class ParseState:
    """State of the parser for one text."""

    source: Source
    report: Report
    attributes: dict[str, str] = field(default_factory=dict)
    """Values of the document attributes that are set so far, by lower-case name."""
    link_texts: dict[str, str] = field(default_factory=dict)
    """The default text of links to each id; empty if it has none."""
    id_spans: dict[str, Span] = field(default_factory=dict)
    """Spans of the ids that the author typed."""
    ids_by_title: dict[str, str] = field(default_factory=dict)
    """Ids by title: a link may use the title instead of the id."""
    next_suffix: dict[str, int] = field(default_factory=dict)
    """The next number to try, by section id that is already taken."""
    id_aliases: dict[str, str] = field(default_factory=dict)
    """The block's own id, by further id of the same block."""
    footnotes: list[FootnoteDefinition] = field(default_factory=list)
    footnote_count: int = 0
    """Number of footnotes without an id so far."""
    pending_links: list[Link] = field(default_factory=list)
    """Links within the document; their targets and default texts may be defined after them."""
    expansion_left: int = MAX_EXPANDED
    """Characters that values of attributes may still add."""
    depth: int = 0
    """Current level of nesting."""

    def define_id(self, block_id: str, link_text: str, span: Span) -> bool:
        """Record an id that the author typed; false and a report if it is taken."""
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
