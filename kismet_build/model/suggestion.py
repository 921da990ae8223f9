"""Hints for misspelled words in data files, formulas and citations."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

MIN_TYPO = 4
"""Minimum length of a word that may be another word with a typo: `sp` is not `gp`."""
LIKE_DIGITS = str.maketrans("OoIl", "0011")
"""The digits that letters are mistaken for."""
MAX_LISTED = 12
"""Number of known words that `choose_from` lists."""


def close_word(word: str, known: Iterable[str]) -> str:
    """The known word that is most similar to a misspelled word, ignoring case; empty if none is similar."""
    by_case = {name.casefold(): name for name in known if name != word}
    wanted = word.casefold()
    close = get_close_matches(wanted, list(by_case), n=3)
    # Swapped letters are the most frequent typo: `lable` means `label`, not `table`.
    close.sort(key=lambda name: sorted(name) != sorted(wanted))
    return by_case[close[0]] if close else ""


def is_typo(word: str, meant: str) -> bool:
    """Whether a word is another one with one letter too many, too few or wrong, or with two neighbours swapped."""
    if min(len(word), len(meant)) < MIN_TYPO or word == meant:
        return False
    at = next(
        (at for at, (one, other) in enumerate(zip(word, meant, strict=False)) if one != other),
        min(len(word), len(meant)),
    )
    rest, rest_meant = word[at:], meant[at:]
    is_swapped = rest[:2] == rest_meant[1::-1] and rest[2:] == rest_meant[2:]
    return is_swapped or rest[1:] in (rest_meant, rest_meant[1:]) or rest == rest_meant[1:]


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint that names the most similar word; if no word is similar, `otherwise`."""
    close = close_word(word, known)
    return f'did you mean "{close}"?' if close else otherwise


def did_you_mean_or_list(word: str, known: Collection[str], lead: str = "known here") -> str:
    """A hint that names the most similar word; if none is similar, all known words after `lead`."""
    return did_you_mean(word, known, f"{lead}: {', '.join(known) or 'none'}")


def choose_from(word: str, known: Collection[str], also: Iterable[str] = ()) -> str:
    """A hint that names the most similar word, or else some of the known words.

    `also`: words that are suggested but not listed. `site/bundle/index.js` does the same.
    """
    listed = f"choose from {', '.join([*known][:MAX_LISTED])}" if known else "there are none"
    more = f" and {len(known) - MAX_LISTED} more" if len(known) > MAX_LISTED else ""
    return did_you_mean(word, (*also, *known), listed + more)


def unknown(what: str, word: str, known: Collection[str], also: Iterable[str] = ()) -> str:
    """The message for an unknown word, with the hint of `choose_from`."""
    return f'unknown {what} "{word}": {choose_from(word, known, also)}'
