"""Games and libraries: what the author defined, which files they have, and how they are built."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from time import time
from typing import Any, NamedTuple

from kismet_build.config.autolink import AutolinkRules
from kismet_build.config.board import Board
from kismet_build.config.correction import Correction
from kismet_build.config.discovery import SourceFiles, relative_path, unread_attachments
from kismet_build.config.effect import Effect
from kismet_build.config.kind import Kind
from kismet_build.config.language.catalog import Catalog, catalog
from kismet_build.config.library import LibraryConfig, PropertyRules
from kismet_build.config.migrations import Migration
from kismet_build.config.privacy import name_of
from kismet_build.config.roll import NO_WORDS, EffectWords
from kismet_build.config.rule_terms import NamedTerm
from kismet_build.config.sources.vault import ONE_LANGUAGE, FolderRules, Languages, Vault
from kismet_build.mechanics.calculator import Calculator, Citation, FaultyCalculator
from kismet_build.model.active_content import is_download
from kismet_build.model.diagnostic import Diagnostic, Subject
from kismet_build.model.language import Language
from kismet_build.model.source import Span

DEFAULT_LANGUAGE = "en"
"""The language of a game that does not set one."""
MAX_PAGE_HEIGHT, MIN_PAGE_HEIGHT = 7_600, 1_300
"""Limits for the height of the text on a page, in CSS pixels, as estimated for a screen of 390 by 844.

With everything else on the page, they amount to at most twelve screens and at least two.
docs/decisions/0007-addresses.md says why.
"""
CHARACTER_HEIGHT = 0.7
"""Estimated CSS pixels for each character, for limits that an author gives in characters."""


class SplitRule(NamedTuple):
    """Limits for dividing chapters into pages, as heights in CSS pixels."""

    max_undivided: float = MAX_PAGE_HEIGHT
    """Maximum height of a chapter that is not divided."""
    max_page: float = MAX_PAGE_HEIGHT
    """Maximum height of a page with more than one heading."""
    min_page: float = MIN_PAGE_HEIGHT
    """Minimum height of a page. A shorter page is joined with a neighbour, unless the result would be too tall."""


DEFAULT_SPLIT = SplitRule()


class Mode(StrEnum):
    """The type of a folder of texts: a game, a vault or a manual."""

    WRITTEN = "written"
    """A game with definitions by its author. A fault in a text stops the build if it may make the data wrong."""
    VAULT = "vault"
    """A vault of notes, such as a folder without `game.yaml`. A fault in a note does not stop the build."""
    MANUAL = "manual"
    """The manual of a library: texts with their own pages and search, without data."""


class Face(NamedTuple):
    """The look of the pages of a game."""

    accent: tuple[str, str] | None = None
    """The colours of links in the light and the dark scheme; `None` for the default colours."""
    second_accent: tuple[str, str] | None = None
    """The colours of rules and borders in the light and the dark scheme; `None` for the default colours."""
    border: str = ""
    """The name of the border pattern, which is a custom property in the style sheet; empty for plain lines."""
    emblem: bytes = b""
    """The SVG image that marks the pages of the game, without scripts; empty if the game has none."""


DEFAULT_FACE = Face()


Names = tuple[tuple[str, Span], ...]
"""Globs of texts, or ids of kinds, each with its span in the game file."""


class BookRules(NamedTuple):
    """The layout, the order and the design of a book.

    Files and folders of a book are below the folder of `game.yaml`.
    """

    paper: str = "a4"
    columns: int = 2
    cover: Path | None = None
    """The picture on the cover."""
    cover_span: Span | None = None
    """The span, in the game file, of the cover's name."""
    front: Names = ()
    """Globs of the texts that come first in the book."""
    back: Names = ()
    """Globs of the texts that come last in the book."""
    appendices: Names = ()
    """Ids of kinds whose notes are appendices, sorted by name."""
    leave_out: Names = ()
    """Globs of the texts that are on the website but not in the book."""
    date: str = ""
    """The day of the edition, as `2026-11-27`; empty for none."""
    fonts: Path | None = None
    """The folder with fonts for the text, besides those that ship with kismet."""
    families: tuple[str, ...] = ()
    """The names of font families for the text and its titles, in the order of preference."""
    design: Path | None = None
    """A Typst file that changes the design of the PDF."""


