"""Results of a build, as plain data that the build cache can store."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kismet_build.config.privacy import UNCERTAIN
from kismet_build.model.diagnostic import Diagnostic, Subject, has_errors
from kismet_build.output.entity_changes import KindChanges

if TYPE_CHECKING:
    # Advice for an unchanged library does not load it.
    from kismet_build.config.game import Game

# --- advice

ADVISED_KEYS = ("licence", "description")
"""Keys of `game.yaml` that tell readers what they may do with the texts, and what the game is about."""


def missing_keys(game: "Game") -> tuple[str, ...]:
    """The keys of `ADVISED_KEYS` that a game does not have."""
    return tuple(key for key in ADVISED_KEYS if not getattr(game, key))


def advice(missing: Iterable[tuple[str, Sequence[str]]]) -> str:
    """One line of advice for all games, from the title and the missing keys of each. Empty if no key is missing."""
    games = [*missing]
    titles = {key: [title for title, keys in games if key in keys] for key in ADVISED_KEYS}
    named = [
        f'"{key}"' + (f" ({listed(without)})" if len(games) > 1 else "") for key, without in titles.items() if without
    ]
    return f"advice: for the home page, set {' and '.join(named)} in game.yaml" if named else ""


# --- results

MAX_NAMES = 10
"""Maximum number of names of each type in a summary of left-out parts. The others are counted."""
MAX_PLACES = 20
"""Maximum number of private texts that a terminal names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """Result of one game."""

    id: str
    title: str
    chapters: int
    entities: int
    diagnostics: tuple[Diagnostic, ...]
    private: Mapping[str, str] = field(default_factory=dict)
    """The paths of the texts that are not published, each with the reason."""
    until: float | None = None
    """When the next text appears or vanishes, in seconds since 1970; `None` if no text does."""
    left_out: tuple[Subject, ...] = ()
    """Parts of the data that are left out because of errors."""
    kinds_summary: str = ""
    """A summary of the kinds found in the notes; empty if no kinds are inferred."""
    missing_keys: tuple[str, ...] = ()
    """The keys of `game.yaml` that the author is advised to set."""
    failed_books: tuple[tuple[str, str], ...] = ()
    """The format of each book that could not be made, and why."""
    book_warnings: tuple[str, ...] = ()
    """Problems of its books that have no place in a text, such as Typst's warnings about the author's design."""
    failure: str = ""
    """Why the cluster could not build the game; empty if the game was built, with or without errors."""

    @property
    def is_publishable(self) -> bool:
        """Whether the game was built without errors, or without the data that its errors affect."""
        return not self.failure and (bool(self.left_out) or not has_errors(self.diagnostics))


class FailedExport(NamedTuple):
    """An exporter that failed for a game."""

    exporter: str
    game: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildResult:
    """Result of a library."""

    games: tuple[GameResult, ...]
    """Results of all loaded games, including failed ones."""
    retained: frozenset[str]
    """Ids of failed games whose previous pages stay published."""
    exposing: frozenset[str] = frozenset()
    """Ids of failed games whose previous pages show texts that are private now, so these pages are removed."""
    is_published: bool
    """Whether a tree was written; false if no game could be published."""
    changes: tuple[KindChanges, ...] = ()
    """How the entities differ from the entities of the previous tree."""
    search_problem: str = ""
    """Why the page text could not be indexed; empty if it was.

    Without this index, search finds names, fields and first words.
    """
    has_search_failed: bool = False
    """Whether Pagefind ran and failed, so that another build may succeed."""
    load_failures: tuple[tuple[str, str], ...] = ()
    """The id of each game that could not be loaded, with the reason."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """All diagnostics."""
    failed_exports: tuple[FailedExport, ...] = ()
    """Exports that are not in the tree, because their exporter failed."""
    manual: GameResult | None = None
    """Result of the manual, or `None`."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing failed that might succeed if the same texts were built again."""
        return not self.has_search_failed and not any(game.failure for game in self.games)


def private_summary(private: Mapping[str, str]) -> str:
    """One line about the texts that are not published, with the number for each reason; empty if there are none."""
    if not private:
        return ""
    subject = "1 private text" if len(private) == 1 else f"{len(private)} private texts"
    reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(Counter(private.values()).items()))
    return f"{subject} left out ({reasons})"


def doubtful_places(private: Mapping[str, str]) -> list[str]:
    """A line for each text that is private because something was not understood. Only a terminal may show them."""
    found = [f"{path}: {why.removeprefix(UNCERTAIN)}" for path, why in private.items() if why.startswith(UNCERTAIN)]
    more = [f"and {len(found) - MAX_PLACES} more"] if len(found) > MAX_PLACES else []
    return [f"  {line}" for line in (*found[:MAX_PLACES], *more)]


def left_out_summary(left_out: Iterable[Subject]) -> str:
    """The parts of a game that are left out, by type: `spell: Ash, Ember; calculator: strike`."""
    names: dict[str, dict[str, None]] = {}
    for subject in left_out:
        place = subject.span.original
        name = subject.name or f"{place.source.path}:{place.line_range[0]}"
        names.setdefault(subject.type, {})[name] = None
    return "; ".join(f"{type_}: {listed([*of_type])}" for type_, of_type in names.items())


def listed(names: Sequence[str]) -> str:
    """Names separated by commas, at most `MAX_NAMES`. The others are counted."""
    others = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {others} more" if others > 0 else "")
