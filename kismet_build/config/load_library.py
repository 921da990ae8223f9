"""Load a library: all its games, its settings and its manual."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from os.path import abspath, islink, lexists
from pathlib import Path
from time import time

from kismet_build.config.data_file import (
    SHIPPED,
    InvalidData,
    UsageError,
    is_folder,
    is_inside,
    read_data,
    settings_file,
    yaml_file,
)
from kismet_build.config.discovery import (
    REPOSITORY_NAMES,
    Unread,
    all_texts,
    is_hidden,
    list_files,
    matching_texts,
    may_enter,
    reason_to_skip,
    relative_path,
)
from kismet_build.config.game import NO_KIND_RULES, Game, GameLoadError, GameOptions, Library, Mode
from kismet_build.config.library import LIBRARY_FILE, LibraryConfig, check_site_links, load_library_config
from kismet_build.config.load_game import (
    GAME_FILE,
    GLOSSARY,
    MANUAL_FILE,
    RESERVED_IDS,
    either_suffix,
    excluded_by,
    game_id_in,
    load_game,
    plain_game,
    plain_games,
)
from kismet_build.config.sources import OUR_FILES
from kismet_build.config.sources.vault import FOLDER
from kismet_build.config.surroundings import (
    settings_around,
    source_of,
    with_settings,
    without_marked_attachments,
)
from kismet_build.model.diagnostic import Related, Report, error, info, warning
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.entry_points import UnusableEntryPoint
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import WINDOWS_DEVICE_NAMES

UNREAD_HINTS = {
    Unread.FORMAT: "save them as Markdown (.md) or AsciiDoc (.adoc); until then they are left out",
    Unread.UNREADABLE: "change its permissions; links to it do not work until then",
    Unread.UNLISTED: "change its permissions; everything in it is left out until then",
    Unread.OUTSIDE: "copy its target into the folder; only files in the folder are published",
    Unread.LINKED_FOLDER: "the texts in that folder are read where it is",
    Unread.FOLDER: "the texts in it are still read",
}
"""Hints for the warning about unread files."""


def load_library(
    path: Path,
    game_file: Path | None,
    report: Report,
    *,
    keep_going: bool = False,
    url: str = "",
    untrusted: bool = False,
) -> Library:
    """Load the games at this path.

    `docs/CONTRACT.md` describes the paths that are allowed. `keep_going`: whether a game with errors is published
    without the data that the errors affect. `url`: the address of the website, if it is not the one in `library.yaml`.
    `untrusted`: whether strangers wrote the library. Raises `UsageError` if there is nothing to compile, `InvalidData`
    if `library.yaml` or a data file of the only game is invalid.
    """
    folder = path if game_file is None else _game_file(game_file).parent
    _check_path(path)
    source = source_of(path)
    if untrusted and source not in ("", FOLDER, *OUR_FILES):
        raise UsageError(f'--untrusted reads only with the sources of kismet, and "{source}" is not one of them')
    try:
        library = _games_at(path, game_file, report, source)
    except InvalidData:
        with suppress(InvalidData):
            load_library_config(folder, report)
        raise
    library_config = load_library_config(folder, report)
    if untrusted:
        library_config = _without_trust(library_config, report)
    if url:
        library_config = replace(library_config, url=url.rstrip("/") + "/")
    design = library_config.design
    design_folders = (design.folder,) if design.folder else ()
    manual = _manual_of(library, folder, *library_config.manual, report) if library_config.manual else None
    # A vault may contain the manual and the design.
    apart = [*map(Path, design_folders), *([manual.files.folder] if manual else ())]
    library = replace(library, games=tuple(_without_folders(game, apart) for game in library.games), manual=manual)
    _check_addresses(library, library_config, report)
    library_files = (*either_suffix(folder, LIBRARY_FILE), *design_folders)
    options = GameOptions(keeps_going=keep_going)
    games = [_in_library(game, library_config, library_files, options) for game in library.with_manual]
    if library_config.exclude:
        by_library = _excluded_by_library(games, path, report)
        games = [
            replace(game, files=game.files.without(excluded)) for game, excluded in zip(games, by_library, strict=True)
        ]
    loaded = [*library_files, *(root for game in games for root in game.files.roots)]
    loaded += map(str, game_files_below(path))  # Those that cannot be loaded are in `library.broken`.
    around = settings_around(path, list_files(path).everything, map(Path, loaded), report)
    now = time()
    games = [with_settings(game, around, is_open=source != FOLDER).with_files(listed_at=now) for game in games]
    games = [*map(without_marked_attachments, games)]
    games = [replace(game, files=game.files.without(frozenset(_links_to_excluded(game)))) for game in games]
    _check_dialects(games, untrusted=untrusted)
    roots = {str(path), *(root for game in games for root in game.files.roots)}
    around_all = tuple(sorted({file for game in games for file in game.files.around}))
    # Their names begin with a dot, so they would be reported as hidden.
    read = {file for game in games for file in game.vault.settings_files}
    _report_unread(path, roots - read, games, report)
    manual = games.pop() if manual else None
    for game in games:
        _report_unlisted(game, [place.resolve() for place in apart], report)
    return replace(library, games=tuple(games), roots=tuple(sorted(roots)), around=around_all, manual=manual)


def _check_dialects(games: Iterable[Game], *, untrusted: bool) -> None:
    """Import the dialects of other packages. Raises `UsageError` if one is unusable or not allowed."""
    for game in games:
        for dialect in sorted({dialect for _, dialect in game.files.texts} - DIALECTS.ours.keys()):
            if untrusted:
                raise UsageError(f'--untrusted only allows the dialects of kismet, but "{game.id}" uses "{dialect}"')
            try:
                DIALECTS.load(dialect)
            except UnusableEntryPoint as problem:
                raise UsageError(str(problem)) from problem


def _check_addresses(library: Library, library_config: LibraryConfig, report: Report) -> None:
    """Raises `InvalidData` for a page at an address already in use, or a link without a target."""
    manual = [library.manual.id] if library.manual else []
    owners = dict.fromkeys(RESERVED_IDS, "something else")
    owners |= {game.id: "a game" for game in library.games} | dict.fromkeys(manual, "the manual")
    for address, text in library_config.design.pages:
        if owner := owners.get(address.rstrip("/")):
            file = Path(library_config.design.folder, text)
            place = Source(text, "", display_path=file.as_posix()).full_span()
            message = f'this page cannot have the address "{address}", because {owner} has it'
            report(error("invalid-library", place, message, "rename the file"))
            raise InvalidData(file)
    of_games = [*(game.id for game in library.games), *(failure.id for failure in library.broken)]
    own_pages = [address.rstrip("/") for address, _ in library_config.design.pages if address]
    check_site_links(library_config, [*of_games, *own_pages, GLOSSARY, *manual], RESERVED_IDS, report)


def _in_library(game: Game, library_config: LibraryConfig, files: Sequence[str], options: GameOptions) -> Game:
    """`files` are the files from which the library is loaded."""
    properties = library_config.properties.with_game(game.kind_rules.properties)
    only = (library_config.only,) if library_config.only else ()
    return replace(
        game,
        library_config=library_config,
        options=options._replace(is_alone=game.options.is_alone),
        kind_rules=game.kind_rules._replace(properties=properties),
        files=replace(game.files, roots=(*game.files.roots, *files), only=(*game.files.only, *only)),
    )


def _without_trust(library_config: LibraryConfig, report: Report) -> LibraryConfig:
    design = library_config.design
    for left_out, name in ((design.templates, "templates"), (design.policy, "policy")):
        if left_out:
            place = Source(f"{LIBRARY_FILE}.yaml", "").full_span()
            report(warning("unread-file", place, f"the {name} of this library are left out, because of --untrusted"))
    return replace(library_config, design=design._replace(templates=(), policy=()), is_untrusted=True)


def _manual_of(library: Library, folder: Path, name: str, span: Span, report: Report) -> Game:
    manual_folder, message = folder / name, ""
    if name in RESERVED_IDS | WINDOWS_DEVICE_NAMES | {game.id for game in library.games}:
        message = f'a manual cannot have the address "{name}", which is already in use'
    elif not is_folder(manual_folder) or manual_folder.is_symlink():
        message = f'there is no folder "{name}" next to this file'
    else:
        game = load_manual(manual_folder, report)
        if not game.calculators and not game.boards and not game.kinds:
            return game
        message = f'the manual "{name}" has kinds, calculators or boards, which only a game can have'
    report(error("invalid-library", span, message))
    raise InvalidData(span.source.display_path)


def load_manual(folder: Path, report: Report) -> Game:
    """Load the manual in a folder.

    If the folder has a `manual.yaml`, the texts are in the order of its `sources`. Raises `UsageError` if there is no
    text, `InvalidData` if `manual.yaml` is invalid.
    """
    file = yaml_file(folder, MANUAL_FILE)
    game = replace(plain_game(folder), kinds={})
    if is_inside(file, folder.resolve()):
        game = load_game(file, folder, report)
        _, data = read_data(file, "invalid-game", "game", report)
        listed = list_files(folder).files
        in_order = (matching_texts(folder, [source], listed, folder) for source in data.value["sources"])
        game = game.with_files(texts=tuple(dict(chain.from_iterable(in_order)).items()))
    definition = replace(game.definition, split=None)
    return replace(_not_empty(game), id=folder.name, mode=Mode.MANUAL, kind_rules=NO_KIND_RULES, definition=definition)


def _without_folders(game: Game, folders: Sequence[Path]) -> Game:
    inside = [folder for folder in folders if folder.is_relative_to(game.files.folder)]
    if not inside:
        return game

    def is_outside(file: Path) -> bool:
        return not any(map(file.is_relative_to, inside))

    return game.with_files(
        texts=tuple((file, dialect) for file, dialect in game.files.texts if is_outside(file)),
        attachments=tuple(path for path in game.files.attachments if is_outside(game.files.file(path))),
    )


def _report_unread(vault: Path, roots: Iterable[str], games: Sequence[Game], report: Report) -> None:
    """Report the files that are not read in the vault and in other folders of data files, in one warning for each
    reason.
    """
    places: dict[Unread, dict[str, Path]] = {}
    for root in sorted(roots, key=lambda root: (root != str(vault), root)):
        if is_folder(Path(root)):
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
        read = {abspath(parent) for game in games for file, _ in game.files.texts for parent in file.parents}
        places[Unread.LINKED_FOLDER] = {path: place for path, place in linked.items() if path not in read}
    if formats := places.get(Unread.FORMAT):
        # A dialect of another package may read them.
        read = {abspath(file) for game in games for file, _ in game.files.texts}
        places[Unread.FORMAT] = {path: place for path, place in formats.items() if path not in read}
    for reason, by_path in places.items():
        sources = (Source(relative_path(place, vault), "", display_path=place.as_posix()) for place in by_path.values())
        spans = [source.full_span() for source in sources]
        one, several = reason.value
        message = one if len(spans) == 1 else f"{len(spans)} {several}"
        related = tuple(Related(span, "also here") for span in spans[1:])
        for span in spans[:1]:
            report(warning("unread-file", span, message, UNREAD_HINTS.get(reason, ""), related))


def _report_unlisted(game: Game, others: Sequence[Path], report: Report) -> None:
    """Report the texts in the folder of a game that match none of its `sources`, in a single diagnostic.

    Texts about a repository are left out. `others` are folders whose texts do not belong to the game.
    """
    if game.is_plain or game.vault.is_site:
        return
    read = {file for file, _ in game.files.texts}
    unlisted = [
        file
        for file, _ in all_texts(game.files.folder, list_files(game.files.folder, game.files.boundary).files)
        if file not in read
        and file.stem.casefold() not in REPOSITORY_NAMES
        and not any(map(file.resolve().is_relative_to, others))
    ]
    sources = (Source(relative_path(file, game.files.folder), "", display_path=file.as_posix()) for file in unlisted)
    spans = [source.full_span() for source in sources]
    message = "no pattern of `sources` matches this text, so it is not read"
    if len(spans) > 1:
        message = f"no pattern of `sources` matches {len(spans)} texts, so they are not read"
    for span in spans[:1]:
        related = tuple(Related(other, "also here") for other in spans[1:])
        report(info("unlisted-text", span, message, "the pattern **/*.md matches the texts in all folders", related))


def _excluded_by_library(games: Sequence[Game], folder: Path, report: Report) -> Iterator[frozenset[str]]:
    """For each game, the paths of its files that match `exclude` of the library.

    The patterns of `exclude` are relative to `folder`.
    """
    library_config = games[0].library_config
    prefixes = [relative_path(game.files.folder / "x", folder).removesuffix("x") for game in games]
    all_paths = [
        {prefix + path: path for path in game.files.paths} for game, prefix in zip(games, prefixes, strict=True)
    ]
    excluded = excluded_by(tuple(chain.from_iterable(all_paths)), library_config.exclude, report)
    return (frozenset(paths[path] for path in excluded if path in paths) for paths in all_paths)


def _links_to_excluded(game: Game) -> Iterator[str]:
    """The paths of the symbolic links to a text or attachment that is not published."""
    private = {game.files.file(path).resolve() for path in game.withheld}
    for path in game.files.paths if private else ():
        if islink(game.files.file(path)) and game.files.file(path).resolve() in private:
            yield path


def _check_path(path: Path) -> None:
    if not path.exists():
        raise UsageError(f'there is no folder "{path}" (kismet new "{path}" creates one)')
    if not path.is_dir():
        raise UsageError(f'"{path}" is not a folder')


def _games_at(path: Path, game_file: Path | None, report: Report, source: str) -> Library:
    if game_file is not None:
        return _single(load_game(_game_file(game_file), path, report, source=source))
    if (file := settings_file(path, GAME_FILE)) is not None:
        return _single(load_game(file, path, report, source=source))
    if files := [file for file in game_files_below(path) if not is_hidden(file, path)]:
        return _load_games(files, path, report, source)
    games = plain_games(path, report, source)
    return _single(games[0]) if len(games) == 1 else Library(tuple(map(_not_empty, games)))


def _single(game: Game) -> Library:
    return Library((replace(_not_empty(game), options=GameOptions(is_alone=game.is_plain)),))


def game_files_below(folder: Path) -> list[Path]:
    """The game files in the folders of a library. Raises `OSError` if the library cannot be listed."""
    # `Path.glob` would treat a folder that it cannot list as empty.
    files = (yaml_file(child, GAME_FILE) for child in sorted(folder.iterdir()) if child.is_dir() and may_enter(child))
    return [file for file in files if is_inside(file, folder.resolve())]


def _load_games(files: Sequence[Path], vault: Path, report: Report, source: str) -> Library:
    games: list[Game] = []
    broken: list[GameLoadError] = []
    for file in files:
        try:
            games.append(_not_empty(load_game(file, file.parent, report, vault, source)))
        except UsageError as problem:
            broken.append(GameLoadError(game_id_in(file), str(problem)))
    folders: dict[str, list[str]] = {}
    for game in games:
        folders.setdefault(game.id, []).append(game.files.folder.as_posix())
    for game_id, same_id in folders.items():
        if len(same_id) > 1:
            reason = f'several games have the id "{game_id}": {", ".join(same_id)}; change `id` in one game.yaml'
            broken.append(GameLoadError(game_id, reason))
    with_unique_id = tuple(game for game in games if len(folders[game.id]) == 1)
    if not with_unique_id:
        raise UsageError("; ".join(load_error.reason for load_error in broken))
    return Library(with_unique_id, tuple(broken))


def _not_empty(game: Game) -> Game:
    if not game.files.texts:
        reason = f'there is no rules text in "{game.files.folder}"'
        if not game.is_plain:
            reason += ": no text there matches a pattern of `sources` in its game.yaml (**/*.md matches all Markdown)"
        elif (file := yaml_file(game.files.folder, GAME_FILE)).is_file():
            reason += f". If its texts are in another folder, name both: FOLDER --game {file}"
        raise UsageError(reason)
    return game


def shipped_game(game_id: str) -> Path | None:
    """The file of a game that ships with this program; `None` if no game has this id."""
    file = SHIPPED / "content" / game_id / "game.yaml"
    return file if len(Path(game_id).parts) == 1 and file.is_file() else None


def _game_file(path_or_id: Path) -> Path:
    """The path of a game file. The id of a game that ships with this program is accepted instead of a path."""
    if not path_or_id.is_file() and (shipped := shipped_game(str(path_or_id))) is not None:
        return shipped
    if not path_or_id.is_file():
        known = ", ".join(sorted(file.parent.name for file in (SHIPPED / "content").glob("*/game.yaml")))
        raise UsageError(f'there is no game file "{path_or_id}" (kismet ships with {known})')
    return path_or_id
