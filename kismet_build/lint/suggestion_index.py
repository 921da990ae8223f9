"""Index of names, to suggest a correction for a misspelled link."""

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from heapq import nsmallest
from itertools import chain
from posixpath import basename

from kismet_build.model.text_normalization import normalize

MAX_COMPARED = 24
"""Maximum number of names compared in full, which is slow. The names that share the most trigrams are compared."""
MAX_NAMES_OF_TRIGRAM = 1_000
"""Maximum number of names looked up for each trigram, because a large vault has many names with a common trigram."""
MIN_SIMILARITY = 0.8
"""Minimum similarity, from 0 to 1, of a suggested name."""


class SuggestionIndex:
    """An index that finds the name most similar to one that does not exist."""

    def __init__(self, names: Iterable[str]) -> None:
        self.by_normalized: dict[str, str] = {}
        for name in names:
            self.by_normalized.setdefault(normalize(name), name)
        self.by_trigram: dict[str, list[str]] = {}
        """Normalized names by trigram, because comparing all names of a large vault would be slow."""
        for normalized in self.by_normalized:
            for trigram in set(_trigrams(normalized)):
                self.by_trigram.setdefault(trigram, []).append(normalized)

    def suggest(self, name: str) -> str:
        """The name that is most similar, but not equal, to this name; empty if none is similar.

        The last parts of two paths must be similar too, because all paths in a folder with a long path are similar.
        """
        wanted = normalize(name)
        found = (self.by_trigram.get(trigram, [])[:MAX_NAMES_OF_TRIGRAM] for trigram in set(_trigrams(wanted)))
        common = Counter(chain.from_iterable(found))
        common.pop(wanted, None)
        likely = [name for name, _ in nsmallest(MAX_COMPARED, common.items(), key=lambda item: (-item[1], item[0]))]
        for close in get_close_matches(wanted, likely, n=len(likely) or 1, cutoff=MIN_SIMILARITY):
            if get_close_matches(basename(wanted), [basename(close)], cutoff=MIN_SIMILARITY):
                return self.by_normalized[close]
        return ""


def _trigrams(name: str) -> Iterator[str]:
    padded = f" {name} "
    return (padded[start : start + 3] for start in range(len(padded) - 2))
