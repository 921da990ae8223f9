"""Find the place of each text in the navigation: from its folder, its properties or a project file."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from posixpath import basename, commonpath, dirname
from typing import Any, NamedTuple

from kismet_build.config.discovery import folder_note_rank, parent_folders
from kismet_build.config.sources import matching_paths
from kismet_build.config.sources.vault import FolderListing, ListingKeys, TextFinder, Vault
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, Related, warning
from kismet_build.model.navigation import Navigation, NavigationItem, NavigationSection
from kismet_build.model.nodes import Document
from kismet_build.model.text_normalization import NaturalSortKey, UniqueNames, folder_name, natural_sort_key, normalize
from kismet_build.resolve.chapters import ChapterPlace, without_suffix

MAX_FOLDER_LEVELS = 60
"""Maximum depth of nested sections."""
HIDDEN_VALUES = (True, "never")
"""Values of properties that leave a text out of the navigation."""
MAX_PATTERNS = 50
"""Maximum number of patterns in the list of a folder. Each pattern is compared with all entries of the folder."""
LAST = (1, 0.0)
"""The rank of a text without a number."""


class Listing(NamedTuple):
    """The place of a text in the navigation, from the properties of the text."""

    rank: tuple[int, float]
    """Zero and the number of the text; `LAST` if it has no number."""
    title: str
    """The title in the navigation; empty if no property sets it."""
    name: str
    """The title by which other texts name this text as their parent; empty if it has no title."""
    is_hidden: bool
    parents: tuple[str, ...]


def listing_of(document: Document, keys: ListingKeys) -> Listing:
    """The place of a text in the navigation, from the properties of the text."""
    values = document.metadata
    numbers = (number for name in keys.order for number in map(_number, _values(values, name)) if number is not None)
    number = next(numbers, None)
    titles = [_text(value) for name in keys.title for value in _values(values, name)]
    name = _text(values.get("title"))
    is_hidden = any(value in HIDDEN_VALUES for name in keys.hidden for value in _values(values, name))
    return Listing(
        rank=LAST if number is None else (0, number),
        title=next(filter(None, titles), ""),
        name=name,
        is_hidden=is_hidden or (keys.needs_title and not name),
        parents=tuple(filter(None, (_text(values.get(parent)) for parent in keys.parents))),
    )


def _values(values: Mapping[str, Any], name: str) -> Iterator[Any]:
    """The values at a dotted name, in which `*` stands for any key."""
    found: list[Any] = [values]
    for part in name.split("."):
        maps = [value for value in found if isinstance(value, Mapping)]
        found = [item for value in maps for key, item in value.items() if part in ("*", key)]
    return iter(found)


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _text(value: Any) -> str:
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if is_text else ""


class NavigationTree(NamedTuple):
    """The entries of a navigation. Each entry with a path names an existing text."""

    items: tuple[NavigationItem, ...]
    unlisted: tuple[str, ...]
    """The paths of texts that are not in the navigation."""
    lost: tuple[str, ...] = ()
    """The paths of the texts whose parent does not exist or is below them."""


def navigation_tree(
    listings: Mapping[str, Listing], titles: Mapping[str, str], vault: Vault
) -> Diagnosed[NavigationTree]:
    """The navigation of a site: as its author wrote it, or else made from the texts.

    `titles`: the titles of texts and folders from their names, by path without suffix.
    """
    hidden = {path for path, listing in listings.items() if listing.is_hidden}
    hidden |= matching_paths(vault.listing.unlisted, tuple(listings))
    listed = {path: listing for path, listing in listings.items() if path not in hidden}
    diagnostics: tuple[Diagnostic, ...] = ()
    lost: tuple[str, ...] = ()
    if vault.navigation:
        written = _WrittenNavigation(tuple(listings), _Folders(listed, titles, vault), vault)
        items = written.items(vault.navigation)
        diagnostics = tuple(written.diagnostics())
    elif any(listing.parents for listing in listed.values()):
        items, lost = _by_parents(listed)
    elif any(folder.items for folder in vault.folders.values()):
        # A folder may list texts of another folder.
        everything = (NavigationItem(path="/*"),)
        items = _WrittenNavigation(tuple(listings), _Folders(listed, titles, vault), vault).items(everything)
    else:
        items = _Folders(listed, titles, vault).items("")
    found = set(_paths(items))
    tree = NavigationTree(items, tuple(path for path in listings if path not in found), lost)
    return Diagnosed(tree, diagnostics)


def without_private(
    written: Iterable[NavigationItem], private: Collection[str], public: Collection[str]
) -> tuple[NavigationItem, ...]:
    """A written navigation without the entries that name private texts, and without their titles. The entries below
    such a text are those of the section around it.
    """
    hidden, shown = TextFinder(tuple(private)), TextFinder(tuple(public))

    def kept(items: Iterable[NavigationItem]) -> Iterator[NavigationItem]:
        for item in items:
            below = kept(item.items)
            if item.path and not shown.find(item.path) and hidden.find(item.path):
                yield from below
            else:
                yield item._replace(items=tuple(below))

    return tuple(kept(written))


def _paths(items: Iterable[NavigationItem]) -> Iterator[str]:
    for item in items:
        if item.path:
            yield item.path
        yield from _paths(item.items)


class _WrittenNavigation:
    def __init__(self, paths: Sequence[str], folders: "_Folders", vault: Vault) -> None:
        self._finder = TextFinder(paths)
        self._folders = folders
        self._found: set[str] = set()
        self._vault = vault
        self._missing: list[str] = []
        self._repeated: list[str] = []

    def items(self, written: Iterable[NavigationItem], level: int = 0) -> tuple[NavigationItem, ...]:
        """The entries with existing texts.

        If a section begins with a text about its folder, this text is the page of the section.
        """
        found: list[NavigationItem] = []
        for item in written:
            if item.path.endswith("/*"):
                found += self._left(self._folders.items(item.path[:-2]))
                continue
            path = self._path(item.path) if item.path else ""
            items = self.items(item.items, level + 1) if level < MAX_FOLDER_LEVELS else ()
            if item.path and not path and not items:
                continue
            if items and not path and not items[0].items and self._is_of_section(items[0].path):
                path, items = items[0].path, items[1:]
            if path or items:
                found.append(NavigationItem(item.title, path, items))
        return tuple(found)

    def _left(self, items: Iterable[NavigationItem]) -> Iterator[NavigationItem]:
        for item in items:
            path = item.path if item.path not in self._found else ""
            self._found.add(path)
            below = tuple(self._left(item.items))
            if path or below:
                yield NavigationItem(item.title, path, below)

    def _is_of_section(self, path: str) -> bool:
        """Whether a text is about its folder and is not the home page, which does not belong to a section."""
        return folder_note_rank(path) is not None and "/" in path

    def _path(self, written: str) -> str:
        path = self._finder.find(written)
        if not path:
            self._missing.append(written)
        elif path in self._found:
            self._repeated.append(written)
        else:
            self._found.add(path)
            return path
        return ""

    def diagnostics(self) -> Iterator[Diagnostic]:
        for entries, one, several in (
            (self._missing, "names no text that is published", "name no text that is published"),
            (self._repeated, "repeats a text, so it is left out", "repeat a text, so they are left out"),
        ):
            spans = self._vault.spans_of(entries)
            words = f"{len(entries)} entries of the navigation {several}"
            if len(entries) == 1:
                words = f'the entry "{entries[0]}" of the navigation {one}'
            for span in spans[:1]:
                related = tuple(Related(other, "also here") for other in spans[1:])
                yield warning("invalid-project", span, words, related=related)


def _by_parents(listed: Mapping[str, Listing]) -> tuple[tuple[NavigationItem, ...], tuple[str, ...]]:
    """The texts arranged below their parents, and the paths of texts whose parent does not exist or is below them.

    A text without an existing parent is below the text about its folder.
    """
    by_name: dict[tuple[str, str], list[str]] = {}
    notes = {}
    for path, listing in listed.items():
        for above in {"", *map(normalize, listing.parents)}:
            by_name.setdefault((normalize(listing.name), above), []).append(path)
        if folder_note_rank(path) is not None:
            notes[dirname(path)] = path
    children: dict[str, list[str]] = {}
    lost = []
    for path, listing in listed.items():
        parent = _parent(path, listing, by_name)
        if parent is None:
            lost.append(path)
            parent = next((notes[folder] for folder in parent_folders(path) if notes.get(folder, path) != path), "")
        children.setdefault(parent, []).append(path)
    seen: set[str] = set()

    def order(path: str) -> tuple[tuple[int, float], NaturalSortKey, str]:
        return listed[path].rank, natural_sort_key(listed[path].title), path

    def items(paths: Iterable[str], level: int) -> Iterator[NavigationItem]:
        for path in sorted(paths, key=order):
            if path not in seen:
                seen.add(path)
                below = tuple(items(children.get(path, ()), level + 1)) if level < MAX_FOLDER_LEVELS else ()
                yield NavigationItem(listed[path].title, path, below)

    found = list(items(children.get("", ()), 0))
    for path in listed:
        if path not in seen:  # the text is its own ancestor, or is nested too deeply
            lost.append(path)
            found += items([path], 0)
    return tuple(found), tuple(lost)


def _parent(path: str, listing: Listing, by_name: Mapping[tuple[str, str], Sequence[str]]) -> str | None:
    """The path of the text that a text names as its parent; empty for the top level, `None` if no text has that name.

    `by_name`: the paths of texts by pairs of names: their own name, and the name of a parent or grandparent. Each text
    is also listed with an empty second name, which stands for any parent.
    """
    if not listing.parents:
        return ""
    name, *above = map(normalize, listing.parents)
    names = [(name, text) for text in (*above[:1], "")]
    return next((other for key in names for other in by_name.get(key, ()) if other != path), None)


def unknown_parents(documents: Mapping[str, Document], tree: NavigationTree) -> Diagnosed[None]:
    """Report `NavigationTree.lost` in one diagnostic."""
    spans = [documents[path].source.span(0, 0) for path in tree.lost]
    words = f"{len(spans)} texts name a parent" if len(spans) > 1 else "this text names a parent"
    message = f"{words} that is not the title of any text above, so the navigation goes by the folder"
    related = tuple(Related(span, "also here") for span in spans[1:])
    return Diagnosed(None, tuple(warning("invalid-project", span, message, related=related) for span in spans[:1]))


class _Folders:
    """Makes a section of each folder, with its texts sorted by number, and then by title or name."""

    def __init__(self, listed: Mapping[str, Listing], titles: Mapping[str, str], vault: Vault) -> None:
        self._listed, self._titles, self._vault = listed, titles, vault
        self._texts: dict[str, list[str]] = {}
        self._folders: dict[str, dict[str, None]] = {}
        self._notes: dict[str, tuple[int, str]] = {}
        for path in listed:
            rank = folder_note_rank(path)
            if rank is not None:
                self._notes[dirname(path)] = min(self._notes.get(dirname(path), (rank, path)), (rank, path))
            self._texts.setdefault(dirname(path), []).append(path)
            for folder in parent_folders(path):
                self._folders.setdefault(dirname(folder), {})[folder] = None

    def items(self, folder: str, level: int = 0) -> tuple[NavigationItem, ...]:
        """The entries of a folder.

        The first is the text about the folder, unless it is the page of a section around the folder.
        """
        note, listed = self._note(folder), self._listed
        given = self._vault.folders.get(folder, FolderListing())
        keyed = [
            (self._key(listed[path], without_suffix(path)), path, NavigationItem(listed[path].title, path))
            for path in self._texts.get(folder, ())
            if path != note
        ]
        for child in self._folders.get(folder, ()) if level < MAX_FOLDER_LEVELS else ():
            about, listing = self._note(child), self._listing(child)
            title = listing.title or ("" if about else self._titles[child])
            if not listing.is_hidden:
                item = NavigationItem(title, about, self.items(child, level + 1))
                keyed.append((self._key(listing, child), child, item))
        keyed.sort(key=lambda entry: entry[0], reverse=given.is_descending)
        entries = {note: NavigationItem(listed[note].title, note)} if note and not level else {}
        entries |= {path: item for _, path, item in keyed}
        if not given.items:
            return tuple(entries.values())
        others = {path: item for path, item in entries.items() if path not in set(_paths(given.items))}
        return tuple(self._arranged(given.items, entries, others, []))

    def _arranged(
        self,
        written: Iterable[NavigationItem],
        entries: Mapping[str, NavigationItem],
        others: dict[str, NavigationItem],
        patterns: list[str],
    ) -> Iterator[NavigationItem]:
        """The entries of a folder in the order of a list in this folder.

        `others`: the entries that the list does not name; entries that match a pattern are removed. `patterns`: the
        patterns used so far.
        """
        for item in written:
            name = basename(item.path)
            if "*" in name or "?" in name:
                patterns.append(name)
                matched = [path for path in others if fnmatchcase(basename(path), name)]
                yield from (others.pop(path) for path in matched if len(patterns) <= MAX_PATTERNS)
            elif item.items and not item.path:
                below = tuple(self._arranged(item.items, entries, others, patterns))
                if below:
                    yield item._replace(items=below)
            elif found := self._entry(item.path.strip("/"), entries):
                below = tuple(self._arranged(item.items, entries, others, patterns))
                yield found._replace(title=item.title or found.title, items=(*found.items, *below))

    def _entry(self, path: str, entries: Mapping[str, NavigationItem]) -> NavigationItem | None:
        """The entry of a text or folder, which may be in another folder; `None` if it is not listed."""
        if path in entries or path not in self._listed:
            return entries.get(path)
        return NavigationItem(self._listed[path].title, path)

    def _note(self, folder: str) -> str:
        return self._notes[folder][1] if folder in self._notes else ""

    def _listing(self, folder: str) -> Listing:
        about = self._note(folder)
        listing = self._listed[about] if about else Listing(LAST, "", "", is_hidden=False, parents=())
        given = self._vault.folders.get(folder)
        if given is None:
            return listing
        title = given.title or listing.title
        return listing._replace(title=title, is_hidden=listing.is_hidden or given.is_hidden)

    def _key(self, listing: Listing, path: str) -> tuple[tuple[int, float], NaturalSortKey, str]:
        title = listing.title or listing.name or self._titles[path]
        name = title if self._vault.listing.sorts_by_title else basename(path)
        return listing.rank, natural_sort_key(name), path


def labels(tree: NavigationTree) -> dict[str, str]:
    """The titles that a navigation sets for texts, by path."""
    return dict(_labels(tree.items))


def _labels(items: Iterable[NavigationItem]) -> Iterator[tuple[str, str]]:
    for item in items:
        if item.path and item.title:
            yield item.path, item.title
        yield from _labels(item.items)


def in_order(documents: Mapping[str, Document], tree: NavigationTree) -> dict[str, Document]:
    """The documents in the order of the navigation. Documents that it does not list come last."""
    return {path: documents[path] for path in chain(_paths(tree.items), tree.unlisted)}


def navigation(
    tree: NavigationTree | None, places: Mapping[str, ChapterPlace], titles: Mapping[str, str]
) -> Navigation:
    """The navigation of a book. Without a tree, its sections are the folders of the texts.

    `places`: by path, in reading order. `titles`: the titles of texts and folders from their names, by path without
    suffix.
    """
    slugs = {path: place.slug for path, place in places.items()}
    return _SectionsOfTree(tree, slugs).navigation() if tree else _sections_of_folders(slugs, titles)


def folder_path(path: str) -> str:
    """The folder in which a document is listed."""
    return "/".join(path.split("/")[:-1][:MAX_FOLDER_LEVELS])


def _sections_of_folders(slugs: Mapping[str, str], titles: Mapping[str, str]) -> Navigation:
    sections: dict[str, NavigationSection] = {}
    section_of = {}
    for path, slug in slugs.items():
        section_of[path] = folder = folder_path(path)
        folder_slug = folder_path(slug)
        missing = []
        while folder and folder not in sections:
            missing.append((folder, folder_slug))
            folder, folder_slug = dirname(folder), dirname(folder_slug)
        for folder, folder_slug in reversed(missing):
            title = " ".join(titles[folder].split())
            sections[folder] = NavigationSection(title, dirname(folder), folder_slug, folder)
    return Navigation(tuple(slugs), sections, section_of, is_of_folders=True)


class _SectionsOfTree:
    def __init__(self, tree: NavigationTree, slugs: Mapping[str, str]) -> None:
        self._tree = tree
        self._slugs = slugs
        self._sections: dict[str, NavigationSection] = {}
        self._section_of: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        """The number of texts in each folder and its subfolders."""
        addresses = {}
        for path, slug in slugs.items():
            for folder, address in zip(parent_folders(path), parent_folders(slug), strict=True):
                self._numbers[folder] = self._numbers.get(folder, 0) + 1
                addresses[folder] = address
        self._addresses = addresses
        self._taken = UniqueNames((*slugs.values(), *addresses.values()))

    def navigation(self) -> Navigation:
        self._add(self._tree.items, "", "")
        return Navigation(tuple(self._slugs), self._sections, self._section_of, is_of_folders=False)

    def _add(self, items: Sequence[NavigationItem], parent: str, slug: str) -> None:
        for number, item in enumerate(items):
            if not item.items:
                self._section_of[item.path] = parent
                continue
            key = f"{parent}/{number}"
            section = self._section(item, parent, slug)
            self._sections[key] = section
            if item.path:
                self._section_of[item.path] = key
            self._add(item.items, key, section.slug)

    def _section(self, item: NavigationItem, parent: str, slug: str) -> NavigationSection:
        paths = tuple(_paths([item]))
        folder = commonpath(map(dirname, paths))
        folder = folder if self._numbers.get(folder) == len(paths) else ""
        address = self._addresses.get(folder) or self._slugs.get(item.path)
        if address is None:
            name = folder_name(item.title)
            address = self._taken.add(f"{slug}/{name}" if slug else name, 2)
        return NavigationSection(item.title, parent, address, folder, item.path)
