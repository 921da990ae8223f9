"""Load games: `game.yaml`, the kinds, calculators, effects and boards of a game, and all games of a library."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from os.path import abspath, isdir, islink, lexists, normpath
from pathlib import Path
from posixpath import basename, dirname
from typing import Any, NamedTuple

from kismet_build.config.autolink import SECTION_FORMS, TABLE_FORMS, AutolinkRules, read_autolink_rules
from kismet_build.config.board import Board, read_boards
from kismet_build.config.calculator import load_calculators
from kismet_build.config.catalog import Catalog, catalog
from kismet_build.config.colours import MIN_CONTRAST, min_contrast
from kismet_build.config.correction import CORRECTIONS_FILE, Correction, load_corrections
from kismet_build.config.data_file import (
    SHIPPED,
    YAML_SUFFIXES,
    InvalidData,
    UsageError,
    is_inside,
    read_data,
    read_entries,
    yaml_file,
    yaml_files,
)
from kismet_build.config.discovery import (
    SourceFiles,
    Unread,
    all_texts,
    attachments,
    excluded_paths,
    ignored_paths,
    is_hidden,
    list_files,
    matching_texts,
    may_enter,
    reason_to_skip,
    relative_path,
    settings_files,
    unread_attachments,
)
from kismet_build.config.effect import EFFECTS_FILE, Effect, EffectContext, load_effects
from kismet_build.config.kind import RESERVED_IDS as KIND_RESERVED_IDS
from kismet_build.config.kind import Kind, check_references, load_kind, with_rule_terms
from kismet_build.config.library import (
    LIBRARY_FILE,
    LibraryConfig,
    PropertyRules,
    check_site_links,
    exclusions,
    load_library_config,
    property_rules,
)
from kismet_build.config.migrations import MIGRATIONS_FILE, Migration, load_migrations
from kismet_build.config.roll import NO_WORDS, EffectWords, operations_of_rolls, read_effect_words
from kismet_build.config.rule_terms import RULE_KIND, NamedTerm, read_rule_terms
from kismet_build.config.yaml import Data
from kismet_build.mechanics.calculator import Calculator, Citation
from kismet_build.model.active_content import clean_svg, is_download
from kismet_build.model.diagnostic import Diagnostic, Related, Report, Subject, error, info, warning
from kismet_build.model.source import Source, Span, read_regular_file, read_source
from kismet_build.model.suggestion import did_you_mean, did_you_mean_or_list
from kismet_build.model.text_normalization import WINDOWS_DEVICE_NAMES, folder_name, normalize, slug, title_case

GLOSSARY = "glossary"
"""The folder of the glossary of all games, also below each game."""
RESERVED_IDS = frozenset(("assets", "data", "fonts", GLOSSARY, "schemas", "search", "site", "strings"))
"""Ids that no game may have: names of shared folders, styles and scripts in the published tree."""
ORDER_PREFIX = re.compile(r"\s*(\d{1,3})([.)_-]*\s+[-–_]*\s*|[.)_-]+(?!\d))")
"""The number at the start of a file name that sorts the files, such as `02 - `."""
TECHNICAL_STEM = re.compile(
    r"[a-z0-9]+(?:[-_][a-z0-9]+)+|_*[^\W_]+(?:_+[^\W_]+)+_*|(?i:home|readme|_?index|startseite|accueil|inicio)"
)
"""Names of files and folders that are not titles, such as `house-rules`, `House_Rules` and `README`."""
MAX_ACRONYM_LENGTH = 3
"""Maximum length of an acronym, in characters. Longer names in capitals are put into title case; `NPC` is not. A folder
`npc` keeps its name, `gear` is put into title case."""
DEFAULT_LANGUAGE = "en"
"""The language of a game that names none."""
GAME_FILE = "game"
"""Name of the file that defines a game, without suffix."""
MANUAL_FILE = "manual"
"""Name of the file in the folder of a manual that defines it, without suffix; its keys are those of `game.yaml`."""
COMMON_KINDS = "schemas/common"
"""The folder of the kinds that are of no game, in the folder of what is shipped."""
COMMON_KIND_WORDS = {
    "rule": ("kind.rule", "kind.rules", "kind.rule_description"),
    "term": ("kind.term", "kind.terms", "kind.term_description"),
}
"""Keys of the title, plural and description of each kind that ships for all games."""
KINDS_FOLDER = "kinds"
"""The folder of kind files that is read if `game.yaml` names none, in its folder."""
CALCULATORS_FOLDER = "calculators"
"""The folder of calculator files, in the folder of `game.yaml`."""
PROJECT_FILES = frozenset(("readme", "licence", "license", "legal", "contributing", "changelog", "security"))
"""Names without suffix of texts that are about a repository, and often stand beside a game."""
UNREAD_HINTS = {
    Unread.FORMAT: "save them as Markdown (.md) or AsciiDoc (.adoc); until then they are left out",
    Unread.UNREADABLE: "change its permissions; links to it lead to nothing until then",
    Unread.UNLISTED: "change its permissions; it and all that is in it are left out",
    Unread.OUTSIDE: "copy what it leads to into the folder; only what is in the folder is published",
    Unread.LINKED_FOLDER: "the texts of that folder are read in their own place",
    Unread.FOLDER: "the texts in it are read",
}
"""Hints of the warning about what is not read."""

MAX_CHAPTER_CHARACTERS = 30_000
"""A chapter whose source has more characters is split into a page for each section."""
MIN_SECTION_CHARACTERS = 1_000
"""A text whose sections have fewer characters on average stays on one page: it is a list of short entries."""


class SplitRule(NamedTuple):
    """Limits by which chapters are split."""

    min_characters: int = MAX_CHAPTER_CHARACTERS
    """Chapters with more characters are split."""
    max_section_characters: int = MAX_CHAPTER_CHARACTERS
    """Sections with more characters are split again."""
    min_mean_characters: int = 0
    """A text is not split if its sections have fewer characters on average."""


DEFAULT_SPLIT = SplitRule(min_mean_characters=MIN_SECTION_CHARACTERS)


MAX_EMBLEM_BYTES = 8_000
"""Maximum size of an emblem, which all pages of a game load."""

COMMA_LANGUAGES = (
    "af bg bs ca cs da de el es et eu fi fo fr gl hr hu id is it lt lv mk nb nl nn no pl pt ro ru sk sl sq"
)
DECIMAL_COMMA_LANGUAGES = frozenset(f"{COMMA_LANGUAGES} sr sv tr uk".split())
"""Languages that write decimals after a comma, and thousands with points."""


def has_decimal_comma(language: str) -> bool:
    """Whether a language, as a BCP 47 tag, writes decimals after a comma."""
    return language.partition("-")[0] in DECIMAL_COMMA_LANGUAGES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Game:
    """A rules system: its metadata, its source files and the definitions from its data files."""

    id: str
    title: str
    version: str
    licence: str
    attribution: str
    licence_id: str = ""
    """The SPDX identifier of the licence; empty if it is unknown."""
    licence_text: str = ""
    """The whole text of the licence; empty if `game.yaml` names no file of it."""
    description: str
    authors: tuple[str, ...]
    language: str
    accent: tuple[str, str] | None
    """The colours of links in the light and the dark scheme; `None` for the default colours."""
    second_accent: tuple[str, str] | None = None
    """The colours of rules and borders in the light and the dark scheme; `None` for the default colours."""
    border: str = ""
    """The name of the pattern of its borders, a custom property of the style sheet; empty for plain lines."""
    emblem: bytes = b""
    """The SVG image that marks its pages, without scripts; empty if `game.yaml` names none."""
    unwritten: Mapping[str, Span] = field(default_factory=dict)
    """The normalized names of texts that are not written yet, so that links to them are not reported, with their spans
    in the game file."""
    sample_questions: tuple[tuple[str, str, Span], ...] = ()
    """Sample questions for the home page, each with the local id of the answer and its span in the game file."""
    kinds: Mapping[str, Kind]
    files: tuple[tuple[Path, str], ...]
    """All source files with their dialects, in reading order."""
    folder: Path
    vault: Path
    """The folder in which its texts and attachments are, with all links followed: that of the game or the library."""
    attachments: tuple[str, ...]
    """The paths of all other files in the folder, such as images. Some are not published (`withheld`)."""
    options: Mapping[str, Any]
    """The dialect options of the game, such as `strict_line_breaks`."""
    calculators: Mapping[str, Calculator]
    """By local id, in the order of their files."""
    excluded: frozenset[str] = frozenset()
    """The paths of the texts and attachments that settings of the vault, the game or the library keep private."""
    only: tuple[Mapping[str, Any], ...] = ()
    """Properties that a text must have to be published; for each setting that asks for some."""
    effects: Mapping[str, tuple[Effect, ...]] = field(default_factory=dict)
    """The effects of entities, by local id: `kind/slug`."""
    corrections: Mapping[str, tuple[Correction, ...]] = field(default_factory=dict)
    """Corrections of the source, by the local id of the entity or section: `kind/slug`, `section/slug`."""
    effect_words: EffectWords = NO_WORDS
    """The rolls, statistics and words that effects name."""
    migrations: tuple[Migration, ...] = ()
    """The ids that changed from one version to another, as `migrations.yaml` has them."""
    notices: tuple[str, ...] = ()
    """Copyright and trademark notices, one sentence each, shown with the licence."""
    is_plain: bool = False
    """Whether this is a vault, such as a folder without `game.yaml`. A fault in one text does not stop such a build."""
    is_single: bool = False
    """Whether this is a vault that is compiled alone, so that its pages do not link to a list of games."""
    is_manual: bool = False
    """Whether this is the manual of a library: texts with pages and a search of their own, without data."""
    infers_kinds: bool = False
    """Whether kinds are inferred from the folders of the notes."""
    kind_folders: tuple[tuple[str, str], ...] = ()
    """Globs of folders, each with the id of the kind that its notes are; the fields are inferred from the notes."""
    kind_order: tuple[str, ...] = ()
    """Ids of the kinds that readers see first, in this order, also of those that are inferred."""
    properties: PropertyRules = field(default_factory=PropertyRules)
    """Properties of notes that become fields of found kinds."""
    faults: tuple[Diagnostic, ...] = ()
    """Errors in calculators, effects and boards. The game is still compiled and checked, but not published."""
    keeps_going: bool = False
    """Whether the game is published without what errors make untrue."""
    has_data_bundle: bool = False
    """Whether its data is also published as a bundle."""
    foundry_tool: str = ""
    """Path of the program that packs the module for Foundry VTT; without it the module has only the sources."""
    left_out: frozenset[Subject] = frozenset()
    """The entities that are left out because of errors."""
    linked_kinds: tuple[tuple[str, Span], ...] = ()
    """The ids of kinds that `linking` names, with their spans in the game file."""
    autolink_rules: AutolinkRules = field(default_factory=AutolinkRules)
    rule_terms: tuple[tuple[NamedTerm, Span], ...] = ()
    """The terms that `rules` names, with their spans in the game file."""
    linked_names: tuple[tuple[str, Span], ...] = ()
    """Names, headings and captions that other phrases link to by `linking.also`, with their spans."""
    search_words: tuple[tuple[str, tuple[str, ...], Span], ...] = ()
    """Search words: names of the game, each with the words that players may type for it, and its span."""
    split: SplitRule | None = DEFAULT_SPLIT
    """The rule by which chapters are split into several pages; `None` to split none."""
    boards: tuple[Board, ...] = ()
    start: tuple[str, Span] | None = None
    """The title of the section that newcomers read first, with its span in the game file."""
    top_calculators: tuple[tuple[str, Span], ...] = ()
    """The names of the calculators that tables use most, with their spans in the game file."""
    library_config: LibraryConfig = field(default_factory=LibraryConfig)
    """The settings of the library that contains the game."""
    roots: tuple[str, ...] = ()
    """The files and folders from which the game is loaded; folders are meant with all their content."""

    @property
    def folder_name(self) -> str:
        """The name of the folder of its texts."""
        return self.folder.resolve().name

    @property
    def catalog(self) -> Catalog:
        """The words of the website in the language of the game."""
        return catalog(self.language, self.library_config.design)

    @property
    def is_german(self) -> bool:
        """Whether its texts are German, where `W20` is a die."""
        return self.language.partition("-")[0].lower() == "de"

    @property
    def publishes_faulty_texts(self) -> bool:
        """Whether a fault in one text is only a warning: a game without kinds has no data that it makes untrue."""
        return self.is_plain or not self.kinds

    @property
    def finds_kinds(self) -> bool:
        """Whether its notes define kinds."""
        return self.infers_kinds or bool(self.kind_folders)

    @property
    def withheld(self) -> frozenset[str]:
        """The paths of the texts and attachments that are not published, whatever the texts say."""
        return self.excluded | self.unread

    @property
    def unread(self) -> frozenset[str]:
        """The paths of the attachments that are not published, because they name notes or, untrusted, can run code."""
        active = filter(is_download, self.attachments if self.library_config.is_untrusted else ())
        return unread_attachments(self.attachments).union(active)

    def with_files_of(self, other: "Game") -> "Game":
        """This game with the files of another version, whose definition is the same."""
        return replace(self, files=other.files, attachments=other.attachments, excluded=other.excluded)

    def citations(self) -> Iterator[Citation]:
        """All citations in its data files."""
        for calculator in self.calculators.values():
            yield from calculator.citations()
        for effects in self.effects.values():
            yield from (effect.citation for effect in effects)


@dataclass(frozen=True, slots=True)
class GameLoadError:
    """A game of a library that cannot be loaded: its `game.yaml` or a kind is invalid, or its id is not unique."""

    id: str
    """The id of the game; its folder name if the id cannot be read."""
    reason: str


@dataclass(frozen=True, slots=True)
class Library:
    """All games of a build."""

    games: tuple[Game, ...]
    broken: tuple[GameLoadError, ...] = ()
    """The games that cannot be loaded. The other games are still compiled."""
    roots: tuple[str, ...] = ()
    """The files and folders from which all games are loaded; folders are meant with all their content."""
    manual: Game | None = None
    """The manual that `library.yaml` names. It is none of the games."""

    @property
    def with_manual(self) -> tuple[Game, ...]:
        """All games, then the manual if there is one."""
        return (*self.games, self.manual) if self.manual else self.games


def load_library(
    path: Path,
    game_file: Path | None,
    report: Report,
    *,
    keep_going: bool = False,
    bundle: bool = False,
    foundry_tool: str = "",
    url: str = "",
    untrusted: bool = False,
) -> Library:
    """Load the games at a path. `docs/CONTRACT.md` describes the paths that are allowed.

    `keep_going`: whether a game with errors is published without what they make untrue.
    `bundle`: whether the data of each game is also published as a bundle.
    `foundry_tool`: the path of the program that packs modules for Foundry VTT, if there is one.
    `url`: the address of the website, if it is not that of `library.yaml`.
    `untrusted`: whether strangers wrote the library.

    Raises `UsageError` if there is nothing to compile, `InvalidData` if a data file of the only game is invalid.
    """
    folder = path if game_file is None else _game_file(game_file).parent
    try:
        library = _games_at(path, game_file, report)
    except InvalidData:
        with suppress(InvalidData):
            load_library_config(folder, report)
        raise
    library_config = load_library_config(folder, report)
    if untrusted:
        library_config = _without_trust(library_config, report)
    if url:
        library_config = replace(library_config, url=url.rstrip("/") + "/")
    library_files = _either_suffix(folder, LIBRARY_FILE)
    design_folders = (library_config.design.folder,) if library_config.design.folder else ()
    manual = _manual_of(library, folder, *library_config.manual, report) if library_config.manual else None
    # A vault may contain the manual and the design.
    apart = [*map(Path, design_folders), *([manual.folder] if manual else ())]
    library = replace(library, games=tuple(_without_folders(game, apart) for game in library.games), manual=manual)
    owners = dict.fromkeys(RESERVED_IDS, "something else") | {game.id: "a game" for game in library.games}
    if manual:
        owners[manual.id] = "the manual"
    for address, text in library_config.design.pages:
        if owner := owners.get(address.rstrip("/")):
            file = Path(library_config.design.folder, text)
            place = Source(text, "", display_path=file.as_posix()).full_span()
            message = f'this page cannot be at "{address}": {owner} is there'
            report(error("invalid-library", place, message, "give the file another name"))
            raise InvalidData(file)
    own_pages = [address.rstrip("/") for address, _ in library_config.design.pages if address]
    of_games = [*(game.id for game in library.games), *(failure.id for failure in library.broken)]
    places = [*of_games, *own_pages, GLOSSARY, *([manual.id] if manual else ())]
    check_site_links(library_config, places, RESERVED_IDS, report)
    games = [
        replace(
            game,
            library_config=library_config,
            roots=(*game.roots, *library_files, *design_folders),
            keeps_going=keep_going,
            has_data_bundle=bundle,
            foundry_tool=foundry_tool,
        )
        for game in library.with_manual
    ]
    if library_config.exclude:
        by_library = _excluded_by_library(games, path, report)
        games = [
            replace(game, excluded=game.excluded | excluded) for game, excluded in zip(games, by_library, strict=True)
        ]
    games = [replace(game, excluded=game.excluded.union(_links_to_excluded(game))) for game in games]
    if library_config.only:
        games = [replace(game, only=(*game.only, library_config.only)) for game in games]
    if any(library_config.properties):
        games = [replace(game, properties=library_config.properties.with_game(game.properties)) for game in games]
    roots = {str(path), *(root for game in games for root in game.roots)}
    _report_unread(path, roots, games, report)
    manual = games.pop() if manual else None
    for game in games:
        _report_unlisted(game, [place.resolve() for place in apart], report)
    return replace(library, games=tuple(games), roots=tuple(sorted(roots)), manual=manual)


def _without_trust(library_config: LibraryConfig, report: Report) -> LibraryConfig:
    """The settings of a library of strangers: without templates and scripts of other websites, which are reported."""
    design = library_config.design
    for left_out, name in ((design.templates, "templates"), (design.policy, "policy")):
        if left_out:
            place = Source(f"{LIBRARY_FILE}.yaml", "").full_span()
            report(warning("unread-file", place, f"the {name} of this library are left out, because of --untrusted"))
    return replace(library_config, design=design._replace(templates=(), policy=()), is_untrusted=True)


def _manual_of(library: Library, folder: Path, name: str, span: Span, report: Report) -> Game:
    """The manual of a library, in the folder of this name beside `library.yaml`. Raises `InvalidData`."""
    manual_folder, message = folder / name, ""
    if name in RESERVED_IDS | WINDOWS_DEVICE_NAMES | {game.id for game in library.games}:
        message = f'a manual cannot be at "{name}": that is the address of something else'
    elif not manual_folder.is_dir() or manual_folder.is_symlink():
        message = f'there is no folder "{name}" beside this file'
    else:
        game = load_manual(manual_folder, report)
        if not game.calculators and not game.boards and not game.kinds:
            return game
        message = f'the manual "{name}" has kinds, calculators or boards: only a game can have them'
    report(error("invalid-library", span, message))
    raise InvalidData(span.source.display_path)


def load_manual(folder: Path, report: Report) -> Game:
    """Load the manual in a folder. The order of the `sources` in its `manual.yaml` is that of its texts.

    Raises `UsageError` if there is no text, `InvalidData` if `manual.yaml` is invalid.
    """
    file = yaml_file(folder, MANUAL_FILE)
    game = replace(plain_game(folder), kinds={})
    if is_inside(file, folder.resolve()):
        game = load_game(file, folder, report)
        _, data = read_data(file, "invalid-game", "game", report)
        listed = list_files(folder).files
        in_order = (matching_texts(folder, [source], listed, folder) for source in data.value["sources"])
        game = replace(game, files=tuple(dict(chain.from_iterable(in_order)).items()))
    return replace(_not_empty(game), id=folder.name, is_manual=True, is_plain=True, infers_kinds=False, split=None)


def _without_folders(game: Game, folders: Sequence[Path]) -> Game:
    """A game without its texts and attachments in these folders."""
    inside = [folder for folder in folders if folder.is_relative_to(game.folder)]
    if not inside:
        return game

    def is_outside(file: Path) -> bool:
        return not any(map(file.is_relative_to, inside))

    return replace(
        game,
        files=tuple((file, dialect) for file, dialect in game.files if is_outside(file)),
        attachments=tuple(path for path in game.attachments if is_outside(game.folder / path)),
    )


def _report_unread(vault: Path, roots: Iterable[str], games: Sequence[Game], report: Report) -> None:
    """Report what is not read in the vault, and where else data files are: one warning for each reason."""
    places: dict[Unread, dict[str, Path]] = {}
    for root in sorted(roots, key=lambda root: (root != str(vault), root)):
        if isdir(root):
            unread = list_files(Path(root), vault, Path(root)).unread
        else:
            own_folder = Path(root).parent.resolve()
            reason = reason_to_skip(root, (vault.resolve(), own_folder)) if lexists(root) else None
            unread = {"": reason} if reason else {}
        for path, reason in unread.items():
            place = Path(root, path)
            places.setdefault(reason, {}).setdefault(abspath(place), place)
    if linked := places.get(Unread.LINKED_FOLDER):
        # The folder of a game may be a link, and `sources` may name one.
        read = {abspath(parent) for game in games for file, _ in game.files for parent in file.parents}
        places[Unread.LINKED_FOLDER] = {path: place for path, place in linked.items() if path not in read}
    for reason, by_path in places.items():
        sources = (Source(relative_path(place, vault), "", display_path=place.as_posix()) for place in by_path.values())
        spans = [source.full_span() for source in sources]
        one, several = reason.value
        message = one if len(spans) == 1 else f"{len(spans)} {several}"
        related = tuple(Related(span, "also here") for span in spans[1:])
        for span in spans[:1]:
            report(warning("unread-file", span, message, UNREAD_HINTS.get(reason, ""), related))


def _report_unlisted(game: Game, others: Sequence[Path], report: Report) -> None:
    """Report the texts in the folder of a game that no pattern of its `sources` takes, once for all.

    `others`: folders whose texts are read as something else.
    """
    if game.is_plain:
        return
    read = {file for file, _ in game.files}
    unlisted = [
        file
        for file, _ in all_texts(game.folder, list_files(game.folder, game.vault).files)
        if file not in read
        and file.stem.casefold() not in PROJECT_FILES
        and not any(map(file.resolve().is_relative_to, others))
    ]
    sources = (Source(relative_path(file, game.folder), "", display_path=file.as_posix()) for file in unlisted)
    spans = [source.full_span() for source in sources]
    message = "no pattern of `sources` takes this text: it is not read"
    if len(spans) > 1:
        message = f"no pattern of `sources` takes {len(spans)} texts: they are not read"
    for span in spans[:1]:
        related = tuple(Related(other, "also here") for other in spans[1:])
        report(info("unlisted-text", span, message, "**/*.md takes the texts in all folders", related))


def _report_misnamed(file: Path, kinds_folder: Path, report: Report) -> None:
    """Report files and folders beside a game file whose names are nearly those of data files that are read."""
    files = (EFFECTS_FILE, CORRECTIONS_FILE, MIGRATIONS_FILE, LIBRARY_FILE, GAME_FILE, MANUAL_FILE)
    folders = (CALCULATORS_FOLDER, KINDS_FOLDER)
    for child in sorted(file.parent.iterdir()):
        is_other_folder = child.is_dir() and child != kinds_folder and may_enter(child)
        is_folder = is_other_folder and bool(yaml_files(child, child.resolve()))
        known = folders if is_folder else files if child.suffix in YAML_SUFFIXES and child.is_file() else ()
        name = child.name if is_folder else child.stem
        close = get_close_matches(name.casefold(), known, n=1, cutoff=0.8)
        if close and name not in known:
            span = Source(child.name, "", display_path=child.as_posix()).full_span()
            hint = f'rename it to "{close[0]}{"" if is_folder else child.suffix}" if it is meant to be that'
            report(warning("unread-file", span, f'nothing is read from "{child.name}"', hint))


def _excluded_by_library(games: Sequence[Game], folder: Path, report: Report) -> Iterator[frozenset[str]]:
    """For each game, the paths of its files that match `exclude` of the library, whose paths start at `folder`."""
    library_config = games[0].library_config
    prefixes = [relative_path(game.folder / "x", folder).removesuffix("x") for game in games]
    all_paths = [
        {prefix + path: path for path in _paths(game.files, game.folder, game.attachments)}
        for game, prefix in zip(games, prefixes, strict=True)
    ]
    excluded = _excluded(tuple(chain.from_iterable(all_paths)), library_config.exclude, report)
    return (frozenset(paths[path] for path in excluded if path in paths) for paths in all_paths)


def _excluded(paths: Sequence[str], exclude: Mapping[str, Span], report: Report) -> frozenset[str]:
    """The paths that match a pattern of `exclude`. A pattern that matches none is reported."""
    excluded: set[str] = set()
    for glob, span in exclude.items():
        matching = excluded_paths(paths, glob)
        excluded |= matching
        if not matching:
            hint = "write paths from the folder of the texts, such as Secrets or Secrets/*.md"
            report(warning("unmatched-exclude", span, f'"{glob}" matches no file, so that it keeps none back', hint))
    return frozenset(excluded)


def _links_to_excluded(game: Game) -> Iterator[str]:
    """The paths of the links that lead to a text or attachment that is not published."""
    private = {(game.folder / path).resolve() for path in game.withheld}
    for path in _paths(game.files, game.folder, game.attachments) if private else ():
        if islink(game.folder / path) and (game.folder / path).resolve() in private:
            yield path


def _paths(files: SourceFiles, folder: Path, attachments: Sequence[str] = ()) -> tuple[str, ...]:
    return *(relative_path(file, folder) for file, _ in files), *attachments


def _games_at(path: Path, game_file: Path | None, report: Report) -> Library:
    if not path.exists():
        raise UsageError(f'there is no folder "{path}" (kismet new "{path}" makes one to start from)')
    if not path.is_dir():
        raise UsageError(f'"{path}" is not a folder')
    if game_file is not None:
        return _single(load_game(_game_file(game_file), path, report))
    if is_inside(file := yaml_file(path, GAME_FILE), path.resolve()):
        return _single(load_game(file, path, report))
    if files := [file for file in game_files_below(path) if not is_hidden(file, path)]:
        return _load_games(files, path, report)
    return _single(plain_game(path))


def _single(game: Game) -> Library:
    """The library of one game."""
    return Library((replace(_not_empty(game), is_single=game.is_plain),))


def game_files_below(folder: Path) -> list[Path]:
    """The game files in the folders of a library. Raises `OSError` if it cannot be listed."""
    # `Path.glob` would take a folder that cannot be listed for an empty one.
    files = (yaml_file(child, GAME_FILE) for child in sorted(folder.iterdir()) if child.is_dir() and may_enter(child))
    return [file for file in files if is_inside(file, folder.resolve())]


def _either_suffix(folder: Path, name: str) -> tuple[str, ...]:
    """The paths that a data file may have."""
    return tuple(str(folder / f"{name}{suffix}") for suffix in YAML_SUFFIXES)


def _load_games(files: Sequence[Path], vault: Path, report: Report) -> Library:
    """Load each game of a library. Raises `UsageError` if none can be loaded."""
    games: list[Game] = []
    broken: list[GameLoadError] = []
    for file in files:
        try:
            games.append(_not_empty(load_game(file, file.parent, report, vault)))
        except UsageError as problem:
            broken.append(GameLoadError(_id_in(file), str(problem)))
    folders: dict[str, list[str]] = {}
    for game in games:
        folders.setdefault(game.id, []).append(game.folder.as_posix())
    for game_id, same_id in folders.items():
        if len(same_id) > 1:
            reason = f'games have the id "{game_id}" in common: {", ".join(same_id)}; change `id` in one game.yaml'
            broken.append(GameLoadError(game_id, reason))
    with_unique_id = tuple(game for game in games if len(folders[game.id]) == 1)
    if not with_unique_id:
        raise UsageError("; ".join(load_error.reason for load_error in broken))
    return Library(with_unique_id, tuple(broken))


def _not_empty(game: Game) -> Game:
    if not game.files:
        reason = f'there is no rules text in "{game.folder}"'
        if not game.is_plain:
            reason += ": no text there matches a pattern of `sources` in its game.yaml (**/*.md takes all Markdown)"
        elif (file := yaml_file(game.folder, GAME_FILE)).is_file():
            reason += f". If its texts are in another folder, name both: FOLDER --game {file}"
        raise UsageError(reason)
    return game


def _id_in(file: Path) -> str:
    """The id in an invalid game file; if it cannot be read, the folder name as a slug."""
    match = re.search(r"^id:[ \t]*([a-z0-9-]+)", read_regular_file(file).decode("utf-8", "replace"), re.MULTILINE)
    return match[1] if match else slug(file.parent.name)


def _game_file(path_or_id: Path) -> Path:
    """The path of a game file. The id of a game that ships with this program is accepted in place of a path."""
    shipped = SHIPPED / "content" / path_or_id / "game.yaml"
    if not path_or_id.is_file() and len(path_or_id.parts) == 1 and shipped.is_file():
        return shipped
    if not path_or_id.is_file():
        known = ", ".join(sorted(file.parent.name for file in (SHIPPED / "content").glob("*/game.yaml")))
        raise UsageError(f'there is no game file "{path_or_id}" (the games that ship with kismet are {known})')
    return path_or_id


def kinds_in_words_of(language: str, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """The kinds of a plain vault, named in a language: all of them ship with kismet."""
    return {kind_id: _common_kind(kind, language) for kind_id, kind in kinds.items()}


def _common_kind(kind: Kind, language: str) -> Kind:
    """A kind that ships with kismet, `rule` or `term`, with its names in a language."""
    words = catalog(language)
    title, plural, description = map(words.text, COMMON_KIND_WORDS[kind.id])
    return replace(kind, title=title, plural=plural, description=description)


def plain_game(folder: Path) -> Game:
    """The game for a folder of texts without `game.yaml`, with default settings and the kind of terms."""
    name = folder.resolve().name or "Vault"
    game_id = folder_name(name)
    paths = list_files(folder).files
    files = all_texts(folder, paths)
    kinds = [load_kind(SHIPPED / COMMON_KINDS / "term.yaml", lambda _: None)]
    return Game(
        id=f"{game_id}-text" if game_id in RESERVED_IDS else game_id,
        title=_folder_title(name),
        version="0",
        licence="",
        attribution="",
        description="",
        authors=(),
        language=DEFAULT_LANGUAGE,
        accent=None,
        kinds={kind.id: kind for kind in kinds},
        files=files,
        folder=folder,
        vault=folder,
        attachments=attachments(paths),
        excluded=ignored_paths(_paths(files, folder), folder),
        options={},
        calculators={},
        is_plain=True,
        infers_kinds=True,
        roots=(str(folder), *settings_files(folder)),
    )


def load_game(file: Path, folder: Path, report: Report, vault: Path | None = None) -> Game:
    """Load a `game.yaml` and the data files of the game. The texts are in `folder`. Raises `InvalidData`.

    Links must stay in the `vault` (default: `folder`), those of data files may lead to the folder of `file`, too.
    """
    reported: set[tuple[str, int, str]] = set()

    def report_once(diagnostic: Diagnostic) -> None:
        key = (diagnostic.span.source.display_path, diagnostic.span.start, diagnostic.message)
        if key not in reported:
            reported.add(key)
            report(diagnostic)

    try:
        return _load_game(file, folder, report_once, vault or folder)
    except InvalidData:
        _check_data_files(file, vault or folder, report_once)
        raise


def _check_data_files(file: Path, vault: Path, report: Report) -> None:
    """Validate each data file of a game by itself, after one of them turned out to be invalid."""
    roots = [vault.resolve(), file.parent.resolve()]
    named = re.search(r"^kinds:[ \t]*([^\s#]+)", read_regular_file(file).decode("utf-8", "replace"), re.MULTILINE)
    for kind_file in yaml_files(file.parent / (named[1].strip("'\"") if named else KINDS_FOLDER), *roots):
        with suppress(InvalidData):
            load_kind(kind_file, report)
    for calculators in yaml_files(file.parent / CALCULATORS_FOLDER, *roots):
        with suppress(InvalidData):
            read_entries(
                calculators, f"{CALCULATORS_FOLDER}/{calculators.name}", "invalid-calculator", "calculator", report
            )
    for name, load in ((CORRECTIONS_FILE, load_corrections), (MIGRATIONS_FILE, partial(load_migrations, game_id=""))):
        if is_inside(data_file := yaml_file(file.parent, name), *roots):
            load(data_file, report=report)


def _written_calculators(files: Iterable[Path]) -> set[str]:
    """The ids of the calculators in some files, also of those that cannot be used."""
    return {
        found.decode()
        for file in files
        for found in re.findall(rb"^[ \t]?([a-z][a-z0-9-]*)[ \t]*:", read_regular_file(file), re.MULTILINE)
    }


def _load_game(file: Path, folder: Path, report: Report, vault: Path) -> Game:
    _, data = read_data(file, "invalid-game", "game", report)
    value = data.value
    kinds_folder = Path(normpath(file.parent / value.get("kinds", KINDS_FOLDER)))
    if "kinds" not in value and not kinds_folder.is_dir():
        kinds_folder = Path(normpath(file.parent / "../../schemas" / value["id"]))
    if "kinds" in value and not kinds_folder.is_dir():
        folders = [child.name for child in file.parent.iterdir() if child.is_dir()]
        hint = did_you_mean(value["kinds"], folders, "make it, with a file for each kind, or leave the key out")
        message = f'there is no folder "{value["kinds"]}" beside this file'
        report(error("invalid-game", data.span_of("kinds"), message, hint))
        raise InvalidData(file.as_posix())
    for index, entry in enumerate(value["sources"]):
        if not _is_pattern(entry["glob"]):
            message = f'"{entry["glob"]}" is not a pattern of paths below the folder of the text'
            hint = "such as *.md, or **/*.md for folders too"
            report(error("invalid-game", data.span_of("sources", index, "glob"), message, hint))
            raise InvalidData(file.as_posix())
    if value["id"] in RESERVED_IDS | WINDOWS_DEVICE_NAMES:
        hint = "choose another id; this one is the name of something else, in the tree or on some systems"
        report(error("invalid-game", data.span_of("id"), f'a game cannot have the id "{value["id"]}"', hint))
        raise InvalidData(file.as_posix())
    for index, phrase in enumerate(value.get("linking", {}).get("never", ())):
        if not any(map(str.isalnum, phrase)):
            message = f'"{phrase}" holds no letter and no digit'
            report(error("invalid-game", data.span_of("linking", "never", index), message))
            raise InvalidData(file.as_posix())
    accent, second_accent = (_read_colours(key, data, report, file) for key in ("accent", "second_accent"))
    kinds = {}
    data_roots = [vault.resolve(), file.parent.resolve()]
    kinds_roots = data_roots
    is_elsewhere = not any(Path(abspath(kinds_folder)).is_relative_to(abspath(above)) for above in (vault, file.parent))
    if is_elsewhere or any(map(kinds_folder.resolve().is_relative_to, data_roots)):
        kinds_roots = [*data_roots, kinds_folder.resolve()]  # elsewhere or hidden, as the game file says
    for kind_file in yaml_files(kinds_folder, *kinds_roots):
        kind = load_kind(kind_file, report)  # if one is invalid, `_check_data_files` reports the others
        kinds[kind.id] = kind
    rule_terms = read_rule_terms(value.get("rules", {}))
    if "rules" in value:
        if RULE_KIND not in kinds:
            rule = load_kind(SHIPPED / COMMON_KINDS / f"{RULE_KIND}.yaml", report)
            kinds[RULE_KIND] = _common_kind(rule, value.get("language", DEFAULT_LANGUAGE))
        kinds[RULE_KIND] = with_rule_terms(kinds[RULE_KIND], rule_terms)
    kind_folders = tuple(value.get("folders", {}).items())
    for glob, kind_id in kind_folders:
        if kind_id in kinds or kind_id in KIND_RESERVED_IDS:
            message = f'the notes of "{glob}" cannot be of the kind "{kind_id}"'
            hint = "a kind of this id has a file" if kind_id in kinds else "choose another id; this one has a meaning"
            report(error("invalid-game", data.span_of("folders", glob), message, hint))
            raise InvalidData(file.as_posix())
    order = value.get("order", [])
    known = {*kinds, *(kind_id for _, kind_id in kind_folders)}
    if unknown := [name for name in order if name not in known]:
        place = data.span_of("order", order.index(unknown[0]))
        hint = did_you_mean_or_list(unknown[0], sorted(known), "the kinds are")
        report(error("invalid-game", place, f'there is no kind "{unknown[0]}"', hint))
        raise InvalidData(file.as_posix())
    kinds = {name: kinds[name] for name in (*order, *kinds) if name in kinds}
    for kind in kinds.values():
        check_references(kind, kinds, report)
    emblem_file = file.parent / value["emblem"] if "emblem" in value else None
    licence_file = file.parent / value["licence_file"] if "licence_file" in value else None
    listed = list_files(folder, vault).files
    files, other_files = matching_texts(folder, value["sources"], listed, vault), attachments(listed)
    excluded = _excluded(_paths(files, folder, other_files), exclusions(data), report)
    _report_misnamed(file, kinds_folder, report)
    faults: list[Diagnostic] = []
    calculators_folder = file.parent / CALCULATORS_FOLDER
    calculator_files = yaml_files(calculators_folder, *data_roots)
    calculators = load_calculators(value["id"], calculator_files, kinds, faults.append, operations_of_rolls(value))
    invalid_calculators = _written_calculators(calculator_files) - calculators.keys() if faults else set()
    effect_words = read_effect_words(data, calculators, faults.append, invalid_calculators)
    effect_context = EffectContext(value["id"], kinds, effect_words)
    effects_file = yaml_file(file.parent, EFFECTS_FILE)
    has_effects = is_inside(effects_file, *data_roots)
    corrections_file = yaml_file(file.parent, CORRECTIONS_FILE)
    has_corrections = is_inside(corrections_file, *data_roots)
    migrations_file = yaml_file(file.parent, MIGRATIONS_FILE)
    has_migrations = is_inside(migrations_file, *data_roots)
    data_folders = ((calculators_folder, data_roots), (kinds_folder, kinds_roots))
    return Game(
        id=value["id"],
        title=value["title"],
        version=data.scalar_text("version") or "",  # as it is written: 1.10 is not 1.1
        licence=value["licence"].strip(),
        licence_id=value.get("licence_id", ""),
        licence_text=_read_licence(licence_file, data, report) if licence_file else "",
        attribution=value.get("attribution", "").strip(),
        description=value.get("description", "").strip(),
        authors=tuple(value.get("authors", ())),
        notices=tuple(notice.strip() for notice in value.get("notices", ())),
        language=value.get("language", DEFAULT_LANGUAGE),
        accent=accent,
        second_accent=second_accent,
        border=value.get("border", ""),
        emblem=_read_emblem(emblem_file, data, report) if emblem_file else b"",
        kinds=kinds,
        files=files,
        folder=folder,
        vault=vault,
        attachments=tuple(path for path in other_files if folder / path not in (licence_file, emblem_file)),
        excluded=excluded | ignored_paths(_paths(files, folder), folder),
        only=(value["only"],) if "only" in value else (),
        options=value.get("options", {}),
        calculators=calculators,
        effects=load_effects(effects_file, effect_context, faults.append) if has_effects else {},
        corrections=load_corrections(corrections_file, faults.append) if has_corrections else {},
        effect_words=effect_words,
        migrations=load_migrations(migrations_file, value["id"], faults.append) if has_migrations else (),
        start=(value["start"], data.span_of("start")) if "start" in value else None,
        top_calculators=tuple(
            (name, data.span_of("calculators", index)) for index, name in enumerate(value.get("calculators", ()))
        ),
        split=_read_split(value["split"]) if "split" in value else DEFAULT_SPLIT,
        boards=read_boards(data, kinds, calculators, faults.append, invalid_calculators),
        is_plain=value.get("vault", False),
        kind_folders=kind_folders,
        kind_order=tuple(order),
        properties=property_rules(data),
        faults=tuple(faults),
        linked_kinds=(
            *(
                (kind, data.span_of("linking", "kinds", kind))
                for kind in value.get("linking", {}).get("kinds", {})
                if kind not in (SECTION_FORMS, TABLE_FORMS)
            ),
            *(
                (kind, data.span_of("linking", "shared", name))
                for name, kind in value.get("linking", {}).get("shared", {}).items()
            ),
        ),
        autolink_rules=read_autolink_rules(value.get("linking")),
        rule_terms=tuple((term, data.span_of("rules", term.name)) for term in rule_terms.named),
        linked_names=tuple(
            (name, data.span_of("linking", "also", phrase))
            for phrase, name in value.get("linking", {}).get("also", {}).items()
        ),
        search_words=tuple(
            (name, tuple(words), data.span_of("search", name)) for name, words in value.get("search", {}).items()
        ),
        unwritten={
            normalize(name): data.span_of("unwritten", index) for index, name in enumerate(value.get("unwritten", ()))
        },
        sample_questions=tuple(
            (question, answer, data.span_of("sample_questions", question))
            for question, answer in value.get("sample_questions", {}).items()
        ),
        roots=(
            *map(str, (file, folder)),
            *(str(data) for data, roots in data_folders if any(map(data.resolve().is_relative_to, roots))),
            *_either_suffix(file.parent, EFFECTS_FILE),
            *_either_suffix(file.parent, CORRECTIONS_FILE),
            *_either_suffix(file.parent, MIGRATIONS_FILE),
            *(str(named) for named in (licence_file, emblem_file) if named),
            *settings_files(folder),
        ),
    )


def _read_split(value: bool | int) -> SplitRule | None:
    """The value of `split` as a rule; `None` if no chapter is split."""
    if value is True:
        return SplitRule(min_characters=0)
    return SplitRule(value, value) if value else None


def _read_licence(file: Path, data: Data, report: Report) -> str:
    """The text of the licence. Raises `InvalidData` if it cannot be read."""
    try:
        if is_inside(file, file.parent.resolve()):
            return read_source(file, file.name, file.as_posix()).text.strip()
        message = f'there is no file "{file.name}" beside this one'
        hint = did_you_mean(file.name, (child.name for child in file.parent.iterdir()), "put the licence there")
    except UnicodeDecodeError:
        message, hint = f'"{file.name}" is not UTF-8', "save it as UTF-8"
    report(error("invalid-game", data.span_of("licence_file"), message, hint))
    raise InvalidData(file.as_posix())


def _read_emblem(file: Path, data: Data, report: Report) -> bytes:
    """Read the image of the emblem. Raises `InvalidData` if it is missing, too large or has scripts."""
    if not is_inside(file, file.parent.resolve()):
        message, hint = f'there is no file "{file.name}" beside this one', ""
    else:
        content = read_regular_file(file)
        svg = clean_svg(content)
        if len(content) > MAX_EMBLEM_BYTES:
            message = f'"{file.name}" has {len(content):,} bytes'
            hint = f"every page loads it: draw one of at most {MAX_EMBLEM_BYTES:,} bytes"
        elif svg.had_scripts:
            message, hint = f'"{file.name}" is no SVG image without scripts', "draw it without scripts"
        else:
            return svg.content
    report(error("invalid-game", data.span_of("emblem"), message, hint))
    raise InvalidData(file.as_posix())


def _read_colours(key: str, data: Data, report: Report, file: Path) -> tuple[str, str] | None:
    """Read a colour for the light and the dark scheme. Raises `InvalidData` if its contrast is too low."""
    colours = data.value.get(key)
    if colours is None:
        return None
    for scheme, colour in colours.items():
        if (ratio := min_contrast(colour, scheme)) < MIN_CONTRAST:
            message = f"{colour} is hard to read on the {scheme} ground: its contrast is {ratio:.1f} to 1"
            hint = f"choose one of at least {MIN_CONTRAST} to 1"
            report(error("invalid-game", data.span_of(key, scheme), message, hint))
            raise InvalidData(file.as_posix())
    return colours["light"], colours["dark"]


def _is_pattern(glob: str) -> bool:
    """Whether a glob pattern stays in its folder, and `**` is always a whole path part, as `Path.glob` requires."""
    parts = glob.split("/")
    return not glob.startswith("/") and not any(part == ".." or ("**" in part and part != "**") for part in parts)


def display_titles(paths: Iterable[str], is_plain: bool) -> dict[str, str]:
    """The titles of texts and their folders from their names, by path without suffix.

    In a plain vault a number sorts the files only if the folder also has the number before or after it, written alike:
    `100 Spells` alone keeps it.
    """
    names: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        name = path.rpartition(".")[0] or path
        while name and name not in names:
            names.add(name)
            name = dirname(name)
            folders.add(name)
    prefixes = {name: prefix for name in names if (prefix := ORDER_PREFIX.match(basename(name)))}
    numbers = {(dirname(name), prefix[2], int(prefix[1])) for name, prefix in prefixes.items()}

    def is_in_order(name: str) -> bool:
        if not is_plain or name not in prefixes:
            return True
        number, separator = int(prefixes[name][1]), prefixes[name][2]
        return any((dirname(name), separator, other) in numbers for other in (number - 1, number + 1))

    titles = {name: display_title(basename(name), is_in_order=is_in_order(name)) for name in names}
    return {name: _folder_title(title) if name in folders else title for name, title in titles.items()}


def _folder_title(name: str) -> str:
    """The title of a folder from its name, which may be technical: `gear` is `Gear`, `house_rules` `House Rules`."""
    is_word = name.isalpha() and len(name) > MAX_ACRONYM_LENGTH
    if not is_word and not (TECHNICAL_STEM.fullmatch(name) and any(map(str.isalpha, name))):
        return name
    words = " ".join(re.sub(r"[-_]+", " ", name).split())
    return title_case(words) if words.islower() else words


def display_title(stem: str, *, is_in_order: bool = True) -> str:
    """The title of a document from its file name without suffix: `2 CORE RULES` becomes `Core Rules`.

    Only a number that sorts the files is removed, not a part of a date or of `1.5 Rounds`. `is_in_order`: whether a
    number at the start sorts the files.
    """
    prefix = ORDER_PREFIX.match(stem) if is_in_order else None
    bare = (stem[prefix.end() :].strip() if prefix else "") or stem
    return title_case(bare) if bare.isupper() and len(bare) > MAX_ACRONYM_LENGTH else bare
