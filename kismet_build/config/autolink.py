"""What the words of a text have to look like to link themselves, as a game says it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from kismet_build.model.source import Span

NAME = "{}"
"""Where the name stands in a form."""
AS_NAMED = (NAME,)
SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$", re.IGNORECASE)
NO_FORMS: Mapping[str, tuple[str, ...]] = MappingProxyType({})
NO_WORDS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class AutolinkRules:
    """Which names become links, and in which spelling.

    Without a word from the game it is careful: every name as it is written, none of a single word without a capital,
    and none of a single word at the start of a sentence, where every word has one.
    """

    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NO_FORMS)
    """How names of a kind stand in a sentence, if not alone: `{} Roll`; no form at all for kinds that never link."""
    any_case: bool = False
    """Names link in lower case, too."""
    also: Mapping[str, str] = field(default_factory=lambda: NO_WORDS)
    """Other words for a name: plurals that no ending makes, short forms, lower case where it is sure."""
    never: tuple[str, ...] = ()
    """What never links, and nothing inside it."""
    common: frozenset[str] | None = None
    """Names that are plain words as well: they link with their capital, and not at the start of a sentence.

    `None` stands for all of one word.
    """
    shared: Mapping[str, str] = field(default_factory=lambda: NO_WORDS)
    """Of names that several kinds have, the kind that is meant."""

    def forms(self, kind: str) -> tuple[str, ...]:
        """How names of a kind stand in a sentence."""
        return self.kinds.get(kind, AS_NAMED)


def read_autolink_rules(value: Mapping[str, Any] | None) -> AutolinkRules:
    """What a game file says under `linking`, which its schema has checked."""
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


def plural(words: str, language: str) -> str:
    """The plural that simple endings make of the last word; empty where there is none, or in other languages."""
    last = words[-1:]
    if not language.startswith("en") or not last.isalpha() or last in "sS":
        return ""
    if SIBILANT.search(words):
        return f"{words}es"
    if last in "yY" and words[-2:-1] not in tuple("aeiouAEIOU"):
        return f"{words[:-1]}ies"
    return f"{words}s"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of some words that links by itself; a link that goes over the end of a line has several."""

    start: int
    end: int
    """Offsets in the words, the end not included."""
    target: str
    """The id of the entity."""
    opens: bool = True
    closes: bool = True


@dataclass(frozen=True, slots=True)
class Pieces:
    """What links by itself in one run of words."""

    words: str
    pieces: tuple[Piece, ...]

    def within(self, words: str) -> tuple[Piece, ...]:
        """The pieces of these words, or of what is left of them at their end: an entry is shown without its term."""
        cut = len(self.words) - len(words)
        if not cut:
            return self.pieces
        if cut < 0 or not self.words.endswith(words):
            return ()
        kept = [replace(one, start=one.start - cut, end=one.end - cut) for one in self.pieces if one.start >= cut]
        return tuple(kept) if all(one.opens and one.closes for one in kept) else ()


@dataclass(frozen=True, slots=True)
class AmbiguousMention:
    """Words that may name something, which a person should look at."""

    words: str
    span: Span
    reason: Literal["shared", "common", "longer"]
    """They name several things; they start a sentence; they link, but may be part of a longer name."""
    candidates: tuple[str, ...]
    """The ids of what they may name."""
    links: bool
