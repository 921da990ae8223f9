"""The folders of a book, their pages and contents, and the entries shown in the navigation of each page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Literal, NamedTuple

from markupsafe import Markup

from kismet_build.config.language.catalog import Catalog
from kismet_build.model.book import Chapter
from kismet_build.pack import Pack
from kismet_build.pack.addresses import free_slug
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.templates import template
from kismet_build.render.pages.page import LazyPages, Page

# --- the menu

MAX_CHAPTERS_SHOWN = 40
"""Maximum number of chapters for which the navigation shows all. In a larger book, also the maximum number of
subfolders shown in a folder."""
NEIGHBOURS_SHOWN = 8
"""Number of entries shown before and after the current one in a larger book."""


Noun = Literal["chapter", "page", "entry"]
COUNT_KEYS: Mapping[Noun, str] = {"chapter": "count.chapters", "page": "count.pages", "entry": "count.entries"}
"""Catalog keys of the words for a number of documents."""
ALL_KEYS: Mapping[Noun, str] = {
    "chapter": "navigation.all_chapters",
    "page": "navigation.all_pages",
    "entry": "navigation.all_entries",
}
"""Catalog keys of the words for all documents."""


@dataclass(slots=True, kw_only=True, eq=False)
class Folder:
    """A folder of documents. The top folder has neither slug nor title."""

    slug: str
    """The folder's address below that of the game."""
    title: str
    parent: "Folder | None" = None
    items: list["Folder | Chapter"] = field(default_factory=list)
    """The contents of the folder in reading order, without the document that shares the folder's page."""
    chapter: Chapter | None = None
    """The chapter that shares its page with the folder and shows the folder's contents there."""
    listed_kind: str = ""
    """The kind to which every document of the folder belongs; empty if there are other documents, too."""
    kind: str = ""
    """The `listed_kind` if the folder shares the kind's page; empty if it shares a chapter's page."""
    total: int = 0
    """Number of documents in the folder and its subfolders."""
    noun: Noun = "chapter"
    """The word for these documents on the website: `entry` if all of them are entities, `page` if only some are."""
    folder_positions: list[int] = field(default_factory=list)
    """Positions of folders among the items."""

    def count(self) -> int:
        """Set `total` and `folder_positions` in this folder and its subfolders. Returns `total`."""
        self.folder_positions = [position for position, item in enumerate(self.items) if isinstance(item, Folder)]
        self.total = sum(item.count() if isinstance(item, Folder) else 1 for item in self.items)
        return self.total

    def counted(self, catalog: Catalog) -> str:
        """The number of documents with their noun: `3 entries`."""
        return catalog.text(COUNT_KEYS[self.noun], n=self.total)

    def path(self) -> tuple["Folder", ...]:
        """The folders from the outermost to this one, without the top folder."""
        return () if self.parent is None else (*self.parent.path(), self)

    @property
    def page_slug(self) -> str:
        """The address of the folder's page below that of the game."""
        return self.kind or self.slug

    def chapters(self) -> Iterator[Chapter]:
        """The documents in this folder and its subfolders."""
        for item in self.items:
            if isinstance(item, Folder):
                yield from item.chapters()
            else:
                yield item

    def every(self) -> Iterator["Folder"]:
        """This folder and all of its subfolders."""
        yield self
        for item in self.items:
            if isinstance(item, Folder):
                yield from item.every()


class NavigationEntry(NamedTuple):
    """An entry of the navigation."""

    address: str
    """Path from the root of the website."""
    title: str
    number: int
    """Number of chapters in a folder; 0 for a chapter."""
    children: tuple["NavigationEntry", ...] = ()
    """Entries in the folder, if it is open."""


class FolderTree(NamedTuple):
    """The folders of a game: the sections of its navigation."""

    top: Folder
    folder_of: Mapping[str, Folder]
    """The folder that lists each document, or shares its page, by path. Documents that no folder lists are left out."""


