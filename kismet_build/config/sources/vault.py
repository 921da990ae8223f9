"""What a source says about a folder of texts."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from posixpath import join, normpath, splitext
from typing import Any, NamedTuple
from urllib.parse import unquote

from kismet_build.config.discovery import is_text
from kismet_build.config.privacy import ROWS, PublicationRules
from kismet_build.config.sources.defaults import GivenProperties
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import unicode_form

# --- addresses on the website of a generator

PAGE_SUFFIX = re.compile(r"(?:^|/)_?(?:index|readme)$|\.(?:html?|md|markdown|adoc)$")
"""The end of an address, which comparisons ignore."""


def route_key(address: str) -> str:
    """The form of an address for comparisons: `classes/wild-mage` for `/Classes/Wild mage/index.md`."""
    folded = unicode_form("NFC", unquote(address)).casefold()
    key = "-".join(normpath(f"/{folded}").strip("/").split())
    while (shorter := PAGE_SUFFIX.sub("", key)) != key:
        key = shorter
    return key


class TextFinder:
    """Finds texts by the paths and addresses in a navigation."""

    def __init__(self, paths: Sequence[str]) -> None:
        """`paths` are the paths of the texts, from their folder."""
        self._paths = frozenset(paths)
        self._keys: dict[str, str] = {}
        for path in paths:
            self._keys.setdefault(route_key(path), path)

    def find(self, written: str) -> str:
        """The path of a text; empty if nothing matches."""
        path = normpath(written.partition("#")[0].strip().lstrip("/") or ".")
        return path if path in self._paths else self._keys.get(route_key(path), "")


# --- the vault


class ListingKeys(NamedTuple):
    """The properties by which texts say where the navigation lists them."""

    order: tuple[str, ...] = ()
    """Properties with a number that sorts the texts of a section, such as `weight`.

    The `*` in `menu.*.weight` is any key.
    """
    title: tuple[str, ...] = ()
    """Properties with the title in the navigation, such as `linkTitle`."""
    hidden: tuple[str, ...] = ()
    """Properties that, if true, keep a text out of the navigation, such as `nav_exclude`."""
    parents: tuple[str, ...] = ()
    """Properties with the titles of the texts above a text, from the innermost: `parent`, `grand_parent`.

    Empty if folders are sections.
    """
    needs_title: bool = False
    """Whether texts without a title are not listed."""
    sorts_by_title: bool = False
    """Whether texts without a number are sorted by title, not by file name."""
    unlisted: tuple[str, ...] = ()
    """Patterns, as in `.gitignore`, of texts that are published without being in the navigation."""
    folder_files: tuple[str, ...] = ()
    """Names of files that list the texts of their folder. The first that exists in a folder is read."""


class FolderListing(NamedTuple):
    """What a file in a folder says about its place in the navigation."""

    title: str = ""
    is_hidden: bool = False
    """Whether the navigation does not list the folder."""
    is_descending: bool = False
    """Whether the texts and folders in the folder are sorted from the last to the first."""
    items: tuple[NavigationItem, ...] = ()
    """The entries for the folder, in order; empty for everything in it.

    The last part of a path may be a pattern, as in `trips/*`, which stands for everything without an entry of its own.
    """


class Routing(NamedTuple):
    """How the website of a generator forms the addresses of its pages, apart from the paths of their texts."""

    base: str = ""
    """The path at which the website is published, such as `/rules`; empty for the root."""
    names: tuple[str, ...] = ()
    """Properties with the last part of the address, such as `slug`."""
    addresses: tuple[str, ...] = ()
    """Properties with entire addresses, from the root of the website, such as `permalink`."""
    permalinks: tuple[tuple[str, str], ...] = ()
    """Folders, each with the address of its texts. In it, words such as `:title` stand for values of the text."""
    has_folders: bool = False
    """Whether the addresses of all pages end with a slash, so relative links start from the page itself."""
    home: str = ""
    """The path of the text that is the home page; empty if it follows from the names and addresses of the texts."""


class Languages(NamedTuple):
    """The languages of a site.

    Each text gets its language from its folder, or from a file name such as `weather.de.md`.
    """

    folders: Mapping[str, Path] = {}
    """For a multilingual site: by language code, the folder of the texts. The first language is the site's default."""
    titles: Mapping[str, str] = {}
    """The titles of the site, by language code."""
    codes: tuple[str, ...] = ()
    """The language codes that file names may end with, in lower case; empty if file names have no language."""
    own: str = ""
    """The language whose texts are read."""
    has_others: bool = True
    """Whether texts whose file names have no language are read, too."""
    has_code_in_all: bool = False
    """Whether addresses begin with the language code even in the first language."""
    falls_back: bool = False
    """Whether a text whose file name has no language replaces a missing text of every other language."""

    def path(self, path: str) -> str:
        """The path of a text without the language code; empty if the text is in another language."""
        stem, suffix = splitext(path)
        name, _, code = stem.rpartition(".")
        if not name or code.casefold() not in self.codes:
            return path if self.has_others else ""
        return f"{name}{suffix}" if code.casefold() == self.own else ""


