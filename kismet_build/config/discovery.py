"""Find the files of a game: its texts in reading order, and its attachments."""

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from itertools import chain
from os.path import isfile
from pathlib import Path, PurePath
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from kismet_build.config.data_file import UsageError, is_inside
from kismet_build.model.dialects import DIALECT_OF_SUFFIX
from kismet_build.model.text_normalization import NaturalSortKey, natural_sort_key, normalize

UNREAD_SUFFIXES = frozenset((".canvas", ".base", ".excalidraw"))
"""Suffixes of files that are not published, because they may name private notes."""

OUTPUT_TREE_FILES = ("data/manifest.json", "assets/site.css")
"""Files that identify an output tree of this program, which `kismet build .` writes into a vault."""

VIRTUAL_ENVIRONMENT_FILE = "pyvenv.cfg"
"""File that identifies a Python virtual environment, whatever its folder is called."""
PACKAGES_FOLDER = "node_modules"
"""Folder of npm packages, whose READMEs are not rules."""
MAX_GUESSED_TEXTS = 2_000
"""Maximum number of texts in the working folder if a command without a path is to read it."""

FOLDER_NOTE_NAMES = ("index", "readme")
"""File names, without suffix, of folder notes; the first that exists is used."""
HOME_NOTE_NAMES = ("index", "home", "startseite", "accueil", "inicio", "readme")
"""File names of the note that the home page of a game shows.

Three of them mean "home" in other languages. `README` comes last: next to a home note, it is for people who work on the
repository.
"""

REPOSITORY_NAMES = frozenset(("readme", "licence", "license", "legal", "contributing", "changelog", "security"))
"""Names, without suffix, of texts about a repository, which are often in the folder of a game."""

SourceFiles = tuple[tuple[Path, str], ...]
"""Source files, each with its dialect."""


UNREAD_FORMATS = frozenset((".mdx", ".rst", ".textile"))
"""Suffixes of texts in formats that kismet does not read."""
MAX_ALTERNATIVES = 1_000
"""Maximum number of patterns that one pattern with braces stands for."""


class Unread(Enum):
    """A reason why a file or folder is not read: the message for one file, and the end of the message for several
    files.
    """

    OUTSIDE = (
        "this link leads out of the folder, so it is not read",
        "links lead out of the folder, so they are not read",
    )
    HIDDEN = ("this link leads to a hidden file, so it is not read", "links lead to hidden files, so they are not read")
    BROKEN = ("this link leads to a file that does not exist", "links lead to files that do not exist")
    LINKED_FOLDER = (
        "this link leads to a folder that is already read, so it is skipped",
        "links lead to folders that are already read, so they are skipped",
    )
    SPECIAL = (
        "this is a device, a pipe or a socket",
        "files are devices, pipes or sockets",
    )
    FOLDER = (
        "this is a folder, although its name ends like that of a text",
        "folders have names that end like those of texts",
    )
    FORMAT = (
        "kismet does not read texts in this format",
        "texts are in formats that kismet does not read (.mdx, .rst, .textile)",
    )
    UNREADABLE = ("this file cannot be read", "files cannot be read")
    UNLISTED = ("this folder cannot be listed, so it is not read", "folders cannot be listed, so they are not read")


class FileList(NamedTuple):
    """The files below a folder, without hidden ones, output trees and installed packages.

    Paths are relative to the folder.
    """

    files: tuple[str, ...]
    """The paths of all files that may be read, in alphabetical order."""
    unread: Mapping[str, Unread]
    """The paths of files and folders that are reported as unread, in alphabetical order, with the reasons."""
    folders: tuple[str, ...]
    """The paths of the folder itself (an empty path) and of its subfolders."""

    @property
    def everything(self) -> tuple[str, ...]:
        """All these paths: settings that are not read, or are a folder, still have a name."""
        return (*self.files, *self.unread, *self.folders)


class NoTexts(UsageError):
    """The working folder has no texts, or is or contains a home folder."""


def default_library(default: Path) -> Path:
    """The library for a command without a path: `default` if it exists, otherwise the working folder.

    Raises `NoTexts` if the working folder has no texts, or is or contains a home folder, and `UsageError` if it has too
    many texts to be the intended folder.
    """
    if default.is_dir():
        return default
    here = Path()
    whole = here.resolve()
    # Unlike `Path.home`, this does not fail for a user without a home folder, as in some containers.
    home = os.path.expanduser("~")
    if os.path.isabs(home) and Path(home).resolve().is_relative_to(whole):
        raise NoTexts(f'"{whole}" is or contains a home folder: name the folder of your texts')
    count = 0 if _is_left_aside(here) else sum(map(is_text, list_files(here).files))
    if count > MAX_GUESSED_TEXTS:
        raise UsageError(f'"{whole}" has {count:,} texts: name a folder, or "." for all of them')
    if not count:
        raise NoTexts(
            f'there is no rules text in "{whole}", and no folder "{default}": name the folder of your texts '
            "(kismet new my-game creates one)"
        )
    return here


