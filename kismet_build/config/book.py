"""How the author of a game wants its book: the key `book` of `game.yaml`."""

from pathlib import Path
from typing import NamedTuple


class BookRules(NamedTuple):
    """The layout, the order and the design of a book. Files and folders are next to `game.yaml`."""

    paper: str = "a4"
    columns: int = 2
    cover: Path | None = None
    """The picture on the cover."""
    front: tuple[str, ...] = ()
    """Globs of the texts that come first."""
    back: tuple[str, ...] = ()
    """Globs of the texts that come last."""
    leave_out: tuple[str, ...] = ()
    """Globs of the texts that the book does not have."""
    date: str = ""
    """The day of the edition, as `2026-11-27`; empty for none."""
    fonts: Path | None = None
    """The folder with fonts for the text, besides those that ship with kismet."""
    families: tuple[str, ...] = ()
    """The names of font families for the text and its titles, in the order of preference."""
    design: Path | None = None
    """A Typst file in place of the design that ships with kismet."""


DEFAULT_BOOK = BookRules()
