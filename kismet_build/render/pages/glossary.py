"""Names in the order of a glossary, by their first letters."""

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Generic, NamedTuple, TypeVar

from kismet_build.model.text_normalization import Natural, natural_order, normalize, slug, unique
from kismet_build.render.pages.page import Entry

Row = TypeVar("Row")

FIGURES = "0–9"
"""The sign above names that begin with none of the letters."""
IDEOGRAPHS = "漢"
"""The sign above names that begin with one of the many thousand signs that are words, not letters."""


class Letter(NamedTuple, Generic[Row]):
    """The names that begin with one letter."""

    sign: str
    id: str
    rows: tuple[Row, ...]


def by_letter(names: Iterable[tuple[str, str, Row]]) -> tuple[Letter[Row], ...]:
    """Rows by the first letters of their names, each given with its name and with what tells equal names apart."""
    ordered = sorted(names, key=lambda one: (_sorted(one[0]), one[1]))
    taken: set[str] = set()
    return tuple(
        Letter(sign, unique("digits" if sign == FIGURES else slug(sign), taken, 2), tuple(row for *_, row in rows))
        for sign, rows in groupby(ordered, key=lambda one: _letter(one[0]))
    )


def contents(letters: Sequence[Letter[Any]]) -> tuple[Entry, ...]:
    """The letters of a glossary as the contents of its page."""
    return tuple(Entry(1, letter.sign, letter.id) for letter in letters)


def _sorted(name: str) -> tuple[bool, str, Natural, str]:
    sign = _letter(name)
    return sign != FIGURES, sign, natural_order(name), name


def _letter(name: str) -> str:
    first = normalize(name)[:1].upper()
    if not first.isalpha():
        return FIGURES
    return IDEOGRAPHS if unicodedata.name(first[0], "").startswith("CJK ") else first