ONE_LANGUAGE = Languages()
NOTHING: Mapping[str, Any] = {}
NO_SOURCE = Source("", "")
FOLDER = "folder"
"""The name of a plain folder as a vault. As the value of `source`, it means that project files have no effect."""
NO_FOLDERS: Mapping[str, FolderListing] = {}


class Vault(NamedTuple):
    """A folder of texts, as its source describes it: the settings of a site generator, or the folder alone."""

    name: str = FOLDER
    """The name of the site generator, for messages; `FOLDER` for a plain folder."""
    file: Path = Path()
    """The project file of a site."""
    place: Source = NO_SOURCE
    """The source of the project file, or of the file with its navigation, for diagnostics."""
    folder: Path = Path()
    """The folder of the texts."""
    dialect: str = "obsidian"
    """The dialect of the Markdown texts."""
    root: Path = Path()
    """The folder of the project file, from which the generator reads everything else, such as included files."""
    options: Mapping[str, Any] = NOTHING
    """Options of the dialect, such as the extensions that are on, and the values that texts can show."""
    title: str = ""
    description: str = ""
    language: str = ""
    languages: Languages = ONE_LANGUAGE
    url: str = ""
    """The address of the website that the generator publishes."""
    copyright: str = ""
    """The notice at the foot of all pages, as plain text."""
    navigation: tuple[NavigationItem, ...] = ()
    """The navigation that the author wrote; empty if it follows from the texts."""
    given: GivenProperties = GivenProperties()
    listing: ListingKeys = ListingKeys()
    publication: PublicationRules = PublicationRules()
    routing: Routing = Routing()
    exclude: tuple[str, ...] = ()
    """Patterns, as in `.gitignore`, of the texts and attachments that the generator does not publish."""
    exclude_globs: tuple[str, ...] = ()
    """Globs, as in `expressions_of_glob`, for the paths of texts and attachments, and of their folders, that are not
    published.
    """
    exclude_expressions: tuple[str, ...] = ()
    """Regular expressions for files that the generator does not publish.

    An expression may match any part of an absolute path.
    """
    hides: Callable[[str], bool] | None = None
    """Whether the generator leaves out a file because of its path, apart from these patterns."""
    parts: tuple[str, ...] = ()
    """Patterns, as in `.gitignore`, of files that have no page of their own but may be included by texts."""
    static: tuple[str, ...] = ()
    """The folders, relative to `root`, whose files the generator copies unchanged."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of texts besides those of Markdown and AsciiDoc. Such a file is a text if it has properties."""
    folders: Mapping[str, FolderListing] = NO_FOLDERS
    """By path, the folders with a file about their place in the navigation."""
    alternatives: Mapping[str, str] = NOTHING
    """By name, the other sources that fit the folder, each with the name of its generator."""
    asks_git: bool = False
    """Whether texts that Git ignores are not published."""
    publishes_only_listed: bool = False
    """Whether texts that the navigation does not list are not published."""

    @property
    def is_site(self) -> bool:
        """Whether a site generator publishes the texts, and its settings say how."""
        return self.name != FOLDER

    @property
    def settings_files(self) -> tuple[str, ...]:
        """The paths of the hidden files about folders."""
        hidden = [name for name in self.listing.folder_files if name.startswith(".")]
        return tuple(str(self.folder / folder / name) for folder in self.folders for name in hidden)

    @property
    def property_names(self) -> frozenset[str]:
        """The top-level names, in lower case, of the properties that the generator itself reads."""
        listing, routing = self.listing, self.routing
        listed = (*listing.order, *listing.title, *listing.hidden, *listing.parents)
        names = ("title", *ROWS, *self.publication.names, *listed, *routing.names, *routing.addresses)
        return frozenset(name.partition(".")[0].casefold() for name in names)

    def has_texts_in(self, code: str) -> bool:
        """Whether the site has texts in one of its languages: in the language's own folder, or with its code in their
        names. Always true for the first language.
        """
        folder, is_first = self.languages.folders[code], code == next(iter(self.languages.folders))
        names = (file.name for file in folder.rglob("*.*.*"))
        suffix = f".{code.casefold()}"
        return is_first or folder != self.folder or any(_stem(name).endswith(suffix) for name in names if is_text(name))

    def in_each_language(self) -> tuple["Vault", ...]:
        """One vault for each language of the site."""
        if not self.languages.folders:
            return (self,)
        return tuple(self._in_language(code, folder) for code, folder in self.languages.folders.items())

    def _in_language(self, code: str, folder: Path) -> "Vault":
        languages, is_first = self.languages, code == next(iter(self.languages.folders))
        has_code = not is_first or languages.has_code_in_all
        has_others = is_first or folder != self.folder or languages.falls_back
        title = f"{self.title} ({code})" if self.title and not is_first else self.title
        return self._replace(
            title=languages.titles.get(code) or title,
            language=code,
            given=self.given._replace(language=code),
            folder=folder,
            languages=languages._replace(folders={}, own=code.casefold(), has_others=has_others),
            routing=self.routing._replace(base=join(self.routing.base or "/", code)) if has_code else self.routing,
        )

    def spans_of(self, entries: Iterable[str]) -> tuple[Span, ...]:
        """The spans of these words, or of the file names at their end, in `place`.

        The words must be in the order of that file. Words that are not found get the start of the file.
        """
        spans, position = [], 0
        for entry in entries:
            words = entry if entry in self.place.text else entry.rpartition("/")[2]
            found = self.place.text.find(words, position)
            position = max(found, position)
            spans.append(self.place.span(max(found, 0), max(found, 0) + (len(words) if found >= 0 else 0)))
        return tuple(spans)