def all_texts(folder: Path, files: Iterable[str]) -> SourceFiles:
    """The texts among the files of a folder, in reading order."""
    texts = {}
    for path in files:
        dialect = DIALECT_OF_SUFFIX.get(os.path.splitext(path)[1].casefold())
        if dialect:
            texts[folder / path] = dialect
    return in_reading_order(texts, folder)


def matching_texts(
    folder: Path, sources: Iterable[Mapping[str, str]], files: Iterable[str], vault: Path
) -> SourceFiles:
    """The texts that match the `sources` of a game file, without hidden files.

    The first source that matches a text decides its dialect. `files` are the files in the folder that may be read. A
    file that only a linked folder leads to must be in the `vault`.
    """
    readable = set(files)
    root = vault.resolve()
    texts: dict[Path, str] = {}
    for entry in sources:
        pattern = PurePath(entry["glob"]).as_posix()
        # `glob` is only for files in linked folders: it treats a folder that it cannot list as empty.
        matched = (folder / path for path in sorted(readable) if path_matches(path, pattern))
        for file in chain(matched, folder.glob(entry["glob"])):
            if file in texts or is_hidden(file, folder):
                continue
            path = relative_path(file, folder)
            if path in readable or (is_inside(file, root) and not _is_in_folder_left_aside(path, folder)):
                default = DIALECT_OF_SUFFIX.get(file.suffix.casefold(), "obsidian")
                texts[file] = entry.get("dialect") or default
    return in_reading_order(texts, folder)


def path_matches(path: str, pattern: str) -> bool:
    """Whether a path matches a pattern, as `Path.glob` reads it."""
    parts = pattern.split("/")
    places = {0}
    """Indexes of the parts of the pattern that may match the next part of the path."""
    for name in path.split("/"):
        places = {
            place if parts[place] == "**" else place + 1
            for place in _without_empty_folders(places, parts)
            if place < len(parts) and (parts[place] == "**" or fnmatchcase(name, parts[place]))
        }
    return len(parts) in _without_empty_folders(places, parts)


def _without_empty_folders(places: Iterable[int], parts: Sequence[str]) -> set[int]:
    """The indexes `places`, and the next index wherever the part is `**`, which may stand for no folder."""
    found = set(places)
    for place, part in enumerate(parts):
        if place in found and part == "**":
            found.add(place + 1)
    return found


def patterns_without_braces(pattern: str) -> list[str]:
    """The patterns that one with `{a,b}` stands for.

    If there are too many, the result is a pattern that matches all paths.
    """
    found = [""]
    for number, part in enumerate(re.split(r"\{([^{}]*)\}", pattern)):
        found = [start + choice for start in found for choice in (part.split(",") if number % 2 else [part])]
        if len(found) > MAX_ALTERNATIVES:
            return ["**"]
    return found


def attachments(files: Iterable[str]) -> tuple[str, ...]:
    """The paths of all files that texts may embed or link: files with a suffix that are not texts."""
    return tuple(path for path in files if os.path.splitext(path)[1] and not is_text(path))


def is_text(path: str) -> bool:
    """Whether a file is a text, by its suffix."""
    return os.path.splitext(path)[1].casefold() in DIALECT_OF_SUFFIX


def unread_attachments(paths: Iterable[str]) -> frozenset[str]:
    """The attachments among these paths that are not published, because they may name private notes."""
    return frozenset(path for path in paths if os.path.splitext(path)[1].casefold() in UNREAD_SUFFIXES)


def list_files(folder: Path, *allowed: Path) -> FileList:
    """List a folder. A link is included if it leads to a file in one of the `allowed` folders (default: the folder
    itself).

    Subfolders that cannot be listed are among the unread ones. Raises `OSError` if the folder itself cannot be listed.
    """
    roots = [above.resolve() for above in allowed or (folder,)]
    files: list[str] = []
    unread: dict[str, Unread] = {}
    folders: list[str] = []
    pending = [""]
    while pending:
        prefix = pending.pop()
        folders.append(prefix.rstrip("/"))
        try:
            # Each entry already has its type: a stat of each file would take longer than the listing.
            with os.scandir(folder / prefix) as entries:
                for entry in entries:
                    path = prefix + entry.name
                    if entry.name.startswith("."):
                        continue
                    if entry.is_symlink():
                        reason = reason_to_skip(entry.path, roots)
                        if reason is None:
                            files.append(path)
                        elif not _is_left_aside(Path(entry.path)):
                            unread[path] = reason
                    elif entry.is_dir():
                        if _is_left_aside(Path(entry.path)):
                            continue
                        if not may_enter(entry.path):
                            unread[path] = Unread.UNLISTED
                            continue
                        pending.append(f"{path}/")
                        if is_text(path):
                            unread[path] = Unread.FOLDER
                    elif os.path.splitext(path)[1].casefold() in UNREAD_FORMATS:
                        unread[path] = Unread.FORMAT
                    elif not entry.is_file():
                        unread[path] = Unread.SPECIAL
                    elif is_text(path) or os.access(entry.path, os.R_OK):
                        files.append(path)
                    else:  # a text that cannot be read is reported when it is opened
                        unread[path] = Unread.UNREADABLE
        except OSError:
            if not prefix:
                raise
            unread[prefix.rstrip("/")] = Unread.UNLISTED
    return FileList(tuple(sorted(files)), dict(sorted(unread.items())), tuple(folders))


