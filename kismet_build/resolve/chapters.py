"""Titles and addresses of chapters."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from posixpath import basename, dirname
from typing import NamedTuple

from kismet_build.config.discovery import folder_note_rank
from kismet_build.config.game import Game, SplitRule
from kismet_build.model.book import folder_slug
from kismet_build.model.nodes import Document, Heading, Node, flatten_layout, plain_text
from kismet_build.model.text_normalization import UniqueNames, folder_name, slug, title_case
from kismet_build.model.titles import TECHNICAL_STEM

# --- places and addresses

GREETING = re.compile(
    r"(?:(?:welcome|willkommen|bienvenue)\b.*|home(?: ?page)?|index|readme|start(?: here)?|startseite|accueil|inicio|"
    r"contents|table of contents)\W*$",
    re.I,
)
"""Titles of home notes that do not name a game."""


class ChapterPlace(NamedTuple):
    """The properties of a chapter that depend on other texts."""

    slug: str
    title: str
    """The title derived from the file name."""
    label: str
    """The title of the chapter in the navigation; empty if the navigation does not set a title."""
    split: SplitRule | None
    """The rule for splitting the chapter into several pages; `None` if it is not split."""


def chapter_slugs(
    paths: Sequence[str],
    reserved: frozenset[str],
    kinds: frozenset[str],
    titles: Mapping[str, str],
) -> dict[str, str]:
    """The address of each chapter, by the path of its text.

    The address of a text outside folders is neither a reserved word nor the id of a kind. `titles`: the titles of texts
    and folders, by path without suffix.
    """
    addresses = _Addresses(reserved, kinds, titles)
    return {path: addresses.add_text(without_suffix(path)) for path in paths}


def without_suffix(path: str) -> str:
    """The path of a text without its suffix."""
    return path.rpartition(".")[0] or path


class _Addresses:
    """Assigns an address to each text and folder, adding a number if the address is taken.

    A text with the same name as a folder next to it is the page of that folder, and has the address of the folder.
    """

    def __init__(self, reserved: frozenset[str], kinds: frozenset[str], titles: Mapping[str, str]) -> None:
        self.reserved = reserved
        self.kinds = kinds
        self.titles = titles
        self.folders = {"": ""}
        self.texts: dict[str, str] = {}
        self.names = UniqueNames()

    def add_text(self, path: str) -> str:
        if path in self.folders and path not in self.texts:
            address = folder_slug(self.folders[path], self.kinds)
        else:
            address = self._new_address(path, self.reserved | self.kinds)
        self.texts.setdefault(path, address)
        return address

    def _folder_address(self, path: str) -> str:
        if path not in self.folders:
            self.folders[path] = self.texts.get(path) or self._new_address(path, self.reserved)
        return self.folders[path]

    def _new_address(self, path: str, reserved: Collection[str]) -> str:
        part = folder_name(self.titles[path])
        if folder := dirname(path):
            return self.names.add(f"{self._folder_address(folder)}/{part}", 2)
        return self.names.add(f"{part}-text" if part in reserved else part, 2)


def title_of(document: Document, from_name: str) -> str:
    """The title of a document: that in its metadata, or else its only heading at the top level, or else its name.

    The heading must be the first block. If it is the name in capitals, the name is shown.
    """
    name = name_of(document, from_name)
    first = document.blocks[0] if document.blocks else None
    if isinstance(document.metadata.get("title"), str) or not isinstance(first, Heading) or first.level != 1:
        return name
    heading = one_line(first)
    following = flatten_layout(document.blocks[1:])
    is_only_one = not any(isinstance(block, Heading) and block.level == 1 for block in following)
    is_in_capitals = heading.isupper() and slug(heading) == slug(name)
    return heading if is_only_one and slug(heading) and not is_in_capitals else name


def name_of(document: Document, from_name: str) -> str:
    """The title that ids are made of: from the metadata of a document, or else `from_name`, made from its file name.

    If the file name is technical, such as `house-rules` or `README`, or is the heading in lower case, the title is the
    heading with which the text begins.
    """
    stem = basename(without_suffix(document.source.path))
    title = document.metadata.get("title")
    if isinstance(title, str) and title.strip():
        return " ".join(title.split())
    first = document.blocks[0] if document.blocks else None
    if isinstance(first, Heading) and first.level == 1 and (heading := one_line(first)):
        is_heading_in_lower_case = stem.islower() and slug(heading) == slug(stem)
        if is_heading_in_lower_case or TECHNICAL_STEM.fullmatch(stem):
            return heading
    return " ".join(from_name.split())


def heading_title(document: Document) -> str:
    """The title of a home note: from its metadata, or else its only top-level heading; empty if it does not name a
    game.
    """
    headings = [block for block in flatten_layout(document.blocks) if isinstance(block, Heading) and block.level == 1]
    title = document.metadata.get("title")
    if not isinstance(title, str):
        title = one_line(headings[0]) if len(headings) == 1 else ""
    words = " ".join(title.split())
    return "" if GREETING.match(words) else words


def home_note(documents: Mapping[str, Document], folder: str) -> dict[str, Document]:
    """The home note of the vault in a folder, by its path; empty if there is none."""
    paths = [path for path in documents if "/" not in path]
    ranks = [(rank, path) for path in paths if (rank := folder_note_rank(path, folder)) is not None]
    return {path: documents[path] for _, path in sorted(ranks)[:1]}


def with_title(game: Game, home_titles: Mapping[str, str]) -> Game:
    """A plain vault, with the title of its library, or else of its project file or its home note."""
    title = game.library_config.title or game.vault.title or next(iter(home_titles.values()), "")
    return replace(game, title=title) if title else game


def one_line(*nodes: Node) -> str:
    """The plain text of these nodes on one line, for titles."""
    return " ".join(plain_text(*nodes).split())


# --- titles from names

WORD = re.compile(r"[^\W_]+")
NO_PROSE = re.compile(r"\[\[.*?\]\]|<<.*?>>|^[ \t]*[#=].*$", re.MULTILINE)
"""Links that repeat a heading, and lines with headings."""
MAX_ACRONYM_LENGTH = 3
"""Maximum length of a one-word heading that stays in capitals if the word does not occur in the text."""


def title_display(text: str) -> Callable[[str], str]:
    """A function that returns a heading title as readers see it, for a document with this source text.

    Abbreviations are shown as in the text. These are words that occur only in capitals, or that contain a digit, such
    as d10.
    """
    forms: dict[str, set[str]] = {}

    def shown(title: str) -> str:
        if not title.isupper():
            return title
        if not forms:
            for word in WORD.findall(NO_PROSE.sub(" ", text)):
                forms.setdefault(word.casefold(), set()).add(word)
        if len(title) <= MAX_ACRONYM_LENGTH and title.casefold() not in forms:
            return title
        words = iter(WORD.findall(title))
        return WORD.sub(lambda match: _shown_word(next(words, match[0]), match[0], forms), title_case(title))

    return shown


def _shown_word(printed: str, in_title_case: str, forms: Mapping[str, set[str]]) -> str:
    of_text = forms.get(printed.casefold(), set())
    if of_text == {printed}:
        return printed
    if of_text and any(map(str.isdigit, printed)):
        return min(of_text)
    return in_title_case
