"""Detect the language of a plain vault. It decides how dice, numbers and plurals are read, and the words of the pages.

docs/decisions/0011-languages.md says which languages are detected.
"""

import re
from collections import Counter
from collections.abc import Mapping

from kismet_build.model.nodes import Document

WORD = re.compile(r"\w+")
FREQUENT_WORDS = {
    "de": "und oder nicht eine einen einer einem für auf wird werden sich ist",
    "en": "the and or not of for with is are you",
    "es": "el los las pero hasta también cuando muy",
    "fr": "les une dans avec cette vous leur aux être sont",
    "it": "della delle gli nella anche questo sono più",
    "nl": "het een zijn niet wordt voor deze naar",
    "pt": "uma não são você pelo também até os",
}
"""Frequent words of each language that are rare in the other languages."""
LANGUAGE_OF_WORD = {word: language for language, words in FREQUENT_WORDS.items() for word in words.split()}
MIN_WORDS = 5
"""Minimum number of frequent words of a language other than English for a vault to count as written in it."""
MAX_CHARACTERS = 20_000
"""Number of characters examined in each text."""


def language_words(document: Document) -> Mapping[str, int]:
    """The number of frequent words in a text, by language."""
    words = WORD.findall(document.source.text[:MAX_CHARACTERS].lower())
    return dict(Counter(LANGUAGE_OF_WORD[word] for word in words if word in LANGUAGE_OF_WORD))


def language_of(counts: Mapping[str, Mapping[str, int]], other: str, is_written: bool) -> str:
    """The most frequent language of the texts. `counts`: the results of `language_words`, by path.

    The result is `other` if this is English, if too few words were found, or if the author set `other` (`is_written`).
    """
    if is_written:
        return other
    total: Counter[str] = Counter()
    for of_text in counts.values():
        total.update(of_text)
    language, number = max(total.items(), key=lambda item: (item[1], item[0] == "en"), default=("en", 0))
    return language if language != "en" and number >= MIN_WORDS else other