def may_enter(folder: str | Path) -> bool:
    """Whether this user may list a folder and open its files."""
    return os.access(folder, os.R_OK | os.X_OK)


def reason_to_skip(path: str, roots: Sequence[Path]) -> Unread | None:
    """Why a path is not read; `None` for a file in one of these folders, or a link to such a file. Opens nothing."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return Unread.BROKEN
    if not any(map(Path(path).resolve().is_relative_to, roots)):
        return Unread.OUTSIDE
    if S_ISDIR(mode):
        return Unread.LINKED_FOLDER
    if not S_ISREG(mode):
        return Unread.SPECIAL
    return None if is_inside(Path(path), *roots) else Unread.HIDDEN


def in_reading_order(texts: Mapping[Path, str], folder: Path) -> SourceFiles:
    """Sort texts folder by folder, each folder note first, in natural order of their paths: `2 ...` before `10 ...`."""

    def order(item: tuple[Path, str]) -> tuple[list[NaturalSortKey], str]:
        path = relative_path(item[0], folder)
        # The path itself comes second: names that differ only in case or accents have the same natural order.
        *folders, name = os.path.splitext(path)[0].split("/")
        name = name if folder_note_rank(path) is None else ""
        return [natural_sort_key(part) for part in (*folders, name)], path

    return tuple(sorted(texts.items(), key=order))


def folder_note_rank(path: str, game_title: str = "") -> int | None:
    """The rank of a text among the folder notes of its folder, from 0 for the best; `None` if it is not one.

    `path` is relative to the folder of the game. `game_title` is the name of that folder, if texts may be named after
    it.
    """
    folder, _, name = os.path.splitext(path)[0].rpartition("/")
    stem = normalize(name.replace("_", " "))
    title = normalize(folder.rpartition("/")[2] or game_title)
    names = [*(FOLDER_NOTE_NAMES if folder else HOME_NOTE_NAMES), *((title, f"index of {title}") if title else ())]
    return names.index(stem) if stem in names else None


def is_hidden(file: Path, folder: Path) -> bool:
    """Whether a file below a folder is hidden, or in a hidden folder there."""
    return "/." in f"/{relative_path(file, folder)}"


def relative_path(file: Path, folder: Path) -> str:
    """The path of a file relative to a folder, with `/`.

    The path of the file must begin with the path of the folder.
    """
    # Faster than `Path.relative_to`, for vaults with ten thousand files.
    return file.as_posix().removeprefix(folder.as_posix().rstrip("/") + "/")


def parent_folders(path: str) -> Iterator[str]:
    """The folders that a relative path is in, from the innermost to the outermost, without the root."""
    while path := path.rpartition("/")[0]:
        yield path


def excluded_paths(paths: Iterable[str], glob: str) -> frozenset[str]:
    """The paths that match a glob pattern, or are in a folder that matches it. Case is ignored."""
    pattern = _glob_pattern(glob)
    return frozenset(path for path in paths if pattern.match(_fold(path)))


def _glob_pattern(glob: str) -> re.Pattern[str]:
    """A regular expression for the folded paths that match a glob pattern, and for all paths in a matching folder."""
    parts = [part for part in _fold(glob).split("/") if part not in ("", ".")]
    inside = "".join("(?:[^/]+/)*" if part == "**" else f"{_part_pattern(part)}/" for part in parts)
    if parts[-1:] == ["**"]:
        return re.compile(rf"{inside}[^/]+\Z")
    return re.compile(rf"{inside.removesuffix('/')}(?:/.*)?\Z")


def _part_pattern(part: str) -> str:
    return "".join({"*": "[^/]*", "?": "[^/]"}.get(character) or re.escape(character) for character in part)


def _fold(path: str) -> str:
    """A path for comparison: NFC, without case. Operating systems spell the same path in different ways."""
    return unicodedata.normalize("NFC", path).casefold()


def _is_in_folder_left_aside(path: str, folder: Path) -> bool:
    return any(_is_left_aside(folder / above) for above in PurePath(path).parents)


def _is_left_aside(folder: Path) -> bool:
    # Not `Path.is_file`: if the folder cannot be read, it raises an error that names this file.
    return (
        folder.name == PACKAGES_FOLDER
        or isfile(folder / VIRTUAL_ENVIRONMENT_FILE)
        or all(isfile(folder / name) for name in OUTPUT_TREE_FILES)
    )
