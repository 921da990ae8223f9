"""Watch the source files of a library for changes."""

import errno
import os
import re
import time
from collections.abc import Collection, Generator, Iterator
from contextlib import suppress
from pathlib import Path

from watchfiles import Change, watch
from watchfiles._rust_notify import WatchfilesRustInternalError

from kismet_build.config.data_file import SHIPPED, UsageError, is_inside, yaml_file
from kismet_build.config.load_game import GAME_FILE
from kismet_build.config.load_library import game_files_below
from kismet_build.config.obsidian import SETTINGS_FILES, SETTINGS_FOLDER, vaults_around
from kismet_build.config.sources import find_vaults
from kismet_build.config.surroundings import settings_above
from kismet_build.model.diagnostic import ignore
from kismet_build.model.source import read_regular_file

QUIET_TIME = 8
"""Milliseconds without a change after which a save counts as complete."""
MAX_SAVE_TIME = 50
"""Milliseconds after which changes are reported even if more follow."""
POLL_INTERVAL = 50
"""Maximum milliseconds between two results of `Watcher.changes`."""
POLLS_PER_FOLDER_CHECK = 40
"""Number of polls between two checks of whether the watched folders are still the same."""
UNREADABLE = {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EIO, errno.ESTALE}
"""Error numbers for folders that may be readable again a moment later."""

