"""Advice for authors about missing settings of a game. Advice is printed and never shown on a page."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kismet_build.driver.result import listed

if TYPE_CHECKING:
    # Advice for an unchanged library does not load it.
    from kismet_build.config.game import Game

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
