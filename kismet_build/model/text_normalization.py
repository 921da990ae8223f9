"""Names: folded for comparing, in title case for showing, as slugs for addresses."""

import re
import unicodedata
from functools import lru_cache
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


VOICED = "\u3099\u309a"
"""The marks that make other letters of Japanese ones, where accents elsewhere only colour them."""

LONGEST = 80
"""How many characters a part of an address may have; systems refuse names of more than 255 bytes, and paths of 260."""

DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
)
"""Names that a folder cannot have on Windows."""


def normalize(text: str) -> str:
    """A text as names are compared: no case, no accents, one space, plain quotes and dashes."""
    return _fold_name(text) if len(text) <= LONGEST else _fold(text)


@lru_cache(maxsize=8192)
def _fold_name(text: str) -> str:
    # Titles and the words of links are compared again and again; longer texts are not worth their room.
    return _fold(text)


def _fold(text: str) -> str:
    folded = text.casefold()
    if not folded.isascii():  # nearly always there is nothing to spell otherwise, and nothing to decompose
        folded = folded.translate(FOLDED)
    if folded.isascii():
        return " ".join(folded.split())
    decomposed = unicodedata.normalize("NFKD", folded)
    bare = "".join(c for c in decomposed if c in VOICED or not unicodedata.combining(c))
    return " ".join(bare.translate(FOLDED).split())


def slug(text: str) -> str:
    """A text as an address: ASCII letters and digits, words joined by `-`.

    Words of other scripts are spelled in ASCII, sign by sign, as libraries do. A name of nothing but signs without any
    spelling gets a short digest, so that it has an address at all.
    """
    folded = normalize(text)
    if not folded.isascii():
        folded = _spelled(text)
    found = re.findall(r"[a-z0-9]+", folded.replace("'", ""))
    return "-".join(found) or f"x{_digest(text)}"


def folder_name(text: str) -> str:
    """A slug that is a sound name of a folder on every system: of no device, and not too long."""
    name = slug(text)
    if len(name) > LONGEST:
        # The digest of the whole tells apart what begins alike, whatever else there is.
        cut = name[: LONGEST - 9]
        return f"{cut.rpartition('-')[0] or cut}-{_digest(text)}"
    return f"{name}-text" if name in DEVICES else name


def _spelled(text: str) -> str:
    """A text with the letters and digits of every script spelled in ASCII; signs too where there is nothing else."""
    # The tables take a while to load, and few texts need them.
    from anyascii import anyascii

    composed = unicodedata.normalize("NFC", text)
    plain = "".join(c if _is_latin(c) else _apart(anyascii(c)) if c.isalnum() or _is_mark(c) else " " for c in composed)
    if not any(map(str.isalnum, plain)):
        plain = anyascii(composed)
    return normalize(plain.replace("`", "")).encode("ascii", "ignore").decode()


def _apart(spelling: str) -> str:
    """The spelling of one sign, apart from its neighbours if it is a word of its own, as a Chinese one is."""
    return f" {spelling} " if spelling[:1].isupper() and spelling[1:].islower() else spelling


def _is_latin(sign: str) -> bool:
    """Whether folding leaves ASCII of a sign, or drops it because it is neither letter nor digit."""
    return sign.isascii() or not normalize(sign) or (normalize(sign).isascii() and not _is_mark(sign))


def _is_mark(sign: str) -> bool:
    """Whether a sign belongs to the letter before it, as vowels do in the scripts of India."""
    return unicodedata.category(sign) in ("Mc", "Mn")


def _digest(text: str) -> str:
    """Eight figures that are the same for the same text, however its letters are composed."""
    return sha256(unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass")).hexdigest()[:8]


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


Natural = tuple[tuple[int, int, str], ...]
"""A name as its numbers and what is between them."""


@lru_cache(maxsize=8192)
def natural_order(name: str) -> Natural:
    """A key that sorts numbers in names by their size: `Part 2` before `Part 10`."""
    parts = re.findall(r"\d+|\D+", normalize(name))
    # A number of a thousand figures is no number that people order things by, and takes long to read.
    return tuple([(0, int(part), "") if part.isdecimal() and len(part) < 1000 else (1, 0, part) for part in parts])


def _capital(word: str) -> str:
    """A word with its first letter, and each letter after a hyphen, slash or bracket, as a capital."""
    lowered = word.casefold() if word.isupper() and len(word) > 1 else word
    return re.sub(r"(^|[-/(])(\w)", lambda found: found[1] + found[2].upper(), lowered)
