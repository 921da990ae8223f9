"""Read a navigation in Markdown, which consists of nested lists of links: `SUMMARY.md`."""

import re
from collections.abc import Sequence
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kismet_build.model.navigation import NavigationItem
from kismet_build.model.nodes import is_url

MAX_LEVELS = 60
CONTENTS = re.compile(r"(?:summary|table of contents|contents)\W*", re.IGNORECASE)
"""Headings that are the title of the list, not of a part of the book."""


def contents_of(text: str, path: str = "", *, has_parts: bool = True) -> tuple[NavigationItem, ...]:
    """The entries of a table of contents in a Markdown text at this path.

    `has_parts`: whether headings begin sections, except a heading `h1` before everything else, which is the title of
    the list. Links to other websites are left out. An entry without a link is a section; it is left out if it has no
    entries.
    """
    tokens = MarkdownIt("commonmark", {"maxNesting": MAX_LEVELS}).parse(text)
    if has_parts and tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        tokens = tokens[len(("heading_open", "inline", "heading_close")) :]
    return _Reader(tokens, dirname(path), has_parts).parts()


class _Reader:
    def __init__(self, tokens: Sequence[Token], folder: str, has_parts: bool) -> None:
        self._tokens = tokens
        self._folder = folder
        self._has_parts = has_parts
        self._at = 0

    def parts(self) -> tuple[NavigationItem, ...]:
        """A heading that is not the title of the list has the entries below it."""
        parts: list[tuple[str, list[NavigationItem]]] = [("", [])]
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.type == "heading_open":
                title = _words(self._tokens[self._at])
                if self._has_parts and not CONTENTS.fullmatch(title):
                    parts.append((title, []))
            elif token.type == "inline":
                parts[-1][1].extend(self._entries(token))
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                parts[-1][1].extend(self._list())
            elif token.type == "hr":
                parts.append(("", []))
        items: list[NavigationItem] = []
        for title, entries in parts:
            if title and entries:
                items.append(NavigationItem(title, items=tuple(entries)))
            else:
                items += entries
        return tuple(items)

    def _list(self) -> list[NavigationItem]:
        """The opening token of the list was already consumed."""
        entries: list[NavigationItem] = []
        inner: list[list[NavigationItem]] = []
        own: list[NavigationItem] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            match token.type:
                case "list_item_open":
                    inner, own = [], []
                case "inline" if not own:
                    own = self._entries(token, is_item=True)
                case "bullet_list_open" | "ordered_list_open":
                    inner.append(self._list())
                case "list_item_close":
                    below = tuple(item for items in inner for item in items)
                    if own and (below or own[0].path):
                        entries.append(own[0]._replace(items=(*own[0].items, *below)))
                    elif below:
                        entries += below
                case "bullet_list_close" | "ordered_list_close":
                    return entries
                case _:
                    pass
        return entries

    def _entries(self, inline: Token, *, is_item: bool = False) -> list[NavigationItem]:
        found = []
        links = 0
        children = inline.children or []
        for index, child in enumerate(children):
            if child.type != "link_open":
                continue
            links += 1
            address = unquote(str(child.attrs.get("href", "")))
            end = next((end for end in range(index, len(children)) if children[end].type == "link_close"), index)
            title = _plain(children[index + 1 : end])
            if is_url(address):
                continue
            path = address.partition("#")[0].partition("?")[0]
            found.append(NavigationItem(title, _path(path, self._folder)))
        if is_item and not links:
            found.append(NavigationItem(_words(inline)))
        return found


def _path(written: str, folder: str) -> str:
    if not written:
        return ""
    path = normpath(join("" if written.startswith("/") else folder, written.lstrip("/")))
    return f"{path}/" if written.endswith("/") else path


def _words(inline: Token) -> str:
    return _plain(inline.children or [])


def _plain(tokens: Sequence[Token]) -> str:
    return " ".join("".join(token.content for token in tokens if token.type in ("text", "code_inline")).split())
