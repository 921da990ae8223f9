"""The folders of a book as groups of its chapters, and the part of them that is worth showing beside one page."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from kismet_build.config.game import display_title
from kismet_build.model.book import Chapter
from kismet_build.pack import Pack

FEW = 40
"""A book of so many chapters is shown whole beside each page."""
NEAR = 8
"""In a larger one, so many entries before and after the reader's place are."""


@dataclass(slots=True, kw_only=True, eq=False)
class Folder:
    """A folder of texts; the one around all of them has neither title nor name."""

    slug: str
    """Its address below the game; empty for the one around all."""
    title: str
    above: "Folder | None" = None
    items: list["Folder | Chapter"] = field(default_factory=list)
    """In reading order."""
    chapter: Chapter | None = None
    """The text that has the address of the folder, and shows what is in it."""
    number: int = 0
    """How many texts are in it and in the folders below."""
    places: list[int] = field(default_factory=list)
    """Where in it the folders are."""

    def count(self) -> int:
        """Work out how many texts are in it and below."""
        self.places = [place for place, item in enumerate(self.items) if isinstance(item, Folder)]
        self.number = sum(item.count() if isinstance(item, Folder) else 1 for item in self.items)
        return self.number

    def trail(self) -> tuple["Folder", ...]:
        """The folders from the outermost down to this one, without the one around all."""
        return () if self.above is None else (*self.above.trail(), self)

    def every(self) -> Iterator["Folder"]:
        """It and all folders below."""
        yield self
        for item in self.items:
            if isinstance(item, Folder):
                yield from item.every()


class Line(NamedTuple):
    """An entry of the navigation."""

    address: str
    """From the root of the tree."""
    title: str
    number: int
    """How many chapters a folder holds; 0 for a chapter."""
    below: tuple["Line", ...] = ()
    """What is shown of a folder that is open."""


@lru_cache(maxsize=2)
def folders(pack: Pack) -> Folder:
    """The tree of folders of a game."""
    top = Folder(slug="", title="")
    known = {"": top}
    for chapter in pack.book.chapters:
        _open(chapter.source.path.rpartition("/")[0], chapter.slug.rpartition("/")[0], known).items.append(chapter)
    by_slug = {chapter.slug: chapter for chapter in pack.book.chapters}
    for folder in known.values():
        folder.chapter = by_slug.get(folder.slug)
    top.count()
    return top


def _open(path: str, slug: str, known: dict[str, Folder]) -> Folder:
    if path not in known:
        above = _open(path.rpartition("/")[0], slug.rpartition("/")[0], known)
        known[path] = Folder(slug=slug, title=" ".join(display_title(path.rpartition("/")[2]).split()))
        known[path].above = above
        above.items.append(known[path])
    return known[path]


class Navigator:
    """What the navigation shows of the chapters beside each page: a small book whole, of a larger one what is near.

    However many texts there are, that grows with the depth of their folders alone.
    """

    def __init__(self, pack: Pack, top: Folder) -> None:
        self.game = pack.game.id
        self.top = top
        self.is_whole = top.number <= FEW
        # A text that has the address of a folder stands for it: folders come last, and win.
        places = [(folder, place, item) for folder in top.every() for place, item in enumerate(folder.items)]
        places.sort(key=lambda one: isinstance(one[2], Folder))
        self.place = {f"{self.game}/{item.slug}/": (folder, place) for folder, place, item in places}

    def key(self, address: str) -> str:
        """Pages of one key have the same navigation, but for what is marked as the reader's place."""
        return "" if self.is_whole or address not in self.place else address

    def lines(self, address: str) -> tuple[Line, ...]:
        """The entries beside the page at an address."""
        within, place = self.place.get(address, (self.top, 0))
        item = within.items[place] if address in self.place else self.top
        near = (item, 0) if isinstance(item, Folder) else (within, place)
        return self._shown(self.top, near)

    def _shown(self, folder: Folder, near: tuple[Folder, int]) -> tuple[Line, ...]:
        places = range(len(folder.items)) if self.is_whole else self._places(folder, near)
        found = [self._line(folder.items[place], near) for place in places]
        if len(found) < len(folder.items):
            address = f"{self.game}/{folder.slug}/" if folder.slug else f"{self.game}/"
            found.append(Line(address, f"All of {folder.title}" if folder.title else "All chapters", folder.number))
        return tuple(found)

    def _line(self, item: Folder | Chapter, near: tuple[Folder, int]) -> Line:
        address = f"{self.game}/{item.slug}/"
        if isinstance(item, Chapter):
            return Line(address, item.title, 0)
        is_open = self.is_whole or item in near[0].trail()
        return Line(address, item.title, item.number, self._shown(item, near) if is_open else ())

    def _places(self, folder: Folder, near: tuple[Folder, int]) -> list[int]:
        """Which entries of a folder are shown: the folders, and where the reader is, what stands around them."""
        shown = set(folder.places[:FEW])
        if folder is near[0] or not shown:
            first = max(0, min(near[1] - NEAR, len(folder.items) - 2 * NEAR - 1))
            shown.update(range(first, min(first + 2 * NEAR + 1, len(folder.items))))
        return sorted(shown)
