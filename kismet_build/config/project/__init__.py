"""Find the project file of a site generator, and read what it says about the texts."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from os.path import relpath
from pathlib import Path
from posixpath import basename, dirname
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from kismet_build.config.data_file import is_inside
from kismet_build.config.discovery import SourceFiles, all_texts, attachments, list_files, relative_path
from kismet_build.config.project import hugo, jekyll, mkdocs
from kismet_build.config.project.configuration import Configuration, read_configuration
from kismet_build.config.project.project import ListingKeys, Project, PublicationRules, Routing
from kismet_build.model.diagnostic import Diagnostic, Report, info

__all__ = [
    "ListingKeys",
    "Project",
    "PublicationRules",
    "Routing",
    "find_project",
    "matching_paths",
    "unpublished_paths",
]

READERS: Mapping[str, Callable[[Configuration], Project]] = {
    name: module.read_project for module in (mkdocs, jekyll, hugo) for name in module.FILES
}
"""The reader of each project file by its name. Of several files in a folder, the first is used."""
MAX_LEVELS_ABOVE = 3
"""Number of folders above that of a command in which a project file is searched."""


def find_project(folder: Path, report: Report) -> Project | None:
    """The project whose texts are in this folder, from the nearest project file; `None` if there is none.

    The file is in the folder, or in one above whose texts are in exactly this folder.
    """
    whole = folder.resolve()
    for place in (whole, *whole.parents[:MAX_LEVELS_ABOVE]):
        for name, read in READERS.items():
            if not is_inside(place / name, place):
                continue
            configuration = read_configuration(_as_typed(place / name, folder), report)
            project = read(configuration) if configuration else None
            texts = project.folder.resolve() if project else place
            is_project = texts.is_relative_to(whole) if place == whole else texts == whole
            if project and texts.is_dir() and is_project:
                today = project.publication._replace(today=date.today().isoformat())
                return project._replace(folder=folder / texts.relative_to(whole), publication=today)
        if (place / ".git").exists():
            break
    return None


def _as_typed(file: Path, folder: Path) -> Path:
    """The path of a file as messages show it: relative if that of the folder is."""
    return file if folder.is_absolute() else Path(relpath(file))


class ProjectFiles(NamedTuple):
    """The files of a project. Paths are relative to its folder of texts."""

    texts: SourceFiles
    attachments: tuple[str, ...]
    excluded: frozenset[str]
    """The paths of the texts that the generator does not publish, by the settings in the project file."""


def project_files(project: Project, vault: Path) -> ProjectFiles:
    """The texts and attachments of a project. Links must stay in the `vault`."""
    listed = list_files(project.folder, vault).files
    parts = matching_paths(project.parts, listed)
    listed = tuple(path for path in listed if path not in parts)
    texts = tuple(
        (file, dialect if dialect == "asciidoc" else project.dialect)
        for file, dialect in all_texts(project.folder, listed)
    )
    paths = tuple(relative_path(file, project.folder) for file, _ in texts)
    unpublished = matching_paths(project.exclude, paths)
    if project.has_one_home:
        indexes = {dirname(path) for path in paths if basename(path).casefold() == "index.md"}
        unpublished |= {path for path in paths if basename(path) == "README.md" and dirname(path) in indexes}
    return ProjectFiles(texts, attachments(listed), unpublished)


def project_note(project: Project, files: ProjectFiles) -> Diagnostic:
    """Say which project file decides how the texts are read."""
    number = len(files.texts) - len(files.excluded)
    message = f"this is a site for {project.generator}: its {number:,} texts are in {project.folder.as_posix()}"
    return info("project-file", project.place.span(0, 0), message)


def matching_paths(patterns: Sequence[str], paths: Sequence[str]) -> frozenset[str]:
    """The paths that patterns match, as in `.gitignore`."""
    return frozenset(GitIgnoreSpec.from_lines(patterns).match_files(paths)) if patterns else frozenset()