@cached_in_pack
def folder_tree(pack: Pack) -> FolderTree:
    """A game's top folder with all of its subfolders, and where its documents are listed."""
    top = Folder(slug="", title="")
    navigation, notes = pack.book.navigation, pack.addresses.folder_notes
    pages = {section.page for section in navigation.sections.values()}
    pages |= {path for path, address in notes.items() if navigation.is_of_folders or not address}
    by_key = {"": top}
    folder_of = {}
    for path, key in navigation.section_of.items():
        folder = folder_of[path] = _ensure_folder(pack, key, by_key)
        if path not in pages:
            folder.items.append(pack.book.outlines[path].chapter)
    chapters_by_slug = {pack.addresses.page_slug(chapter): chapter for chapter in pack.book.chapters}
    for folder in by_key.values():
        folder.chapter = chapters_by_slug.get(folder.slug)
    top.count()
    for folder in top.every():
        are_entities = {chapter.source.path in pack.note_entities for chapter in folder.chapters()}
        folder.noun = "chapter" if True not in are_entities else "page" if False in are_entities else "entry"
    for key, section in navigation.sections.items():
        by_key[key].listed_kind = pack.addresses.folder_kinds.get(section.folder, "")
        by_key[key].kind = "" if by_key[key].chapter else by_key[key].listed_kind
    return FolderTree(top, folder_of)


def folders(pack: Pack) -> Folder:
    """A game's top folder with all of its subfolders."""
    return folder_tree(pack).top


def _ensure_folder(pack: Pack, key: str, by_key: dict[str, Folder]) -> Folder:
    if key not in by_key:
        section = pack.book.navigation.sections[key]
        parent = _ensure_folder(pack, section.parent, by_key)
        chapter = pack.book.outlines[section.page].chapter if section.page else None
        slug = pack.addresses.page_slug(chapter) if chapter else free_slug(pack.game, pack.by_id, section.slug)
        title = section.title or (chapter.label if chapter else "")
        by_key[key] = Folder(slug=slug, title=title, parent=parent)
        parent.items.append(by_key[key])
    return by_key[key]


class Navigator:
    """Selects the chapters and folders that the navigation of each page shows.

    A small book is shown in full. In a larger one, the number of entries depends on how deep folders are nested.
    """

    def __init__(self, pack: Pack, top: Folder) -> None:
        self._pack = pack
        self._top = top
        self._is_whole = top.total <= MAX_CHAPTERS_SHOWN
        positions = [(folder, position, item) for folder in top.every() for position, item in enumerate(folder.items)]
        # If a chapter and a folder have the same address, the folder is the current entry, because it comes last in the
        # sort.
        positions.sort(key=lambda entry: isinstance(entry[2], Folder))
        self._position_of = {self._address(item): (folder, position) for folder, position, item in positions}

    def key(self, address: str) -> str:
        """Cache key of the navigation, equal for pages with the same entries."""
        return "" if self._is_whole or address not in self._position_of else address

    def entries(self, address: str) -> tuple[NavigationEntry, ...]:
        """The entries for the page at this address."""
        parent, position = self._position_of.get(address, (self._top, 0))
        item = parent.items[position] if address in self._position_of else self._top
        current = (item, 0) if isinstance(item, Folder) else (parent, position)
        return self._entries(self._top, current)

    def _entries(self, folder: Folder, current: tuple[Folder, int]) -> tuple[NavigationEntry, ...]:
        positions = range(len(folder.items)) if self._is_whole else self._positions(folder, current)
        entries = [self._entry(folder.items[position], current) for position in positions]
        if len(entries) < len(folder.items):
            address = self._address(folder) if folder.slug else f"{self._pack.game.id}/"
            words = self._pack.game.catalog
            title = (
                words.text("navigation.all", folder=folder.title)
                if folder.title
                else words.text(ALL_KEYS[self._top.noun])
            )
            entries.append(NavigationEntry(address, title, folder.total))
        return tuple(entries)

    def _entry(self, item: Folder | Chapter, current: tuple[Folder, int]) -> NavigationEntry:
        address = self._address(item)
        if isinstance(item, Chapter):
            return NavigationEntry(address, item.label, 0)
        is_open = self._is_whole or item in current[0].path()
        return NavigationEntry(address, item.title, item.total, self._entries(item, current) if is_open else ())

    def _address(self, item: Folder | Chapter) -> str:
        slug = item.page_slug if isinstance(item, Folder) else self._pack.addresses.page_slug(item)
        return f"{self._pack.game.id}/{slug}/"

    def _positions(self, folder: Folder, current: tuple[Folder, int]) -> list[int]:
        """Positions of the entries to show in a folder: subfolders, and neighbours of the current entry."""
        shown = set(folder.folder_positions[:MAX_CHAPTERS_SHOWN])
        if folder is current[0] or not shown:
            first = max(0, min(current[1] - NEIGHBOURS_SHOWN, len(folder.items) - 2 * NEIGHBOURS_SHOWN - 1))
            shown.update(range(first, min(first + 2 * NEIGHBOURS_SHOWN + 1, len(folder.items))))
        return sorted(shown)


