"""Autolinks: the rules of a game file for automatic links, and the results of autolinking."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from kismet_build.model.book import AnchorRef
from kismet_build.model.source import Span

SECTION_FORMS = "section"
"""The key of `linking.kinds` for the headings of sections. No kind can have this id."""
TABLE_FORMS = "table"
"""The key of `linking.kinds` for the captions of tables. No kind can have this id."""
NAME_PLACEHOLDER = "{}"
"""The placeholder of the name in a form such as `{} Roll`."""
LOWER_NAME_PLACEHOLDER = "{lower}"
"""The placeholder of a name of several words in lower case."""
NAME_ONLY = (NAME_PLACEHOLDER,)
NO_FORMS: Mapping[str, tuple[str, ...]] = MappingProxyType({})
NO_WORDS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class AutolinkRules:
    """The names that become links, and their accepted spellings.

    The default rules avoid wrong links: names link as they are spelled, and names of one word link only with a
    capital letter and not at the start of a sentence, where any word may have a capital letter.
    """

    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NO_FORMS)
    """The forms in which names link, by kind, such as `{} Roll`. Empty for a kind whose names never link.

    `SECTION_FORMS` and `TABLE_FORMS` are for headings and captions, which do not link without them.
    """
    any_case: bool = False
    """Whether names also link in lower case."""
    also: Mapping[str, str] = field(default_factory=lambda: NO_WORDS)
    """Other texts that link, each with the name that it stands for: irregular plurals, short forms, lower case."""
    never: tuple[str, ...] = ()
    """Phrases that never link; names inside them do not link either."""
    common: frozenset[str] | None = None
    """Names that are also ordinary words: they link only with a capital letter, not at the start of a sentence.

    `None`: all names of one word.
    """
    shared: Mapping[str, str] = field(default_factory=lambda: NO_WORDS)
    """For a name that several kinds share, the kind to which it links."""

    def forms(self, kind: str) -> tuple[str, ...]:
        """The forms in which names of a kind link."""
        return self.kinds.get(kind, NAME_ONLY)

    @property
    def links_sections(self) -> bool:
        """Whether headings or captions link."""
        return bool(self.section_forms or self.table_forms)

    @property
    def section_forms(self) -> tuple[str, ...]:
        """The forms in which headings link; empty if headings do not link."""
        return self.kinds.get(SECTION_FORMS, ())

    @property
    def table_forms(self) -> tuple[str, ...]:
        """The forms in which captions link; empty if captions do not link."""
        return self.kinds.get(TABLE_FORMS, ())


def read_autolink_rules(value: Mapping[str, Any] | None) -> AutolinkRules:
    """Read the `linking` of a valid game file; the default rules for `None`."""
    if value is None:
        return AutolinkRules()
    return AutolinkRules(
        kinds={kind: tuple(forms) for kind, forms in value.get("kinds", {}).items()},
        any_case=value.get("case") == "any",
        also=value.get("also", {}),
        never=tuple(value.get("never", ())),
        common=frozenset(value["common"]) if "common" in value else None,
        shared=value.get("shared", {}),
    )


def fill(form: str, name: str) -> str:
    """The phrase that results from a form and a name."""
    return form.replace(NAME_PLACEHOLDER, name).replace(LOWER_NAME_PLACEHOLDER, name.lower())


@dataclass(frozen=True, slots=True)
class AutolinkRange:
    """The range of an automatic link in a text node. A link over a line break consists of several ranges."""

    start: int
    end: int
    """Start and end are offsets in characters; the end is exclusive."""
    target: str
    """The id of the entity or section."""
    starts_link: bool = True
    """Whether the link starts with this range."""
    ends_link: bool = True
    """Whether the link ends with this range."""
    anchor: AnchorRef | None = None
    """The place of the section; `None` for an entity."""


@dataclass(frozen=True, slots=True)
class TextAutolinks:
    """The automatic links in one text node."""

    text: str
    """The text of the node."""
    ranges: tuple[AutolinkRange, ...]

    def within(self, words: str) -> tuple[AutolinkRange, ...]:
        """The links in a text that is the entire node or its end: definitions are shown without their term.

        Empty for any other text, and for the end of a node with a link that has several ranges.
        """
        cut = len(self.text) - len(words)
        if not cut:
            return self.ranges
        if cut < 0 or not self.text.endswith(words):
            return ()
        pieces = [
            replace(piece, start=piece.start - cut, end=piece.end - cut) for piece in self.ranges if piece.start >= cut
        ]
        return tuple(pieces) if all(piece.starts_link and piece.ends_link for piece in pieces) else ()


MAX_CANDIDATES = 20
"""Maximum number of candidates of an ambiguous mention: in a vault, thousands of notes may share a name."""


@dataclass(frozen=True, slots=True)
class AmbiguousMention:
    """A phrase that may name an entity or section, for an author to review."""

    text: str
    span: Span
    reason: Literal["shared", "common", "longer", "inflected"]
    """Why it is ambiguous, in this order: it names several entities; it starts a sentence; it links but may be part of
    a longer name; it may be an inflected name."""
    candidates: tuple[str, ...]
    """The ids of the entities and sections that it may name, at most `MAX_CANDIDATES`."""
    links: bool
    """Whether it links."""