def _stem(name: str) -> str:
    return splitext(name)[0].casefold()


NOTHING_GIVEN = GivenProperties()


class FolderRules(NamedTuple):
    """What one source of rules says about the texts of a game that are in its folder."""

    above: str
    """The path from the folder with the rules to that of the game, with `/` at the end; or empty."""
    below: str
    """The path from the folder of the game to that with the rules, with `/` at the end; or empty."""
    rules: PublicationRules
    given: GivenProperties = NOTHING_GIVEN

    @classmethod
    def between(
        cls, folder: Path, of: Path, rules: PublicationRules, given: GivenProperties = NOTHING_GIVEN
    ) -> "FolderRules | None":
        """The rules of the folder `of` for the texts of a game in `folder`; `None` if it has none of them.

        Both are resolved.
        """
        if folder.is_relative_to(of):
            return cls(f"{folder.relative_to(of).as_posix()}/".removeprefix("./"), "", rules, given)
        if of.is_relative_to(folder):
            return cls("", f"{of.relative_to(folder).as_posix()}/", rules, given)
        return None

    def path(self, path: str) -> str:
        """The path, in the folder with the rules, of a text of the game; empty if it is not in that folder."""
        return self.above + path.removeprefix(self.below) if path.startswith(self.below) else ""


MAX_ALTERNATIVES = 1_000
"""Maximum number of patterns that the braces of one stand for."""
SINGLE_STAR = re.compile(r"(?<!\*)\*(?!\*)")


def patterns_across_folders(pattern: str) -> Iterator[str]:
    """Translate a pattern from the root, in which a star also matches slashes, into patterns as in `.gitignore`."""
    pattern = f"/{pattern.removeprefix('/')}"
    yield pattern
    if SINGLE_STAR.search(pattern):
        yield SINGLE_STAR.sub("**/*", pattern)


HIDING_NAME = re.compile(
    "^pub-|audience|build-env|condition|draft|encrypt|exclude|filter|hid[de]|hook|ignore|password|permission|privat[^c]"
    "|publish|rbac|secret|unlisted"
)
PUBLISHERS = frozenset(("exclude-search",))
"""Plugins whose names look as if they kept texts private."""


def may_hide(plugin: str) -> bool:
    """Whether a plugin that kismet does not know may keep texts private, by its name."""
    return HIDING_NAME.search(plugin.casefold()) is not None and plugin not in PUBLISHERS


def expressions_of_glob(glob: str) -> list[str]:
    """Translate a glob into regular expressions for whole paths: `archives/!(public)/**`, `{a,b}/*.md`.

    It is read as in micromatch. Raises `ValueError` for one with too many braces.
    """
    # Imported on use, because few libraries have a project file with globs.
    from bracex import ExpansionLimitException, expand
    from wcmatch.glob import CASE, DOTMATCH, EXTGLOB, FORCEUNIX, GLOBSTAR, translate

    try:
        without_braces = expand(glob.removeprefix("./").strip("/") or "**", keep_escapes=True, limit=MAX_ALTERNATIVES)
    except ExpansionLimitException as problem:
        raise ValueError(f'"{glob}" stands for too many patterns') from problem
    return translate(without_braces, flags=CASE | DOTMATCH | EXTGLOB | FORCEUNIX | GLOBSTAR, limit=0)[0]


TAG = re.compile(r"<[^<>]*>")


def plain_words(html: str) -> str:
    """The words of a string that may have HTML tags and entities."""
    return " ".join(unescape(TAG.sub("", html)).split())
