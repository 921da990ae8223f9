"""A game: who made it, what it is read from, the kinds of thing in it and the rules that compute."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os.path import normpath
from pathlib import Path
from typing import Any

from kismet_build.config.autolink import AutolinkRules, read_autolink_rules
from kismet_build.config.board import Board, read_boards
from kismet_build.config.calculator import load_calculators
from kismet_build.config.contrast import LEAST_CONTRAST, least_contrast
from kismet_build.config.data_file import SHIPPED, InvalidData, UsageError, read_data
from kismet_build.config.discovery import attachments, every_text, is_hidden, matching_texts
from kismet_build.config.effect import FILE as EFFECTS
from kismet_build.config.effect import Effect, load_effects
from kismet_build.config.kind import Kind, check_references, load_kind
from kismet_build.config.library import FILE as SHELF
from kismet_build.config.library import LibraryConfig, load_library_config
from kismet_build.config.yaml import Data
from kismet_build.mechanics.calculator import Calculator, Citation
from kismet_build.model.diagnostic import Diagnostic, Report, error
from kismet_build.model.text_normalization import DEVICES, folder_name, slug, title_case

RESERVED_IDS = frozenset(("assets", "data", "fonts", "glossary", "schemas", "search", "site"))
"""Names in the tree that are not for games: of folders, styles and scripts that belong to all of them."""
ORDER = re.compile(r"\s*\d{1,3}(?:[.)_-]*\s+[-–_]*\s*|[.)_-]+(?!\d))")
"""The number before the name of a file that puts it in its place among others."""
LONGEST_ACRONYM = 3
"""A name in capitals that is no longer than this is not shouted, but short for something: `NPC`."""


CALCULATORS = "calculators"
"""The folder of the calculators of a game, beside its file."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Game:
    """One system of rules: who made it, what it is read from, and the kinds of thing in it."""

    id: str
    title: str
    version: str
    licence: str
    attribution: str
    description: str
    authors: tuple[str, ...]
    language: str
    accent: tuple[str, str] | None
    """A colour for links on the light and on the dark ground, or `None` for the usual one."""
    kinds: Mapping[str, Kind]
    files: tuple[tuple[Path, str], ...]
    """Every file to read with its dialect, in reading order."""
    folder: Path
    attachments: tuple[str, ...]
    """The paths of all other files in the folder: pictures and the like."""
    options: Mapping[str, Any]
    """What the game says about its dialect, such as `strict_line_breaks`."""
    calculators: Mapping[str, Calculator]
    """By their local ids, file by file."""
    effects: Mapping[str, tuple[Effect, ...]] = field(default_factory=dict)
    """What the things of the game do, by their ids without the game: `kind/slug`."""
    notices: tuple[str, ...] = ()
    """Whose copyright and whose trademarks these are: one sentence each, to be shown with the licence."""
    is_plain: bool = False
    """A folder of texts that nobody set up as a game: what is wrong in one of them does not stop the rest."""
    faults: tuple[Diagnostic, ...] = ()
    """What is wrong in its calculators and the like: the rest of the game compiles, but is not published."""
    linking: AutolinkRules = field(default_factory=AutolinkRules)
    """Which names link by themselves."""
    boards: tuple[Board, ...] = ()
    """Its sheets for the table."""
    library_config: LibraryConfig = field(default_factory=LibraryConfig)
    """What the library says that it stands in."""
    roots: tuple[str, ...] = ()
    """The files and folders that all of it comes from, whole."""

    def citations(self) -> Iterator[Citation]:
        """Every passage that its data files cite."""
        for calculator in self.calculators.values():
            yield from calculator.citations()
        for effects in self.effects.values():
            yield from (effect.citation for effect in effects)


@dataclass(frozen=True, slots=True)
class GameLoadError:
    """A game of a library that cannot be compiled, because of its `game.yaml`, its kinds or where it is."""

    id: str
    """Its id as far as that can be known."""
    reason: str


@dataclass(frozen=True, slots=True)
class Library:
    """All games that are compiled together."""

    games: tuple[Game, ...]
    broken: tuple[GameLoadError, ...] = ()
    """The games that could not be loaded; they do not keep the others from being compiled."""
    roots: tuple[str, ...] = ()
    """The files and folders that all of it comes from, whole."""


