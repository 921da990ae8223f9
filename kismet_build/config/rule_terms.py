"""Rule terms: terms that the text of a game defines outside of lists, and that `rules` in `game.yaml` names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RULE_KIND = "rule"
"""The id of the kind of rule terms."""


@dataclass(frozen=True, slots=True)
class NamedTerm:
    """A term that `game.yaml` names, and the section that defines it."""

    name: str
    heading: str
    """The title of the section that defines the term."""
    chapter: str = ""
    """The file name or title of the chapter with that section; empty for any chapter."""
    aliases: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The place of the definition, as `game.yaml` writes it."""
        return f"{self.chapter}#{self.heading}" if self.chapter else self.heading


@dataclass(frozen=True, slots=True)
class RuleTerms:
    """The rule terms of a game."""

    named: tuple[NamedTerm, ...] = ()
    never: frozenset[str] = frozenset()
    """Terms that do not become entities, although the text seems to define them."""


NO_RULE_TERMS = RuleTerms()


def read_rule_terms(value: Mapping[str, Any]) -> RuleTerms:
    """Read the `rules` of a valid game file."""
    return RuleTerms(
        tuple(_named_term(str(name), entry) for name, entry in value.items() if entry is not False),
        frozenset(str(name) for name, entry in value.items() if entry is False),
    )


def _named_term(name: str, entry: str | Mapping[str, Any]) -> NamedTerm:
    place, aliases = (entry, ()) if isinstance(entry, str) else (entry["in"], tuple(entry.get("also", ())))
    chapter, _, heading = place.rpartition("#")
    return NamedTerm(name, heading.strip(), chapter.strip(), aliases)
