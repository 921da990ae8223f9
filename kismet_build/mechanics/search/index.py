"""The search index of a game, opened for `rank`. `site/assets/search-rank.js` opens it in the same way."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from .words import fold_words, stem

UNCOUNTED_AFTER_HOW = frozenset(("long", "many", "much"))
"""Words that are ignored after "how"."""


class Word(NamedTuple):
    """A word of an index, with the places where it occurs."""

    text: str
    entries: Sequence[int]
    """Positions of the entries with this word in a name."""
    units: Sequence[int]
    """Positions of the units with this word, counted over all entries."""


class Synonym(NamedTuple):
    """Another meaning of a word or phrase."""

    words: Sequence[str]
    wider: int
    """How many steps wider this meaning is."""


class Name(NamedTuple):
    """A name of an entry."""

    joined: str
    """The folded words of the name, without spaces."""
    stems: Sequence[str]
    """The stems of the words in the name, except ignored words."""


class Index:
    """A search index, ready for look-ups.

    `data` is the index as `index_data` in `render/site/search_entries.py` makes it. `shared` has the synonyms for all
    games.
    """

    def __init__(self, data: Mapping[str, Any], shared: Mapping[str, Any]) -> None:
        self.game: str = data["game"]
        self.title: str = data["title"]
        self.entries: Sequence[Sequence[Any]] = data["entries"]
        self.kinds: Sequence[Sequence[Any]] = data["kinds"]
        self.units: Sequence[Sequence[str]] = data["units"]
        self.first: Sequence[int] = [0, *accumulate(map(len, self.units))]
        """Position of the first unit of each entry."""
        self.owner: Sequence[int] = [entry for entry, units in enumerate(self.units) for _ in units]
        """The position of the entry that each unit belongs to."""
        self.rulings = frozenset(_positions(data["rulings"]))
        """The positions of units that the editors wrote, about questions that the book leaves open."""
        self.restated = frozenset(_positions(data["restated"]))
        """The positions of sentences made from fields, which repeat what a row says."""
        self.forms: dict[str, list[Word]] = {}
        """The words of each stem."""
        self.known: dict[str, Word] = {}
        postings = iter(data["postings"])
        for group in data["words"].split("|"):
            own, *spelled = group.split(" ")
            self.forms[own] = [Word(text, *map(_positions, next(postings))) for text in spelled]
            self.known.update((word.text, word) for word in self.forms[own])
        self.ignored = frozenset(each for word in shared.get("ignored", ()) for each in (word, stem(word)))
        self.weak = frozenset(map(stem, shared.get("weak", ())))
        self.asks = frozenset(shared.get("asks", ()))
        """Words that ask for a calculator."""
        self.kind_stems = [[stem(word) for word in fold_words(kind[0])] for kind in self.kinds]
        self._meanings: dict[str, list[tuple[str, Sequence[str], int]]] = {}
        """Other meanings of phrases, as in `_mean`, by the phrases' stems joined by spaces."""
        self.vocabulary: set[str] = set()
        """The stems of all words that have synonyms."""
        self._spelled = {text: self.known[text] for text in sorted(self.known)}
        for name, *others in data.get("search", ()):
            for word in others:
                self._mean(word, (name,), 0)
        for same in shared.get("same", ()):
            for word in same:
                self._mean(word, same, 0)
        for word, meant in shared.get("leads", {}).items():
            self._mean(word, meant, 1)
        self.spelled: Sequence[Word] = list(self._spelled.values())
        """The words with which a misspelt word is compared."""
        self._sorted = sorted(self.known)
        self._names: dict[int, Sequence[Name]] = {}

    def _mean(self, typed: str, meant: Sequence[str], step: int) -> None:
        """Add synonyms. Each is wider than the previous one by `step`."""
        words = fold_words(typed)
        for word in words:
            self.vocabulary.add(stem(word))
            self._spelled.setdefault(word, Word(word, (), ()))
        self._meanings.setdefault(" ".join(map(stem, words)), []).append((typed, meant, step))

    def synonyms(self, stems: str) -> Iterator[Synonym]:
        """Other meanings of a word or phrase, given as its stems joined by spaces."""
        for typed, meant, step in self._meanings.get(stems, ()):
            for place, other in enumerate(meant):
                if other != typed:
                    yield Synonym(fold_words(other), place * step)

    def has_stem_of(self, word: str) -> bool:
        """Whether the index has the word or another form of it."""
        return stem(word) in self.forms

    def content(self, words: Sequence[str]) -> Sequence[str]:
        """The words except common ones such as "how"; all of them if every word is common."""
        rest = [
            word
            for place, word in enumerate(words)
            if word not in self.ignored
            and stem(word) not in self.ignored
            and not (place and words[place - 1] == "how" and word in UNCOUNTED_AFTER_HOW)
        ]
        return rest or words

    def beginning_with(self, letters: str) -> Iterator[Word]:
        """The words that start with these letters, in alphabetical order."""
        for place in range(bisect_left(self._sorted, letters), len(self._sorted)):
            if not self._sorted[place].startswith(letters):
                return
            yield self.known[self._sorted[place]]

    def names(self, entry: int) -> Sequence[Name]:
        """The names of an entry."""
        if entry not in self._names:
            _, name, _, _, *others = self.entries[entry]
            spellings = map(fold_words, (name, *others))
            self._names[entry] = [Name("".join(words), [*map(stem, self.content(words))]) for words in spellings]
        return self._names[entry]

    def is_name(self, words: Sequence[str]) -> bool:
        """Whether an entry has a name with these folded words."""
        known = self.known.get(words[0])
        return known is not None and any(
            name.joined == "".join(words) for entry in known.entries for name in self.names(entry)
        )

    def unit(self, place: int) -> str:
        """The unit at a position."""
        entry = self.owner[place]
        return self.units[entry][place - self.first[entry]]

    def headings_above(self, entry: int) -> Iterator[int]:
        """The entries for the headings above an entry, the nearest first."""
        above = self.entries[entry][3]
        while above >= 0:
            yield above
            above = self.entries[above][3]


def _positions(deltas: Sequence[int]) -> Sequence[int]:
    return [*accumulate(deltas)]
