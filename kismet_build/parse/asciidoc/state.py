"""What is known while one AsciiDoc text is read: its attributes, ids, footnotes and the depth it has come to."""

from dataclasses import dataclass, field

from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import FootnoteDefinition, Link
from kismet_build.model.source import Source, Span

DEEPEST = 25
"""How many blocks, or labels of links, may stand inside each other; what is deeper is read as plain text."""


@dataclass(slots=True)
class ParseState:
    """One text while it is read."""

    source: Source
    report: Report
    attributes: dict[str, str] = field(default_factory=dict)
    """As set so far, names in lower case."""
    names: dict[str, str] = field(default_factory=dict)
    """Every id with the words that a link to it shows; empty where it has none of its own."""
    places: dict[str, Span] = field(default_factory=dict)
    """Where each id that an author typed stands."""
    titles: dict[str, str] = field(default_factory=dict)
    """The id of each title: a link may name it by its words."""
    repeated: dict[str, int] = field(default_factory=dict)
    """The number of the next section whose title makes an id that is taken."""
    same: dict[str, str] = field(default_factory=dict)
    """Ids of a block that has a first one already, with that first one."""
    notes: list[FootnoteDefinition] = field(default_factory=list)
    numbered: int = 0
    """How many footnotes without a name there are so far."""
    named_notes: set[str] = field(default_factory=set)
    pending: list[Link] = field(default_factory=list)
    """Links inside the text: what they lead to, and the words that it lends them, may stand further down."""
    depth: int = 0

    def name(self, name: str, words: str, span: Span) -> bool:
        """Take up an id that its author typed, if it is new; a second one is told."""
        if name in self.names:
            first = self.places.get(name)
            related = (Related(first, "the first stands here"),) if first else ()
            hint = "a link goes to the first; give this block another name"
            self.report(warning("duplicate-block-id", span, f'two blocks have the name "{name}"', hint, related))
            return False
        self.names[name] = words
        self.places[name] = span
        return True

    def unknown(self, span: Span, construct: str, hint: str = "") -> None:
        """Tell that something is kept as text, because nothing here knows what it means."""
        self.report(warning("unknown-markup", span, f"{construct} is kept as text", hint))
