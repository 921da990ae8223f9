"""The navigation of a book: the order of its texts, and the sections that list them."""

from collections.abc import Mapping
from typing import NamedTuple


class NavigationItem(NamedTuple):
    """An entry of a navigation as its author wrote it: a text, or a section with entries."""

    title: str = ""
    """Empty if the author wrote none."""
    path: str = ""
    """Path of the text, from the folder of the texts; for a section, of the text about it; can be empty."""
    items: tuple["NavigationItem", ...] = ()


class NavigationSection(NamedTuple):
    """A named group of texts: a folder, or a section of a written navigation."""

    title: str
    """Empty if it is that of the text about the section."""
    parent: str
    """The key of the section around it; empty at the top."""
    slug: str
    """Its address below that of the game."""
    folder: str = ""
    """Path of the folder that has exactly the texts of the section; empty if no folder has."""
    page: str = ""
    """Path of the text about the section in a written navigation; empty if the section has no such text."""


class Navigation(NamedTuple):
    """Where the navigation lists each text."""

    order: tuple[str, ...]
    """The paths of all texts in reading order. Texts that no section lists come last."""
    sections: Mapping[str, NavigationSection]
    """The sections by key, each after the section around it."""
    section_of: Mapping[str, str]
    """The key of the innermost section of each listed text, by path; an empty key for the top."""
    is_of_folders: bool
    """Whether its sections are the folders of the texts, rather than those of a project file."""
