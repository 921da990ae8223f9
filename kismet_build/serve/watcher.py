"""What a library is made of on the disk, and when it changes."""

import re
import time
from collections.abc import Collection, Generator
from pathlib import Path

from watchfiles import Change, watch
from watchfiles._rust_notify import WatchfilesRustInternalError

from kismet_build.config.data_file import SHIPPED

QUIET, LONGEST = 8, 50
"""In milliseconds: a save is complete when nothing happened for so long; a build waits for the second at most."""
BEAT = 50
"""In milliseconds: how long is waited for changes at a time."""
BEATS = 40
"""After so many of them it is looked whether the folders are still the same."""

TEMPORARY = re.compile(
    r"""
    \. .*                   # hidden: .git, .obsidian, .#lock and what is saved beside its file
    | .* ~                  # Emacs, Vim, gedit
    | \# .* \#              # Emacs
    | ~\$ .*                # offices
    | 4913                  # Vim tries whether it may write
    | .* \.(?: tmp | temp | sw[a-z] | crswap | part | bak | orig )
    | .* ___jb_(?: tmp | old )___
    | __pycache__
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Names of files and folders that are no part of a library."""
KINDS = re.compile(r"""^kinds:[ \t]*["']?([^"'#\n]+?)["']?[ \t]*(?:#.*)?$""", re.MULTILINE)
"""Where a game file says that its kinds are."""


class Watcher:
    """Watches all that a library is read from."""

    def __init__(self, path: Path, game: Path | None, tree: Path) -> None:
        """Watch the library at `path`; the tree that is made of it may stand inside."""
        self.path = path
        self.game = game
        self.tree = tree.resolve()
        self._watched: list[Path] = []

    def changes(self) -> Generator[frozenset[Path], None, None]:
        """Changed files, again and again; at first none, as soon as no change can be missed, and none at every beat.

        What changes while nobody asks is kept for the next time. Raises `OSError` when nothing can be watched.
        """
        first: frozenset[Path] = frozenset()
        while True:
            try:
                yield from self._until_replaced(first)
            except FileNotFoundError:  # looked at in the moment in which it is replaced
                time.sleep(BEAT / 1000)
            except WatchfilesRustInternalError as fault:
                raise OSError(f"the texts cannot be watched: {fault}") from fault
            first = frozenset((self.path,))

    def _until_replaced(self, first: frozenset[Path]) -> Generator[frozenset[Path], None, None]:
        """Changed files, beginning with `first`, as long as the folders are the same."""
        fingerprints = self._stamps()
        self._watched = list(fingerprints)
        notices = watch(
            *self._watched,
            watch_filter=self._matters,
            debounce=LONGEST,
            step=QUIET,
            rust_timeout=BEAT,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        for beat, notice in enumerate(notices):
            files = frozenset(Path(name) for _, name in notice)
            # Whatever happened until now is in the next build, and what happens from now on is noticed.
            yield files if beat else first
            # A folder that was replaced is not watched any more, and game.yaml may name another one now.
            if not files.isdisjoint(fingerprints) or ((files or beat % BEATS == 0) and self._stamps() != fingerprints):
                return

    def _matters(self, _: Change, name: str) -> bool:
        """Whether a change is one of the library: neither of the tree, nor hidden, nor an editor's own."""
        file = Path(name)
        if file.is_relative_to(self.tree):
            return False
        folders = [folder for folder in self._watched if file.is_relative_to(folder)]
        # A vault may itself stand in a hidden folder: only what is below the watched one counts.
        parts = file.relative_to(max(folders, key=lambda folder: len(folder.parts))).parts if folders else file.parts
        return not any(map(TEMPORARY.fullmatch, parts))

    def _stamps(self) -> dict[Path, int]:
        """Which folders are watched, and which ones these are on the disk."""
        return {folder: folder.stat().st_ino for folder in self._folders()}

    def _folders(self) -> list[Path]:
        """The folders of the texts, the game files and the kinds, as far as they exist; those inside others, too."""
        files = [*self.path.glob("*/game.yaml"), self.path / "game.yaml"]
        files += [self._game_file(self.game)] if self.game else []
        folders = {self.path, SHIPPED / "site" / "assets"}
        for file in files:
            if file.is_file():
                folders |= {file.parent, _kinds(file)}
        # The path may be gone for a moment; something has to be watched until it is back.
        return sorted({folder.resolve() for folder in folders if folder.is_dir()})

    def _game_file(self, named: Path) -> Path:
        return named if named.is_file() else SHIPPED / "content" / named / "game.yaml"


def names_of(files: Collection[Path]) -> tuple[str, ...]:
    """The names of changed files; of those that are not there only if all are gone: programs save by way of others."""
    return tuple(sorted({file.name for file in files if file.exists()} or {file.name for file in files}))


def _kinds(file: Path) -> Path:
    """The folder of the kinds of a game; of one whose file does not say, all folders that it may be in."""
    named = KINDS.search(file.read_text(encoding="utf-8", errors="replace"))
    return file.parent / named[1] if named else file.parent / "../../schemas"
