"""Hints for misspelled words of data files, formulas and citations."""

from collections.abc import Iterable
from difflib import get_close_matches


def close_word(word: str, known: Iterable[str]) -> str:
    """The known word that is most like a misspelled one, without regard to case; empty if none is."""
    by_case = {name.casefold(): name for name in known if name != word}
    wanted = word.casefold()
    close = get_close_matches(wanted, list(by_case), n=3)
    # Letters that changed places are the most frequent slip: `lable` is `label`, not `table`.
    close.sort(key=lambda name: sorted(name) != sorted(wanted))
    return by_case[close[0]] if close else ""


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint that names the most similar word; `otherwise` if there is none."""
    close = close_word(word, known)
    return f'did you mean "{close}"?' if close else otherwise