DEFAULT_BOOK = BookRules()


class KindRules(NamedTuple):
    """The rules for which notes form kinds, and the order in which readers see the kinds."""

    from_folders: bool = False
    """Whether kinds are inferred from the folders of the notes."""
    folders: tuple[tuple[str, str], ...] = ()
    """Globs of folders, each with the id of the kind of its notes.

    The fields of the kind are inferred from the notes.
    """
    order: tuple[str, ...] = ()
    """Ids of the kinds that readers see first, in this order, including found kinds."""
    properties: PropertyRules = PropertyRules()
    """Exceptions to the rule for which properties of notes become fields of found kinds."""

    @property
    def find_kinds(self) -> bool:
        return self.from_folders or bool(self.folders)


NO_KIND_RULES = KindRules()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linking:
    """The words in texts that become links. Each name has its span in the game file."""

    rules: AutolinkRules = field(default_factory=AutolinkRules)
    kinds: tuple[tuple[str, Span], ...] = ()
    """The ids of the kinds listed in `linking`."""
    names: tuple[tuple[str, Span], ...] = ()
    """Names, headings and captions that other phrases link to, according to `linking.also`."""
    terms: tuple[tuple[NamedTerm, Span], ...] = ()
    """The terms that `rules` names."""
    unwritten: Mapping[str, Span] = field(default_factory=dict)
    """The normalized names of texts that are not written yet. Links to them are not reported."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Definition:
    """The definitions by a game's author that compilation does not change. Each name has its span."""

    dialect_options: Mapping[str, Any] = field(default_factory=dict)
    """The options of the dialect, such as `strict_line_breaks`."""
    split: SplitRule | None = DEFAULT_SPLIT
    """The rule for dividing chapters into pages; `None` if they are not divided."""
    linking: Linking = field(default_factory=Linking)
    effect_words: EffectWords = NO_WORDS
    """The rolls, statistics and words that effects name."""
    corrections: Mapping[str, tuple[Correction, ...]] = field(default_factory=dict)
    """Corrections of the source, by the local id of the entity or section: `kind/slug`, `section/slug`."""
    migrations: tuple[Migration, ...] = ()
    """The ids that changed from one version to another, from `migrations.yaml`."""
    face: Face = DEFAULT_FACE
    book: BookRules = DEFAULT_BOOK
    start: tuple[str, Span] | None = None
    """The title of the section that newcomers read first."""
    sample_questions: tuple[tuple[str, str, Span], ...] = ()
    """Sample questions for the home page, each with the local id of the answer."""
    top_calculators: tuple[tuple[str, Span], ...] = ()
    """The names of the calculators that players use most."""
    search_words: tuple[tuple[str, tuple[str, ...], Span], ...] = ()
    """Search words: names of the game, each with the words that players may type for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFiles:
    """The files of a game. Paths of type `str` are relative to `folder`, except `roots`."""

    texts: SourceFiles
    """All texts with their dialects, in reading order."""
    attachments: tuple[str, ...]
    """The paths of the attachments, such as images. Some are not published (`Game.withheld`)."""
    folder: Path
    boundary: Path
    """The folder that texts and attachments must be in after links are followed: the folder of the game or the library.
    """
    parts: frozenset[str] = frozenset()
    """The paths of texts without pages that other texts may include, because no setting excludes them."""
    excluded: frozenset[str] = frozenset()
    """The paths of the texts and attachments that settings of the vault, the game or the library keep private."""
    only: tuple[Mapping[str, Any], ...] = ()
    """For each setting of this type, the properties that a text must have to be published."""
    elsewhere: Mapping[str, Path] = field(default_factory=dict)
    """By path, the folder of each attachment that is in a folder for static files."""
    languages: Languages = ONE_LANGUAGE
    roots: tuple[str, ...] = ()
    """The files and folders from which the game is loaded; folders include all their content."""
    around: tuple[str, ...] = ()
    """Files outside of these roots that may keep texts private, whether or not they exist."""
    listed_at: float = field(default_factory=time)
    """When the files were listed, in seconds since 1970: texts may appear and vanish at certain times."""

    def without(self, private: frozenset[str]) -> "GameFiles":
        """The same files, with the texts and attachments at these paths made private."""
        return replace(self, excluded=self.excluded | private, parts=self.parts - private)

    def file(self, path: str) -> Path:
        return self.elsewhere.get(path, self.folder) / path

    def root_of(self, path: str) -> Path:
        """The folder that must contain the file of an attachment after links are followed.

        The file must not be hidden in it.
        """
        return self.elsewhere.get(path, self.boundary)

    @property
    def folder_name(self) -> str:
        return self.folder.resolve().name

    @property
    def text_paths(self) -> tuple[str, ...]:
        """The paths of the texts, without language codes."""
        return tuple(self.text_path(file) for file, _ in self.texts)

    def text_path(self, file: Path) -> str:
        """The path of a text, without the language code in the file's name."""
        path = relative_path(file, self.folder)
        return self.languages.path(path) or path

    @property
    def paths(self) -> tuple[str, ...]:
        return *self.text_paths, *self.attachments


