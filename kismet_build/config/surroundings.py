"""The settings of other folders that keep texts private: those above the built folder, and those below it.

Whoever builds a part of a vault, or names a game file in another folder, still relies on what they leave out.
"""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from os.path import abspath, splitext
from pathlib import Path
from typing import Any, NamedTuple

from kismet_build.config import yaml
from kismet_build.config.data_file import YAML_SUFFIXES, read_data, settings_file
from kismet_build.config.discovery import excluded_paths, list_files
from kismet_build.config.game import Game
from kismet_build.config.obsidian import GARDEN_PROPERTY, excluded_folders, garden_of, vaults_around
from kismet_build.config.privacy import PublicationRules, is_marked_file
from kismet_build.config.sources import OUR_FILES, Found, folders_above, published_files
from kismet_build.config.sources.defaults import Defaults, GivenProperties
from kismet_build.config.sources.vault import FolderRules
from kismet_build.config.unread_properties import MAX_HEAD
from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.source import open_regular_file, read_source

SETTINGS_FILES = {"library": "invalid-library", "game": "invalid-game"}
"""The names, without suffix, of files that may keep texts private, each with the code of its errors."""
KEYS = frozenset(("exclude", "only", "source"))
WRITTEN_SUFFIXES = frozenset(
    (".csv", ".htm", ".html", ".json", ".mkd", ".org", ".rmd", ".tex", ".toml", ".tsv", ".txt", ".xml", ".yaml", ".yml")
)
"""Suffixes of attachments that people write, and in which they may set properties."""


class Settings(NamedTuple):
    """What a settings file says about the privacy of the texts in its folder."""

    folder: Path
    exclude: tuple[str, ...] = ()
    only: Mapping[str, Any] = {}
    source: str = ""

    def hides(self, files: Mapping[str, Path]) -> frozenset[str]:
        """The paths, of those of the given files, that match a pattern of `exclude`."""
        if not self.exclude:
            return frozenset()
        by_name: dict[str, str] = {}
        for path, file in files.items():
            # A pattern may name a link or its target.
            for whole in (Path(abspath(file)), file.resolve()):
                if whole.is_relative_to(self.folder):
                    by_name[whole.relative_to(self.folder).as_posix()] = path
        found = (excluded_paths(by_name, glob) for glob in self.exclude)
        return frozenset(by_name[name] for names in found for name in names)


def source_of(folder: Path) -> str:
    """The value of `source` in the nearest `library.yaml` that has one, in a folder or above it."""
    for place in folders_above(folder):
        file = settings_file(place, "library")
        value = _values(file) if file else None
        if value and isinstance(found := value.get("source"), str):
            return found
    return ""


def settings_around(folder: Path, inner: Iterable[str], read: Iterable[Path], report: Report) -> list[Settings]:
    """The settings files above a folder, and those below it, without the ones that are `read` otherwise.

    `inner`: the paths of everything in the folder. Raises `UsageError` if one cannot be read.
    """
    known = {file.resolve() for file in read}
    names = {f"{name}{suffix}" for name in SETTINGS_FILES for suffix in YAML_SUFFIXES}
    below = {(folder / path).parent.resolve(): None for path in inner if path.rpartition("/")[2].casefold() in names}
    places = dict.fromkeys((*folders_above(folder), *below))
    return [settings for place in places for settings in _read(place, SETTINGS_FILES, known, report)]


def _read(folder: Path, names: Iterable[str], known: set[Path], report: Report) -> Iterator[Settings]:
    for name in names:
        file = settings_file(folder, name)
        if file is None or file.resolve() in known:
            continue
        value = _values(file)
        # A file without these keys may be that of any program; one that cannot be read may have them.
        if value is not None and KEYS.isdisjoint(value):
            continue
        _, data = read_data(file, SETTINGS_FILES[name], name, report)
        value = data.value
        yield Settings(folder, tuple(value.get("exclude", ())), value.get("only", {}), value.get("source", ""))


