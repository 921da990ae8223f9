"""Overlays for mappings and sequences of a whole book, of which one text has a new version.

An overlay leaves the old mapping as it is: copying the entries of ten thousand texts takes longer than rendering the
pages of one. Texts are compared by path, which all versions of a text share.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Protocol, TypeVar

from kismet_build.model.source import Source, Span

Key = TypeVar("Key", Span, Source, str)
Value = TypeVar("Value")


class Renewed(Mapping[Key, Value]):
    """A mapping without the entries of some texts or keys, and with their new entries."""

    def __init__(self, table: Mapping[Key, Value], gone: Iterable[str], new: Mapping[Key, Value]) -> None:
        """`gone` are the paths of texts, or keys where the keys are neither spans nor sources."""
        self._old: Mapping[Key, Value] = table
        self._new: dict[Key, Value] = dict(new)
        self._gone = frozenset(gone)
        if isinstance(table, Renewed):  # stays one layer after many changes
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
    """The path of the source of a span, or of a source; a string is returned as it is."""
    if isinstance(key, Span):
        return key.source.path
    return key.path if isinstance(key, Source) else key


class Placed(Protocol):
    """An object with a span."""

    @property
    def span(self) -> Span:
        """Its place in a source."""


Thing = TypeVar("Thing", bound=Placed)


class RenewedRow(Iterable[Thing]):
    """A sequence of objects with spans, without those of one text, and with its new ones."""

    def __init__(self, things: Iterable[Thing], gone: str, new: Iterable[Thing]) -> None:
        """`gone` is the path of the text."""
        self._old, self._new, self._gone = things, list(new), frozenset((gone,))
        if isinstance(things, RenewedRow):
            left = [one for one in things._new if one.span.source.path != gone]
            self._old, self._new, self._gone = things._old, left + self._new, things._gone | self._gone

    def __iter__(self) -> Iterator[Thing]:
        return chain((one for one in self._old if one.span.source.path not in self._gone), self._new)
