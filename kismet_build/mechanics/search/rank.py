"""Rank the entries of a game for typed words.

`site/assets/search-rank.js` defines the scores, and this module computes the same. A test compares both. All scores are
sums of integers, so the order does not depend on the machine.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import floor, log2
from typing import Any, NamedTuple

from .index import Index, Name, Word
from .words import fold_words, stem

# Weights of places, in percent.
NAME, UNIT, KIND, NEAR, TEXT, TRAIL = 100, 80, 70, 50, 35, 40
PART_OF_NAME, OWN = 90, 4
# How well a word matches, in percent.
SAME, FORM, SYNONYM, ASIDE, BEGINS, MISSPELT = 100, 95, 70, 55, 60, 75
# Added to or subtracted from a share of 1,000.
IS_NAME, IN_NAME, NAME_SHARE, HAS_NAME, PAIR, COVER, REPLACED, WIDER = 1500, 700, 300, 160, 120, 40, 250, 400
BY_TYPE = {"k": 12, "b": 12, "t": 12, "s": 15, "c": 30, "u": 60, "x": 60, "y": 60}
RANK, LAST, LEAST, ANSWER = 8, 2600, 150, 400
ONE_TYPO, TWO_TYPOS, MAX_WORDINGS, MAX_COMPARED, MAX_PAIRED = 5, 8, 16, 120, 40
MAX_PHRASE = 4
"""Number of words in the longest phrase with synonyms."""
MIN_PART, MAX_COMPOUND = 3, 40
"""Numbers of letters in the shortest part of a compound, and in the longest compound."""
ENDED = re.compile(r"[.!?…:][\"”’)]*$")
"""The end of a unit that is a complete sentence."""
LABELLED = re.compile(r"[^.:·!?]+: ")
"""The start of a unit that says one thing by itself, such as a field: `HP: 22`."""
CELL_SEPARATOR = " · "
MAX_TYPED = 40
"""Maximum number of words that are ranked. The rest of a longer question is ignored."""
CALCULATOR = "x"
"""Type of the entries that are calculators."""
MAX_ANSWERS = 48
"""Number of results among which an answer and its calculator are searched."""


@dataclass(slots=True)
class Match:
    """The places where a typed word occurs."""

    own: str
    """The stem of the typed word."""
    names: dict[int, int] = field(default_factory=dict)
    """By the position of an entry, how well the word matches in the entry's names, in percent."""
    units: dict[int, int] = field(default_factory=dict)
    """By the position of a unit, how well the word matches in the unit, in percent."""
    stems: set[str] = field(default_factory=set)
    """The stems that match."""
    words: dict[str, None] = field(default_factory=dict)
    """The words of the index that match."""
    rarity: int = 0
    """16 times the binary logarithm of how rare the word is."""
    meant: str = ""
    """The correction, if the typed word is misspelt."""


@dataclass(slots=True)
class Result:
    """An entry that was found."""

    index: Index
    entry: int
    unit: int
    """Position of the unit that fits best; -1 if no unit has one of the words."""
    share: int
    """The share of the words that the entry has, of 1,000."""
    fit: int
    """The share that the name of the entry adds."""
    is_whole: bool
    """Whether the entry has all words."""
    name: int
    """Position of the name that fits best."""
    score: int
    words: Sequence[str]
    """The words for which the entry was found: the typed words, or others with the same meaning."""
    matches: Sequence[Match]

    @property
    def is_answer(self) -> bool:
        """Whether enough of the words are in the entry for it to be an answer."""
        return self.share >= ANSWER

    @property
    def start(self) -> int:
        """Position of the unit with which the passage starts.

        A unit that only repeats the name, as a term does, is skipped.
        """
        first, end = self.index.first[self.entry : self.entry + 2]
        start = max(self.unit, first)
        name = self.index.entries[self.entry][1]
        return start + (start + 1 < end and self.index.unit(start) == name)

    @property
    def is_ruling(self) -> bool:
        """Whether the passage is by the editors, about a question that the book leaves open."""
        return bool(self.index.units[self.entry]) and self.start in self.index.rulings

    @property
    def is_calculator(self) -> bool:
        """Whether the entry is a calculator."""
        return bool(self.index.entries[self.entry][0] == CALCULATOR)


class Ranking(NamedTuple):
    """The results for typed words."""

    found: Sequence[Result]
    """The results, the best first."""
    meant: str
    """The typed words with corrected spelling; empty if they need no correction."""
    is_whole: bool
    """Whether any entry has all words."""


