"""What became of a library: plain data that can be kept and told again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kismet_build.model.diagnostic import Diagnostic, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """What became of one game."""

    id: str
    title: str
    chapters: int
    entities: int
    diagnostics: tuple[Diagnostic, ...]
    files: Iterable[Any] = ()
    """What was written of it; nothing if there are errors."""
    listing: Mapping[str, Any] = field(default_factory=dict)
    """What the pages above all games tell of it; nothing if there are errors."""

    @property
    def is_good(self) -> bool:
        """Whether it can be published."""
        return not has_errors(self.diagnostics)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildResult:
    """What became of a library."""

    made: tuple[GameResult, ...]
    """Of every game, good or not, without its files."""
    stay: frozenset[str]
    """The ids of games that are not published as they stand now, and keep their last good pages."""
    written: bool
    """Whether there is a tree; there is none without a game that can be published."""
    unsearched: str = ""
    """Why the text of the pages cannot be searched, where it cannot; names can always be."""
    broken: tuple[tuple[str, str], ...] = ()
    """The ids of games that could not be loaded, and why."""
    found: tuple[Diagnostic, ...] = ()
    """Everything that was found, in the order of the games."""


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether something was found that keeps a game from being published."""
    return any(one.severity is Severity.ERROR for one in diagnostics)