def load_library(path: Path, game_file: Path | None, report: Report) -> Library:
    """Find the games at a path; see CONTRACT.md for what a path may be.

    Raises `UsageError` when there is nothing to compile and `InvalidData` when a data file of the only game is broken.
    """
    library = _games_at(path, game_file, report)
    above = path if game_file is None else _game_file(game_file).parent
    library_config = load_library_config(above, report)
    said = str(above / SHELF)
    games = tuple(replace(game, library_config=library_config, roots=(*game.roots, said)) for game in library.games)
    roots = {str(path), *(root for game in games for root in game.roots)}
    return replace(library, games=games, roots=tuple(sorted(roots)))


def _games_at(path: Path, game_file: Path | None, report: Report) -> Library:
    if not path.exists():
        raise UsageError(f'there is no folder "{path}" (kismet new "{path}" makes one to start from)')
    if not path.is_dir():
        raise UsageError(f'"{path}" is not a folder')
    if game_file is not None:
        return Library((_not_empty(load_game(_game_file(game_file), path, report)),))
    if (path / "game.yaml").is_file():
        return Library((_not_empty(load_game(path / "game.yaml", path, report)),))
    if files := sorted(file for file in path.glob("*/game.yaml") if not is_hidden(file, path)):
        return _shelf(files, report)
    return Library((_not_empty(plain_game(path)),))


def _shelf(files: Sequence[Path], report: Report) -> Library:
    """The games of a library, each loaded for itself. Raises `UsageError` when none of them can be."""
    games: list[Game] = []
    broken: list[GameLoadError] = []
    for file in files:
        try:
            games.append(_not_empty(load_game(file, file.parent, report)))
        except UsageError as problem:
            broken.append(GameLoadError(_id_in(file), str(problem)))
    folders: dict[str, list[str]] = {}
    for game in games:
        folders.setdefault(game.id, []).append(game.folder.as_posix())
    for game_id, several in folders.items():
        if len(several) > 1:
            broken.append(GameLoadError(game_id, f'games have the id "{game_id}" in common: {", ".join(several)}'))
    single = tuple(game for game in games if len(folders[game.id]) == 1)
    if not single:
        raise UsageError("; ".join(one.reason for one in broken))
    return Library(single, tuple(broken))


def _not_empty(game: Game) -> Game:
    if not game.files:
        raise UsageError(f'there is no rules text in "{game.folder}"')
    return game