class _Wording(NamedTuple):
    words: Sequence[str]
    share: int
    """Percentage of the typed words that synonyms replace."""
    wider: int


def rank(indexes: Sequence[Index], typed: str) -> Ranking:
    """Rank the entries of games for typed words."""
    indexes, words = of_named_games(indexes, typed)
    found: list[Result] = []
    meant, is_whole, is_answered = "", False, False

    def is_known(word: str, is_last: bool) -> bool:
        return any(_has_word(index, word, is_last) for index in indexes)

    for index in indexes if words else ():
        best: dict[int, Result] = {}
        asks = any(word in index.asks for word in words)
        memo: dict[tuple[str, bool, bool, bool], Match] = {}
        for wording in _wordings(index, words):
            for result in _fits(index, wording.words, is_known, memo):
                if wording.share:
                    result.score -= result.fit >> 1
                result.score -= REPLACED * wording.share // 100 + WIDER * wording.wider
                if result.is_calculator and not asks:
                    result.score -= LAST
                is_whole |= result.is_whole
                is_misspelt = any(match.meant for match in result.matches)
                is_answered |= result.is_whole and not is_misspelt
                if not meant and is_misspelt and not wording.share:
                    spelled = zip(wording.words, result.matches, strict=True)
                    meant = " ".join(match.meant or word for word, match in spelled)
                if result.entry not in best or result.score > best[result.entry].score:
                    best[result.entry] = result
        # Two headings may share a page, as a chapter and its title do.
        seen: set[str] = set()
        for result in sorted(best.values(), key=_order):
            address = index.entries[result.entry][2]
            if address not in seen:
                seen.add(address)
                found.append(result)
    found.sort(key=_order)
    close = found[:MAX_PAIRED]
    for result in close:
        _add_pairs(result)
    return Ranking([*sorted(close, key=_order), *found[MAX_PAIRED:]], "" if is_answered else meant, is_whole)


def of_named_games(indexes: Sequence[Index], typed: str) -> tuple[Sequence[Index], Sequence[str]]:
    """The games that the words name by title or id, and the words to search for.

    If they name none, all games and all words. The name of an entry is never taken for a game. The name of a game stays
    among the words unless a common word precedes it, as in "in Chess", and other words are left to search for.
    """
    words = fold_words(typed)[:MAX_TYPED]
    stems = [*map(stem, words)]
    named: list[Index] = []
    rest = [*words]
    for index in indexes:
        for name in dict.fromkeys(map(tuple, map(fold_words, (index.title, index.game)))):
            own = [*map(stem, name)]
            at = next((at for at in range(len(stems)) if own and stems[at : at + len(own)] == own), None)
            if at is None or any(other.is_name(name) for other in indexes):
                continue
            named.append(index)
            if at and words[at - 1] in index.ignored:
                rest[at : at + len(own)] = [""] * len(own)
            break
    told = [word for word in rest if word]
    is_told = any(word not in index.ignored for index in named for word in told)
    return named or indexes, told if is_told else words


def answers(found: Sequence[Result]) -> Sequence[Result]:
    """The answer among ranked results, and the calculator to show beside it: none, one or two results."""
    near = found[:MAX_ANSWERS]
    texts = [result for result in near if not result.is_calculator]
    likely = [result for result in texts if result.is_answer and result.index.units[result.entry]]
    calculators = [result for result in near if result.is_calculator and result.is_answer]
    if calculators and calculators[0] is near[0]:
        # If the words ask for a calculator, the calculator is the answer, together with the best text at its place.
        beside = [text for text in likely if _is_beside(calculators[0], text)]
        return *beside[:1], calculators[0]
    if not likely or likely[0] is not texts[0]:
        return ()
    beside = [calculator for calculator in calculators if _is_beside(calculator, likely[0])]
    return likely[0], *beside[:1]


def _is_beside(calculator: Result, text: Result) -> bool:
    """Whether a calculator stands at a text, or under the same heading."""
    entries = text.index.entries
    above = (text.entry, entries[text.entry][3])
    return calculator.index is text.index and entries[calculator.entry][3] in above


