"""Folded words and their stems.

`site/assets/search-text.js` computes the same; a test compares both. This package imports nothing else from kismet,
because bundles contain it.
"""

import re
import unicodedata
from functools import lru_cache

LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i"})
"""The plain spelling of letters that have no Unicode decomposition."""
APOSTROPHES = re.compile("['’‘`´]")
"""Apostrophes join the letters around them into one word. Any other symbol separates words."""
VOICED_SOUND_MARKS = "\u3099\u309a"
"""Marks that turn a Japanese letter into another letter. All other combining marks are accents."""
WORD = re.compile(rf"(?:[^\W_]|[{VOICED_SOUND_MARKS}])+")
IRREGULAR = {
    **{"dice": "die", "foci": "focus", "feet": "foot", "staves": "staff", "men": "man", "mice": "mouse"},
    **{"teeth": "tooth", "lying": "lie", "died": "dying", "dies": "dying", "tied": "tie", "lies": "lie"},
    **{"used": "use", "using": "use", "fell": "fall", "fallen": "fall", "hid": "hide", "hidden": "hide"},
    **{"held": "hold", "threw": "throw", "thrown": "throw", "fought": "fight", "bought": "buy"},
    **{"sold": "sell", "shot": "shoot", "stood": "stand", "broke": "break", "broken": "break"},
    **{"lost": "lose", "won": "win", "worn": "wear", "caught": "catch", "taught": "teach", "knew": "know"},
    **{"known": "know", "woke": "wake", "swam": "swim", "ran": "run", "rode": "ride", "ridden": "ride"},
    **{"drew": "draw", "drawn": "draw", "spent": "spend", "slept": "sleep", "froze": "freeze"},
    **{"frozen": "freeze", "bled": "bleed", "struck": "strike", "chose": "choose", "chosen": "choose"},
    **{"children": "child", "thieves": "thief", "wolves": "wolf"},
}
"""The form that stands for all forms of a word, by irregular form."""
RANGE = re.compile(r"\b(\d{1,6})\s*(?:[–-]|to)\s*(\d{1,6})\b", re.ASCII)
MAX_RANGE = 40
"""Maximum number of integers in a range of which every number can be found."""
MIN_STEMMED, MAX_STEMMED = 4, 40
"""Numbers of letters of the shortest and the longest word that has a stem by rule."""

_BRITISH = (
    (re.compile(r"([a-z]{2})our(?=$|s$|e[dr]$|ing$|able$)"), r"\1or"),
    (re.compile(r"([a-z]{3})is(?=e[sdr]?$|ing$|ations?$)"), r"\1iz"),
    (re.compile(r"lys(?=e[sdr]?$|ing$)"), "lyz"),
    (re.compile(r"([^aeiou])re(?=s?$)"), r"\1er"),
    (re.compile(r"ence(?=s?$)"), "ense"),
)
_INESS, _NESS = re.compile(r"(?<=[a-z]{3})iness$"), re.compile(r"(?<=[a-z]{3})ness$")
_PLURAL_Y, _PLURAL_ES = re.compile(r"ies$"), re.compile(r"(ss|x|ch|sh|zz)es$")
_PLURAL_F, _PLURAL = re.compile(r"([il])ves$"), re.compile(r"([^su])s$")
_IED, _ING = re.compile(r"(?<=[a-z]{2})ied$"), re.compile(r"([aeiouy][a-z]*)(ing|(?<!e)ed)$")
_DERIVED = (
    (re.compile(r"(?<=[a-z]{4})ly$"), ""),
    (re.compile(r"(?<=[a-z]{4})ment$"), ""),
    (re.compile(r"(?<=[a-z]{4}[st])ion$"), ""),
    (re.compile(r"(?<=[a-z]{3}iz)(ation|er)$"), ""),
    (re.compile(r"(?<=[a-z]{4})([ae])ncy$"), r"\1nt"),
    (re.compile(r"([ai]b)ility$"), r"\1le"),
)
_E, _Y, _DOUBLE = re.compile(r"([a-z]{2})e$"), re.compile(r"([a-z]{2})y$"), re.compile(r"([^aeiou\d])\1$")
MAX_PIECE = 1_000
"""Number of characters normalized at a time."""


def fold_words(text: str) -> list[str]:
    """The words of a text in lower case, without accents and apostrophes."""
    plain = text.lower()
    if not plain.isascii():
        # In pieces, because Python takes time quadratic in the number of combining marks in a row.
        pieces = (plain[start : start + MAX_PIECE] for start in range(0, len(plain), MAX_PIECE))
        plain = "".join(unicodedata.normalize("NFKD", piece) for piece in pieces)
        for letter in {*plain}:  # few of a text's letters differ, and `replace` is fast
            if unicodedata.category(letter)[0] == "M" and letter not in VOICED_SOUND_MARKS:
                plain = plain.replace(letter, "")
        plain = plain.translate(LETTERS)
    return WORD.findall(APOSTROPHES.sub("", plain))


def indexed_words(text: str) -> list[str]:
    """The folded words of a text, then the numbers inside its ranges, such as 8 for `7–9`."""
    found = fold_words(text)
    for low, high in RANGE.findall(text):
        found += map(str, range(int(low) + 1, min(int(high), int(low) + MAX_RANGE)))
    return found


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of a folded word: without English endings, and with the American spelling where the British differs."""
    word = IRREGULAR.get(word, word)
    if not MIN_STEMMED <= len(word) <= MAX_STEMMED or not (word.isascii() and word.isalpha()):
        return word
    for british, american in _BRITISH:
        word = british.sub(american, word)
    word = _NESS.sub("", _INESS.sub("y", word))
    word = _IED.sub("y", word)
    if _PLURAL_Y.search(word):
        word = word[:-3] + "y"
    elif _PLURAL_ES.search(word):
        word = word[:-2]
    else:
        word = _PLURAL.sub(r"\1", _PLURAL_F.sub(r"\1fe", word))
    for ending, plain in _DERIVED:
        word = ending.sub(plain, word)
    if (form := _ING.search(word)) and form.start(2) >= MIN_STEMMED - 1:
        word = word[: form.start(2)]
    return _DOUBLE.sub(r"\1", _Y.sub(r"\1i", _E.sub(r"\1", word)))
