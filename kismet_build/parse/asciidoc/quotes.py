"""`*strong*`, `_stressed_` and the like: find the marks that belong together."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Sort(NamedTuple):
    """One sort of mark."""

    name: str
    open: str
    close: str
    constrained: bool
    """Its marks stand at the edges of words only."""


SORTS = (
    Sort("strong", "**", "**", False),
    Sort("strong", "*", "*", True),
    Sort("double", '"`', '`"', True),
    Sort("single", "'`", "`'", True),
    Sort("code", "``", "``", False),
    Sort("code", "`", "`", True),
    Sort("emphasis", "__", "__", False),
    Sort("emphasis", "_", "_", True),
    Sort("mark", "##", "##", False),
    Sort("mark", "#", "#", True),
    Sort("super", "^", "^", False),
    Sort("sub", "~", "~", False),
)
"""In the order of AsciiDoc: what comes first takes its marks first."""

LONGEST_ROLE = 80
"""How many characters the brackets before a mark may hold."""


class Pair(NamedTuple):
    """Two marks that belong together."""

    start: int
    """Where the roles before the first mark begin, or the mark itself."""
    inside: int
    close: int
    end: int
    name: str
    role: str


@dataclass(slots=True)
class Marks:
    """What was found in some words."""

    pairs: list[Pair]
    """In the order of their first marks; none crosses another."""
    dropped: set[int]
    """Backslashes that only keep a mark from being one."""


def marks(text: str, start: int, end: int, free: Callable[[int], bool]) -> Marks:
    """The marks between two places of a text; `free` says whether a character may be one."""
    finder = _Finder(text, start, end, free)
    for sort in SORTS:
        if sort.open in text:
            if sort.constrained:
                finder.constrained(sort)
            else:
                finder.unconstrained(sort)
    return Marks(_nested(finder.pairs), finder.dropped)


class _Finder:
    """The marks found so far, and the characters that they have used up."""

    def __init__(self, text: str, start: int, end: int, free: Callable[[int], bool]) -> None:
        self.text, self.start, self.end = text, start, end
        self.free = free
        self.taken: set[int] = set()
        self.pairs: list[Pair] = []
        self.dropped: set[int] = set()

    def places(self, mark: str) -> list[int]:
        """Where a mark could stand."""
        found = []
        at = self.text.find(mark, self.start, self.end)
        while at >= 0:
            if all(self.free(place) and place not in self.taken for place in range(at, at + len(mark))):
                found.append(at)
            at = self.text.find(mark, at + 1, self.end)
        return found

    def is_word(self, place: int) -> bool:
        if not self.start <= place < self.end or place in self.taken or not self.free(place):
            return False
        letter = self.text[place]
        return letter.isalnum() or letter == "_"

    def is_space(self, place: int) -> bool:
        return not self.start <= place < self.end or (place not in self.taken and self.text[place].isspace())

    def unconstrained(self, sort: Sort) -> None:
        places = self.places(sort.open)
        size, least = len(sort.open), len(sort.open) + 1
        at = self.start
        for number, place in enumerate(places):
            if place < at:
                continue
            following = bisect_left(places, place + least, number)
            if following == len(places):
                return
            close = places[following]
            if size == 1 and any(letter.isspace() for letter in self.text[place:close]):
                continue
            begin, role = self.role(place, at, sort)
            self.settle(sort, begin, place, close, role)
            at = close + size

    def constrained(self, sort: Sort) -> None:
        size = len(sort.open)
        closers = [place for place in self.places(sort.close) if self.may_close(sort, place)]
        at = self.start
        for place in self.places(sort.open):
            if place < at or self.is_space(place + size):
                continue
            begin, role = self.role(place, at, sort)
            if not self.may_open(sort, begin, at):
                continue
            following = bisect_left(closers, place + size + 1)
            if following == len(closers):
                return
            close = closers[following]
            self.settle(sort, begin, place, close, role)
            at = close + size

    def may_open(self, sort: Sort, place: int, at: int) -> bool:
        """Whether what stands before a mark lets it be a first one; it may not have been used by a mark before."""
        before = self.before(place)
        if before < self.start or self.text[before] == "\n":
            return True
        if before < at or self.is_word(before):
            return False
        if before in self.taken:
            return True
        excluded = ";:}<>&" + ("\"'`" if sort.name == "code" else "`" if sort.name == "single" else "")
        return self.text[before] not in excluded

    def before(self, place: int) -> int:
        """The place of the character before another, the backslashes left out that are dropped already."""
        place -= 1
        while place in self.dropped:
            place -= 1
        return place

    def may_close(self, sort: Sort, place: int) -> bool:
        after = place + len(sort.close)
        if self.is_space(place - 1) or self.is_word(after):
            return False
        return not (sort.name == "code" and after < self.end and self.text[after] in "\"'`" and after not in self.taken)

    def role(self, place: int, at: int, sort: Sort) -> tuple[int, str]:
        """Where the roles before a mark begin, and what they are."""
        if place - 1 < at or self.text[place - 1] != "]" or not self.free(place - 1):
            return place, ""
        begin = self.text.rfind("[", max(at, place - LONGEST_ROLE), place - 1)
        role = self.text[begin + 1 : place - 1] if begin >= 0 else ""
        # What else stands in brackets before a mark is a word of the author's, such as "[Craft]*s*".
        if not role or "]" in role or not (role[0] in ".#%" or sort.name == "mark"):
            return place, ""
        return begin, role

    def settle(self, sort: Sort, begin: int, place: int, close: int, role: str) -> None:
        """Take two marks as a pair, unless a backslash says that they are none."""
        before = self.before(begin)
        if before >= self.start and self.text[before] == "\\" and self.free(before):
            self.dropped.add(before)
            return
        inside, end = place + len(sort.open), close + len(sort.close)
        self.taken.update(range(begin, inside), range(close, end))
        self.pairs.append(Pair(begin, inside, close, end, sort.name, role))


def _nested(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs in the order of the text, without those that cross one before them."""
    found: list[Pair] = []
    around: list[Pair] = []
    for pair in sorted(pairs, key=lambda pair: (pair.start, -pair.end)):
        while around and around[-1].end <= pair.start:
            around.pop()
        if around and pair.end > around[-1].close:
            outer = around[-1]
            if not (pair.start == outer.inside and pair.close == outer.end and pair.name == outer.name):
                continue
            # Three marks in a row: the inner ones belong together, whichever were counted first.
            size = pair.end - pair.close
            found[-1] = around[-1] = outer._replace(close=outer.close + size, end=pair.end)
            pair = pair._replace(close=outer.close, end=outer.close + size)
        around.append(pair)
        found.append(pair)
    return found
