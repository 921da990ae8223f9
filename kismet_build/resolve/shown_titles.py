"""Titles as readers see them: headings in capitals are shown in title case."""

import re
from collections.abc import Callable, Mapping

from kismet_build.model.text_normalization import title_case

WORD = re.compile(r"[^\W_]+")
NO_PROSE = re.compile(r"\[\[.*?\]\]|<<.*?>>|^[ \t]*[#=].*$", re.MULTILINE)
"""Links that repeat a heading, and lines with headings."""
MAX_ACRONYM_LENGTH = 3
"""Maximum length of a one-word heading that stays in capitals if the word does not occur in the text."""


def title_display(text: str) -> Callable[[str], str]:
    """A function that returns a heading title as readers see it, for a document with this source text.

    Abbreviations are shown as in the text. These are words that occur only in capitals, or that contain a digit, such
    as d10.
    """
    forms: dict[str, set[str]] = {}

    def shown(title: str) -> str:
        if not title.isupper():
            return title
        if not forms:
            for word in WORD.findall(NO_PROSE.sub(" ", text)):
                forms.setdefault(word.casefold(), set()).add(word)
        if len(title) <= MAX_ACRONYM_LENGTH and title.casefold() not in forms:
            return title
        words = iter(WORD.findall(title))
        return WORD.sub(lambda match: _shown_word(next(words, match[0]), match[0], forms), title_case(title))

    return shown


def _shown_word(printed: str, in_title_case: str, forms: Mapping[str, set[str]]) -> str:
    of_text = forms.get(printed.casefold(), set())
    if of_text == {printed}:
        return printed
    if of_text and any(map(str.isdigit, printed)):
        return min(of_text)
    return in_title_case
