"""Find the project file of a site generator, and read what it says about the texts.
docs/decisions/0035-project-files.md says why kismet follows the project file.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from os.path import relpath
from pathlib import Path
from posixpath import basename, dirname
from typing import NamedTuple

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
from kismet_build.config.project import hugo, jekyll, mdbook, mkdocs
from kismet_build.config.project.addresses import TextFinder, route_key
from kismet_build.config.project.configuration import CODE, Configuration, read_configuration, unknown_privacy
from kismet_build.config.project.defaults import Defaults, cascade_of_hugo, properties_by_default
from kismet_build.config.project.folder_files import read_folder_file
from kismet_build.config.project.project import (
    ONE_LANGUAGE,
    PRIVATE_VALUES,
    FolderListing,
    Languages,
    ListingKeys,
    Project,
    PublicationRules,
    Routing,
)
from kismet_build.model.diagnostic import Diagnostic, Report, info, warning
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.pattern import Pattern, UnusablePattern
from kismet_build.model.source import Source

__all__ = [
    "ONE_LANGUAGE",
    "PRIVATE_VALUES",
    "Defaults",
    "FolderListing",
    "Languages",
    "ListingKeys",
    "Project",
    "PublicationRules",
    "Routing",
    "TextFinder",
    "cascade_of_hugo",
    "find_project",
    "matching_paths",
    "project_around",
    "project_files",
    "project_note",
    "properties_by_default",
    "route_key",
]

READERS: Mapping[str, Callable[[Configuration], Project]] = {
    name: module.read_project for module in (mkdocs, jekyll, hugo, mdbook) for name in module.FILES
}
"""The reader of each project file, by file name. Of several project files in a folder, the first that fits is used."""
SHARED_NAMES = frozenset(("config.toml", "config.yaml", "config.yml", "config.json"))
"""Names of project files that other programs use, too."""
MAX_LEVELS_ABOVE = 3
"""Number of parent folders that are searched for a project file."""


def find_project(folder: Path, report: Report) -> Project | None:
    """The project whose texts are in this folder; `None` without a project file.

    The file may be in the folder, in a parent folder if it says that the texts are in exactly this folder, or in the
    subfolder with all texts except those about a repository. Raises `UsageError` if a file that may name private texts
    cannot be read.
    """
    if project := project_around(folder, report):
        return project
    inside = {path.partition("/")[0] for path in list_files(folder).files if is_text(path) and not _is_about(path)}
    return _project_in(folder.resolve() / min(inside), folder, report) if len(inside) == 1 else None


def project_around(folder: Path, report: Report) -> Project | None:
    """The project whose texts are in this folder, from a file in this folder or a parent folder.

    Raises `UsageError` as `find_project` does.
    """
    whole = folder.resolve()
    for place in (whole, *whole.parents[:MAX_LEVELS_ABOVE]):
        if project := _project_in(place, folder, report):
            return project
        if (place / ".git").exists():
            break
    return None


def _is_about(path: str) -> bool:
    return "/" not in path and path.rpartition(".")[0].casefold() in REPOSITORY_NAMES


def _project_in(place: Path, folder: Path, report: Report) -> Project | None:
    """The project of a file in `place`, if its texts are in `folder`.

    A file above `folder` must name exactly this folder.
    """
    whole = folder.resolve()
    for name, read in READERS.items():
        # A link to a file in another folder is not a project file.
        if not (place / name).is_file() or (place / name).resolve().parent != place / dirname(name):
            continue
        file = _as_typed(place / name, folder)
        configuration = read_configuration(file, report if name in SHARED_NAMES else _reject(file))
        if configuration is None:
            continue
        configuration.report = report  # What is wrong in a file that can be read does not stop the build.
        project = read(configuration)
        texts = project.folder.resolve()
        is_inside = place.is_relative_to(whole)
        is_project = texts.is_relative_to(whole) if is_inside else texts == whole
        if texts.is_dir() and is_project:
            folders = {
                code: folder / own.resolve().relative_to(whole)
                for code, own in project.languages.folders.items()
                if own.is_dir() and own.resolve().is_relative_to(whole) and project.has_texts_in(code)
            }
            if len(folders) == 1 and project.folder in project.languages.folders.values():
                folders = {}
            project = project._replace(
                folder=folder / texts.relative_to(whole),
                root=_as_typed(place, folder),
                publication=project.publication.on(date.today()),
                languages=project.languages._replace(folders=folders),
            )
            _check_patterns(project)
            configuration.report_left_out()
            return project._replace(folders=dict(_folders(project, report)))
        if is_inside and name not in SHARED_NAMES:
            named = project.folder.as_posix()
            message = f'its texts would be in "{named}", which does not exist or is outside this folder'
            report(warning(CODE, project.place.span(0, 0), message, "so this project file is not used"))
    return None


def _reject(file: Path) -> Report:
    """A report that raises `UsageError` for a file that cannot be read."""

    def reject(fault: Diagnostic) -> None:
        line, column = fault.span.source.line_and_column(fault.span.start)
        raise unknown_privacy(Path(f"{file}:{line}:{column}"), fault.message)

    return reject


def _check_patterns(project: Project) -> None:
    """Raise `UsageError` if a pattern cannot be read, because texts that it excludes would become public."""
    for pattern in (*project.exclude, *project.listing.unlisted):
        try:
            matching_paths([pattern], [])
        except ValueError as problem:
            raise unknown_privacy(project.file, f'"{pattern}" is not a pattern') from problem


def _matching_expressions(project: Project, paths: Iterable[str]) -> frozenset[str]:
    folder = project.folder.resolve().as_posix()
    try:
        patterns = [Pattern(text) for text in project.exclude_expressions]
        return frozenset(path for path in paths if any(pattern.search(f"{folder}/{path}") for pattern in patterns))
    except (re.error, UnusablePattern) as problem:
        raise unknown_privacy(project.file, f"a regular expression is unusable: {problem}") from problem


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
    unlisted: frozenset[str] = frozenset()
    if project.publishes_only_listed:
        finder = TextFinder(text_paths)
        unlisted = frozenset(text_paths).difference(map(finder.find, _written_paths(project.navigation)), unpublished)
    if project.publication.has_one_home:
        indexes = {dirname(path) for path in text_paths if basename(path).casefold() == "index.md"}
        unpublished |= {path for path in text_paths if basename(path) == "README.md" and dirname(path) in indexes}
    if project.publication.has_bundles:
        bundles = {dirname(path) for path in text_paths if basename(path).startswith("index.")} - {""}
        indexes = {path for path in text_paths if basename(path).startswith("index.")}
        inside = {path for path in text_paths if not bundles.isdisjoint(parent_folders(path))}
        unlisted |= inside - indexes - unpublished
    elsewhere = {path: folder for path, folder in _static_files(project, vault) if path not in attached}
    in_language = project.languages.path
    unlisted = frozenset(map(in_language, unlisted))
    return ProjectFiles(
        texts, (*attached, *elsewhere), elsewhere, frozenset(map(in_language, unpublished)) | unlisted, unlisted
    )


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
        if folder.is_dir() and folder.resolve().is_relative_to(vault.resolve()):
            yield from ((path, folder) for path in attachments(list_files(folder).files))


def _is_unpublished(path: str, project: Project) -> bool:
    """Whether the configuration keeps an attachment private, like the texts next to it."""
    values = properties_by_default(path, project.given.defaults)
    return any(values.get(name) is False for name in project.publication.published)


def _has_properties(file: Path) -> bool:
    with suppress(OSError), file.open("rb") as opened:
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


def matching_paths(patterns: Sequence[str], paths: Sequence[str]) -> frozenset[str]:
    """The paths that match these patterns, which are read as in `.gitignore`."""
    if not patterns:
        return frozenset()
    # Imported on use, because few libraries have a project file.
    from pathspec import GitIgnoreSpec

    return frozenset(GitIgnoreSpec.from_lines(patterns).match_files(paths))
