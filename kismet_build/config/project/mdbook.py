"""Read the project files of mdBook (`book.toml`, `SUMMARY.md`) and GitBook (`.gitbook.yaml`, `SUMMARY.md`)."""

from collections.abc import Iterable
from os.path import lexists
from pathlib import Path

from kismet_build.config.project.configuration import Configuration, read_text
from kismet_build.config.project.project import ListingKeys, Project, PublicationRules, Routing
from kismet_build.config.project.table_of_contents import contents_of
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.source import ASSETS_FOLDER

FILES = ("book.toml", ".gitbook.yaml", "SUMMARY.md")
"""Project files.

`SUMMARY.md` is the only one of a GitBook without settings; an mdBook has a file with this name, too.
"""


def read_project(configuration: Configuration) -> Project | None:
    """The project of a configuration file; `None` for a `SUMMARY.md` that does not belong to a GitBook."""
    if configuration.file.suffix == ".md" and not (configuration.file.parent / ASSETS_FOLDER).is_dir():
        return None
    is_gitbook = configuration.file.suffix != ".toml"
    book = configuration if is_gitbook else configuration.below("book")
    folder = configuration.file.parent / (configuration.text("root") if is_gitbook else book.text("src") or "src")
    name = configuration.text("structure", "summary") if is_gitbook else ""
    summary = folder / (name or "SUMMARY.md")
    text = read_text(summary, configuration.report, configuration.file.parent)
    output, preprocessors = configuration.below("output").mapping("html"), configuration.mapping("preprocessor")
    navigation = contents_of(text.text, _relative(summary, folder), has_title=True) if text else ()
    return Project(
        generator="GitBook" if is_gitbook else "mdBook",
        file=configuration.file,
        place=configuration.source if text is None else text,
        folder=folder,
        dialect="gitbook" if is_gitbook else "mdbook",
        options={
            "math": "katex" in preprocessors,
            "mathjax": output.get("mathjax-support") is True,
            "smart_punctuation": True in (output.get("smart-punctuation"), output.get("curly-quotes")),
        },
        title=book.text("title"),
        description=book.text("description"),
        language=book.text("language"),
        navigation=navigation,
        routing=Routing(home=configuration.text("structure", "readme") if is_gitbook else _first_path(navigation)),
        listing=ListingKeys(hidden=("hidden",) if is_gitbook else ()),
        # Also if the list cannot be read: it may leave texts out.
        publishes_only_listed=lexists(summary),
        publication=PublicationRules(has_one_home=True),
        parts=("SUMMARY.md",),
    )


def _first_path(items: Iterable[NavigationItem]) -> str:
    """The first text in a navigation: the home page of mdBook."""
    return next((path for item in items if (path := item.path or _first_path(item.items))), "")


def _relative(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
