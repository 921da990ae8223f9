"""Load a game: `game.yaml` and the data files next to it, or a folder of texts without them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from os.path import abspath, normpath
from pathlib import Path

from kismet_build.config.autolink import SECTION_FORMS, TABLE_FORMS, read_autolink_rules
from kismet_build.config.board import read_boards
from kismet_build.config.calculator import load_calculators
from kismet_build.config.correction import CORRECTIONS_FILE, load_corrections
from kismet_build.config.data_file import (
    SHIPPED,
    YAML_SUFFIXES,
    InvalidData,
    is_folder,
    is_inside,
    read_data,
    read_entries,
    unknown_privacy,
    yaml_file,
    yaml_files,
)
from kismet_build.config.data_reader import DataReader
from kismet_build.config.design import MIN_CONTRAST, min_contrast
from kismet_build.config.discovery import (
    attachments,
    excluded_paths,
    list_files,
    matching_texts,
    may_enter,
    relative_path,
)
from kismet_build.config.effect import EFFECTS_FILE, EffectContext, load_effects
from kismet_build.config.game import (
    CHARACTER_HEIGHT,
    DEFAULT_LANGUAGE,
    DEFAULT_SPLIT,
    BookRules,
    Definition,
    Face,
    Game,
    GameFiles,
    KindRules,
    Linking,
    Mode,
    SplitRule,
)
from kismet_build.config.kind import RESERVED_IDS as KIND_RESERVED_IDS
from kismet_build.config.kind import Kind, check_references, load_kind, with_rule_terms
from kismet_build.config.language.catalog import catalog
from kismet_build.config.library import LIBRARY_FILE, exclusions, property_rules
from kismet_build.config.migrations import MIGRATIONS_FILE, load_migrations
from kismet_build.config.obsidian import ignored_paths, settings_files
from kismet_build.config.roll import operations_of_rolls, read_effect_words
from kismet_build.config.rule_terms import RULE_KIND, RuleTerms, read_rule_terms
from kismet_build.config.sources import Found, files_of, find_vaults, note_on
from kismet_build.config.sources.vault import Vault
from kismet_build.config.surroundings import without_hidden
from kismet_build.config.yaml import Data
from kismet_build.model.active_content import clean_svg
from kismet_build.model.diagnostic import Diagnostic, Report, warning
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.entry_points import UnusableEntryPoint
from kismet_build.model.source import Source, Span, read_regular_file, read_source
from kismet_build.model.suggestion import did_you_mean, did_you_mean_or_list
from kismet_build.model.text_normalization import WINDOWS_DEVICE_NAMES, folder_name, normalize, slug
from kismet_build.model.titles import folder_title

GLOSSARY = "glossary"
"""The folder, in the published tree, for the glossary of all games and for the glossary of each game."""
RESERVED_IDS = frozenset(("assets", "data", "fonts", "games", GLOSSARY, "schemas", "search", "site", "strings"))
"""Ids that no game may have, because shared folders, styles and scripts in the published tree have these names."""
OTHER_SYNTAX = re.compile(r"[\\{}|]|\[.*\]|^/?[!^]|\$$|(?:^|/)\.\.(?:/|$)|^\s|\s$")
"""Signs of patterns of other programs, which have no meaning in `exclude`."""
GAME_FILE = "game"
"""Name, without suffix, of the file that defines a game."""
MANUAL_FILE = "manual"
"""Name, without suffix, of the file that defines a manual, in the folder of the manual.

The file has the keys of `game.yaml`.
"""
COMMON_KINDS = "schemas/common"
"""The folder, in `SHIPPED`, of the kinds that ship for all games."""
COMMON_KIND_WORDS = {
    "rule": ("kind.rule", "kind.rules", "kind.rule_description"),
    "term": ("kind.term", "kind.terms", "kind.term_description"),
}
"""For each kind that ships for all games: the keys, in the website's words, of its title, plural and description."""
KINDS_FOLDER = "kinds"
"""The default folder of kind files, next to `game.yaml`."""
CALCULATORS_FOLDER = "calculators"
"""The folder of calculator files, in the folder of `game.yaml`."""
MAX_EMBLEM_BYTES = 8_000
"""Maximum size, in bytes, of an emblem, which all pages of a game load."""


