"""Names of a glossary, sorted and grouped by first letter."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Generic, NamedTuple, TypeVar

from kismet_build.model.text_normalization import NaturalSortKey, UniqueNames, natural_sort_key, normalize, slug
from kismet_build.render.pages.page import Entry

Row = TypeVar("Row")

DIGITS = "0–9"
"""Heading for names that do not start with a letter."""
PUNCTUATION_AT_START = re.compile(r"^[\W_]+(?=\w)")
IDEOGRAPHS = "漢"
"""Heading for names that start with a CJK ideograph. There are too many ideographs for a heading each."""


class Letter(NamedTuple, Generic[Row]):
    """A heading of a glossary and its rows."""

    sign: str
    id: str
    rows: tuple[Row, ...]


def by_letter(names: Iterable[tuple[str, str, Row]]) -> tuple[Letter[Row], ...]:
    """Rows by the first letter of their name. Each item is a name, the sort key for equal names, and the row."""
    ordered = sorted(names, key=lambda item: (_sort_key(item[0]), item[1]))
    taken = UniqueNames()
    return tuple(
        Letter(sign, taken.add("digits" if sign == DIGITS else slug(sign), 2), tuple(row for *_, row in rows))
        for sign, rows in groupby(ordered, key=lambda item: _letter(item[0]))
    )


def letter_contents(letters: Sequence[Letter[Any]]) -> tuple[Entry, ...]:
    """The letters of a glossary, as its table of contents."""
    return tuple(Entry(1, letter.sign, letter.id) for letter in letters)


def _sort_key(name: str) -> tuple[bool, str, NaturalSortKey, str]:
    sign = _letter(name)
    return sign != DIGITS, sign, natural_sort_key(PUNCTUATION_AT_START.sub("", name)), name


def _letter(name: str) -> str:
    first = next(filter(str.isalnum, normalize(name)), "").upper()
    if not first.isalpha():
        return DIGITS
    return IDEOGRAPHS if unicodedata.name(first[0], "").startswith("CJK ") else first