class GameOptions(NamedTuple):
    """Options with which a game is built."""

    is_alone: bool = False
    """Whether the game is a vault that is built alone: its pages do not link to a list of games."""
    keeps_going: bool = False
    """Whether the game is published in spite of errors, without the data that the errors affect."""
    linked_exports: frozenset[str] = frozenset()
    """The exports among `LINKED_EXPORTS` that the pages of the game link to."""
    books: tuple[str, ...] = ()
    """The formats of the book that the pages of the game link to, such as `epub`."""


DEFAULT_OPTIONS = GameOptions()


PLAIN_FOLDER = Vault()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Game:
    """A rules system. `definition` has the settings that compilation does not change."""

    id: str
    title: str
    version: str
    description: str
    authors: tuple[str, ...]
    language: str
    """A BCP 47 tag, as published. The stages of compilation use `text_language`."""
    licence: str
    licence_id: str = ""
    """The SPDX identifier of the licence; empty if it is unknown."""
    licence_text: str = ""
    """The full text of the licence; empty if `game.yaml` does not name a file with it."""
    attribution: str
    notices: tuple[str, ...] = ()
    """Copyright and trademark notices, one sentence each, shown with the licence."""
    kinds: Mapping[str, Kind]
    kind_rules: KindRules = NO_KIND_RULES
    calculators: Mapping[str, Calculator] = field(default_factory=dict)
    """Calculators by local id, in the order of their files."""
    faulty_calculators: tuple[FaultyCalculator, ...] = ()
    effects: Mapping[str, tuple[Effect, ...]] = field(default_factory=dict)
    """The effects of entities, by local id: `kind/slug`."""
    boards: tuple[Board, ...] = ()
    definition: Definition = field(default_factory=Definition)
    files: GameFiles
    vault: Vault = PLAIN_FOLDER
    """What the source of the texts says about them."""
    other_rules: tuple[FolderRules, ...] = ()
    """The rules for private texts of other programs and settings around the game, or below it."""
    finds_gardens: bool = True
    """Whether a note with `dg-publish: true` means that all other notes are private, as in Digital Garden."""
    mode: Mode = Mode.WRITTEN
    options: GameOptions = DEFAULT_OPTIONS
    library_config: LibraryConfig = field(default_factory=LibraryConfig)
    """The settings of the library that contains the game."""
    faults: tuple[Diagnostic, ...] = ()
    """Errors in calculators, rolls, effects, boards, corrections and migrations. The game is still compiled and
    checked, but not published.
    """
    left_out: frozenset[Subject] = frozenset()
    """The parts of the data that are left out because of errors."""

    @property
    def catalog(self) -> Catalog:
        """The words of the website, in the language of the game."""
        return catalog(self.language, self.library_config.design)

    @property
    def text_language(self) -> Language:
        """The language of the texts, with its rules for numbers, dice and plurals."""
        return Language(self.language)

    @property
    def has_written_language(self) -> bool:
        """Whether the language is that of `game.yaml`, or of a project file. If not, it is guessed from the texts."""
        return not self.kind_rules.from_folders or bool(self.vault.language)

    @property
    def folder_rules(self) -> tuple[FolderRules, ...]:
        """All rules for private texts: those of the game's own folder come first."""
        own = FolderRules("", "", self.vault.publication, self.vault.given)
        fields = frozenset(map(name_of, (*self.kind_rules.properties.also, *self._read_properties)))
        return tuple(source._replace(rules=source.rules._replace(fields=fields)) for source in (own, *self.other_rules))

    @property
    def _read_properties(self) -> Iterator[str]:
        """The properties that kinds read as fields."""
        for kind in self.kinds.values():
            sources = chain.from_iterable(rule.sources for rule in kind.all_rules())
            yield from (source.argument.partition(".")[0] for source in sources if source.method == "meta")

    @property
    def is_plain(self) -> bool:
        """Whether the game is a vault or a manual, whose texts are published even if one of them has a fault."""
        return self.mode is not Mode.WRITTEN

    @property
    def is_manual(self) -> bool:
        """Whether the game is in fact the manual of a library."""
        return self.mode is Mode.MANUAL

    @property
    def publishes_faulty_texts(self) -> bool:
        """Whether texts with faults are published, with warnings: in vaults, in manuals, and in games without kinds."""
        return self.is_plain or not self.kinds

    @property
    def withheld(self) -> frozenset[str]:
        """The paths of the texts and attachments that are never published, whatever their properties."""
        return self.files.excluded | self.unread

    @property
    def unread(self) -> frozenset[str]:
        """The paths of attachments that are not published: they may name private notes or, in an untrusted library, run
        code.
        """
        attached = self.files.attachments
        active = filter(is_download, attached if self.library_config.is_untrusted else ())
        return unread_attachments(attached).union(active)

    def with_files(self, **changes: Any) -> "Game":
        """A copy of the game with these values in `files`."""
        return replace(self, files=replace(self.files, **changes))

    def with_options(self, **changes: Any) -> "Game":
        """A copy of the game with these values in `options`."""
        return replace(self, options=self.options._replace(**changes))

    def with_files_of(self, other: "Game") -> "Game":
        """A copy of the game with the files of another version that has the same definition."""
        files = other.files
        return replace(self, other_rules=other.other_rules, finds_gardens=other.finds_gardens).with_files(
            texts=files.texts,
            attachments=files.attachments,
            elsewhere=files.elsewhere,
            excluded=files.excluded,
            parts=files.parts,
            listed_at=files.listed_at,
            around=files.around,
        )

    def citations(self) -> Iterator[Citation]:
        """The citations of the calculators and effects."""
        for calculator in self.calculators.values():
            yield from calculator.citations()
        for effects in self.effects.values():
            yield from (effect.citation for effect in effects)


@dataclass(frozen=True, slots=True)
class GameLoadError:
    """A game of a library that cannot be loaded: its data is invalid, or another game has the same id."""

    id: str
    """The id of the game; its folder name if the id cannot be read."""
    reason: str


@dataclass(frozen=True, slots=True)
class Library:
    """The games of a build."""

    games: tuple[Game, ...]
    broken: tuple[GameLoadError, ...] = ()
    """The games that cannot be loaded. The other games are still compiled."""
    roots: tuple[str, ...] = ()
    """The files and folders from which all games are loaded; folders include all their content."""
    around: tuple[str, ...] = ()
    """Files outside of these roots that may keep texts private, whether or not they exist."""
    manual: Game | None = None
    """The manual that `library.yaml` names, which is not one of the games."""

    @property
    def with_manual(self) -> tuple[Game, ...]:
        """All games and then the manual, if the library has a manual."""
        return (*self.games, self.manual) if self.manual else self.games
