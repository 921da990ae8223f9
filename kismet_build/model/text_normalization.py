"""Convert names: normalization for comparison, title case for headings, slugs for URLs, natural sort order."""

import re
import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from itertools import groupby, islice
from typing import Literal

from .text_cache import cached_texts

SMALL_WORDS = frozenset(
    (
        "a",
        "an",
        "and",
        "as",
        "at",
        "but",
        "by",
        "for",
        "from",
        "in",
        "nor",
        "of",
        "on",
        "or",
        "per",
        "the",
        "to",
        "vs",
        "with",
    )
)
"""Words in lower case within a title, from The Chicago Manual of Style, plus short prepositions."""

PLAIN_SPELLINGS = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i", "½": "1/2"}
)
"""Punctuation with several typographic forms, and letters without a Unicode decomposition, in plain spelling."""

VOICED_SOUND_MARKS = "\u3099\u309a"
"""Combining marks that turn a Japanese letter into another letter; other combining marks are removed as accents."""

ABBREVIATIONS = frozenset(
    (
        *("ac", "agi", "ap", "atk", "bab", "cha", "cmb", "cmd", "con", "cr", "dc", "def", "dex", "dmg", "dr", "edu"),
        *("exp", "fp", "gm", "gp", "hd", "hp", "id", "int", "lvl", "mp", "npc", "pb", "pc", "pow", "pp", "siz", "sp"),
        *("spd", "sr", "str", "thac0", "wis", "wp", "xp"),
    )
)
"""Property keys, and words in them, that are written in capitals. Any key of two letters counts as an abbreviation."""

CONTENTS_TITLES = frozenset(("contents", "table of contents", "toc", "inhalt", "inhaltsverzeichnis"))
"""Normalized headings of tables of contents that authors write."""

MAX_SLUG_LENGTH = 80
"""Maximum number of characters in one part of a URL path.

File systems limit a name to 255 bytes, Windows a path to 260.
"""

MAX_NAMED = 5
"""Maximum number of characters that the slug of a text without letters and digits names.

A run of equal characters counts once. The slug of a longer text has a digest: docs/decisions/0007-addresses.md.
"""

WINDOWS_DEVICE_NAMES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
)
"""Names that a folder cannot have on Windows."""

MAX_PIECE = 1_000
"""Number of characters normalized at a time: Python takes time quadratic in the number of combining marks in a row.

Normalizing 100,000 pairs of marks twice took more than 57 s: docs/decisions/0022-bounds-of-input.md.
"""
PIECE = re.compile(rf".{{1,{MAX_PIECE // 2}}}[^\x00-\x7f]{{0,{MAX_PIECE // 2}}}", re.DOTALL)
"""A part of a text that ends before a character, such as an ASCII character, that does not combine with earlier
ones.
"""


def unicode_form(form: Literal["NFC", "NFKD"], text: str) -> str:
    """A text in a Unicode normalization form. A long text is normalized in pieces."""
    if len(text) <= MAX_PIECE:
        return unicodedata.normalize(form, text)
    return "".join(unicodedata.normalize(form, piece) for piece in PIECE.findall(text))


def normalize(text: str) -> str:
    """Normalize a text for comparison: lower case, no accents, single spaces, plain quotes and dashes."""
    return _normalize_cached(text) if len(text) <= MAX_SLUG_LENGTH else _normalize(text)


BULLETS = "•·▪●◦‣"
"""Bullets before a label, which are not part of the label: `• EVASION:`."""


def bare_label(label: str) -> str:
    """A label without its colon, and without bullets and marks around it."""
    return label.strip(f"*_: {BULLETS}")


def normalize_label(label: str) -> str:
    """The normalized label, without its colon, and without bullets and marks around it."""
    return normalize(bare_label(label))


@cached_texts(8192)
def _normalize_cached(text: str) -> str:
    # Titles and link texts are compared often. Longer texts are not cached, which saves memory.
    return _normalize(text)


def _normalize(text: str) -> str:
    folded = text.casefold()
    if not folded.isascii():  # most texts are ASCII, which needs neither table
        folded = folded.translate(PLAIN_SPELLINGS)
    if folded.isascii():
        return " ".join(folded.split())
    decomposed = unicode_form("NFKD", folded)
    for character in {*decomposed}:  # a text has few distinct characters, and `replace` is fast
        if unicodedata.combining(character) and character not in VOICED_SOUND_MARKS:
            decomposed = decomposed.replace(character, "")
    return " ".join(decomposed.translate(PLAIN_SPELLINGS).split())


def slug(text: str) -> str:
    """Turn a text into a slug: ASCII letters and digits, words joined by `-`; never empty.

    Other scripts are transliterated character by character. The slug of a text without letters and digits consists of
    the names of its characters, such as `low-line` for `_`, or of `x` and a digest if the text is long or its
    characters have no names.
    """
    normalized = normalize(text)
    if not normalized.isascii():
        normalized = _transliterate(text)
    words = re.findall(r"[a-z0-9]+", normalized.replace("'", ""))
    return "-".join(words or _character_names(text)) or f"x{digest(text)}"


