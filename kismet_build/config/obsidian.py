"""What the settings of Obsidian vaults say about privacy: note templates, ignored files, and two ways to publish."""

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from kismet_build.config.data_file import UsageError, is_inside, unknown_privacy
from kismet_build.config.discovery import relative_path
from kismet_build.model.pattern import Pattern, UnusablePattern
from kismet_build.model.source import read_regular_file

SETTINGS_FOLDER = ".obsidian"
TEMPLATE_SETTINGS = {"templates.json": "folder", "plugins/templater-obsidian/data.json": "templates_folder"}
"""Settings files, each with the key that names the folder of note templates."""
IGNORE_FILE, IGNORE_KEY = "app.json", "userIgnoreFilters"
"""The settings file with ignore filters, and their key. A filter is the start of a path, or `/regex/`."""
PUBLISH_FILE = "publish.json"
"""The settings file of Obsidian Publish, which has the folders that are `excluded`."""
PLUGINS_FILE, GARDEN = "community-plugins.json", "digitalgarden"
GARDEN_FILE = f"plugins/{GARDEN}/data.json"
"""The list of plugins, and the settings of Digital Garden: https://github.com/oleeskild/obsidian-digital-garden."""
GARDEN_PROPERTY = "dg-publish"
"""The property of the notes that Digital Garden publishes."""
SETTINGS_FILES = (*TEMPLATE_SETTINGS, IGNORE_FILE, PUBLISH_FILE, PLUGINS_FILE, GARDEN_FILE)
"""All settings files that kismet reads."""
MAX_FILTER_SECONDS = 30.0
"""Maximum processor time for all ignore filters of a vault, in seconds."""


class Garden(NamedTuple):
    """The settings of Digital Garden in a vault."""

    needs_property: bool
    """Whether only notes with `GARDEN_PROPERTY` are published."""
    ignored: tuple[str, ...]
    """Files and folders that are not published."""

    def hides(self, path: str) -> bool:
        """Whether a file at this path in the vault is ignored."""
        return f"{_fold(path)}/".startswith(tuple(_fold(f"{place}/") for place in self.ignored))


def vaults_around(folder: Path, inner: Iterable[str] = ()) -> tuple[Path, ...]:
    """The Obsidian vaults that a folder is in, and those among its subfolders `inner`; resolved."""
    whole = folder.resolve()
    places = (whole, *whole.parents, *(whole / path for path in inner))
    return tuple(dict.fromkeys(place for place in places if (place / SETTINGS_FOLDER).is_dir()))


def settings_files(folder: Path, inner: Iterable[str] = ()) -> tuple[str, ...]:
    """The paths of the settings files of vaults around a folder, whether or not they exist."""
    vaults = vaults_around(folder, inner) or (folder.resolve(),)
    return tuple(str(vault / SETTINGS_FOLDER / name) for vault in vaults for name in SETTINGS_FILES)


def ignored_paths(paths: Iterable[str], folder: Path, inner: Iterable[str] = ()) -> frozenset[str]:
    """The paths in a folder that a vault around it, or among its subfolders `inner`, ignores.

    These are note templates and matches of ignore filters. Raises `UsageError` if a
    settings file or a filter cannot be read.
    """
    paths = tuple(paths)
    ignored: set[str] = set()
    for vault in vaults_around(folder, inner):
        inside = dict(_paths_in(vault, folder, paths))
        ignored |= {inside[path] for path in _ignored_by(vault, inside)}
    return frozenset(ignored)


