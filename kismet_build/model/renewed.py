"""What is known of a whole book of which one text has a new version.

What was known stays as it is, and what is new lies over it: to copy what is known of ten thousand texts takes longer
than to make the pages of one. Texts are told apart by their paths, which all versions of one have in common.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Protocol, TypeVar

from kismet_build.model.source import Source, Span

Key = TypeVar("Key", Span, Source, str)
Value = TypeVar("Value")


class Renewed(Mapping[Key, Value]):
    """A table without what some texts or keys had in it, and with what they have now."""

    def __init__(self, table: Mapping[Key, Value], gone: Iterable[str], new: Mapping[Key, Value]) -> None:
        """`gone` are the paths of texts, or the keys of a table that has other keys than places and texts."""
        self._old: Mapping[Key, Value] = table
        self._new: dict[Key, Value] = dict(new)
        self._gone = frozenset(gone)
        if isinstance(table, Renewed):  # one layer, however often something changes
            left = {key: value for key, value in table._new.items() if _of(key) not in self._gone}
            self._old, self._new, self._gone = table._old, left | self._new, table._gone | self._gone

    def __getitem__(self, key: Key) -> Value:
        if key in self._new:
            return self._new[key]
        if _of(key) in self._gone:
            raise KeyError(key)
        return self._old[key]

    def __iter__(self) -> Iterator[Key]:
        yield from self._new
        yield from (key for key in self._old if key not in self._new and _of(key) not in self._gone)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _of(key: Span | Source | str) -> str:
    """The path of the text that a place is in, or of a text; any other key is what it is."""
    if isinstance(key, Span):
        return key.source.path
    return key.path if isinstance(key, Source) else key


class Placed(Protocol):
    """What stands somewhere in a text."""

    @property
    def span(self) -> Span:
        """Where."""


Thing = TypeVar("Thing", bound=Placed)


class RenewedRow(Iterable[Thing]):
    """Things that stand in texts, without those that one text had, and with those that it has now."""

    def __init__(self, things: Iterable[Thing], gone: str, new: Iterable[Thing]) -> None:
        """`gone` is the path of the text."""
        self._old, self._new, self._gone = things, list(new), frozenset((gone,))
        if isinstance(things, RenewedRow):
            left = [one for one in things._new if one.span.source.path != gone]
            self._old, self._new, self._gone = things._old, left + self._new, things._gone | self._gone

    def __iter__(self) -> Iterator[Thing]:
        return chain((one for one in self._old if one.span.source.path not in self._gone), self._new)
