"""Few pages have almost nothing to read or repeat another, kinds of such pages are tables, and no calculator expects
typed words."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
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
MAX_THIN = 156
"""Thin pages of all games. There were 350 of 920 when each entity of a table had a page."""
MAX_REPEATED = 33
"""Pages of all games whose text is that of another page. There were 61."""
TYPED_FIELD = re.compile(r'<input(?![^>]*type="(?:checkbox|number|radio|search)")[^>]*>|<textarea')
"""A field of a form that expects words; search fields filter what the page shows."""


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


def _pages(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("index.html")):
        text = file.read_text(encoding="utf-8")
        if 'http-equiv="refresh"' not in text:
            yield file.parent.relative_to(folder).as_posix(), text


def _words(text: str) -> list[str]:
    page = _Words()
    page.feed(text)
    return page.words


def _thin_pages(folder: Path) -> list[str]:
    return [address for address, text in _pages(folder) if len(_words(text)) < MIN_WORDS]


def test_the_number_of_thin_pages_does_not_grow(content: BuiltTree) -> None:
    thin = {game: len(_thin_pages(content.folder / game)) for game in GAMES}
    assert sum(thin.values()) <= MAX_THIN, thin


def test_the_number_of_pages_with_the_text_of_another_does_not_grow(content: BuiltTree) -> None:
    pages: defaultdict[str, list[str]] = defaultdict(list)
    for game in GAMES:
        for address, text in _pages(content.folder / game):
            pages[" ".join(_words(text))].append(f"{game}/{address}")
    repeated = [same for words, same in pages.items() if words and len(same) > 1]
    assert sum(map(len, repeated)) <= MAX_REPEATED, repeated


@pytest.mark.parametrize("game", GAMES)
def test_no_calculator_expects_typed_words(game: str, content: BuiltTree) -> None:
    """There used to be 30 such fields, most of them for lists."""
    for folder in ("calculators", "sheets"):
        for address, text in _pages(content.folder / game / folder):
            assert TYPED_FIELD.findall(text) == [], address


@pytest.mark.parametrize(
    "kind",
    [
        "kiss/action",
        "kiss/armor",
        "kiss/skill-level",
        "kiss/weapon",
        "kismet/equipment-tool",
        "kismet/tier",
        "marchen/difficulty",
        "legend/base-attack",
    ],
)
def test_a_kind_of_thin_pages_is_a_table(kind: str, content: BuiltTree) -> None:
    assert Counter(_thin_pages(content.folder / kind)) == {}