def _paths_in(vault: Path, folder: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The paths in a vault of those files in a folder that are in it, each with the path in the folder."""
    whole = folder.resolve()
    if whole.is_relative_to(vault):
        prefix = relative_path(whole / "x", vault).removesuffix("x")
        yield from ((prefix + path, path) for path in paths)
    else:
        prefix = relative_path(vault / "x", whole).removesuffix("x")
        yield from ((path.removeprefix(prefix), path) for path in paths if path.startswith(prefix))


def _ignored_by(vault: Path, paths: Iterable[str]) -> Iterator[str]:
    templates = (value for name, key in TEMPLATE_SETTINGS.items() for value in _texts(vault, name, key))
    beginnings = [_fold(f"{folder.strip('/')}/") for folder in templates if folder.strip("/. ")]
    patterns = []
    for setting in _texts(vault, IGNORE_FILE, IGNORE_KEY):
        if len(setting) > 2 and setting[0] == setting[-1] == "/":
            patterns.append(_filter_pattern(setting, vault))
        elif setting.startswith("/"):
            raise _unknown(vault, IGNORE_FILE, f'the ignore filter "{setting}" is neither a path nor `/regex/`')
        else:
            beginnings.append(_fold(setting))
    start = process_time()

    def is_ignored(path: str) -> bool:
        folded, typed = _fold(path), unicodedata.normalize("NFC", path)
        if f"{folded}/".startswith(tuple(beginnings)):
            return True
        if patterns and process_time() - start > MAX_FILTER_SECONDS:
            raise _unknown(vault, IGNORE_FILE, "the ignore filters take too long")
        return any(pattern.search(folded) or pattern.search(typed) for pattern in patterns)

    try:
        yield from filter(is_ignored, paths)
    except UnusablePattern as problem:
        raise _unknown(vault, IGNORE_FILE, str(problem)) from problem


def excluded_folders(vault: Path) -> tuple[str, ...]:
    """The folders that Obsidian Publish excludes: only their notes with `publish: true` are published."""
    return tuple(folder.strip("/") for folder in _texts(vault, PUBLISH_FILE, "excluded") if folder.strip("/"))


def garden_of(vault: Path) -> Garden | None:
    """The settings of the plugin Digital Garden; `None` if the vault does not have it."""
    plugins = _settings(vault, PLUGINS_FILE)
    if not isinstance(plugins, list | None):
        raise _unknown(vault, PLUGINS_FILE, "this is not a list")
    if GARDEN not in (plugins or ()):
        return None
    settings = _settings(vault, GARDEN_FILE)
    by_default = settings.get("publishByDefault", False) if isinstance(settings, dict) else False
    if not isinstance(by_default, bool):
        raise _unknown(vault, GARDEN_FILE, "`publishByDefault` is neither true nor false")
    if isinstance(settings, dict) and settings.get("customFilters"):
        raise _unknown(vault, GARDEN_FILE, "`customFilters` may leave out parts of notes")
    ignored = (path.replace("\\", "/").strip().strip("/") for path in _texts(vault, GARDEN_FILE, "ignoredPaths"))
    return Garden(not by_default, tuple(filter(None, ignored)))


def _texts(vault: Path, name: str, key: str) -> list[str]:
    """The text or list of texts at a key of a settings file. Raises `UsageError` for anything else."""
    settings = _settings(vault, name)
    value = settings.get(key) if isinstance(settings, dict) else settings
    values = value if isinstance(value, list) else [value]
    if not isinstance(settings, dict | None) or not all(isinstance(item, str | None) for item in values):
        raise _unknown(vault, name, f"`{key}` is not a list of texts")
    return [item for item in values if item]


def _settings(vault: Path, name: str) -> Any:
    """The content of a settings file; `None` without it. Raises `UsageError` if it cannot be read."""
    file = vault / SETTINGS_FOLDER / name
    if not os.path.lexists(file):
        return None
    if not is_inside(file, vault / SETTINGS_FOLDER):
        raise _unknown(vault, name, "this is not a file of the vault")
    try:
        return json.loads(read_regular_file(file), object_pairs_hook=_without_repeated_keys)
    except (ValueError, RecursionError) as problem:
        raise _unknown(vault, name, f"this is not valid JSON ({problem})") from problem


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _filter_pattern(setting: str, vault: Path) -> Pattern:
    try:
        return Pattern(setting[1:-1], ignores_case=True)
    except re.error as problem:
        raise _unknown(vault, IGNORE_FILE, f'the ignore filter "{setting}" is invalid: {problem}') from problem


def _unknown(vault: Path, name: str, reason: str) -> UsageError:
    return unknown_privacy(vault / SETTINGS_FOLDER / name, reason, is_of_site=name == GARDEN_FILE)


def _fold(path: str) -> str:
    """A path for comparison: NFC, without case. Operating systems spell the same path in different ways."""
    return unicodedata.normalize("NFC", path).casefold()