def _id_in(file: Path) -> str:
    """The id in a game file that is broken; where even that cannot be read, the name of its folder."""
    found = re.search(r"^id:[ \t]*([a-z0-9-]+)", file.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    return found[1] if found else slug(file.parent.name)


def _game_file(named: Path) -> Path:
    """The file of a game: as named, or that of a game which ships with this program, named by its id."""
    shipped = SHIPPED / "content" / named / "game.yaml"
    if not named.is_file() and len(named.parts) == 1 and shipped.is_file():
        return shipped
    if not named.is_file():
        known = ", ".join(sorted(file.parent.name for file in (SHIPPED / "content").glob("*/game.yaml")))
        raise UsageError(f'there is no game file "{named}" (the games that ship with kismet are {known})')
    return named


def plain_game(folder: Path) -> Game:
    """A folder of texts without any configuration."""
    name = folder.resolve().name or "Vault"
    game_id = folder_name(name)
    kinds = [load_kind(file, lambda _: None) for file in sorted((SHIPPED / "schemas" / "common").glob("*.yaml"))]
    return Game(
        id=f"{game_id}-text" if game_id in RESERVED_IDS else game_id,
        title=name,
        version="0",
        licence="",
        attribution="",
        description="",
        authors=(),
        language="en",
        accent=None,
        kinds={kind.id: kind for kind in kinds},
        files=every_text(folder),
        folder=folder,
        attachments=attachments(folder),
        options={},
        calculators={},
        is_plain=True,
        roots=(str(folder),),
    )


def load_game(file: Path, folder: Path, report: Report) -> Game:
    """Read a `game.yaml` and its kinds; the texts are taken from `folder`. Raises `InvalidData`."""
    _, data = read_data(file, "invalid-game", "game", report)
    value = data.value
    kinds_folder = Path(normpath(file.parent / value.get("kinds", f"../../schemas/{value['id']}")))
    if "kinds" in value and not kinds_folder.is_dir():
        report(error("invalid-game", data.place("kinds"), f'there is no folder "{value["kinds"]}" beside this file'))
        raise InvalidData(file.as_posix())
    for number, entry in enumerate(value["sources"]):
        if not _is_pattern(entry["glob"]):
            message = f'"{entry["glob"]}" is not a pattern of paths below the folder of the text'
            hint = "such as *.md, or **/*.md for folders too"
            report(error("invalid-game", data.place("sources", number, "glob"), message, hint))
            raise InvalidData(file.as_posix())
    if value["id"] in RESERVED_IDS | DEVICES:
        hint = "choose another id; this one is the name of something else, in the tree or on some systems"
        report(error("invalid-game", data.place("id"), f'a game cannot have the id "{value["id"]}"', hint))
        raise InvalidData(file.as_posix())
    for number, words in enumerate(value.get("linking", {}).get("never", ())):
        if not any(map(str.isalnum, words)):
            message = f'"{words}" holds no letter and no digit'
            report(error("invalid-game", data.place("linking", "never", number), message))
            raise InvalidData(file.as_posix())
    _check_accent(value.get("accent", {}), data, report, file)
    kinds = {}
    for kind_file in sorted(kinds_folder.glob("*.yaml")):
        kind = load_kind(kind_file, report)
        kinds[kind.id] = kind
    order = value.get("order", [])
    if unknown := [name for name in order if name not in kinds]:
        place = data.place("order", order.index(unknown[0]))
        report(error("invalid-game", place, f'there is no kind "{unknown[0]}"', f"the kinds are in {kinds_folder}"))
        raise InvalidData(file.as_posix())
    kinds = {name: kinds[name] for name in (*order, *(name for name in kinds if name not in order))}
    for kind in kinds.values():
        check_references(kind, kinds, report)
    accent = value.get("accent")
    faults: list[Diagnostic] = []
    calculators = load_calculators(value["id"], file.parent / CALCULATORS, kinds, faults.append)
    return Game(
        id=value["id"],
        title=value["title"],
        version=str(value["version"]),
        licence=value["licence"].strip(),
        attribution=value.get("attribution", "").strip(),
        description=value.get("description", "").strip(),
        authors=tuple(value.get("authors", ())),
        notices=tuple(one.strip() for one in value.get("notices", ())),
        language=value.get("language", "en"),
        accent=(accent["light"], accent["dark"]) if accent else None,
        kinds=kinds,
        files=matching_texts(folder, value["sources"]),
        folder=folder,
        attachments=attachments(folder),
        options=value.get("options", {}),
        calculators=calculators,
        effects=load_effects(file.parent / EFFECTS, value["id"], faults.append),
        boards=read_boards(data, kinds, calculators, faults.append),
        faults=tuple(faults),
        linking=read_autolink_rules(value.get("linking")),
        roots=tuple(map(str, (file, file.parent / CALCULATORS, file.parent / EFFECTS, kinds_folder, folder))),
    )


def _check_accent(accent: Mapping[str, str], data: Data, report: Report, file: Path) -> None:
    for scheme, colour in accent.items():
        if (found := least_contrast(colour, scheme)) < LEAST_CONTRAST:
            message = f"{colour} is hard to read on the {scheme} ground: its contrast is {found:.1f} to 1"
            hint = f"choose one of at least {LEAST_CONTRAST} to 1"
            report(error("invalid-game", data.place("accent", scheme), message, hint))
            raise InvalidData(file.as_posix())


def _is_pattern(glob: str) -> bool:
    """Whether a pattern stays in its folder, and `**` is a folder of its own, as `Path.glob` asks."""
    parts = glob.split("/")
    return not glob.startswith("/") and not any(part == ".." or ("**" in part and part != "**") for part in parts)


def display_title(stem: str) -> str:
    """The title of a document from the name of its file: `2 CORE RULES` becomes `Core Rules`.

    Only a number that orders the files is taken off: a date keeps all of its parts, and so does `1.5 Rounds`.
    """
    found = ORDER.match(stem)
    bare = (stem[found.end() :].strip() if found else "") or stem
    return title_case(bare) if bare.isupper() and len(bare) > LONGEST_ACRONYM else bare
