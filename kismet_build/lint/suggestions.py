"""The nearest of many names to one that is misspelled."""

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from kismet_build.model.text_normalization import normalize

COMPARED = 24
"""So many names with the most letters in common are compared in earnest, which takes long."""
ALIKE = 0.8
"""From 0 to 1; less than this is another name, not a slip of the pen."""


class Names:
    """Names to compare others with."""

    def __init__(self, names: Iterable[str]) -> None:
        self.by_folded: dict[str, str] = {}
        for name in names:
            self.by_folded.setdefault(normalize(name), name)
        self.holders: dict[str, list[str]] = {}
        """For every three letters the names that have them, so that a large vault is not read through for each slip."""
        for folded in self.by_folded:
            for letters in set(_letters(folded)):
                self.holders.setdefault(letters, []).append(folded)

    def suggest(self, name: str) -> str:
        """The name that is nearly the same but not the same; an empty string where there is none."""
        wanted = normalize(name)
        common = Counter(folded for letters in set(_letters(wanted)) for folded in self.holders.get(letters, ()))
        common.pop(wanted, None)
        likely = [folded for folded, _ in sorted(common.items(), key=lambda item: (-item[1], item[0]))[:COMPARED]]
        close = get_close_matches(wanted, likely, n=1, cutoff=ALIKE)
        return self.by_folded[close[0]] if close else ""


def _letters(folded: str) -> Iterator[str]:
    padded = f" {folded} "
    return (padded[place : place + 3] for place in range(len(padded) - 2))
