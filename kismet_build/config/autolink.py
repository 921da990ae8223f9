"""Autolinks: the rules of a game file for automatic links, and the results of autolinking."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from kismet_build.model.book import AnchorRef
from kismet_build.model.source import Span

SECTION_FORMS = "section"
"""The key in `linking.kinds` for the headings of sections. No kind can have this id."""
TABLE_FORMS = "table"
"""The key in `linking.kinds` for the captions of tables. No kind can have this id."""
NAME_PLACEHOLDER = "{}"
"""The placeholder for the name in a form such as `{} Roll`."""
LOWER_NAME_PLACEHOLDER = "{lower}"
"""The placeholder for a name in lower case, which must have several words."""
NAME_ONLY = (NAME_PLACEHOLDER,)
NO_FORMS: Mapping[str, tuple[str, ...]] = MappingProxyType({})
NO_WORDS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class AutolinkRules:
    """The rules for which names become links, and in which spellings."""

    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NO_FORMS)
    """The forms in which names link, by kind, such as `{} Roll`; empty for a kind whose names never link.

    The keys `SECTION_FORMS` and `TABLE_FORMS` are for headings and captions, which do not link by default.
    """
    any_case: bool = False
    """Whether names link even if the text writes them in lower case."""
    also: Mapping[str, str] = field(default_factory=lambda: NO_WORDS)
    """Other phrases that link, such as irregular plurals and short forms, each with the name that it stands for."""
    never: tuple[str, ...] = ()
    """Phrases that never link; names inside them do not link either."""
    common: frozenset[str] | None = None
    """Names that are also ordinary words: they link only with a capital letter, not at the start of a sentence.

    `None`: all names of one word.
    """
    shared: Mapping[str, str] = field(default_factory=lambda: NO_WORDS)
    """The kind that a name links to, for each name that several kinds share."""

    def forms(self, kind: str) -> tuple[str, ...]:
        return self.kinds.get(kind, NAME_ONLY)

    @property
    def links_sections(self) -> bool:
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
    """Read the value of `linking` from a valid game file; `None` results in the default rules."""
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
    """Put a name into a form: the phrase that links."""
    return form.replace(NAME_PLACEHOLDER, name).replace(LOWER_NAME_PLACEHOLDER, name.lower())


@dataclass(frozen=True, slots=True)
class AutolinkRange:
    """The range of an automatic link in a text node. A link that continues on the next line has several ranges."""

    start: int
    end: int
    """`start` and `end` are offsets in characters; `end` is exclusive."""
    target: str
    """The id of the entity or section."""
    starts_link: bool = True
    """Whether the link starts with this range."""
    ends_link: bool = True
    """Whether the link ends with this range."""
    anchor: AnchorRef | None = None
    """The anchor of the section; `None` if the link is to an entity."""


@dataclass(frozen=True, slots=True)
class TextAutolinks:
    """The automatic links in one text node."""

    text: str
    """The text of the node."""
    ranges: tuple[AutolinkRange, ...]

    def within(self, words: str) -> tuple[AutolinkRange, ...]:
        """The links in `words`: the text of the node, or its end after the term of a definition is cut off.

        Empty for an end that contains a part of a link with several ranges.
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
    """Why the phrase is ambiguous.

    `shared`: it names several entities; `common`: it starts a sentence; `longer`: it links, but may be part of a longer
    name; `inflected`: it may be the inflected form of a name.
    """
    candidates: tuple[str, ...]
    """The ids of the entities and sections that the phrase may name, at most `MAX_CANDIDATES`."""
    links: bool
    """Whether the phrase links to one of the candidates."""
