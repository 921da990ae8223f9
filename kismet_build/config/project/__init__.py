"""Find the project file of a site generator, and read what it says about the texts."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from os.path import relpath
from pathlib import Path
from posixpath import basename, dirname

from pathspec import GitIgnoreSpec

from kismet_build.config.data_file import is_inside
from kismet_build.config.project import hugo, jekyll, mkdocs
from kismet_build.config.project.configuration import Configuration, read_configuration
from kismet_build.config.project.project import ListingKeys, Project, PublicationRules, Routing
from kismet_build.model.diagnostic import Report

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


def unpublished_paths(project: Project, paths: Sequence[str]) -> frozenset[str]:
    """The paths of the texts that the generator does not publish, by the settings in the project file."""
    unpublished = matching_paths(project.exclude, paths)
    if project.has_one_home:
        indexes = {dirname(path) for path in paths if basename(path).casefold() == "index.md"}
        unpublished |= {path for path in paths if basename(path) == "README.md" and dirname(path) in indexes}
    return unpublished


def matching_paths(patterns: Sequence[str], paths: Sequence[str]) -> frozenset[str]:
    """The paths that patterns match, as in `.gitignore`."""
    return frozenset(GitIgnoreSpec.from_lines(patterns).match_files(paths)) if patterns else frozenset()