def passage(result: Result, most: int) -> str:
    """The unit of a result and the units after it, as long as they have at most `most` characters together.

    If there is room, the sentence before is included, because the unit may continue it. The words of the book, the
    words of the editors and sentences made from fields are never in one passage. A unit with a label that was found
    answers by itself, without the next labels.
    """
    index, first = result.index, result.index.first[result.entry]
    units = () if result.is_calculator else index.units[result.entry]
    start = result.start - first
    line, size = "".join(units[start : start + 1]), len("".join(units[start : start + 1]))

    is_labelled = result.unit == result.start and LABELLED.match(line) is not None

    def fits(at: int) -> bool:
        places = (first + at, first + start)
        is_apart = any(len({place in group for place in places}) > 1 for group in (index.rulings, index.restated))
        return size + len(units[at]) <= most and not is_apart

    for at in range(start + 1, len(units)):
        if not fits(at) or (is_labelled and (LABELLED.match(units[at]) or not ENDED.search(units[at - 1]))):
            break
        line += (" " if ENDED.search(units[at - 1]) else CELL_SEPARATOR) + units[at]
        size += 1 + len(units[at])
    if 0 < start < len(units) and not is_labelled and ENDED.search(units[start - 1]) and fits(start - 1):
        line = f"{units[start - 1]} {line}"
    return line


def _order(result: Result) -> tuple[int, int]:
    return -result.score, result.entry


# --- words


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _has_word(index: Index, word: str, is_last: bool) -> bool:
    if index.has_stem_of(word) or stem(word) in index.vocabulary:
        return True
    return is_last and not _is_number(word) and next(index.beginning_with(word), None) is not None


