"""A game: who made it, what it is read from, the kinds of thing in it and the rules that compute."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os.path import normpath
from pathlib import Path
from typing import Any

from kismet_build.calculator import Calculator, Citation
from kismet_build.calculator.formulas import load_calculators
from kismet_build.colour import LEAST_CONTRAST, least_contrast
from kismet_build.datafile import SHIPPED, InvalidData, Misuse, read_data
from kismet_build.diagnostic import Diagnostic, Report, error
from kismet_build.effect import FILE as EFFECTS
from kismet_build.effect import Effect, load_effects
from kismet_build.kind import Kind, load_kind
from kismet_build.name import natural_order, slug, title_case
from kismet_build.yaml12 import Data

DIALECT_OF_SUFFIX = {".md": "obsidian", ".markdown": "obsidian"}
"""What a text is read as where the game does not say; vaults are what most authors bring."""
ATTACHMENTS = frozenset(
    (
        *(".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"),
        *(".flac", ".m4a", ".mp3", ".ogg", ".wav", ".webm", ".3gp", ".mkv", ".mov", ".mp4", ".ogv", ".pdf"),
    )
)
"""The files beside the texts that Obsidian can show (its help: Accepted file formats)."""


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
    faults: tuple[Diagnostic, ...] = ()
    """What is wrong in its calculators and the like: the rest of the game compiles, but is not published."""

    def citations(self) -> Iterator[Citation]:
        """Every passage that its data files cite."""
        for calculator in self.calculators.values():
            yield from calculator.citations()
        for effects in self.effects.values():
            yield from (effect.citation for effect in effects)


@dataclass(frozen=True, slots=True)
class Library:
    """All games that are compiled together."""

    games: tuple[Game, ...]


def load_library(path: Path, game_file: Path | None, report: Report) -> Library:
    """Find the games at a path; see CONTRACT.md for what a path may be.

    Raises `Misuse` when there is nothing to compile and `InvalidData` when a data file is broken.
    """
    if not path.exists():
        raise Misuse(f'there is no folder "{path}" (kismet new "{path}" makes one to start from)')
    if not path.is_dir():
        raise Misuse(f'"{path}" is not a folder')
    if game_file is not None:
        found = [load_game(_game_file(game_file), path, report)]
    elif (path / "game.yaml").is_file():
        found = [load_game(path / "game.yaml", path, report)]
    elif files := sorted(path.glob("*/game.yaml")):
        found = [load_game(file, file.parent, report) for file in files]
    else:
        found = [plain_game(path)]
    for game in found:
        if not game.files:
            raise Misuse(f'there is no rules text in "{game.folder}"')
    ids = [game.id for game in found]
    if doubled := sorted({game_id for game_id in ids if ids.count(game_id) > 1}):
        raise Misuse(f'two games have the id "{doubled[0]}"')
    return Library(tuple(found))


def _game_file(named: Path) -> Path:
    """The file of a game: as named, or that of a game which ships with this program, named by its id."""
    shipped = SHIPPED / "content" / named / "game.yaml"
    if not named.is_file() and len(named.parts) == 1 and shipped.is_file():
        return shipped
    if not named.is_file():
        raise Misuse(f'there is no game file "{named}"')
    return named


def plain_game(folder: Path) -> Game:
    """A folder of texts without any configuration."""
    name = folder.resolve().name or "Vault"
    return Game(
        id=slug(name),
        title=name,
        version="0",
        licence="",
        attribution="",
        description="",
        authors=(),
        language="en",
        accent=None,
        kinds={},
        files=_files(folder, [{"glob": f"**/*{suffix}", "dialect": d} for suffix, d in DIALECT_OF_SUFFIX.items()]),
        folder=folder,
        attachments=_attachments(folder),
        options={},
        calculators={},
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
        _check_references(kind, kinds, report)
    accent = value.get("accent")
    faults: list[Diagnostic] = []
    return Game(
        id=value["id"],
        title=value["title"],
        version=str(value["version"]),
        licence=value["licence"].strip(),
        attribution=value.get("attribution", "").strip(),
        description=value.get("description", "").strip(),
        authors=tuple(value.get("authors", ())),
        language=value.get("language", "en"),
        accent=(accent["light"], accent["dark"]) if accent else None,
        kinds=kinds,
        files=_files(folder, value["sources"]),
        folder=folder,
        attachments=_attachments(folder),
        options=value.get("options", {}),
        calculators=load_calculators(value["id"], file.parent / "calculators", kinds, faults.append),
        effects=load_effects(file.parent / EFFECTS, value["id"], faults.append),
        faults=tuple(faults),
    )


def _check_accent(accent: Mapping[str, str], data: Data, report: Report, file: Path) -> None:
    for scheme, colour in accent.items():
        if (found := least_contrast(colour, scheme)) < LEAST_CONTRAST:
            message = f"{colour} is hard to read on the {scheme} ground: its contrast is {found:.1f} to 1"
            hint = f"choose one of at least {LEAST_CONTRAST} to 1"
            report(error("invalid-game", data.place("accent", scheme), message, hint))
            raise InvalidData(file.as_posix())


def _check_references(kind: Kind, kinds: Mapping[str, Kind], report: Report) -> None:
    for rule in kind.rules.values():
        for place, name in enumerate(rule.refers):
            if name not in kinds:
                span = kind.data.place("properties", rule.name, "x-refers", place)
                report(error("invalid-kind", span, f'there is no kind "{name}"', "known kinds: " + ", ".join(kinds)))
                raise InvalidData(kind.source.shown)


def _files(folder: Path, sources: list[dict[str, str]]) -> tuple[tuple[Path, str], ...]:
    """The files that match, each once, hidden folders left out, `2 ...` before `10 ...`."""
    found: dict[Path, str] = {}
    for entry in sources:
        for file in folder.glob(entry["glob"]):
            if not _hidden(file, folder) and not file.is_dir():
                found.setdefault(file, entry.get("dialect") or DIALECT_OF_SUFFIX.get(file.suffix, "obsidian"))
    return tuple(sorted(found.items(), key=lambda item: natural_order(item[0].relative_to(folder).as_posix())))


def _is_pattern(glob: str) -> bool:
    """Whether a pattern stays in its folder, and `**` is a folder of its own, as `Path.glob` asks."""
    parts = glob.split("/")
    return not glob.startswith("/") and not any(part == ".." or ("**" in part and part != "**") for part in parts)


def _attachments(folder: Path) -> tuple[str, ...]:
    found = (file for file in folder.rglob("*") if file.suffix.casefold() in ATTACHMENTS and file.is_file())
    return tuple(sorted(file.relative_to(folder).as_posix() for file in found if not _hidden(file, folder)))


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def display_title(stem: str) -> str:
    """The title of a document from the name of its file: `2 CORE RULES` becomes `Core Rules`."""
    bare = re.sub(r"^\s*\d+[\s.)_-]+", "", stem).strip() or stem
    return title_case(bare) if bare.isupper() else bare