def kinds_in_words_of(language: str, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """Kinds that ship with kismet, with their names in a language."""
    return {kind_id: _common_kind(kind, language) for kind_id, kind in kinds.items()}


def _common_kind(kind: Kind, language: str) -> Kind:
    words = catalog(language)
    title, plural, description = map(words.text, COMMON_KIND_WORDS[kind.id])
    return replace(kind, title=title, plural=plural, description=description)


def plain_games(folder: Path, report: Report, source: str = "") -> tuple[Game, ...]:
    """The games for a folder of texts without `game.yaml`: usually one, but one for each language of a multilingual
    site. `source`: as in `find_vaults`.
    """
    found = find_vaults(folder, report, source)
    games = [_plain_game(vault, report) for vault in found.vault.in_each_language()]
    games = [without_hidden(game, found) for game in games]
    return tuple(
        replace(game, id=f"{game.id}-{folder_name(game.language)}", title=_title_in_language(game)) if index else game
        for index, game in enumerate(games)
    )


def _title_in_language(game: Game) -> str:
    return game.title if game.vault.title else f"{game.title} ({game.language})"


def plain_game(folder: Path) -> Game:
    """The game for a folder of texts without `game.yaml`.

    If the texts are in several languages, it is the first game.
    """
    return plain_games(folder, lambda _: None)[0]


def _plain_game(vault: Vault, report: Report) -> Game:
    name = vault.root.resolve().name or "Vault"
    game_id = folder_name(name)
    kinds = [load_kind(SHIPPED / COMMON_KINDS / "term.yaml", lambda _: None)]
    return Game(
        id=f"{game_id}-text" if game_id in RESERVED_IDS else game_id,
        title=vault.title or folder_title(name),
        version="0",
        description=vault.description,
        authors=(),
        language=vault.language or DEFAULT_LANGUAGE,
        licence="",
        attribution=vault.copyright,
        kinds={kind.id: kind for kind in kinds},
        kind_rules=KindRules(from_folders=True),
        definition=Definition(dialect_options=vault.options),
        files=_without_ignored(_files_of_vault(vault, vault.root, report)),
        vault=vault,
        mode=Mode.VAULT,
    )


def _without_ignored(files: GameFiles) -> GameFiles:
    """The files, without those that an Obsidian vault ignores."""
    inner = list_files(files.folder).folders
    return files.without(ignored_paths(files.text_paths, files.folder, inner))


def _files_of_vault(vault: Vault, boundary: Path, report: Report) -> GameFiles:
    files = files_of(vault, boundary)
    if vault.is_site:
        report(note_on(vault, files))
    # Included files may be outside of the folder of the texts.
    static = (str(vault.root / name) for name in vault.static)
    folders = (str(vault.folder), str(vault.root), *static)
    roots = (*folders, *vault.settings_files, *settings_files(vault.folder, list_files(vault.folder).folders))
    return GameFiles(
        texts=files.texts,
        attachments=files.attachments,
        elsewhere=files.elsewhere,
        folder=vault.folder,
        boundary=boundary,
        excluded=files.excluded,
        parts=files.parts,
        languages=vault.languages,
        roots=roots,
    )


def load_game(file: Path, folder: Path, report: Report, boundary: Path | None = None, source: str = "") -> Game:
    """Load a `game.yaml` and the data files of the game.

    The texts are in `folder`. Raises `InvalidData`. Links must stay in the `boundary` (default: `folder`); those of
    data files may also lead to the folder of `file`. `source`: as in `find_vaults`.
    """
    reported: set[tuple[str, int, str]] = set()

    def report_once(diagnostic: Diagnostic) -> None:
        key = (diagnostic.span.source.display_path, diagnostic.span.start, diagnostic.message)
        if key not in reported:
            reported.add(key)
            report(diagnostic)

    try:
        _, data = read_data(file, "invalid-game", "game", report_once)
        reader = _GameReader(file, folder, boundary or folder, data, report_once)
        reader.found = find_vaults(folder, report_once, source)
        return without_hidden(reader.game(), reader.found)
    except InvalidData:
        _check_data_files(file, boundary or folder, report_once)
        raise


def _check_data_files(file: Path, boundary: Path, report: Report) -> None:
    """Validate the kinds, calculators, corrections and migrations of a game with an invalid data file, to report the
    errors in all of them.
    """
    roots = [boundary.resolve(), file.parent.resolve()]
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
    """The ids of calculators in the files, found without parsing, because the files may be invalid."""
    return {
        found.decode()
        for file in files
        for found in re.findall(rb"^[ \t]?([a-z][a-z0-9-]*)[ \t]*:", read_regular_file(file), re.MULTILINE)
    }


class _GameReader(DataReader):
    def __init__(self, file: Path, folder: Path, boundary: Path, data: Data, report: Report) -> None:
        super().__init__(data, "invalid-game", report)
        self._report_all = report
        self._file = file
        self._folder, self._boundary = folder, boundary
        self.found = Found(Vault(folder=folder, root=folder))
        """The vaults in the folder of the texts, and around it."""
        self._roots = [boundary.resolve(), file.parent.resolve()]
        """The folders that data files must be in after all links are followed."""

    def game(self) -> Game:
        """Raises `InvalidData` if a setting or kind is invalid; errors in other data files are in `Game.faults`."""
        value = self.value
        self._check_names()
        vault = self.found.vault
        if "sources" in value and vault.is_site:
            # Its settings do not choose the texts, but what they leave out stays private.
            self.found = self.found._replace(others=(vault, *self.found.others))
            vault = Vault(folder=self._folder, root=self._folder)
        if not vault.is_site and "sources" not in value:
            hint = "write which texts it has, for example sources: [{glob: '**/*.md'}]"
            self.refuse(
                (), "the key `sources` is missing, and the folder has no project file of a site generator", hint
            )
        kinds_folder = self._kinds_folder()
        self.finish()
        kinds_roots = self._roots_of_kinds(kinds_folder)
        terms = read_rule_terms(value.get("rules", {}))
        kinds = self._in_order(self._kinds(kinds_folder, kinds_roots, terms))
        licence_file, emblem_file = self._beside("licence_file"), self._beside("emblem")
        licence_text, face = self._licence(licence_file), self._face(emblem_file)
        book = self._book()
        self.finish()
        _report_misnamed(self._file, kinds_folder, self._report_all)
        faults: list[Diagnostic] = []
        calculators_folder = self._file.parent / CALCULATORS_FOLDER
        calculator_files = yaml_files(calculators_folder, *self._roots)
        operations = operations_of_rolls(value)
        calculators, faulty = load_calculators(value["id"], calculator_files, kinds, faults.append, operations)
        invalid_calculators = _written_calculators(calculator_files) - calculators.keys() if faults else set()
        effect_words = read_effect_words(self.data, calculators, faults.append, invalid_calculators)
        effects_file, corrections_file, migrations_file = map(
            self._data_file, (EFFECTS_FILE, CORRECTIONS_FILE, MIGRATIONS_FILE)
        )
        effect_context = EffectContext(value["id"], kinds, effect_words)
        return Game(
            id=value["id"],
            title=value["title"],
            version=self.data.scalar_text("version") or "",  # the version as written: 1.10 is not 1.1
            description=value.get("description", "").strip(),
            authors=tuple(value.get("authors", ())),
            language=value.get("language", DEFAULT_LANGUAGE),
            licence=value["licence"].strip(),
            licence_id=value.get("licence_id", ""),
            licence_text=licence_text,
            attribution=value.get("attribution", "").strip(),
            notices=tuple(notice.strip() for notice in value.get("notices", ())),
            kinds=kinds,
            kind_rules=KindRules(
                folders=tuple(value.get("folders", {}).items()),
                order=tuple(value.get("order", ())),
                properties=property_rules(self.data),
            ),
            calculators=calculators,
            faulty_calculators=faulty,
            effects=load_effects(effects_file, effect_context, faults.append) if effects_file else {},
            boards=read_boards(self.data, kinds, calculators, faults.append, invalid_calculators),
            definition=Definition(
                dialect_options={**vault.options, **value.get("options", {})},
                split=_read_split(value["split"]) if "split" in value else DEFAULT_SPLIT,
                linking=self._linking(terms),
                effect_words=effect_words,
                corrections=load_corrections(corrections_file, faults.append) if corrections_file else {},
                migrations=load_migrations(migrations_file, value["id"], faults.append) if migrations_file else (),
                face=face,
                book=book,
                start=(value["start"], self.span("start")) if "start" in value else None,
                sample_questions=tuple(
                    (question, answer, self.span("sample_questions", question))
                    for question, answer in value.get("sample_questions", {}).items()
                ),
                top_calculators=tuple(
                    (name, self.span("calculators", index)) for index, name in enumerate(value.get("calculators", ()))
                ),
                search_words=tuple(
                    (name, tuple(words), self.span("search", name)) for name, words in value.get("search", {}).items()
                ),
            ),
            vault=vault,
            files=self._files(
                vault,
                without=(licence_file, emblem_file),
                data_folders=((calculators_folder, self._roots), (kinds_folder, kinds_roots)),
            ),
            mode=Mode.VAULT if value.get("vault", False) else Mode.WRITTEN,
            faults=tuple(faults),
        )

    def _check_names(self) -> None:
        """Report invalid patterns, ids and phrases that the schema accepts."""
        value = self.value
        for index, entry in enumerate(value.get("sources", ())):
            if not _is_pattern(entry["glob"]):
                message = f'"{entry["glob"]}" is not a pattern for paths below the folder of the texts'
                self.refuse(("sources", index, "glob"), message, "for example *.md, or **/*.md to include folders")
            try:
                DIALECTS.check(entry.get("dialect", "obsidian"))
            except UnusableEntryPoint as problem:
                self.refuse(("sources", index, "dialect"), problem.message, problem.hint)
        if value["id"] in RESERVED_IDS | WINDOWS_DEVICE_NAMES:
            hint = "choose another id; this one is reserved"
            self.refuse(("id",), f'a game cannot have the id "{value["id"]}"', hint)
        for index, phrase in enumerate(value.get("linking", {}).get("never", ())):
            if not any(map(str.isalnum, phrase)):
                self.refuse(("linking", "never", index), f'"{phrase}" has neither a letter nor a digit')

    def _kinds_folder(self) -> Path:
        """The folder of the kind files. A folder that the game file names must exist."""
        beside = self._file.parent
        folder = Path(normpath(beside / self.value.get("kinds", KINDS_FOLDER)))
        if "kinds" not in self.value and not is_folder(folder):
            folder = Path(normpath(beside / "../../schemas" / self.value["id"]))
        if "kinds" in self.value and not is_folder(folder):
            folders = [child.name for child in beside.iterdir() if child.is_dir()]
            otherwise = "create it with a file for each kind, or remove the key"
            hint = did_you_mean(self.value["kinds"], folders, otherwise)
            self.refuse(("kinds",), f'there is no folder "{self.value["kinds"]}" next to this file', hint)
        return folder

    def _roots_of_kinds(self, folder: Path) -> list[Path]:
        """The folders that kind files must be in.

        The folder of the kinds is one of them, unless it is a link from inside the game's folders to somewhere else.
        """
        above = (self._boundary, self._file.parent)
        is_elsewhere = not any(Path(abspath(folder)).is_relative_to(abspath(place)) for place in above)
        if is_elsewhere or any(map(folder.resolve().is_relative_to, self._roots)):
            return [*self._roots, folder.resolve()]
        return self._roots

    def _kinds(self, folder: Path, roots: Sequence[Path], terms: RuleTerms) -> dict[str, Kind]:
        """The kinds by id. Raises `InvalidData` at the first invalid kind: `_check_data_files` reports the others."""
        kinds = {}
        for file in yaml_files(folder, *roots):
            kind = load_kind(file, self._report_all)
            kinds[kind.id] = kind
        if "rules" in self.value:
            if RULE_KIND not in kinds:
                rule = load_kind(SHIPPED / COMMON_KINDS / f"{RULE_KIND}.yaml", self._report_all)
                kinds[RULE_KIND] = _common_kind(rule, self.value.get("language", DEFAULT_LANGUAGE))
            kinds[RULE_KIND] = with_rule_terms(kinds[RULE_KIND], terms)
        for glob, kind_id in self.value.get("folders", {}).items():
            if kind_id in kinds or kind_id in KIND_RESERVED_IDS:
                hint = (
                    "a file defines a kind with this id"
                    if kind_id in kinds
                    else "choose another id; this one is reserved"
                )
                self.refuse(("folders", glob), f'the notes of "{glob}" cannot be of the kind "{kind_id}"', hint)
        return kinds

    def _in_order(self, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
        """The order is that in which readers see them. Raises `InvalidData` if a field refers to an unknown kind."""
        order = self.value.get("order", [])
        known = {*kinds, *self.value.get("folders", {}).values()}
        for index, name in enumerate(order):
            if name not in known:
                hint = did_you_mean_or_list(name, sorted(known), "the kinds are")
                self.refuse(("order", index), f'there is no kind "{name}"', hint)
        ordered = {name: kinds[name] for name in (*order, *kinds) if name in kinds}
        for kind in ordered.values():
            check_references(kind, ordered, self._report_all)
        return ordered

    def _linking(self, terms: RuleTerms) -> Linking:
        value = self.value.get("linking", {})
        kinds = [
            (kind, self.span("linking", "kinds", kind))
            for kind in value.get("kinds", {})
            if kind not in (SECTION_FORMS, TABLE_FORMS)
        ]
        kinds += [(kind, self.span("linking", "shared", name)) for name, kind in value.get("shared", {}).items()]
        return Linking(
            rules=read_autolink_rules(self.value.get("linking")),
            kinds=tuple(kinds),
            names=tuple((name, self.span("linking", "also", phrase)) for phrase, name in value.get("also", {}).items()),
            terms=tuple((term, self.span("rules", term.name)) for term in terms.named),
            unwritten={
                normalize(name): self.span("unwritten", index)
                for index, name in enumerate(self.value.get("unwritten", ()))
            },
        )

    def _files(
        self,
        vault: Vault,
        without: Sequence[Path | None],
        data_folders: Iterable[tuple[Path, Sequence[Path]]],
    ) -> GameFiles:
        """The files of the game; if a site defines the texts, the files of the site.

        `without` are files to leave out of the attachments. `data_folders` are folders of data files, each with the
        folders that its files must be in after links are followed.
        """
        if vault.is_site:
            files = _files_of_vault(vault, self._boundary, self._report_all)
        else:
            folder = self._folder
            listed = list_files(folder, self._boundary).files
            texts = matching_texts(folder, self.value["sources"], listed, self._boundary)
            read = {relative_path(text, folder) for text, _ in texts}
            others = attachments(path for path in listed if path not in read)
            roots = (str(folder), *settings_files(folder, list_files(folder).folders))
            files = GameFiles(texts=texts, attachments=others, folder=folder, boundary=self._boundary, roots=roots)
        files = replace(
            files,
            only=(self.value["only"],) if "only" in self.value else (),
            roots=(
                str(self._file),
                *files.roots,
                *(str(data) for data, roots in data_folders if any(map(data.resolve().is_relative_to, roots))),
                *either_suffix(self._file.parent, EFFECTS_FILE),
                *either_suffix(self._file.parent, CORRECTIONS_FILE),
                *either_suffix(self._file.parent, MIGRATIONS_FILE),
                *(str(named) for named in without if named),
            ),
        )
        excluded = excluded_by(files.paths, exclusions(self.data), self._report_all)
        attached = tuple(path for path in files.attachments if files.file(path) not in without)
        return _without_ignored(replace(files, attachments=attached).without(excluded))

    def _data_file(self, name: str) -> Path | None:
        file = yaml_file(self._file.parent, name)
        return file if is_inside(file, *self._roots) else None

    def _beside(self, key: str) -> Path | None:
        return self._file.parent / self.value[key] if key in self.value else None

    def _licence(self, file: Path | None) -> str:
        if file is None:
            return ""
        try:
            if is_inside(file, file.parent.resolve()):
                return read_source(file, file.name, file.as_posix()).text.strip()
            message = f'there is no file "{file.name}" next to this one'
            hint = did_you_mean(file.name, (child.name for child in file.parent.iterdir()), "add the licence")
        except UnicodeDecodeError:
            message, hint = f'"{file.name}" is not UTF-8', "save it as UTF-8"
        self.refuse(("licence_file",), message, hint)
        return ""

    def _book(self) -> BookRules:
        written = dict(self.value.get("book", {}))
        for key in ("cover", "design", "fonts"):
            if key not in written:
                continue
            path, folder = self._file.parent / written[key], self._file.parent.resolve()
            what = "folder" if key == "fonts" else "file"
            is_folder_inside = is_folder(path) and path.resolve().is_relative_to(folder)
            if not (is_folder_inside if what == "folder" else is_inside(path, folder)):
                self.refuse(("book", key), f'"{written[key]}" is not a {what} below the folder of this one')
            written[key] = path
        if "cover" in written:
            written["cover_span"] = self.span("book", "cover")
        for key in ("front", "back", "appendices", "leave_out"):
            names = enumerate(written.get(key, ()))
            written[key] = tuple((name, self.span("book", key, index)) for index, name in names)
        return BookRules(**{**written, "families": tuple(written.get("families", ()))})

    def _face(self, emblem_file: Path | None) -> Face:
        accent, second_accent = map(self._colours, ("accent", "second_accent"))
        return Face(accent, second_accent, self.value.get("border", ""), self._emblem(emblem_file))

    def _emblem(self, file: Path | None) -> bytes:
        if file is None:
            return b""
        if not is_inside(file, file.parent.resolve()):
            self.refuse(("emblem",), f'there is no file "{file.name}" next to this one')
            return b""
        content = read_regular_file(file)
        svg = clean_svg(content)
        if len(content) > MAX_EMBLEM_BYTES:
            hint = f"every page loads it, so it may have at most {MAX_EMBLEM_BYTES:,} bytes: simplify it"
            self.refuse(("emblem",), f'"{file.name}" has {len(content):,} bytes', hint)
        elif svg.had_scripts:
            self.refuse(("emblem",), f'"{file.name}" is not an SVG image without scripts', "save it as plain SVG")
        return svg.content

    def _colours(self, key: str) -> tuple[str, str] | None:
        colours = self.value.get(key)
        for scheme, colour in (colours or {}).items():
            if (ratio := min_contrast(colour, scheme)) < MIN_CONTRAST:
                message = f"{colour} is hard to read on the {scheme} background: its contrast is {ratio:.1f} to 1"
                self.refuse((key, scheme), message, f"choose a colour with at least {MIN_CONTRAST} to 1")
        return (colours["light"], colours["dark"]) if colours else None


def _read_split(value: bool | int) -> SplitRule | None:
    """The rule that a value of `split` stands for; `None` if no chapter is split."""
    if value is True:
        return SplitRule(max_undivided=0, min_page=0)
    height = value * CHARACTER_HEIGHT
    return SplitRule(height, height, min_page=0) if value else None


def _is_pattern(glob: str) -> bool:
    """Whether a glob pattern stays in its folder, and `**` is always an entire path part, as `Path.glob` requires."""
    parts = glob.split("/")
    return not glob.startswith("/") and not any(part == ".." or ("**" in part and part != "**") for part in parts)


def _report_misnamed(file: Path, kinds_folder: Path, report: Report) -> None:
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
            hint = f'rename it to "{close[0]}{"" if is_folder else child.suffix}" if it is meant to be read'
            report(warning("unread-file", span, f'kismet does not read "{child.name}"', hint))


def excluded_by(paths: Sequence[str], exclude: Mapping[str, Span], report: Report) -> frozenset[str]:
    """The paths that match a pattern of `exclude`. A pattern without a match is reported."""
    excluded: set[str] = set()
    for glob, span in exclude.items():
        matching = excluded_paths(paths, glob)
        excluded |= matching
        if not matching:
            hint = "write paths from the folder of the texts, such as Secrets or Secrets/*.md"
            message = f'"{glob}" matches no file, so it excludes nothing'
            if OTHER_SYNTAX.search(glob):  # it was meant to exclude something
                place = ":".join((str(span.source.display_path), *map(str, span.source.line_and_column(span.start))))
                raise unknown_privacy(place, f"{message}: only *, ? and ** have a meaning", is_of_site=False)
            # The other patterns on the line may name private texts.
            report(warning("unmatched-exclude", span.alone(), message, hint))
    return frozenset(excluded)


def either_suffix(folder: Path, name: str) -> tuple[str, ...]:
    """The paths that a data file with this name may have."""
    return tuple(str(folder / f"{name}{suffix}") for suffix in YAML_SUFFIXES)


def game_id_in(file: Path) -> str:
    """The id in a game file that cannot be loaded, or else the slug of the folder name."""
    match = re.search(r"^id:[ \t]*([a-z0-9-]+)", read_regular_file(file).decode("utf-8", "replace"), re.MULTILINE)
    return match[1] if match else slug(file.parent.name)