def edits(first: str, second: str, most: int) -> int:
    """Number of edits from one word to another.

    A transposition is one edit. More than `most` edits count as `most` + 1.
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    last: list[int] = [*range(len(second) + 1)]
    for i, letter in enumerate(first, 1):
        row = [i]
        for j, other in enumerate(second, 1):
            number = min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                number = min(number, before[j - 2] + 1)
            row.append(number)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]


def _corrections(index: Index, typed: str) -> Sequence[Word]:
    """The words of a game that are closest to a misspelt word, the most likely first."""
    if len(typed) < ONE_TYPO or _is_number(typed):
        return ()
    closest = 1 if len(typed) < TWO_TYPOS else 2
    found: list[Word] = []
    for word in index.spelled:
        if abs(len(word.text) - len(typed)) > closest:
            continue
        number = edits(typed, word.text, closest)
        if number < closest:
            found = []
        if number <= closest:
            closest = number
            found.append(word)

    def likelihood(word: Word) -> int:
        size = len(word.entries) + len(word.units)
        return 4 * size - 9 * abs(len(word.text) - len(typed)) + 8 * (word.text[0] == typed[0])

    return sorted(found, key=likelihood, reverse=True)


def _match(index: Index, typed: str, is_first: bool, is_last: bool, is_misspelt: bool) -> Match:
    """The places of a typed word and of what can stand for it: other forms, synonyms, longer words, corrections."""
    match = Match(stem(typed), stems={stem(typed)})

    def add(word: Word, quality: int) -> None:
        match.words[word.text] = None
        for places, found in ((word.entries, match.names), (word.units, match.units)):
            for place in places:
                if found.get(place, 0) < quality:
                    found[place] = quality

    def add_forms(own: str, quality: int, same: str = "") -> None:
        for word in index.forms.get(own, ()):
            add(word, SAME if word.text == same else quality)

    add_forms(match.own, FORM, typed)
    own = len(match.units) + len(match.names)

    def add_synonyms(word: str, quality: int) -> None:
        for synonym in index.synonyms(stem(word)):
            if len(synonym.words) == 1:
                meaning = stem(synonym.words[0])
                match.stems.add(meaning)
                add_forms(meaning, max((ASIDE if own else SYNONYM) - 10 * synonym.wider, 40) * quality // 100)

    add_synonyms(typed, SAME)
    if (is_last or is_misspelt) and not _is_number(typed) and len(typed) > (0 if is_first else 1):
        for word in index.beginning_with(typed):
            add(word, BEGINS + 35 * len(typed) // len(word.text))
    if is_misspelt and not match.words:
        words = _corrections(index, typed)
        match.meant = words[0].text if words else ""
        for word in words:
            add(word, MISSPELT)
            match.stems.add(stem(word.text))
            add_synonyms(word.text, MISSPELT)
    size = own or len(match.units) + len(match.names)
    match.rarity = floor(16 * log2(1 + (len(index.owner) + len(index.entries)) / max(1, size)) + 0.5)
    if not own and _is_number(typed):
        # A number that the book does not contain is an amount, for example of damage.
        match.rarity >>= 2
    if match.own in index.weak:
        match.rarity //= 2
    return match


# --- wordings


def _wordings(index: Index, typed: Sequence[str]) -> Sequence[_Wording]:
    """The words except common ones, then other wordings: joined and split compounds, and synonyms of phrases."""
    words = index.content(typed)
    others = [_Wording(words, 0, 0)]

    for place, word in enumerate(words):
        if place + 1 < len(words) and (compound := word + words[place + 1]) in index.known:
            others.append(_Wording([*words[:place], compound, *words[place + 2 :]], 0, 0))
        if len(word) <= MAX_COMPOUND and not index.has_stem_of(word):
            for cut in range(MIN_PART, len(word) - MIN_PART + 1):
                if index.has_stem_of(word[:cut]) and index.has_stem_of(word[cut:]):
                    others.append(_Wording([*words[:place], word[:cut], word[cut:], *words[place + 1 :]], 0, 0))
    for number in range(min(MAX_PHRASE, len(typed)), 0, -1):
        for place in range(len(typed) - number + 1):
            phrase = " ".join(map(stem, typed[place : place + number]))
            for other, wider in index.synonyms(phrase):
                if (number > 1 or len(other) > 1) and all(map(index.has_stem_of, other)):
                    reworded = index.content([*typed[:place], *other, *typed[place + number :]])
                    others.append(_Wording(reworded, 100 * number // len(typed), wider))
    return others[:MAX_WORDINGS]


# --- score


def _fits(
    index: Index,
    words: Sequence[str],
    is_known: Callable[[str, bool], bool],
    memo: dict[tuple[str, bool, bool, bool], Match],
) -> Iterator[Result]:
    last = len(words) - 1
    keys = [(word, not place, place == last, not is_known(word, place == last)) for place, word in enumerate(words)]
    for key in keys:
        if key not in memo:
            memo[key] = _match(index, *key)
    matches = [memo[key] for key in keys]
    total = sum(match.rarity for match in matches)
    # Numbers in a question are values for a calculator's inputs.
    told = [match.rarity for word, match in zip(words, matches, strict=True) if not _is_number(word)]
    total_of_calculator = sum(told) or total
    is_left = any(not match.names and not match.units for match in matches)
    types = [
        {kind for kind, own in enumerate(index.kind_stems) if not match.stems.isdisjoint(own)} for match in matches
    ]
    crude: dict[int, int] = {}
    texts: list[dict[int, int]] = []
    hits: dict[int, set[int]] = {}
    for match, kinds in zip(matches, types, strict=True):
        text: dict[int, int] = {}
        for unit, quality in match.units.items():
            entry = index.owner[unit]
            hits.setdefault(entry, set()).add(unit)
            if text.get(entry, 0) < quality:
                text[entry] = quality
        texts.append(text)
        names, rarity = match.names, match.rarity
        for entry, quality in text.items():
            crude[entry] = crude.get(entry, 0) + max(UNIT * quality, NAME * names.get(entry, 0)) * rarity
        for entry, quality in names.items():
            if entry not in text:
                crude[entry] = crude.get(entry, 0) + NAME * quality * rarity
        if kinds:
            for entry, (entry_type, *_) in enumerate(index.entries):
                if entry_type in kinds and entry not in names and entry not in text:
                    crude[entry] = crude.get(entry, 0) + KIND * SAME * rarity
    listed = sorted(crude.items(), key=lambda each: -each[1])[:MAX_COMPARED]
    stems = [stem(word) for word in words]
    for entry, _ in listed:
        entry_type = index.entries[entry][0]
        named = NAME * _share_of_name(index, entry, matches)
        base = []
        for match, text, kinds in zip(matches, texts, types, strict=True):
            best = max(
                named * match.names.get(entry, 0) // 100,
                TEXT * text.get(entry, 0),
                KIND * SAME if entry_type in kinds else 0,
            )
            for above in index.headings_above(entry):
                best = max(best, TRAIL * match.names.get(above, 0))
            base.append(best)
        unit, best = _best_unit(index, entry, matches, base, sorted(hits.get(entry, ())))
        share = best // (10 * (total_of_calculator if entry_type == CALCULATOR else total))
        if share < LEAST:
            continue
        is_whole = not is_left and all(
            weight > 0 or (unit >= 0 and unit in match.units) for weight, match in zip(base, matches, strict=True)
        )
        fit, name = _name_fit(index, entry, matches, words, stems, types)
        off = index.kinds[entry_type][3] * RANK if isinstance(entry_type, int) else BY_TYPE[entry_type]
        yield Result(index, entry, unit, share, fit, is_whole, name, share + fit - off, words, matches)


def _best_unit(
    index: Index, entry: int, matches: Sequence[Match], base: Sequence[int], units: Sequence[int]
) -> tuple[int, int]:
    """The position of the unit that fits best (-1 if no unit has one of the words), and the score with this unit.

    Words that are also in the name of the entry help to choose the unit, but do not count twice in the score.
    """
    first, end = index.first[entry], index.first[entry + 1]
    best, choice, chosen = -1, -1, -1
    for unit in units:
        total = own = 0
        for match, weight in zip(matches, base, strict=True):
            here = match.units.get(unit, 0)
            own += match.rarity * UNIT * here
            before = match.units.get(unit - 1, 0) if unit > first else 0
            after = match.units.get(unit + 1, 0) if unit + 1 < end else 0
            total += match.rarity * max(weight, UNIT * here, NEAR * before, NEAR * after)
        if own and total + own // OWN > choice:
            best, choice, chosen = total, total + own // OWN, unit
    if chosen < 0:
        best = sum(match.rarity * weight for match, weight in zip(matches, base, strict=True))
    return chosen, best


def _share_of_name(index: Index, entry: int, matches: Sequence[Match]) -> int:
    """How much a match in a name counts, in percent. The more other words the name has, the less it counts."""
    best = max(
        sum(any(own in match.stems for match in matches) for own in name.stems) / max(1, len(name.stems))
        for name in index.names(entry)
    )
    return PART_OF_NAME + floor((100 - PART_OF_NAME) * best)


def _name_fit(
    index: Index,
    entry: int,
    matches: Sequence[Match],
    words: Sequence[str],
    stems: Sequence[str],
    types: Sequence[set[Any]],
) -> tuple[int, int]:
    """The share that the best name of an entry adds, and the position of the name."""
    entry_type = index.entries[entry][0]
    by_kind = [FORM if entry_type in kinds else 0 for kinds in types]
    qualities = [match.names.get(entry, kind) for match, kind in zip(matches, by_kind, strict=True)]
    # Each word must be in a name or in the kind of the entry, and at least one in a name.
    is_named = all(qualities) and any(entry in match.names for match in matches)
    quality = min(qualities) if is_named else 0
    total = sum(match.rarity for match in matches)
    joined = "".join(words)
    best, number = 0, 0
    for place, name in enumerate(index.names(entry)):
        fit = 0
        if name.joined == joined:
            fit = IS_NAME + 1
        elif name.stems == stems:
            fit = IS_NAME
        elif is_named:
            used = [own for own in name.stems if any(_has_stem(match, own) for match in matches)]
            if used:
                part = NAME_SHARE * _letters(used) // max(1, _letters(name.stems))
                fit = (IN_NAME + part) * (quality * quality if quality < FORM else 10_000) // 10_000
        elif name.stems and all(any(own in match.stems for match in matches) for own in name.stems):
            # A name that only synonyms of the words contain counts less.
            fit = HAS_NAME * sum(match.rarity * _name_weight(match, name) // 100 for match in matches) // total
        fit -= place
        if fit > best:
            best, number = fit, place
    return best, number


def _has_stem(match: Match, own: str) -> bool:
    return own in match.stems or any(stem(word) == own for word in match.words)


def _letters(words: Sequence[str]) -> int:
    return sum(map(len, words))


def _name_weight(match: Match, name: Name) -> int:
    if match.own in name.stems:
        return SAME
    return 0 if match.stems.isdisjoint(name.stems) else ASIDE


def _add_pairs(result: Result) -> None:
    """Raise the score of a result for typed words that are close to each other in its unit."""
    if result.unit < 0:
        return
    index, matches = result.index, result.matches
    content = [stem(word) for word in index.content(fold_words(index.unit(result.unit)))]
    entry_type = index.entries[result.entry][0]
    kind_stems = index.kind_stems[entry_type] if isinstance(entry_type, int) else ()
    pairs = total = 0
    for match, following, word in zip(matches, matches[1:], result.words[1:], strict=False):
        rarity = min(match.rarity, following.rarity)
        total += rarity
        # A number belongs to the word before it, or to the kind of the entry.
        is_ordered = _is_number(word)
        if is_ordered and not match.stems.isdisjoint(kind_stems) and not following.stems.isdisjoint(content):
            pairs += 2 * rarity
        elif any(
            content[other] in following.stems
            for at, own in enumerate(content)
            if own in match.stems
            for other in ((at + 1,) if is_ordered else (at + 1, at + 2, at - 1))
            if 0 <= other < len(content)
        ):
            pairs += rarity
    matched = sum(any(own in match.stems for match in matches) for own in content)
    result.score += PAIR * pairs // max(1, total) + COVER * matched // len(content)
