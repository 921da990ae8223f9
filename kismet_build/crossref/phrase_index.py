"""Every spelling of a name that may become a link, and where one stands in a text."""

import re
from collections.abc import Iterable, Iterator, Mapping

from kismet_build.config.autolink import NAME, AutolinkRules, plural
from kismet_build.model.text_normalization import FOLDED, normalize
from kismet_build.pack import Entity, Pack

WORD = re.compile(r"[^\W_]+")
JOIN = "-‐‑–"
"""What makes one word of two; and a range of two numbers."""
OWNED = re.compile(r"[’']s?(?!\w)")
"""What follows the name of an owner."""


class PhraseIndex:
    """Every spelling that may become a link, with what it names."""

    def __init__(self, pack: Pack) -> None:
        """Take note of the names of all entities of a pack."""
        self.linking: AutolinkRules = pack.game.linking
        self.key = normalize if self.linking.any_case else _as_written
        by_name: dict[str, list[Entity]] = {}
        self.phrases: dict[str, tuple[str, ...]] = {}
        """The ids of what a spelling names; none for one that never links."""
        plurals: dict[str, tuple[str, ...]] = {}
        silent: list[str] = []
        for entity in pack.every():
            for name in dict.fromkeys((entity.name, *entity.aliases)):
                by_name.setdefault(normalize(name), []).append(entity)
                forms = self.linking.forms(entity.kind)
                if not forms and " " in name:
                    # It never links, and is no place for the name of something else.
                    silent.append(name)
                for form in forms:
                    if form == NAME and name.islower() and " " not in name and not self.linking.any_case:
                        continue
                    words = form.replace(NAME, name)
                    self._add(self.phrases, words, entity.id)
                    self._add(plurals, plural(words, pack.game.language), entity.id)
        for words, ids in plurals.items():
            self.phrases.setdefault(words, ids)
        for name in silent:
            for words in (name, plural(name, pack.game.language)):
                if words:
                    self.phrases.setdefault(self.key(words), ())
        for words, name in self.linking.also.items():
            self.phrases.pop(self.key(words), None)
            for entity in by_name.get(normalize(name), ()):
                if self.linking.forms(entity.kind):
                    self._add(self.phrases, words, entity.id)
        for words in self.linking.never:
            self.phrases[self.key(words)] = ()
        self.lengths = _lengths(self.phrases)
        first = "".join(sorted({re.escape(word[0]) for word in self.lengths}))
        self._likely = re.compile(rf"[{first}][^\W_]*" if first else r"(?!)")
        """Words with a letter that a name begins with: nearly always a capital, which most words have not."""
        self.by_title: dict[str, frozenset[str]] = {}
        """The same by the folded spelling, as titles are in capitals."""
        for words, ids in self.phrases.items():
            title = normalize(words)
            self.by_title[title] = self.by_title.get(title, frozenset()).union(ids)
        shared = {self.key(words): f"{pack.game.id}/{kind}/" for words, kind in self.linking.shared.items()}
        for words, start in shared.items():
            ids = self.phrases.get(words, ())
            self.phrases[words] = tuple(one for one in ids if one.startswith(start)) or ids
        self.common = None if self.linking.common is None else frozenset(map(self.key, self.linking.common))

    def _add(self, phrases: dict[str, tuple[str, ...]], words: str, target: str) -> None:
        # A name that ends in a sign could not be told from the words around it.
        if words and words[0].isalnum() and words[-1].isalnum():
            key = self.key(words)
            phrases[key] = tuple(dict.fromkeys((*phrases.get(key, ()), target)))

    def is_common(self, key: str) -> bool:
        """Whether a name may be meant plainly where it starts a sentence or has no capital."""
        return WORD.fullmatch(key) is not None if self.common is None else key in self.common

    def may_stand_in(self, text: str) -> bool:
        """Whether a text holds a word that a name may begin with. Most texts hold none, and that is seen at once."""
        if self.linking.any_case:
            if not text.isascii():
                return True
            text = text.casefold()
        return not self.lengths.keys().isdisjoint(self._likely.findall(text))

    def within(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where names stand in a text, the longest first: from, up to, and their spelling as a key."""
        folded = text.casefold() if self.linking.any_case else text
        words = [found.span() for found in WORD.finditer(text)]
        place, last = 0, len(words)
        while place < last:
            start, end = words[place]
            first = folded[start:end] if len(folded) == len(text) else text[start:end]
            if first not in self.lengths and not first.isascii():
                first = self.key(first)
            following = place + 1
            for length in self.lengths.get(first, ()):
                if place + length > last:
                    continue
                end = words[place + length - 1][1]
                key = self.key(text[start:end])
                if key in self.phrases and _is_whole(text, start, end):
                    yield start, end, key
                    following = place + length
                    break
            place = following


def _as_written(words: str) -> str:
    """Words with one spelling of signs, and one space between them."""
    if words.isalnum():
        return words
    return " ".join((words if words.isascii() else words.translate(FOLDED_SIGNS)).split())


FOLDED_SIGNS = {sign: plain for sign, plain in FOLDED.items() if not chr(sign).isalpha()}


def _lengths(phrases: Iterable[str]) -> Mapping[str, tuple[int, ...]]:
    """For each word that a spelling begins with, how many words such spellings have, the longest first."""
    found: dict[str, set[int]] = {}
    for phrase in phrases:
        words = WORD.findall(phrase)
        found.setdefault(words[0], set()).add(len(words))
    return {first: tuple(sorted(lengths, reverse=True)) for first, lengths in found.items()}


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether words are not parts of longer ones. A name may own something: `Anna’s`."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before in JOIN + "_'’" and before:
        return False
    if after in ("'", "’"):
        return OWNED.match(text, end) is not None or not text[end + 1 : end + 2].isalnum()
    return not after or after not in JOIN + "_" or not text[end + 1 : end + 2].isalnum()
