"""Find what stands in a folder, and describe it as a `Vault`: a plain folder, or the site of a generator.

docs/decisions/0035-project-files.md says why kismet follows the project file of a site.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase, translate
from os.path import lexists, relpath
from pathlib import Path
from posixpath import basename, dirname
from typing import NamedTuple

from kismet_build.config.data_file import UsageError, is_folder, is_inside, unknown_privacy
from kismet_build.config.discovery import (
    REPOSITORY_NAMES,
    SourceFiles,
    all_texts,
    attachments,
    in_reading_order,
    is_text,
    list_files,
    parent_folders,
    relative_path,
)
from kismet_build.config.privacy import are_private
from kismet_build.config.sources.configuration import Configuration, read_configuration, reject
from kismet_build.config.sources.defaults import properties_by_default
from kismet_build.config.sources.folder_files import read_folder_file
from kismet_build.config.sources.vault import FOLDER, FolderListing, TextFinder, Vault, expressions_of_glob
from kismet_build.model.diagnostic import Diagnostic, Report, info
from kismet_build.model.entry_points import EntryPointGroup, UnusableEntryPoint
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.pattern import Pattern, UnusablePattern
from kismet_build.model.source import Source, open_regular_file, read_regular_file
from kismet_build.model.watchdog import watched


class VaultSource(NamedTuple):
    """What a package registers in the group `kismet.sources`."""

    files: tuple[str, ...]
    """The names of the project files, such as `book.toml`. The first that exists in a folder is read."""
    read: Callable[[Configuration], Vault]
    """Describes the folder of a project file, which is read as data.

    Raises `UsageError` for settings that may keep texts private but are not understood: `Configuration.unknown`.
    """


OUR_FILES: Mapping[str, tuple[str, ...]] = {
    "mkdocs": ("zensical.toml", "mkdocs.yml", "mkdocs.yaml"),
    "jekyll": ("_config.yml", "_config.yaml", "_config.toml"),
    "hugo": tuple(
        f"{name}{suffix}"
        for name in ("hugo", "config", "config/_default/hugo", "config/_default/config")
        for suffix in (".toml", ".yaml", ".yml", ".json")
    ),
    "mdbook": ("book.toml",),
    "quartz": ("quartz.config.yaml", "quartz.config.ts"),
}
"""The project files of our sources. They are listed here so that a folder without project files loads no source, and a
site whose source is not installed is never read as a plain folder.
"""
SOURCES = EntryPointGroup(
    "kismet.sources",
    "source",
    {
        "mkdocs": "kismet_build.extensions.sites.mkdocs.source:source",
        "jekyll": "kismet_build.extensions.sites.jekyll.source:source",
        "hugo": "kismet_build.extensions.sites.hugo.source:source",
        "mdbook": "kismet_build.extensions.sites.mdbook.source:source",
        "quartz": "kismet_build.extensions.sites.quartz.source:source",
    },
    VaultSource,
)
"""The sources. Those of other packages are used only if `source` in `library.yaml` names them."""
MAX_LEVELS_ABOVE = 3
"""Number of parent folders whose settings apply to a folder that is in no repository."""
SHARED_NAMES = frozenset(("config.toml", "config.yaml", "config.yml", "config.json"))
"""Names of project files that other programs use, too. They are those of Hugo beside a folder `SHARED_FOLDER`."""
SHARED_FOLDER = "content"
HIDDEN_FOLDERS = (".vitepress", ".vuepress")
UNREAD_FILES = (
    *("docusaurus.config.*", "quartz.plugins.json", "retype.y*ml", "retype.json", "antora.y*ml", ".gitbook.y*ml"),
    *HIDDEN_FOLDERS,
    *(".eleventy.*js", "eleventy.config.*", ".eleventyignore", "astro.config.*"),
    *("myst.y*ml", "_quarto.y*ml", "pelicanconf.py", "zola.toml", "dendron.y*ml", "docfx.json", "mint.json"),
)
"""Patterns for the project files of generators that kismet does not read."""
UNREAD_WORDS = {
    "index.html": (b"$docsify",),
    "conf.py": (b"exclude_patterns", b"extensions", b"BLOG_TITLE"),
    "book.json": (b'"gitbook"', b'"plugins"', b'"structure"'),
}
"""Names that other files have, too, each with what it contains in Docsify, in Sphinx and Nikola, and in HonKit.