def _values(file: Path) -> Mapping[str, Any] | None:
    """The values of a settings file, which may be wrong; `None` if it cannot be read."""
    try:
        data = yaml.parse(read_source(file, file.name, file.as_posix()), ignore, "invalid-library")
    except (OSError, UnicodeDecodeError):
        return None
    value = data.value if data else None
    return value if isinstance(value, dict) else None if data is None else {}


def settings_above(folder: Path) -> tuple[str, ...]:
    """The paths of the settings files, and of the project files, that folders above a folder may have."""
    names = (
        *(f"{name}{suffix}" for name in SETTINGS_FILES for suffix in YAML_SUFFIXES),
        *chain.from_iterable(OUR_FILES.values()),
    )
    return tuple(f"{place}/{name}" for place in folders_above(folder)[1:] for name in names)


def without_hidden(game: Game, found: Found) -> Game:
    """A game without what the sites around it keep private."""
    whole, hidden, rules = game.files.folder.resolve(), set[str](), list[FolderRules | None]()
    is_alone = not found.others and not found.unread
    places = {} if is_alone else {path: game.files.file(path).resolve() for path in game.files.paths}
    for vault in found.others:
        folder, published = vault.folder.resolve(), published_files(vault, vault.root)
        hidden |= {path for path, file in places.items() if file.is_relative_to(folder) and file not in published}
        # Texts without properties are published as they are.
        of_site = vault.publication._replace(needs_properties=())
        rules.append(FolderRules.between(whole, folder, of_site, vault.given))
    for name in found.unread:
        hidden |= {path for path in places if f"{path}/".startswith(f"{name}/")}
    around = chain.from_iterable(vault.settings_files for vault in found.others)
    return _with_rules(game.with_files(around=(*game.files.around, *around)), rules, hidden)


def with_settings(game: Game, around: Sequence[Settings], *, is_open: bool) -> Game:
    """A game without what the settings of other folders, and of Obsidian vaults around it, keep private.

    `is_open`: whether the rules of other programs count.
    """
    files, whole = {path: game.files.file(path) for path in game.files.paths}, game.files.folder.resolve()
    rules = [
        FolderRules.between(whole, settings.folder, PublicationRules(only=settings.only))
        for settings in around
        if settings.only
    ]
    hidden = set(chain.from_iterable(settings.hides(files) for settings in around))
    vaults = vaults_around(game.files.folder, list_files(game.files.folder).folders) if is_open else ()
    if vaults:
        # Comments of Obsidian count in the dialects of other programs, too.
        options = {**game.definition.dialect_options, "comments": True}
        game = replace(game, definition=replace(game.definition, dialect_options=options))
    for vault in vaults:
        defaults = tuple(Defaults({"publish": False}, (f"{name.casefold()}/**",)) for name in excluded_folders(vault))
        garden = garden_of(vault)
        needed = PublicationRules(needed=(GARDEN_PROPERTY,) if garden and garden.needs_property else ())
        place = FolderRules.between(whole, vault, needed, GivenProperties(defaults))
        if place and (defaults or needed.needed):
            rules.append(place)
        if place and garden:
            hidden |= {path for path in files if garden.hides(place.path(path))}
    game = game.with_files(around=(*game.files.around, *settings_above(whole)))
    return replace(_with_rules(game, rules, hidden), finds_gardens=is_open)


def without_marked_attachments(game: Game) -> Game:
    """A game without the attachments that begin with properties which keep them private."""
    rules, marked = game.folder_rules[0].rules, set[str]()
    for path in game.files.attachments:
        if splitext(path)[1].casefold() in WRITTEN_SUFFIXES and path not in game.files.excluded:
            with suppress(OSError), open_regular_file(game.files.file(path)) as file:
                start = file.read(MAX_HEAD)
                encoding = "utf-16" if start[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8"
                if is_marked_file(start.decode(encoding, "replace"), rules):
                    marked.add(path)
    return replace(game, files=game.files.without(frozenset(marked)))


def _with_rules(game: Game, rules: Iterable[FolderRules | None], hidden: Iterable[str]) -> Game:
    files = game.files.without(frozenset(hidden))
    return replace(game, files=files, other_rules=(*game.other_rules, *filter(None, rules)))
