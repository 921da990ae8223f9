"""The navigation of a book: the order of its texts, and the sections that list them."""

from collections.abc import Mapping
from typing import NamedTuple


class NavigationItem(NamedTuple):
    """An entry of a navigation as its author wrote it: a text, or a section with entries."""

    title: str = ""
    """The title; empty if the author wrote none."""
    path: str = ""
    """Path of the text, or of the text about a section, relative to the folder of the texts; may be empty."""
    items: tuple["NavigationItem", ...] = ()


class NavigationSection(NamedTuple):
    """A named group of texts: a folder, or a section of a written navigation."""

    title: str
    """The title; empty if it is the title of the text about the section."""
    parent: str
    """The key of the section around this section; empty at the top level."""
    slug: str
    """The address of the section, below the address of the game."""
    folder: str = ""
    """Path of the folder with exactly the texts of the section; empty if there is no such folder."""
    page: str = ""
    """Path of the text about the section in a written navigation; empty if the section has no such text."""


class Navigation(NamedTuple):
    """The places of all texts in the navigation."""

    order: tuple[str, ...]
    """The paths of all texts in reading order. Texts that no section lists come last."""
    sections: Mapping[str, NavigationSection]
    """The sections by key, each after the section around it."""
    section_of: Mapping[str, str]
    """The key of the innermost section of each listed text, by path. The key of the top level is empty."""
    is_of_folders: bool
    """Whether the sections are the folders of the texts, rather than the sections of a project file."""
