"""Whether a value means yes or no: `publish: flase` is nearly a no."""

import re
import unicodedata
from collections.abc import Mapping
from enum import Enum, auto
from functools import lru_cache
from typing import Any

from kismet_build.model.text_normalization import unicode_form

QUOTES = "\"'`“”„‘’‚«»‹› \t\n\u00a0\ufe0f"
DASH = re.compile("[\u2010-\u2015\u2212]")


def folded(text: str) -> str:
    """A text for comparison: without case, invisible signs, and quotation marks and spaces around it."""
    return visible(unicode_form("NFKD", text)).strip(QUOTES).casefold()


def visible(text: str) -> str:
    """A text without its invisible signs, and with plain hyphens."""
    if text.isascii():
        return text
    invisible = (sign for sign in set(text) if unicodedata.category(sign) == "Cf")
    return DASH.sub("-", text.translate(dict.fromkeys(map(ord, invisible))))


class Answer(Enum):
    """What a value says to the question that its property asks."""

    YES = auto()
    NO = auto()
    NEARLY_YES = auto()
    NEARLY_NO = auto()
    EMPTY = auto()
    OTHER = auto()


ANSWERS: Mapping[str, tuple[str, str]] = {
    "": ("true yes on y t 1 ✓ ✔ ✅ ☑", "false no off n f 0 never ✗ ✘ ❌ ✖"),
    "de": ("ja wahr", "nein falsch nie"),
    "es": ("sí si verdadero", "falso nunca"),
    "fr": ("oui vrai", "non faux jamais"),
    "it": ("sì vero", "falso mai"),
    "nl": ("ja waar", "nee onwaar nooit"),
    "pt": ("sim verdadeiro", "não falso nunca"),
    "ru": ("да", "нет"),
}
"""Words for yes and no, in every language that kismet detects, and in Russian."""
YES_WORDS = frozenset(word for yes, _ in ANSWERS.values() for word in folded(yes).split())
NO_WORDS = frozenset(word for _, no in ANSWERS.values() for word in folded(no).split())
EMPTY_WORDS = frozenset(("", "~", "null"))
FIRST_WORD = re.compile(r"([^\W\d_]{2,})\s*(?:[^\w\s]|$)")
"""The first word of a phrase and the sign after it: `no, not yet`."""


def answer(value: Any) -> Answer:
    """What a value says. A list of one item says what the item says."""
    value = alone(value)
    if isinstance(value, list | Mapping):
        return Answer.OTHER if value else Answer.EMPTY
    return _answer(word_of(value))


@lru_cache(maxsize=10_000)
def _answer(word: str) -> Answer:
    word = word.rstrip(".,;!")
    if word in EMPTY_WORDS:
        return Answer.EMPTY
    if word in YES_WORDS:
        return Answer.YES
    if word in NO_WORDS:
        return Answer.NO
    first = match[1] if (match := FIRST_WORD.match(word)) else word
    if first in YES_WORDS or NEARLY_TRUE.fullmatch(word):
        return Answer.NEARLY_YES
    if first in NO_WORDS or NEARLY_FALSE.fullmatch(word):
        return Answer.NEARLY_NO
    return Answer.OTHER


def _one_letter_off(word: str) -> re.Pattern[str]:
    """Matches a word in which one letter is wrong, missing or added, or two neighbours are swapped."""
    places = range(len(word))
    changed = [f"{word[:place]}.?{word[place + 1 :]}" for place in places]
    added = [f"{word[:place]}.{word[place:]}" for place in (*places, len(word))]
    swapped = [word[:place] + word[place : place + 2][::-1] + word[place + 2 :] for place in places]
    return re.compile("|".join((*changed, *added, *swapped)))


NEARLY_TRUE, NEARLY_FALSE = map(_one_letter_off, ("true", "false"))


def alone(value: Any) -> Any:
    """The only item of a list, and of lists in it; any other value as it is."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def word_of(value: Any) -> str:
    """A scalar in lower case, without quotation marks around it."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return folded(str(value))
