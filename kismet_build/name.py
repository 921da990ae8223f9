"""Names: folded for comparing, in title case for showing, as slugs for addresses."""

import re
import unicodedata
from hashlib import sha256

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
"""Words that stay in lower case inside a title (The Chicago Manual of Style, short prepositions included)."""

FOLDED = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "ł": "l", "½": "1/2"}
)
"""Signs that people type in several ways, and letters that do not decompose, each as its plain spelling."""


def fold(text: str) -> str:
    """A text as names are compared: no case, no accents, one space, plain quotes and dashes."""
    folded = text.casefold().translate(FOLDED)
    if folded.isascii():
        return " ".join(folded.split())  # nothing is left to decompose: nearly always, and much faster
    decomposed = unicodedata.normalize("NFKD", folded)
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).translate(FOLDED).split())


def slug(text: str) -> str:
    """A text as an address: ASCII letters and digits, words joined by `-`.

    A name in a script that has no ASCII spelling gets a short digest, so that it has an address at all.
    """
    found = re.findall(r"[a-z0-9]+", fold(text).replace("'", "").encode("ascii", "ignore").decode())
    return "-".join(found) or "x" + sha256(text.encode()).hexdigest()[:8]


def title_case(text: str) -> str:
    """A name in title case: `TIERS OF POWER` becomes `Tiers of Power`.

    A word of mixed case such as `McCoy` keeps it; a name all in capitals is lowered first.
    """
    words = (text.casefold() if text.isupper() else text).split()
    last = len(words) - 1
    return " ".join(
        word.casefold() if 0 < place < last and word.casefold() in SMALL_WORDS else _capital(word)
        for place, word in enumerate(words)
    )


def unique(base: str, taken: set[str], first: int) -> str:
    """A name that is not taken yet, which it is then; the numbers of others of that name begin with `first`."""
    name, number = base, first
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    taken.add(name)
    return name


def natural_order(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts numbers in names by their size: `Part 2` before `Part 10`."""
    parts = re.findall(r"\d+|\D+", fold(name))
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def _capital(word: str) -> str:
    """A word with its first letter, and each letter after a hyphen, slash or bracket, as a capital."""
    lowered = word.casefold() if word.isupper() and len(word) > 1 else word
    return re.sub(r"(^|[-/(])(\w)", lambda found: found[1] + found[2].upper(), lowered)
