"""Compose a text from parts of several files."""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from kismet_build.model.source import Piece, Source, Span

MAX_CHARACTERS = 10_000_000
"""Maximum number of characters that a text may include.

Without a limit, a chain of files that include the next file twice would double the length at each step.

docs/decisions/0022-bounds-of-input.md lists all limits on input.
"""
COST_OF_FILE, SEARCHED_PER_COST = 1_000, 50
"""Number of characters added to the length of each included part, to limit the number of very short ones; and the
length of a file whose search for a part costs as much as one more character."""


MAX_ADDED = 1_000_000
"""Maximum weight of what a text repeats: files that it includes once more, and the words of loops after the first time.

The first copy of each file and word is free, because a book may be one text of many files.
"""
MARK = re.compile(r"[*_`\[<|\n]")
TOO_MUCH = "the text, or all texts of the game together, would become too long"
WEIGHT_OF_MARK = 20
"""Number of characters that take as long to parse as one mark, about."""


MAX_ADDED_OF_GAME = 20_000_000
"""Maximum weight of what all texts of a game include and repeat."""


class GameBudget:
    """How much all texts of a game together may still include and repeat."""

    def __init__(self) -> None:
        self.left = MAX_ADDED_OF_GAME


class Budget:
    """How much a text may still include and repeat."""

    def __init__(self, max_characters: int, of_game: GameBudget | None) -> None:
        self._left, self._added, self._of_game = max_characters, MAX_ADDED, of_game or GameBudget()
        self._free: dict[Hashable, int] = {}
        """For each file and word, the number of its characters that have not been shown."""

    def has_room(self, key: Hashable, text: str, length: int | None = None) -> bool:
        """Whether a text can be shown once more. `key` identifies it, or the file of this length that it is part of."""
        cost = 0 if length is None else COST_OF_FILE + length // SEARCHED_PER_COST
        free = self._free.setdefault(key, len(text) if length is None else length)
        if len(text) <= free:
            self._free[key] = free - len(text)
            self._left -= len(text) + cost
            self._of_game.left -= cost and len(text) + cost
        else:
            weight = len(text) + cost + WEIGHT_OF_MARK * len(MARK.findall(text))
            self._added -= weight
            self._of_game.left -= weight
        return self._left > 0 and self._added > 0 and self._of_game.left > 0


class Inputs(NamedTuple):
    """What a text may be composed of besides the text itself."""

    read: Callable[[str], Source | None]
    """Read a file, given its path relative to the folder of the game; `None` if it must not or cannot be shown."""
    variables: Mapping[str, Any]
    """Values of variables in the text, from the `options` of `game.yaml`."""
    fault: Callable[[str], str]
    """Returns why `read` returned `None` for a path, as a clause such as `it is a folder`."""
    max_characters: int = MAX_CHARACTERS
    """Maximum number of characters that the text may include."""
    of_game: GameBudget | None = None
    """The limit that all texts of the game share; `None` for a text that is read alone."""


def lines_in(source: Source) -> Iterator[Span]:
    """The lines of a text, including their line ends."""
    starts = source.line_starts
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(source.text)
        if start < end:
            yield source.span(start, end)


class Composition:
    """A text under construction. Parts of a file that are adjacent are merged into one piece."""

    def __init__(self) -> None:
        self._length = 0
        self._texts: list[str] = []
        self._pieces: list[Piece] = []
        self._is_verbatim = False

    def add(self, span: Span) -> None:
        """Append a part of a file, or of a composed text, as it is."""
        if span.start == span.end:
            return
        if span.source.pieces:
            for part, text in span.original_parts():
                if part.text == text:
                    self.add(part)
                else:
                    self.replace(part, text)
            return
        last = self._pieces[-1] if self._is_verbatim else None
        if last and last.span.source is span.source and last.span.end == span.start:
            self._pieces[-1] = last._replace(span=span.source.span(last.span.start, span.end))
        else:
            self._pieces.append(Piece(self._length, span))
        self._is_verbatim = True
        self._append(span.text)

    def replace(self, span: Span, text: str) -> None:
        if not text:
            return
        self._pieces.append(Piece(self._length, span.original))
        self._is_verbatim = False
        self._append(text)

    def _append(self, text: str) -> None:
        self._texts.append(text)
        self._length += len(text)

    def source(self, of: Source, included: frozenset[str] = frozenset(), *, is_incomplete: bool = False) -> Source:
        """The composed text as a source with the path of `of`. `included`, `is_incomplete`: as in `Source`."""
        text = "".join(self._texts)
        pieces = tuple(self._pieces) or (Piece(0, of.span(0, 0)),)
        return Source(
            of.path, text, sha256(text.encode()).hexdigest(), of.display_path, pieces, included, is_incomplete
        )