Their size is at most `MAX_INDEX` megabytes.
"""
POSSIBLE_NAME = re.compile("|".join(map(translate, (*UNREAD_FILES, *UNREAD_WORDS))))
MAX_INDEX = 2
TEXTS_FOLDERS = frozenset(("content", "contents", "docs", "pages", "source", "src"))
"""The folders next to the project file of a generator that kismet does not read, in which its texts usually are."""


class Found(NamedTuple):
    """What stands in a folder and around it."""

    vault: Vault
    """The site whose texts are in the folder, or the folder itself."""
    others: tuple[Vault, ...] = ()
    """All other sites that have texts in the folder, or around it: what they keep private stays private."""
    unread: tuple[str, ...] = ()
    """The paths of the folders in the folder that have a project file of a generator that kismet does not read."""


class _Site(NamedTuple):
    vault: Vault
    source: str
    """The name of the source that describes it."""
    said: list[Diagnostic]
    """The diagnostics about its settings."""


def find_vaults(folder: Path, report: Report, source: str = "") -> Found:
    """The vaults in a folder and around it.

    `source`: the name of the source that the author chose; empty for the first that fits. A project file may be in the
    folder, in a parent folder if it says that the texts are in exactly this folder, or in the subfolder with all texts
    except those about a repository. Raises `UsageError` if a file that may name private texts cannot be read.
    """
    if source == FOLDER:
        return Found(Vault(folder=folder, root=folder))
    whole, listed, files = folder.resolve(), list_files(folder), _project_files(source)
    for place in folders_above(whole):
        if (place == whole or whole.relative_to(place).parts[0] in TEXTS_FOLDERS) and (
            file := _unread_file(place, files)
        ):
            raise unknown_privacy(_as_typed(file, folder), "kismet does not read the settings of this site generator")
    around = [found for place in folders_above(whole) for found in _vaults_in(place, folder, files)]
    hidden = [f"{place}/{name}" for place in listed.folders for name in HIDDEN_FOLDERS if lexists(whole / place / name)]
    places = [whole / place for place in _places_of_vaults((*listed.everything, *hidden), files) if place]
    below = [found for place in places for found in _vaults_in(place, folder, files)]
    inside = {path.partition("/")[0] for path in listed.files if is_text(path) and not _is_about(path)}
    own = whole / min(inside) if len(inside) == 1 else whole
    fitting = [found for found in around if _has_its_texts_in(found.vault, whole)]
    fitting += [found for found in below if found.vault.root.resolve() == own]
    fitting = [found for found in fitting if source in ("", found.source)]
    others = tuple(found.vault for found in (*around, *below) if found not in fitting[:1])
    unread = tuple(relative_path(place, whole) for place in places if _unread_file(place, files))
    if not fitting:
        if source:
            names = ", ".join(name for name in files if files[name] == source)
            message = f'`source: {source}` in library.yaml: there is no project file for the texts in "{folder}"'
            raise UsageError(f"{message} ({names})")
        return Found(Vault(folder=folder, root=folder), others, unread)
    main = fitting[0].vault
    alternatives = {found.source: found.vault.name for found in fitting if found.source != fitting[0].source}
    for diagnostic in fitting[0].said:
        report(diagnostic)
    main = main._replace(folders=dict(_folders(main, report)), alternatives=alternatives)
    return Found(main, others, unread)


def _project_files(source: str) -> dict[str, str]:
    """The name of the source that reads each project file. `source`: the name of the one that the author chose.

    Raises `UsageError` if there is no such source.
    """
    files = {file: name for name, of_source in OUR_FILES.items() for file in of_source}
    if source and source not in OUR_FILES:
        files |= dict.fromkeys(_loaded(source).files, source)
    return files


def _loaded(name: str) -> VaultSource:
    """The source of another package. Raises `UsageError` if no package registers it, or if it cannot be used."""
    try:
        source: VaultSource = SOURCES.load(name).function
    except UnusableEntryPoint as problem:
        raise UsageError(str(problem)) from problem
    return source


def _read(name: str, configuration: Configuration, shown: Path) -> Vault:
    """What a source says of a project file. Raises `UsageError`, also if the code of another package fails."""
    if name in OUR_FILES:
        try:
            ours: VaultSource = SOURCES.load(name).function
        except UnusableEntryPoint as problem:
            raise unknown_privacy(shown, problem.message) from problem
        return ours.read(configuration)
    read = _loaded(name).read
    try:
        with watched():
            vault = read(configuration)
    except UsageError:
        raise
    except (Exception, SystemExit) as problem:
        raise unknown_privacy(shown, f'the source "{name}" failed ({type(problem).__name__}: {problem})') from problem
    if not isinstance(vault, Vault):
        raise unknown_privacy(shown, f'the source "{name}" must return a Vault, not {type(vault).__name__}')
    return vault


def _places_of_vaults(paths: Iterable[str], files: Mapping[str, str]) -> list[str]:
    """The folders with a project file, among the folders of these paths."""
    places, names = dict[str, None](), {*map(basename, files)}
    for path in paths:
        name = basename(path)
        if name in names or name == "config":
            places |= {
                f"/{path}".removesuffix(f"/{file}")[1:]: None for file in files if f"/{path}".endswith(f"/{file}")
            }
        elif POSSIBLE_NAME.match(name):
            places[dirname(path)] = None
    return [*places]


def folders_above(folder: Path) -> tuple[Path, ...]:
    """A folder, and those above it whose settings apply to it: up to the outermost repository or Obsidian vault.

    Without a repository, at least `MAX_LEVELS_ABOVE` folders, because a vault may be inside a site. The paths are
    resolved.
    """
    places = (folder.resolve(), *folder.resolve().parents)
    repositories = [level for level, place in enumerate(places) if (place / ".git").exists()]
    vaults = [level for level, place in enumerate(places) if (place / ".obsidian").is_dir()]
    return places[: max(*vaults, *repositories or [MAX_LEVELS_ABOVE], 0) + 1]


def _unread_file(place: Path, files: Mapping[str, str]) -> Path | None:
    """The project file in a folder of a generator that kismet does not read."""
    names = _names_in(place, files)
    for name in sorted(names - files.keys()):
        if any(fnmatchcase(name, pattern) for pattern in UNREAD_FILES):
            return place / name
    for name, words in UNREAD_WORDS.items():
        with suppress(OSError):
            content = read_regular_file(place / name, None, MAX_INDEX) if name in names else b""
            if any(word in content for word in words):
                return place / name
    return None


def _names_in(place: Path, files: Mapping[str, str]) -> frozenset[str]:
    """The names of the files in a folder that may be project files, and of its subfolders with such files."""
    try:
        names = os.listdir(place)
    except OSError:
        return frozenset()
    starts = {name.partition("/")[0] for name in files}
    return frozenset(name for name in names if name in starts or POSSIBLE_NAME.match(name))


def _is_about(path: str) -> bool:
    return "/" not in path and path.rpartition(".")[0].casefold() in REPOSITORY_NAMES


def _has_its_texts_in(vault: Vault, whole: Path) -> bool:
    """Whether the texts of a site are those of a folder: a project file above it must name just this one."""
    texts = vault.folder.resolve()
    return texts == whole or (vault.root.resolve().is_relative_to(whole) and texts.is_relative_to(whole))


def _vaults_in(place: Path, folder: Path, files: Mapping[str, str]) -> Iterator["_Site"]:
    """The sites of the files in `place` whose texts are in `folder` or around it.

    Raises `UsageError` for a file that may keep texts private but cannot be read.
    """
    whole, names = folder.resolve(), _names_in(place, files)
    for name, source in files.items():
        file = place / name if name.partition("/")[0] in names else None
        if file is None or not lexists(file) or (name in SHARED_NAMES and not (place / SHARED_FOLDER).is_dir()):
            continue
        shown, said = _as_typed(file, folder), list[Diagnostic]()
        if not is_inside(file, whole, place):
            raise unknown_privacy(shown, "this is not a file in the folder")
        configuration = read_configuration(shown, reject(shown), file.resolve().parent)
        if configuration is None:
            raise unknown_privacy(shown, "this cannot be read")
        configuration.report = said.append  # What is wrong in a file that can be read does not stop the build.
        vault = _read(source, configuration, shown)
        texts = vault.folder.resolve()
        is_around = whole.is_relative_to(texts)
        # Texts above the project file would be any files of the machine.
        if is_folder(texts) and (texts.is_relative_to(whole) or (is_around and texts.is_relative_to(place.resolve()))):
            vault = _located(vault, place, folder)
            _check_patterns(vault)
            configuration.report_left_out()
            yield _Site(vault, source, said)
        elif is_around or place == whole:
            named = vault.folder.as_posix()
            message = f'its texts would be in "{named}", which does not exist or is outside of this folder'
            raise unknown_privacy(shown, message)


def _located(vault: Vault, place: Path, folder: Path) -> Vault:
    """A site with its folders as messages show them, and with those languages that have texts in the folder."""
    whole, texts = folder.resolve(), vault.folder.resolve()
    folders = {
        code: folder / own.resolve().relative_to(whole)
        for code, own in vault.languages.folders.items()
        if own.is_dir() and own.resolve().is_relative_to(whole) and vault.has_texts_in(code)
    }
    if len(folders) == 1 and vault.folder in vault.languages.folders.values():
        folders = {}
    return vault._replace(
        folder=folder / texts.relative_to(whole) if texts.is_relative_to(whole) else _as_typed(texts, folder),
        root=_as_typed(place, folder),
        languages=vault.languages._replace(folders=folders),
    )


def _check_patterns(vault: Vault) -> None:
    """Raise `UsageError` if a pattern cannot be read, because texts that it excludes would become public."""
    for pattern in (*vault.exclude, *vault.listing.unlisted):
        try:
            matching_paths([pattern], [])
        except ValueError as problem:
            raise unknown_privacy(vault.file, f'"{pattern}" is not a pattern') from problem


def _matching_expressions(vault: Vault, paths: Sequence[str]) -> frozenset[str]:
    folder = vault.folder.resolve().as_posix()
    try:
        globs = [Pattern(text) for glob in vault.exclude_globs for text in expressions_of_glob(glob)]
        patterns = [Pattern(text) for text in vault.exclude_expressions]
        found = {path for path in paths if any(pattern.search(f"{folder}/{path}") for pattern in patterns)}
        for pattern in globs:
            found |= {path for path in paths if any(map(pattern.search, (path, *parent_folders(path))))}
        return frozenset(found)
    except (re.error, UnusablePattern, ValueError) as problem:
        raise unknown_privacy(vault.file, f"a pattern is unusable: {problem}") from problem


def _folders(vault: Vault, report: Report) -> Iterator[tuple[str, FolderListing]]:
    """Folders with a file about their place in the navigation: the path of each, with the contents of the file."""
    for folder in list_files(vault.folder).folders if vault.listing.folder_files else ():
        files = (vault.folder / folder / name for name in vault.listing.folder_files)
        file = next(filter(Path.is_file, files), None)
        # The name may begin with a dot, but the file must not be a link to another folder.
        if file and file.resolve().parent == (vault.folder / folder).resolve():
            yield folder, read_folder_file(file, folder, report)


def _as_typed(file: Path, folder: Path) -> Path:
    """The path of a file as messages show it: relative if the path of the folder is relative."""
    return file if folder.is_absolute() else Path(relpath(file))


class VaultFiles(NamedTuple):
    """The files of a vault. Paths of type `str` are relative to the folder of its texts, or of its static files."""

    texts: SourceFiles
    attachments: tuple[str, ...]
    elsewhere: Mapping[str, Path]
    """By path, the folder of each attachment that is in a folder for static files."""
    excluded: frozenset[str]
    """The paths of the texts and attachments that the generator does not publish, according to its project files."""
    parts: frozenset[str]
    """The paths in `excluded` that no setting excludes: the list of published texts lacks them, or they are in a bundle
    of Hugo.
    """


def files_of(vault: Vault, boundary: Path) -> VaultFiles:
    """The texts and attachments of a vault. Links must stay in the `boundary`."""
    files = list_files(vault.folder, boundary)
    parts = matching_paths(vault.parts, files.files)
    paths = [path for path in files.files if path not in parts]
    more = [path for path in paths if path.endswith(vault.suffixes) and _has_properties(vault.folder / path)]
    dialects = dict.fromkeys((vault.folder / path for path in more), vault.dialect)
    for file, dialect in all_texts(vault.folder, paths):
        dialects[file] = dialect if dialect == "asciidoc" else vault.dialect
    texts = in_reading_order(_in_language(dialects, vault), vault.folder)
    text_paths = tuple(relative_path(file, vault.folder) for file, _ in texts)
    attached = attachments(path for path in paths if path not in more)
    unpublished = matching_paths(vault.exclude, (*text_paths, *attached))
    unpublished |= _matching_expressions(vault, (*text_paths, *attached))
    unpublished |= {path for path in attached if _is_unpublished(path, vault)}
    if vault.asks_git:
        unpublished |= ignored_by_git(vault.folder, (*text_paths, *attached))
    if vault.hides is not None:
        unpublished |= set(filter(vault.hides, (*text_paths, *attached)))
    unlisted = matching_paths(vault.exclude, tuple(parts))
    if vault.publishes_only_listed:
        finder = TextFinder(text_paths)
        unlisted |= frozenset(text_paths).difference(map(finder.find, _written_paths(vault.navigation)), unpublished)
    if vault.publication.has_one_home:
        indexes = {dirname(path) for path in text_paths if basename(path).casefold() == "index.md"}
        unpublished |= {path for path in text_paths if basename(path) == "README.md" and dirname(path) in indexes}
    if vault.publication.has_bundles:
        indexes = {path for path in text_paths if basename(path).startswith("index.")}
        bundles = set(map(dirname, indexes))
        inside = {path for path in text_paths if not bundles.isdisjoint((*parent_folders(path), ""))}
        unlisted |= inside - indexes - unpublished
    elsewhere = {path: folder for path, folder in _static_files(vault, boundary) if path not in attached}
    in_language = vault.languages.path
    unlisted = frozenset(map(in_language, unlisted))
    return VaultFiles(
        texts, (*attached, *elsewhere), elsewhere, frozenset(map(in_language, unpublished)) | unlisted, unlisted
    )


def published_files(vault: Vault, boundary: Path) -> frozenset[Path]:
    """The files that a site publishes, in all its languages, after links are followed."""
    found: set[Path] = set()
    for of_language in vault.in_each_language():
        files = files_of(of_language, boundary)
        path_of = of_language.languages.path
        found |= {
            file.resolve()
            for file, _ in files.texts
            if path_of(relative_path(file, of_language.folder)) not in files.excluded
        }
        found |= {
            (files.elsewhere.get(path, of_language.folder) / path).resolve()
            for path in files.attachments
            if path not in files.excluded
        }
    return frozenset(found)


def _in_language(dialects: Mapping[Path, str], vault: Vault) -> dict[Path, str]:
    """The texts in the language of the vault. A file whose name has the language wins over one without a language."""
    by_path: dict[str, Path] = {}
    for file in dialects:
        path = relative_path(file, vault.folder)
        in_language = vault.languages.path(path)
        if in_language and (in_language != path or path not in by_path):
            by_path[in_language] = file
    return {file: dialects[file] for file in by_path.values()}


def _static_files(vault: Vault, boundary: Path) -> Iterator[tuple[str, Path]]:
    for name in vault.static:
        folder = vault.root / name
        # A hidden folder, such as `.git`, is never published.
        if any(part.startswith(".") for part in Path(name).parts):
            continue
        if folder.is_dir() and folder.resolve().is_relative_to(boundary.resolve()):
            yield from ((path, folder) for path in attachments(list_files(folder).files))


def _is_unpublished(path: str, vault: Vault) -> bool:
    """Whether the configuration keeps an attachment private, like the texts next to it."""
    values = properties_by_default(path, vault.given.defaults)
    return are_private(values, vault.publication)


def _has_properties(file: Path) -> bool:
    with suppress(OSError), open_regular_file(file) as opened:
        return opened.read(4) in (b"---\n", b"---\r")
    return False


def _written_paths(items: Iterable[NavigationItem]) -> Iterator[str]:
    for item in items:
        if item.path:
            yield item.path
        yield from _written_paths(item.items)


def note_on(vault: Vault, files: VaultFiles) -> Diagnostic:
    """The diagnostic that says which project file decides how the texts are read."""
    paths = (vault.languages.path(relative_path(file, vault.folder)) for file, _ in files.texts)
    number = sum(path not in files.excluded for path in paths)
    texts = "its text is" if number == 1 else f"its {number:,} texts are"
    message = f"this is a site for {vault.name}: {texts} in {vault.folder.as_posix()}"
    choices = (f"`source: {source}` in library.yaml reads it as {name}" for source, name in vault.alternatives.items())
    message = "; ".join((message, *choices))
    source = vault.place
    if source.path != vault.file.name:
        source = Source(vault.file.name, "", display_path=vault.file.as_posix())
    return info("project-file", source.span(0, 0), message)


def ignored_by_git(folder: Path, paths: Sequence[str]) -> frozenset[str]:
    """The paths in a folder that the files `.gitignore` in it, and above it in its repository, ignore."""
    from pathspec import GitIgnoreSpec  # imported on use, as in `matching_paths`

    whole = folder.resolve()
    root = next((above for above in (whole, *whole.parents) if (above / ".git").exists()), whole)
    places = {whole / above for path in paths for above in (*parent_folders(path), "")}
    places |= {above for above in whole.parents if above.is_relative_to(root)}
    specs: list[tuple[Path, GitIgnoreSpec]] = []
    for place in sorted(places, key=lambda place: len(place.parts)):
        files = [place / ".gitignore", *([place / ".git" / "info" / "exclude"] if place == root else ())]
        for file in filter(lexists, files):
            try:
                lines = read_regular_file(file, None, MAX_INDEX).decode().splitlines()
                specs.append((place, GitIgnoreSpec.from_lines(lines)))
            except (OSError, ValueError) as problem:
                raise unknown_privacy(file, f"this cannot be read ({problem})") from problem

    def is_ignored(path: str) -> bool:
        checks = (
            spec.check_file((whole / path).relative_to(place).as_posix()).include
            for place, spec in reversed(specs)
            if (whole / path).is_relative_to(place)
        )
        return next((include for include in checks if include is not None), False)

    return frozenset(filter(is_ignored, paths))


def matching_paths(patterns: Sequence[str], paths: Sequence[str]) -> frozenset[str]:
    """The paths that match these patterns, which are read as in `.gitignore`."""
    if not patterns:
        return frozenset()
    # Imported on use, because few libraries have a project file.
    from pathspec import GitIgnoreSpec

    return frozenset(GitIgnoreSpec.from_lines(patterns).match_files(paths))
