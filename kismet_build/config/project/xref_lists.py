"""Read a navigation in AsciiDoc, which consists of nested lists of cross-references, such as Antora's `nav.adoc`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kismet_build.config.project.resource_id import Component
from kismet_build.model.navigation import NavigationItem

MAX_LEVELS = 60
MAX_VALUE = 1_000
"""Maximum number of characters of an attribute's value in an entry."""
ITEM = re.compile(r"[ \t]*(\*{1,99}|-|\.{1,99})[ \t]+(\S.*)")
LIST_TITLE = re.compile(r"\.(?![ .\t])(\S.*)")
IGNORED = re.compile(r"//.*|\+|=+[ \t].*|:!?[\w-]+!?:.*|\[.*\]|\w+::.*")
"""Comments, headings, attributes and macros, which are not entries."""
REFERENCE = re.compile(r"\{([\w-]{1,100})\}")
XREF = re.compile(r"(?:xref:([^\[\s]{1,500})\[([^\]]{0,500})\]|<<([^,>]{1,500}),?([^>]{0,500})>>)")
LINK_ATTRIBUTES = re.compile(r",\s{0,9}[\w-]{1,50}=.*")
"""Attributes after the title of a cross-reference, such as `window=_blank`."""
ADDRESS = re.compile(r"(?:link:|mailto:|https?://)")
MARKS = re.compile(r"(?<!\w)([*_`#]{1,2})(?=\S)(.{1,200}?)(?<=\S)\1(?!\w)")
"""Words in bold, italics, monospace or with a highlight."""


def entries_of(text: str, of: str, component: Component, attributes: Mapping[str, Any]) -> Iterator[NavigationItem]:
    """The entries of the lists in a text at the path `of`.

    A list with a title is a section. Links to other websites are left out. An entry without a page is a section; it is
    left out if it has no entries. The path of an entry for a part of a page ends with `#` and an id.
    """
    title: NavigationItem | None = None
    items: list[tuple[int, NavigationItem]] = []
    markers: list[str] = []
    for line in [*_joined_lines(text), "."]:
        if (item := ITEM.fullmatch(line)) is not None:
            marker = item[1]
            # As in AsciiDoc, a list with another marker is nested; one whose marker is open continues that list.
            markers = markers[: markers.index(marker) + 1] if marker in markers else [*markers, marker]
            entry = _entry(item[2], of, component, attributes)
            items.append((min(len(markers), MAX_LEVELS), entry))
            continue
        yield from _section(title, items)
        title_line = LIST_TITLE.fullmatch(line)
        title = _entry(title_line[1], of, component, attributes) if title_line else None
        items, markers = [], []


def _joined_lines(text: str) -> Iterator[str]:
    """The titles of lists and the entries, each joined with its continuation lines."""
    pending = ""
    for line in map(str.rstrip, text.splitlines()):
        starts = ITEM.fullmatch(line) or LIST_TITLE.fullmatch(line)
        if pending and line and not starts and not IGNORED.fullmatch(line):
            pending += f" {line.strip()}"
            continue
        if starts or not line:
            if pending:
                yield pending
            pending = line
    if pending:
        yield pending


def _section(title: NavigationItem | None, items: list[tuple[int, NavigationItem]]) -> Iterator[NavigationItem]:
    nested = _nested(items)
    if title is not None and (nested or title.path):
        yield title._replace(items=tuple(nested))
    else:
        yield from nested


def _nested(items: list[tuple[int, NavigationItem]]) -> list[NavigationItem]:
    open_lists: list[list[NavigationItem]] = [[]]
    for level, entry in items:
        while len(open_lists) > level:
            _close(open_lists)
        while len(open_lists) < level:
            open_lists.append([])
        open_lists[-1].append(entry)
    while len(open_lists) > 1:
        _close(open_lists)
    return [entry for entry in open_lists[0] if entry.path or entry.items]


def _close(open_lists: list[list[NavigationItem]]) -> None:
    """Move the entries of the innermost list below the last entry of the list around it."""
    inner = tuple(entry for entry in open_lists.pop() if entry.path or entry.items)
    around = open_lists[-1]
    if around:
        around[-1] = around[-1]._replace(items=inner)
    else:
        around += inner


def _entry(words: str, of: str, component: Component, attributes: Mapping[str, Any]) -> NavigationItem:
    words = REFERENCE.sub(lambda found: _value(found, attributes), words)
    found = XREF.search(words)
    if found is None:
        return NavigationItem("" if ADDRESS.match(words) else _plain(words))
    target, title = (found[1], found[2]) if found[1] is not None else (found[3], found[4])
    path, mark, fragment = target.partition("#")
    return NavigationItem(_plain(LINK_ATTRIBUTES.sub("", title)), component.path(path, "page", of) + mark + fragment)


def _value(reference: re.Match[str], attributes: Mapping[str, Any]) -> str:
    value = attributes.get(reference[1].lower())
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value).removesuffix("@")[:MAX_VALUE] if is_text else reference[0]


def _plain(words: str) -> str:
    return " ".join(MARKS.sub(r"\2", words).split())


def without_repeated_pages(items: Iterable[NavigationItem]) -> tuple[NavigationItem, ...]:
    """The entries, without those for parts of pages that have another entry.

    The first entry for a part of a page stands for the page if no entry names the page itself. An entry that is left
    out becomes a section if it has entries of its own.
    """
    items = tuple(items)
    seen = {path for path in _paths(items) if "#" not in path}

    def kept(entries: Iterable[NavigationItem]) -> Iterator[NavigationItem]:
        for entry in entries:
            path, mark, _ = entry.path.partition("#")
            if mark:
                is_first = path not in seen
                seen.add(path)
                path = path if is_first else ""
            entry = NavigationItem(entry.title, path, tuple(kept(entry.items)))
            if entry.path or entry.items:
                yield entry

    return tuple(kept(items))


def _paths(items: Iterable[NavigationItem]) -> Iterator[str]:
    for item in items:
        yield item.path
        yield from _paths(item.items)
