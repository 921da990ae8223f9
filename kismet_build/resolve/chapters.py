"""Texts as chapters: what each is called, and its address."""

import re
from collections.abc import Iterator, Sequence
from posixpath import basename, dirname

from kismet_build.config.game import display_title
from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Document, Heading, Node, plain_text
from kismet_build.model.text_normalization import folder_name, slug, unique

ADDRESS_LIKE = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)+|(?i:readme|index)")
"""A name of a file that tells a program more than a reader."""


def chapters_of(documents: Sequence[Document], reserved: frozenset[str]) -> Iterator[Chapter]:
    """The chapters of a book, with addresses of which none is a reserved word."""
    addresses = _Addresses(reserved)
    for document in documents:
        path = _without_suffix(document.source.path)
        yield Chapter(document=document, title=title_of(document), slug=addresses.of_text(path))


def _without_suffix(path: str) -> str:
    return path.rpartition(".")[0] or path


class _Addresses:
    """The addresses of texts and folders; where two names come to the same words, the later one gets a number.

    A text that is named like the folder beside it stands for that folder, and has its address.
    """

    def __init__(self, reserved: frozenset[str]) -> None:
        self.reserved = reserved
        self.folders = {"": ""}
        self.texts: dict[str, str] = {}
        self.taken: set[str] = set()

    def of_text(self, path: str) -> str:
        """The address of the next text, by its path without the suffix."""
        if path in self.folders and path not in self.texts:
            address = self.folders[path]
        else:
            address = self._next(path)
        self.texts.setdefault(path, address)
        return address

    def _of_folder(self, path: str) -> str:
        if path not in self.folders:
            self.folders[path] = self.texts.get(path) or self._next(path)
        return self.folders[path]

    def _next(self, path: str) -> str:
        part = folder_name(display_title(basename(path)))
        if folder := dirname(path):
            return unique(f"{self._of_folder(folder)}/{part}", self.taken, 2)
        return unique(f"{part}-text" if part in self.reserved else part, self.taken, 2)


def title_of(document: Document) -> str:
    """What its author calls a document: its title, or the name of its file.

    A name that is only made for addresses, such as `house-rules` or `README`, gives way to the first heading.
    """
    stem = basename(_without_suffix(document.source.path))
    title = document.metadata.get("title")
    if isinstance(title, str) and title.strip():
        return " ".join(title.split())
    first = document.blocks[0] if document.blocks else None
    if isinstance(first, Heading) and first.level == 1 and (heading := one_line(first)):
        same = stem.islower() and slug(heading) == slug(stem)
        if same or ADDRESS_LIKE.fullmatch(stem):
            return heading
    return " ".join(display_title(stem).split())


def one_line(*nodes: Node) -> str:
    """The words of nodes on one line, as titles are."""
    return " ".join(plain_text(*nodes).split())
