"""Regular expressions written by authors. The processor time of each search is limited.

docs/decisions/0023-patterns-of-authors.md says why `regex` is used as well as `re`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import regex

Result = TypeVar("Result")

MAX_SEARCH_SECONDS = 1.0
"""Maximum processor time for a search of one pattern in one text, in seconds. Usual searches take microseconds."""

LITERAL_BRACE = re.compile(r"(\\N\{[^}]*\}|\\.)|\{(?!\d+\}|\d*,\d*\})", re.DOTALL)
"""A brace that does not start a repetition, or an escaped character. `regex` reads `a{e}` as a fuzzy match for `a`."""

MAX_COPIES = 100_000
"""Maximum number of parts of a pattern with repetitions written out: `(ab){3}` has six.

A compiled part takes 300 bytes.
"""
REPETITION = re.compile(r"(\)\s*)?\{(\d+)")
"""The minimum of a repetition, and whether a group is repeated."""


class UnusablePattern(Exception):
    """Raised if a pattern cannot be searched for in a text. The message gives the reason."""

    def __init__(self, pattern: "Pattern", reason: str) -> None:
        super().__init__(f'the regular expression "{pattern.text}" {reason}')
        self.pattern = pattern


@dataclass(frozen=True, slots=True)
class Pattern:
    """A Python regular expression. Raises `re.error` if it is invalid.

    The package `regex` does the search: it accepts the expressions of `re`, and can stop a search.
    """

    text: str
    keys: tuple[str | int, ...] = ()
    """The keys that lead to the pattern in its data file."""
    ignores_case: bool = False

    def __post_init__(self) -> None:
        try:
            re.compile(self.text)
        except (OverflowError, RecursionError) as problem:
            raise re.error(str(problem)) from problem
        if _copies(self.text) > MAX_COPIES:
            message = f"its nested repetitions multiply to more than {MAX_COPIES:,}"
            raise re.error(message)

    @property
    def group_count(self) -> int:
        """The number of groups, with and without names."""
        return re.compile(self.text).groups

    @property
    def group_names(self) -> Sequence[str]:
        return tuple(re.compile(self.text).groupindex)

    def search(self, text: str) -> "regex.Match[str] | None":
        """The first match in a text, or `None`. Raises `UnusablePattern`."""
        return self._run(lambda compiled: compiled.search(text, timeout=MAX_SEARCH_SECONDS))

    def find_all(self, text: str) -> "Sequence[regex.Match[str]]":
        """All matches in a text, without overlaps. Raises `UnusablePattern`."""
        return self._run(lambda compiled: [*compiled.finditer(text, timeout=MAX_SEARCH_SECONDS)])

    def split(self, text: str) -> Sequence[Any]:
        """The parts of a text between the matches. Raises `UnusablePattern`."""
        return self._run(lambda compiled: compiled.split(text, timeout=MAX_SEARCH_SECONDS))

    def _run(self, search: "Callable[[regex.Pattern[str]], Result]") -> Result:
        try:
            return search(_compiled(self))
        except TimeoutError as timeout:
            raise UnusablePattern(self, "takes too long") from timeout


def _copies(text: str) -> int:
    """An upper bound for the number of parts in a compiled pattern: `regex` copies repeated parts."""
    groups, parts = 1, len(text)
    for is_group, number in REPETITION.findall(text):
        # There may be a comment between a group and its number.
        if is_group or "#" in text:
            groups *= max(int(number), 1)
        else:
            parts += int(number)
    return groups * parts


@cache
def _compiled(pattern: Pattern) -> "regex.Pattern[str]":
    # Imported for the first search, because the import takes 80 ms.
    import regex

    text = LITERAL_BRACE.sub(lambda found: found[1] or r"\{", pattern.text)
    try:
        return regex.compile(text, regex.IGNORECASE if pattern.ignores_case else 0)
    except (regex.error, OverflowError, RecursionError, MemoryError) as problem:
        raise UnusablePattern(pattern, f"cannot be read: {problem}") from problem
