"""Few pages have almost nothing to read, and kinds of such pages are tables."""

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.command import GAMES
from tests.conftest import BuiltTree
from tests.laws.test_site import VOID

MIN_WORDS = 20
"""A page with fewer words in its text is thin."""
LEFT_OUT = frozenset(("references", "card", "stands-in", "source", "situation-links"))
"""Classes of the parts of a page that do not count: its card, "Mentioned in", and where it comes from."""
MAX_THIN = 180
"""Thin pages of all games. There were 351 of 937 when each entity of a table had a page."""


class _Words(HTMLParser):
    """The words of `main` without navigation and without the parts in `LEFT_OUT`."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._open: list[tuple[str, bool]] = [("", False)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            classes = (dict(attrs).get("class") or "").split()
            is_out = tag in ("nav", "script", "style") or not LEFT_OUT.isdisjoint(classes)
            counts = tag == "main" or self._open[-1][1]
            self._open.append((tag, counts and not is_out))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open[-1][1]:
            self.words += re.findall(r"\w+", data)


def _is_thin(text: str) -> bool:
    page = _Words()
    page.feed(text)
    return len(page.words) < MIN_WORDS


def _thin_pages(folder: Path) -> list[str]:
    """The thin pages below a folder, without redirects."""
    texts = ((file, file.read_text(encoding="utf-8")) for file in sorted(folder.rglob("index.html")))
    return [
        file.parent.relative_to(folder).as_posix()
        for file, text in texts
        if 'http-equiv="refresh"' not in text and _is_thin(text)
    ]


def test_the_number_of_thin_pages_does_not_grow(content: BuiltTree) -> None:
    thin = {game: len(_thin_pages(content.folder / game)) for game in GAMES}
    assert sum(thin.values()) <= MAX_THIN, thin


@pytest.mark.parametrize(
    "kind", ["kiss/weapon", "kiss/armor", "kismet/tier", "marchen/difficulty", "legend/base-attack"]
)
def test_a_kind_of_thin_pages_is_a_table(kind: str, content: BuiltTree) -> None:
    assert Counter(_thin_pages(content.folder / kind)) == {}