# --- pages of folders

MAX_CARDS = 60
"""Maximum number of chapters in a folder that are shown as cards. More are shown as a plain list."""
TITLES_PER_CARD = 4
"""Number of document titles on a folder's card."""
NO_SECTIONS: Mapping[str, Sequence[str]] = MappingProxyType({})


def folder_pages(pack: Pack) -> LazyPages:
    """A page for each folder, except one that shares the page of a chapter or kind."""
    top = folders(pack)
    for folder in top.every():
        if folder is not top and folder.chapter is None and not folder.kind:
            address = f"{pack.game.id}/{folder.slug}/"
            yield address, partial(_folder_page, pack, folder, address)


def _folder_page(pack: Pack, folder: Folder, address: str) -> Page:
    listing = folder_listing(pack, folder, address)
    return Page(
        address=address,
        title=folder.title,
        role="folder",
        article=template("article_folder", pack.game.catalog).render(title=folder.title, listing=listing),
        breadcrumbs=folder_breadcrumbs(pack, folder.parent),
        description=pack.game.catalog.text(
            "chapter.folder_description", count=folder.counted(pack.game.catalog), game=pack.game.title
        ),
    )


def folder_breadcrumbs(pack: Pack, folder: Folder | None) -> tuple[PageLink, ...]:
    """Links to the game and to each folder, from the outermost to this one."""
    game = pack.game
    path = () if folder is None else folder.path()
    links = (PageLink(f"{game.id}/{ancestor.page_slug}/", ancestor.title) for ancestor in path)
    return (PageLink(f"{game.id}/", game.title), *links)


def folder_listing(
    pack: Pack, folder: Folder, address: str, sections: Mapping[str, Sequence[str]] = NO_SECTIONS
) -> Markup:
    """The contents of a folder as HTML for the page at this address. `sections`: headings by chapter slug."""
    chapters = [item for item in folder.items if isinstance(item, Chapter)]
    folders = [item for item in folder.items if isinstance(item, Folder)]
    return Markup(
        template("folder", pack.game.catalog).render(
            folders=[
                (child, child.counted(pack.game.catalog), [item.title for item in child.items[:TITLES_PER_CARD]])
                for child in folders
            ],
            chapters=[
                (chapter.title, pack.addresses.page_slug(chapter), sections.get(chapter.slug, ()))
                for chapter in chapters
            ],
            as_cards=len(chapters) <= MAX_CARDS,
            kind=folder.listed_kind,
            total=folder.total,
            game_root=f"{path_to_root(address)}{pack.game.id}/",
            index=INDEX,
        )
    )
