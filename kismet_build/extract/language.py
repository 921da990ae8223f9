"""Detect the language of a plain vault: German, with dice like `2W6` and decimal commas, or any other.

No other dice notation is recognized: docs/decisions/0011-languages.md.
"""

import re
from collections.abc import Mapping

from kismet_build.model.nodes import Document

WORD = re.compile(r"\w+")
GERMAN_WORDS = frozenset(
    ["und", "oder", "nicht", "eine", "einen", "einer", "einem", "für", "auf", "wird", "werden", "sich", "ist"]
)
"""Frequent words that hardly occur in other languages."""
ENGLISH_WORDS = frozenset(("the", "and", "or", "not", "of", "for", "with", "is", "are", "you"))
MIN_WORDS = 5
"""Minimum number of German words in a German vault."""
MAX_CHARACTERS = 20_000
"""Number of characters examined in each text."""


def language_words(document: Document) -> tuple[int, int]:
    """The numbers of frequent German and frequent English words in a text."""
    words = WORD.findall(document.source.text[:MAX_CHARACTERS].lower())
    return sum(map(GERMAN_WORDS.__contains__, words)), sum(map(ENGLISH_WORDS.__contains__, words))


def language_of(counts: Mapping[str, tuple[int, int]], other: str, is_written: bool) -> str:
    """The language of the texts with these results of `language_words`: `de`, or `other`.

    `is_written`: whether the author named the other.
    """
    if is_written:
        return other
    german, english = (sum(numbers) for numbers in zip((0, 0), *counts.values(), strict=True))
    return "de" if german >= MIN_WORDS and german > english else other
