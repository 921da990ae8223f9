"""Find the project file of a site generator, and read what it says about the texts.
docs/decisions/0035-project-files.md says why kismet follows the project file.
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

from kismet_build.config.data_file import is_folder, is_inside, unknown_privacy
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
from kismet_build.config.project import hugo, jekyll, mdbook, mkdocs, quartz
from kismet_build.config.project.addresses import TextFinder, route_key
from kismet_build.config.project.configuration import Configuration, read_configuration, reject
from kismet_build.config.project.defaults import Defaults, GivenProperties, cascade_of_hugo, properties_by_default
from kismet_build.config.project.folder_files import read_folder_file
from kismet_build.config.project.project import (
    ONE_LANGUAGE,
    FolderListing,
    FolderRules,
    Languages,
    ListingKeys,
    Project,
    Routing,
    expressions_of_glob,
)
from kismet_build.model.diagnostic import Diagnostic, Report, info
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.pattern import Pattern, UnusablePattern
from kismet_build.model.source import Source, open_regular_file, read_regular_file

__all__ = [
    "ONE_LANGUAGE",
    "READERS",
    "Defaults",
    "FolderListing",
    "FolderRules",
    "GivenProperties",
    "Languages",
    "ListingKeys",
    "Project",
    "Routing",
    "TextFinder",
    "cascade_of_hugo",
    "find_projects",
    "folders_above",
    "matching_paths",
    "project_files",
    "project_note",
    "properties_by_default",
    "published_files",
    "route_key",
]

READERS: Mapping[str, Callable[[Configuration], Project]] = {
    name: module.read_project for module in (mkdocs, jekyll, hugo, mdbook, quartz) for name in module.FILES
}
"""The reader of each project file, by file name. Of several project files in a folder, the first that fits is used."""
MAX_LEVELS_ABOVE = 3
"""Number of parent folders whose settings apply to a folder that is in no repository and no vault."""
SHARED_NAMES = frozenset(("config.toml", "config.yaml", "config.yml", "config.json"))
"""Names of project files that other programs use, too. They are those of Hugo beside a folder `SHARED_FOLDER`."""
SHARED_FOLDER = "content"
NAMES_OF_FILES = frozenset(map(basename, READERS)) | {"config"}
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
    """The projects around the texts of a folder."""

    project: Project | None = None
    """The project whose texts are in the folder; `None` without one."""
    others: tuple[Project, ...] = ()
    """All other projects that have texts in the folder, or around it: what they keep private stays private."""
    unread: tuple[str, ...] = ()
    """The paths of the folders in the folder that have a project file of a generator that kismet does not read."""


def find_projects(folder: Path, report: Report) -> Found:
    """The projects around the texts of a folder.

    The file of the project may be in the folder, in a parent folder if it says that the texts are in exactly this
    folder, or in the subfolder with all texts except those about a repository. Raises `UsageError` if a file that may
    name private texts cannot be read.
    """
    whole = folder.resolve()
    listed = list_files(folder)
    for place in folders_above(whole):
        if (place == whole or whole.relative_to(place).parts[0] in TEXTS_FOLDERS) and (file := _unread_file(place)):
            raise unknown_privacy(_as_typed(file, folder), "kismet does not read the settings of this site generator")
    around = [found for place in folders_above(whole) for found in _projects_in(place, folder)]
    hidden = [f"{place}/{name}" for place in listed.folders for name in HIDDEN_FOLDERS if lexists(whole / place / name)]
    places = [whole / place for place in _places_of_projects((*listed.everything, *hidden)) if place]
    below = [found for place in places for found in _projects_in(place, folder)]
    inside = {path.partition("/")[0] for path in listed.files if is_text(path) and not _is_about(path)}
    own = whole / min(inside) if len(inside) == 1 else whole
    fitting = [found for found in around if _has_its_texts_in(found[0], whole)]
    fitting += [found for found in below if found[0].root.resolve() == own]
    others = tuple(project for project, _ in (*around, *below) if not fitting or project.file != fitting[0][0].file)
    unread = tuple(relative_path(place, whole) for place in places if _unread_file(place))
    if not fitting:
        return Found(None, others, unread)
    main, said = fitting[0]
    for diagnostic in said:
        report(diagnostic)
    return Found(main._replace(folders=dict(_folders(main, report))), others, unread)


def _places_of_projects(paths: Iterable[str]) -> list[str]:
    """The folders with a project file, among the folders of these paths."""
    places: dict[str, None] = {}
    for path in paths:
        name = basename(path)
        if name in NAMES_OF_FILES:
            places |= {
                f"/{path}".removesuffix(f"/{file}")[1:]: None for file in READERS if f"/{path}".endswith(f"/{file}")
            }
        elif POSSIBLE_NAME.match(name):
            places[dirname(path)] = None
    return [*places]


def folders_above(folder: Path) -> tuple[Path, ...]:
    """A folder, and those above it whose settings apply to it: up to the outermost repository or Obsidian vault.

    Without one, at most `MAX_LEVELS_ABOVE` folders. The paths are resolved.
    """
    places = (folder.resolve(), *folder.resolve().parents)
    outermost = max(
        (level for level, place in enumerate(places) if (place / ".git").exists() or (place / ".obsidian").is_dir()),
        default=MAX_LEVELS_ABOVE,
    )
    return places[: outermost + 1]


def _unread_file(place: Path) -> Path | None:
    """The project file in a folder of a generator that kismet does not read."""
    names = _names_in(place)
    for name in sorted(names):
        if any(fnmatchcase(name, pattern) for pattern in UNREAD_FILES):
            return place / name
    for name, words in UNREAD_WORDS.items():
        with suppress(OSError):
            content = read_regular_file(place / name, None, MAX_INDEX) if name in names else b""
            if any(word in content for word in words):
                return place / name
    return None


def _names_in(place: Path) -> frozenset[str]:
    """The names of the files in a folder that may be project files, and of its subfolders with such files."""
    try:
        names = os.listdir(place)
    except OSError:
        return frozenset()
    return frozenset(name for name in names if name in NAMES_OF_FILES or POSSIBLE_NAME.match(name))


def _is_about(path: str) -> bool:
    return "/" not in path and path.rpartition(".")[0].casefold() in REPOSITORY_NAMES


def _has_its_texts_in(project: Project, whole: Path) -> bool:
    """Whether the texts of a project are those of a folder: the file of a project above it must name just this one."""
    texts = project.folder.resolve()
    return texts == whole or (project.root.resolve().is_relative_to(whole) and texts.is_relative_to(whole))


def _projects_in(place: Path, folder: Path) -> Iterator[tuple[Project, list[Diagnostic]]]:
    """The projects of the files in `place` whose texts are in `folder` or around it, and what is to be said of them.

    Raises `UsageError` for a file that may keep texts private but cannot be read.
    """
    whole, names = folder.resolve(), _names_in(place)
    for name, read in READERS.items():
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
        project = read(configuration)
        texts = project.folder.resolve()
        is_around = whole.is_relative_to(texts)
        # Texts above the file of the project would be any files of the machine.
        if is_folder(texts) and (texts.is_relative_to(whole) or (is_around and texts.is_relative_to(place.resolve()))):
            project = _located(project, place, folder)
            _check_patterns(project)
            configuration.report_left_out()
            yield project, said
        elif is_around or place == whole:
            named = project.folder.as_posix()
            message = f'its texts would be in "{named}", which does not exist or is outside of this folder'
            raise unknown_privacy(shown, message)


def _located(project: Project, place: Path, folder: Path) -> Project:
    """A project with its folders as messages show them, and with those languages that have texts in the folder."""
    whole, texts = folder.resolve(), project.folder.resolve()
    folders = {
        code: folder / own.resolve().relative_to(whole)
        for code, own in project.languages.folders.items()
        if own.is_dir() and own.resolve().is_relative_to(whole) and project.has_texts_in(code)
    }
    if len(folders) == 1 and project.folder in project.languages.folders.values():
        folders = {}
    return project._replace(
        folder=folder / texts.relative_to(whole) if texts.is_relative_to(whole) else _as_typed(texts, folder),
        root=_as_typed(place, folder),
        languages=project.languages._replace(folders=folders),
    )


def _check_patterns(project: Project) -> None:
    """Raise `UsageError` if a pattern cannot be read, because texts that it excludes would become public."""
    for pattern in (*project.exclude, *project.listing.unlisted):
        try:
            matching_paths([pattern], [])
        except ValueError as problem:
            raise unknown_privacy(project.file, f'"{pattern}" is not a pattern') from problem


def _matching_expressions(project: Project, paths: Sequence[str]) -> frozenset[str]:
    folder = project.folder.resolve().as_posix()
    try:
        globs = [Pattern(text) for glob in project.exclude_globs for text in expressions_of_glob(glob)]
        patterns = [Pattern(text) for text in project.exclude_expressions]
        found = {path for path in paths if any(pattern.search(f"{folder}/{path}") for pattern in patterns)}
        for pattern in globs:
            found |= {path for path in paths if any(map(pattern.search, (path, *parent_folders(path))))}
        return frozenset(found)
    except (re.error, UnusablePattern, ValueError) as problem:
        raise unknown_privacy(project.file, f"a pattern is unusable: {problem}") from problem


def _folders(project: Project, report: Report) -> Iterator[tuple[str, FolderListing]]:
    """Folders with a file about their place in the navigation: the path of each, with the contents of the file."""
    for folder in list_files(project.folder).folders if project.listing.folder_files else ():
        files = (project.folder / folder / name for name in project.listing.folder_files)
        file = next(filter(Path.is_file, files), None)
        # The name may begin with a dot, but the file must not be a link to another folder.
        if file and file.resolve().parent == (project.folder / folder).resolve():
            yield folder, read_folder_file(file, folder, report)


def _as_typed(file: Path, folder: Path) -> Path:
    """The path of a file as messages show it: relative if the path of the folder is relative."""
    return file if folder.is_absolute() else Path(relpath(file))


class ProjectFiles(NamedTuple):
    """The files of a project. Paths of type `str` are relative to the folder of its texts, or of its static files."""

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


def project_files(project: Project, vault: Path) -> ProjectFiles:
    """The texts and attachments of a project. Links must stay in the `vault`."""
    files = list_files(project.folder, vault)
    parts = matching_paths(project.parts, files.files)
    paths = [path for path in files.files if path not in parts]
    more = [path for path in paths if path.endswith(project.suffixes) and _has_properties(project.folder / path)]
    dialects = dict.fromkeys((project.folder / path for path in more), project.dialect)
    for file, dialect in all_texts(project.folder, paths):
        dialects[file] = dialect if dialect == "asciidoc" else project.dialect
    texts = in_reading_order(_in_language(dialects, project), project.folder)
    text_paths = tuple(relative_path(file, project.folder) for file, _ in texts)
    attached = attachments(path for path in paths if path not in more)
    unpublished = matching_paths(project.exclude, (*text_paths, *attached))
    unpublished |= _matching_expressions(project, (*text_paths, *attached))
    unpublished |= {path for path in attached if _is_unpublished(path, project)}
    if project.asks_git:
        unpublished |= ignored_by_git(project.folder, (*text_paths, *attached))
    if project.hides is not None:
        unpublished |= set(filter(project.hides, (*text_paths, *attached)))
    unlisted: frozenset[str] = frozenset()
    if project.publishes_only_listed:
        finder = TextFinder(text_paths)
        unlisted = frozenset(text_paths).difference(map(finder.find, _written_paths(project.navigation)), unpublished)
    if project.publication.has_one_home:
        indexes = {dirname(path) for path in text_paths if basename(path).casefold() == "index.md"}
        unpublished |= {path for path in text_paths if basename(path) == "README.md" and dirname(path) in indexes}
    if project.publication.has_bundles:
        indexes = {path for path in text_paths if basename(path).startswith("index.")}
        bundles = set(map(dirname, indexes))
        inside = {path for path in text_paths if not bundles.isdisjoint((*parent_folders(path), ""))}
        unlisted |= inside - indexes - unpublished
    elsewhere = {path: folder for path, folder in _static_files(project, vault) if path not in attached}
    in_language = project.languages.path
    unlisted = frozenset(map(in_language, unlisted))
    return ProjectFiles(
        texts, (*attached, *elsewhere), elsewhere, frozenset(map(in_language, unpublished)) | unlisted, unlisted
    )


def published_files(project: Project, vault: Path) -> frozenset[Path]:
    """The files that a project publishes, in all its languages, after links are followed."""
    found: set[Path] = set()
    for of_language in project.in_each_language():
        files = project_files(of_language, vault)
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


def _in_language(dialects: Mapping[Path, str], project: Project) -> dict[Path, str]:
    """The texts in the language of the project. A file whose name has the language wins over one without a language."""
    by_path: dict[str, Path] = {}
    for file in dialects:
        path = relative_path(file, project.folder)
        in_language = project.languages.path(path)
        if in_language and (in_language != path or path not in by_path):
            by_path[in_language] = file
    return {file: dialects[file] for file in by_path.values()}


def _static_files(project: Project, vault: Path) -> Iterator[tuple[str, Path]]:
    for name in project.static:
        folder = project.root / name
        # A hidden folder, such as `.git`, is never published.
        if any(part.startswith(".") for part in Path(name).parts):
            continue
        if folder.is_dir() and folder.resolve().is_relative_to(vault.resolve()):
            yield from ((path, folder) for path in attachments(list_files(folder).files))


def _is_unpublished(path: str, project: Project) -> bool:
    """Whether the configuration keeps an attachment private, like the texts next to it."""
    values = properties_by_default(path, project.given.defaults)
    return are_private(values, project.publication)


def _has_properties(file: Path) -> bool:
    with suppress(OSError), open_regular_file(file) as opened:
        return opened.read(4) in (b"---\n", b"---\r")
    return False


def _written_paths(items: Iterable[NavigationItem]) -> Iterator[str]:
    for item in items:
        if item.path:
            yield item.path
        yield from _written_paths(item.items)


def project_note(project: Project, files: ProjectFiles) -> Diagnostic:
    """The diagnostic that says which project file decides how the texts are read."""
    paths = (project.languages.path(relative_path(file, project.folder)) for file, _ in files.texts)
    number = sum(path not in files.excluded for path in paths)
    texts = "its text is" if number == 1 else f"its {number:,} texts are"
    message = f"this is a site for {project.generator}: {texts} in {project.folder.as_posix()}"
    source = project.place
    if source.path != project.file.name:
        source = Source(project.file.name, "", display_path=project.file.as_posix())
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
