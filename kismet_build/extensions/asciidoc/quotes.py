"""Find pairs of formatting marks, such as `*strong*` and `_emphasis_`."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class MarkType(NamedTuple):
    """A type of formatting mark."""

    name: str
    open: str
    close: str
    constrained: bool
    """Whether the marks must be at word boundaries."""


MARK_TYPES = (
    MarkType("strong", "**", "**", False),
    MarkType("strong", "*", "*", True),
    MarkType("double", '"`', '`"', True),
    MarkType("single", "'`", "`'", True),
    MarkType("code", "``", "``", False),
    MarkType("code", "`", "`", True),
    MarkType("emphasis", "__", "__", False),
    MarkType("emphasis", "_", "_", True),
    MarkType("mark", "##", "##", False),
    MarkType("mark", "#", "#", True),
    MarkType("super", "^", "^", False),
    MarkType("sub", "~", "~", False),
)
"""All types of marks, in the order in which AsciiDoc searches for them."""

MAX_ROLE_LENGTH = 80
"""Maximum length of the brackets with roles before a mark, in characters."""


ID = re.compile(r"\[#[\w:.%-]{1,80}\](?=[*_`#])")
"""Brackets with an id before a mark."""


class MarkPair(NamedTuple):
    """An opening and a closing mark, with their positions in the text."""

    start: int
    """The start of the roles before the opening mark, or else of the opening mark."""
    inside: int
    close: int
    end: int
    name: str
    role: str


@dataclass(slots=True)
class FoundMarks:
    """The pairs of formatting marks in a text."""

    pairs: list[MarkPair]
    """The pairs, sorted by their opening marks. Two pairs are nested or do not overlap."""
    dropped: set[int]
    """Positions of backslashes that only escape a mark."""


def find_marks(text: str, start: int, end: int, is_free: Callable[[int], bool]) -> FoundMarks:
    """Find the marks in a range of a text. `is_free`: tells whether a character can be part of a mark."""
    finder = _Finder(text, start, end, is_free)
    for mark_type in MARK_TYPES:
        if text.find(mark_type.open, start, end) >= 0:
            if mark_type.constrained:
                finder.constrained(mark_type)
            else:
                finder.unconstrained(mark_type)
    return FoundMarks(_nested(finder.pairs), finder.dropped)


class _Finder:
    """Collects pairs of marks. `taken`: positions of characters that belong to a pair."""

    def __init__(self, text: str, start: int, end: int, is_free: Callable[[int], bool]) -> None:
        self.text, self.start, self.end = text, start, end
        self.is_free = is_free
        self.taken: set[int] = set()
        self.pairs: list[MarkPair] = []
        self.dropped: set[int] = set()
        self.ids = {text.index("#", found.start()) for found in ID.finditer(text, start, end)}
        """Positions of number signs that begin an id."""

    def positions(self, mark: str) -> list[int]:
        positions = []
        start = self.text.find(mark, self.start, self.end)
        while start >= 0:
            if start not in self.ids and all(
                self.is_free(position) and position not in self.taken for position in range(start, start + len(mark))
            ):
                positions.append(start)
            start = self.text.find(mark, start + 1, self.end)
        return positions

    def is_word(self, position: int) -> bool:
        if not self.start <= position < self.end or position in self.taken or not self.is_free(position):
            return False
        letter = self.text[position]
        return letter.isalnum() or letter == "_"

    def is_space(self, position: int) -> bool:
        return not self.start <= position < self.end or (position not in self.taken and self.text[position].isspace())

    def unconstrained(self, mark_type: MarkType) -> None:
        positions = self.positions(mark_type.open)
        size, min_length = len(mark_type.open), len(mark_type.open) + 1
        next_start = self.start
        for index, position in enumerate(positions):
            if position < next_start:
                continue
            close_index = bisect_left(positions, position + min_length, index)
            if close_index == len(positions):
                return
            close = positions[close_index]
            if size == 1 and any(letter.isspace() for letter in self.text[position:close]):
                continue
            begin, role = self.role(position, next_start, mark_type)
            self.add_pair(mark_type, begin, position, close, role)
            next_start = close + size

    def constrained(self, mark_type: MarkType) -> None:
        size = len(mark_type.open)
        closers = [position for position in self.positions(mark_type.close) if self.may_close(mark_type, position)]
        next_start = self.start
        for position in self.positions(mark_type.open):
            if position < next_start or self.is_space(position + size):
                continue
            begin, role = self.role(position, next_start, mark_type)
            if not self.may_open(mark_type, begin, next_start):
                continue
            close_index = bisect_left(closers, position + size + 1)
            if close_index == len(closers):
                return
            close = closers[close_index]
            self.add_pair(mark_type, begin, position, close, role)
            next_start = close + size

    def may_open(self, mark_type: MarkType, position: int, limit: int) -> bool:
        """Whether the character before a mark allows it to open.

        Before `limit`, characters belong to an earlier pair.
        """
        previous = self.previous(position)
        if previous < self.start or self.text[previous] == "\n":
            return True
        if previous < limit or self.is_word(previous):
            return False
        if previous in self.taken:
            return True
        excluded = ";:}<>&" + ("\"'`" if mark_type.name == "code" else "`" if mark_type.name == "single" else "")
        return self.text[previous] not in excluded

    def previous(self, position: int) -> int:
        """The position of the previous character, ignoring backslashes that escape a mark."""
        position -= 1
        while position in self.dropped:
            position -= 1
        return position

    def may_close(self, mark_type: MarkType, position: int) -> bool:
        after = position + len(mark_type.close)
        if self.is_space(position - 1) or self.is_word(after):
            return False
        return not (
            mark_type.name == "code" and after < self.end and self.text[after] in "\"'`" and after not in self.taken
        )

    def role(self, position: int, limit: int, mark_type: MarkType) -> tuple[int, str]:
        """The start of the roles before a mark, and the roles.

        If there are no roles, returns the position of the mark and an empty string.
        """
        if position - 1 < limit or self.text[position - 1] != "]" or not self.is_free(position - 1):
            return position, ""
        begin = self.text.rfind("[", max(limit, position - MAX_ROLE_LENGTH), position - 1)
        role = self.text[begin + 1 : position - 1] if begin >= 0 else ""
        # Other brackets before a mark are text, such as "[Craft]*s*".
        if not role or "]" in role or not (role[0] in ".#%" or mark_type.name == "mark"):
            return position, ""
        return begin, role

    def add_pair(self, mark_type: MarkType, begin: int, position: int, close: int, role: str) -> None:
        previous = self.previous(begin)
        if previous >= self.start and self.text[previous] == "\\" and self.is_free(previous):
            self.dropped.add(previous)
            return
        inside, end = position + len(mark_type.open), close + len(mark_type.close)
        self.taken.update(range(begin, inside), range(close, end))
        self.pairs.append(MarkPair(begin, inside, close, end, mark_type.name, role))


def _nested(pairs: Sequence[MarkPair]) -> list[MarkPair]:
    """The pairs in text order, without pairs that partially overlap an earlier pair."""
    nested: list[MarkPair] = []
    outer_pairs: list[MarkPair] = []
    for pair in sorted(pairs, key=lambda pair: (pair.start, -pair.end)):
        while outer_pairs and outer_pairs[-1].end <= pair.start:
            outer_pairs.pop()
        if outer_pairs and pair.end > outer_pairs[-1].close:
            outer = outer_pairs[-1]
            if not (pair.start == outer.inside and pair.close == outer.end and pair.name == outer.name):
                continue
            # In a row of three marks, the inner marks form the inner pair, in whichever order the pairs were found.
            size = pair.end - pair.close
            nested[-1] = outer_pairs[-1] = outer._replace(close=outer.close + size, end=pair.end)
            pair = pair._replace(close=outer.close, end=outer.close + size)
        outer_pairs.append(pair)
        nested.append(pair)
    return nested