TEMPORARY_NAME = re.compile(
    r"""
    (?! \.(?: pages | nav\.yml ) \Z ) \. .*   # hidden: .git, .obsidian, .#lock, and temporary files
    | .* ~                  # Emacs, Vim, gedit
    | \# .* \#              # Emacs
    | ~\$ .*                # Microsoft Office, LibreOffice
    | 4913                  # Vim: tests whether it can write
    | .* \.(?: tmp | temp | sw[a-z] | crswap | part | bak | orig )
    | .* ___jb_(?: tmp | old )___
    | __pycache__ | node_modules
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Names of files and folders that are not part of a library."""
KINDS_SETTING = re.compile(r"""^kinds:[ \t]*["']?([^"'#\r\n]+?)["']?[ \t\r]*(?:#.*)?$""", re.MULTILINE)
"""The setting of a game file that names the folder of kinds. This finds it even in a file with errors."""

VAULT_SETTINGS = frozenset(f"{SETTINGS_FOLDER}/{name}" for name in SETTINGS_FILES)
"""Hidden files that are part of a vault, because they name folders and files that are not published."""


class Watcher:
    """Watches the files that a library is read from."""

    def __init__(self, path: Path, game: Path | None, tree: Path) -> None:
        """Watch the library at `path`. Changes of the output tree, which may be inside, are ignored."""
        self.path = path
        self.game = game
        self.tree = tree.resolve()
        self._watched: list[Path] = []
        self._is_recursive = True
        """Whether folders are watched with their subfolders."""

    def changes(self) -> Generator[frozenset[Path], None, None]:
        """Sets of changed files, forever.

        The first set is empty, and every change after it is reported. A later set is empty if nothing changed for
        `POLL_INTERVAL`. Changes between two calls of `next` are in the result of the second call. Raises `OSError` if
        the folders cannot be watched.
        """
        first: frozenset[Path] = frozenset()
        is_started = False
        while True:
            try:
                for files in self._changes_of_folders(first):
                    is_started = True
                    yield files
            except OSError as failure:
                # A folder may be in the middle of a replacement, or its disk may fail for a while.
                if failure.errno not in (UNREADABLE if is_started else {errno.ENOENT}):
                    raise
                time.sleep(POLL_INTERVAL / 1000)
                if is_started:
                    yield frozenset()
            except WatchfilesRustInternalError as failure:
                raise OSError(f"the texts cannot be watched: {failure}") from failure
            first = frozenset((self.path,))

    def _changes_of_folders(self, first: frozenset[Path]) -> Generator[frozenset[Path], None, None]:
        """Sets of changed files, starting with `first`, until other folders have to be watched."""
        # A recursive watch would follow links to any place on the machine.
        self._is_recursive = not any(map(_has_linked_folder, self._folders()))
        inodes = self._inodes()
        self._watched = list(inodes)
        notifications = watch(
            *self._watched,
            watch_filter=self._is_relevant,
            debounce=MAX_SAVE_TIME,
            step=QUIET_TIME,
            rust_timeout=POLL_INTERVAL,
            yield_on_timeout=True,
            ignore_permission_denied=True,
            recursive=self._is_recursive,
        )
        times = self._times_of_settings()
        for poll, notification in enumerate(notifications):
            files = frozenset(_real_path(name) for _, name in notification)
            before, times = times, self._times_of_settings()
            files |= {path for path in before.keys() | times.keys() if before.get(path) != times.get(path)}
            # The build after the first poll covers all changes before it.
            yield files if poll else first
            # A replaced folder is no longer watched, and `game.yaml` may name another one.
            is_folder_check = bool(files) or poll % POLLS_PER_FOLDER_CHECK == 0
            if not files.isdisjoint(inodes) or (is_folder_check and self._inodes() != inodes):
                return

    def _is_relevant(self, _: Change, name: str) -> bool:
        file = _real_path(name)
        folders = [folder for folder in self._watched if file.is_relative_to(folder)]
        if file.is_relative_to(self.tree) or not folders:
            return False
        # Only names below the watched folder count, since the vault itself may be in a hidden folder.
        folder = max(folders, key=lambda folder: len(folder.parts))
        parts = file.relative_to(folder.parent if folder.name == SETTINGS_FOLDER else folder).parts
        if "/".join(parts) in VAULT_SETTINGS:
            return True
        return not any(map(TEMPORARY_NAME.fullmatch, parts))

    def _times_of_settings(self) -> dict[Path, int]:
        """The modification times of the settings above the folder that keep texts private.

        They are not watched, because the folders above may be large.
        """
        times = {}
        for path in settings_above(self.path):
            with suppress(OSError):
                times[Path(path)] = os.stat(path).st_mtime_ns
        return times

    def _inodes(self) -> dict[Path, int]:
        folders = self._folders()
        if not self._is_recursive:
            folders = sorted({Path(folder) for above in folders for folder, _ in _walk(above)})
        return {folder: folder.stat().st_ino for folder in folders}

    def _folders(self) -> list[Path]:
        """The existing folders of documents, game files, kinds and assets, and of a site or vault around them."""
        files = [*game_files_below(self.path)]
        files += [file for file in (yaml_file(self.path, GAME_FILE),) if is_inside(file, self.path.resolve())]
        files += [self._game_file(self.game)] if self.game else []
        # The folder of assets always exists, so there is something to watch while the library's folder is being
        # replaced.
        folders = {self.path, SHIPPED / "site" / "assets"}
        with suppress(UsageError):
            folders.add(find_vaults(self.path, ignore).vault.root)
        # Settings below the folder are watched with it.
        folders |= {vault / SETTINGS_FOLDER for vault in vaults_around(self.path)[:1] if vault != self.path.resolve()}
        for file in files:
            if file.is_file():
                folders |= {file.parent, _kinds_folder(file)}
        return sorted({folder.resolve() for folder in folders if folder.is_dir()})

    def _game_file(self, game: Path) -> Path:
        return game if game.is_file() else SHIPPED / "content" / game / "game.yaml"


def changed_names(files: Collection[Path]) -> tuple[str, ...]:
    """Names of changed files. Deleted files are only named if all are deleted, since editors delete temporary files."""
    return tuple(sorted({file.name for file in files if file.exists()} or {file.name for file in files}))


def _real_path(name: str) -> Path:
    """The path of a changed file, with the links in the path of its folder resolved. A link at the end is not."""
    folder, name = os.path.split(name)
    return Path(os.path.realpath(folder), name)


def _has_linked_folder(folder: Path) -> bool:
    return any(os.path.islink(os.path.join(above, name)) for above, names in _walk(folder) for name in names)


def _walk(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """This folder and all folders below it that may be part of a library: the path, and the names of subfolders."""
    for walked, names, _ in os.walk(folder):
        yield walked, names
        names[:] = [name for name in names if name == SETTINGS_FOLDER or not TEMPORARY_NAME.fullmatch(name)]


def _kinds_folder(file: Path) -> Path:
    """The folder of kinds that a game file names, or else a folder above all default kinds."""
    setting = KINDS_SETTING.search(read_regular_file(file).decode("utf-8", "replace"))
    return file.parent / setting[1] if setting else file.parent / "../../schemas"