def folder_name(text: str) -> str:
    """Turn a text into a slug that is a valid folder name on every system: not a device name, and not too long."""
    name = slug(text)
    if len(name) > MAX_SLUG_LENGTH:
        # The digest of the full text distinguishes names with the same beginning.
        start = name[: MAX_SLUG_LENGTH - 9]
        return f"{start.rpartition('-')[0] or start}-{digest(text)}"
    return f"{name}-text" if name in WINDOWS_DEVICE_NAMES else name


def _character_names(text: str) -> list[str]:
    """The words of the Unicode names of the characters in a text. A run of equal characters is named once.

    Empty for more than `MAX_NAMED` characters, because a name has up to 80 characters.
    """
    runs = (character for character, _ in groupby(unicode_form("NFC", text)) if not character.isspace())
    characters = list(islice(runs, MAX_NAMED + 1))
    if len(characters) > MAX_NAMED:
        return []
    return re.findall(r"[a-z0-9]+", " ".join(unicodedata.name(character, "") for character in characters).lower())


def _transliterate(text: str) -> str:
    """Spell the letters and digits of a text in ASCII, or its symbols if it has no letters or digits."""
    # Imported when needed: the tables load slowly, and few texts need them.
    from anyascii import anyascii

    composed = unicode_form("NFC", text)
    spelling = "".join(
        # A capital letter is spelled like its small letter: `Ш` becomes `sh`, and not a separate word.
        c if _is_latin(c) else _separate_word(anyascii(c.lower())) if c.isalnum() or _is_vowel_sign(c) else " "
        for c in composed
    )
    if not any(map(str.isalnum, spelling)):
        spelling = anyascii(composed)
    return normalize(spelling.replace("`", "")).encode("ascii", "ignore").decode()


def _separate_word(spelling: str) -> str:
    """Put spaces around a capitalized spelling, which marks a character that is a whole word, such as a Chinese
    character.
    """
    return f" {spelling} " if spelling[:1].isupper() and spelling[1:].islower() else spelling


def _is_latin(character: str) -> bool:
    """Whether `normalize` turns a character into ASCII, or removes it as an accent."""
    normalized = normalize(character)
    return character.isascii() or not normalized or (normalized.isascii() and not _is_vowel_sign(character))


def _is_vowel_sign(character: str) -> bool:
    """Whether a character is a mark that belongs to the letter before it, such as an Indic vowel sign."""
    return unicodedata.category(character) in ("Mc", "Mn")


def digest(text: str) -> str:
    """A digest of eight hexadecimal digits, which is the same for canonically equivalent texts."""
    return sha256(unicode_form("NFC", text).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def title_case(text: str) -> str:
    """Convert a name to title case: `TIERS OF POWER` becomes `Tiers of Power`.

    A word in mixed case such as `McCoy` does not change.
    """
    words = (text.casefold() if text.isupper() else text).split()
    last = len(words) - 1
    return " ".join(
        word.casefold() if 0 < index < last and word.casefold() in SMALL_WORDS else _capitalize(word)
        for index, word in enumerate(words)
    )


def is_contents_title(text: str) -> bool:
    """Whether a heading announces a table of contents, in English or German."""
    return normalize(text).strip(" :") in CONTENTS_TITLES


def key_label(key: str) -> str:
    """The key of a property as words for readers: `levelOrdinal` as `Level ordinal`, `save_dc` as `Save DC`."""
    words = " ".join(re.sub(r"(?<=[a-z])(?=[A-Z])|[_\s-]+", " ", key).split()) or key
    if words in ABBREVIATIONS or (len(words) == 2 and words.isalpha() and words.islower()):
        return words.upper()
    if " " not in key.strip() and not words.isupper():
        words = " ".join(word.upper() if word in ABBREVIATIONS else word for word in words.lower().split(" "))
    return words[:1].upper() + words[1:]


class UniqueNames:
    """A set of names that gives out unique names."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)
        self._numbers: dict[str, int] = {}
        """The next number to try for each base. Lower numbers are taken."""

    def add(self, base: str, first: int) -> str:
        """Take and return `base`, or `base-N` with the lowest free N from `first` on."""
        name, number = base, self._numbers.get(base, first)
        while name in self.taken:
            name, number = f"{base}-{number}", number + 1
        self.taken.add(name)
        self._numbers[base] = number
        return name


NaturalSortKey = tuple[tuple[int, int, str], ...]
"""A name split into numbers and the text between them. Comparing such tuples gives natural sort order."""


@cached_texts(8192)
def natural_sort_key(name: str) -> NaturalSortKey:
    """A sort key that compares numbers in names by value: `Part 2` before `Part 10`."""
    parts = re.findall(r"\d+|\D+", normalize(name))
    # Very long numbers are compared as text: nobody numbers with them, and `int` is slow for them.
    return tuple([(0, int(part), "") if part.isdecimal() and len(part) < 1000 else (1, 0, part) for part in parts])


def _capitalize(word: str) -> str:
    lowered = word.casefold() if word.isupper() and len(word) > 1 else word
    return re.sub(r"(^|[-/(])(\w)", lambda match: match[1] + match[2].upper(), lowered)


def pascal_case(name: str) -> str:
    """A name such as `tree-house` as a type name: `TreeHouse`."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", name) if word]
    joined = "".join(word[:1].upper() + word[1:] for word in words)
    return f"_{joined}" if joined[:1].isdigit() else joined
