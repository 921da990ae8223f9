"""Boards: sheets for the table that a game puts together from its things, its tables and its calculators."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from kismet_build.config.kind import Kind
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.source import Span

EFFECTS, WORDS = "effects", "text"
"""What a part may show beside fields: what a thing does, in short, and the first words of its text."""
KIND, TABLE, CALCULATOR = "kind", "table", "calculator"

NOT_ASKED: Mapping[str, Any] = MappingProxyType({})

Shown = Literal["lines", "table", "cards"]


@dataclass(frozen=True, slots=True)
class Named:
    """A word of a game file that names something, and its place there."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """One piece of a board: things of a kind, a table of the text, or the results of a calculator."""

    what: Literal["kind", "table", "calculator"]
    subject: Named
    """The id of the kind or the calculator; of a table its id or its caption."""
    title: str
    """Empty for the name of what is shown."""
    shown: Shown = "lines"
    only: tuple[Named, ...] = ()
    """The things that are shown, in this order, by the last part of their ids; empty for all of the kind."""
    where: Mapping[str, Any] = field(default_factory=lambda: NOT_ASKED)
    """Fields, and the value that a thing must have in each of them to be shown, or in its list."""
    fields: tuple[str, ...] = ()
    """The fields of a kind or the columns of a table that are shown, in this order; empty for what there is."""
    wide: bool = False
    """Over all columns of the board."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Board:
    """One sheet."""

    id: str
    title: str
    description: str
    columns: int
    """On a desk and on paper; on what is narrower there are fewer."""
    parts: tuple[Part, ...]


def read_boards(data: Data, kinds: Mapping[str, Kind], calculators: Iterable[str], report: Report) -> tuple[Board, ...]:
    """What a game file says under `boards`, which its schema has checked; parts that cannot be are left out."""
    reading = _Reading(data, kinds, tuple(calculators), report)
    written: Sequence[Mapping[str, Any]] = data.value.get("boards", ())
    taken: set[str] = set()
    found = []
    for place, one in enumerate(written):
        if one["id"] in taken:
            reading.complain(f'there are two boards "{one["id"]}"', place, "id", hint="an id is an address")
            continue
        taken.add(one["id"])
        found.append(
            Board(
                id=one["id"],
                title=one["title"],
                description=one.get("description", "").strip(),
                columns=one.get("columns", 3),
                parts=tuple(reading.parts(one["parts"], place, "parts")),
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The boards of one file; every mistake is reported at its place."""

    data: Data
    kinds: Mapping[str, Kind]
    calculators: tuple[str, ...]
    report: Report

    def complain(self, message: str, *path: str | int, hint: str = "") -> None:
        self.report(error("invalid-game", self.data.place("boards", *path), message, hint))

    def parts(self, written: Sequence[Mapping[str, Any]], *path: str | int) -> Iterator[Part]:
        for place, one in enumerate(written):
            subjects = [key for key in (KIND, TABLE, CALCULATOR) if key in one]
            if len(subjects) > 1:
                message = f'"{subjects[0]}" and "{subjects[1]}" are two parts'
                self.complain(message, *path, place, subjects[1], hint="write each of them as a part of its own")
                continue
            read: Callable[..., Part | None] = {KIND: self._kind, TABLE: self._table, CALCULATOR: self._calculator}[
                subjects[0]
            ]
            strange = [key for key in one if key not in ALLOWED[subjects[0]]]
            if strange:
                hint = f"known keys: {', '.join(ALLOWED[subjects[0]])}"
                self.complain(f'a {subjects[0]} has no "{strange[0]}"', *path, place, strange[0], hint=hint)
            elif (part := read(one, *path, place)) is not None:
                yield part

    def _kind(self, one: Mapping[str, Any], *path: str | int) -> Part | None:
        kind = self.kinds.get(one[KIND])
        if kind is None:
            known = f"known kinds: {', '.join(self.kinds)}"
            self.complain(f'there is no kind "{one[KIND]}"', *path, KIND, hint=known)
            return None
        fields = tuple(one.get("fields", ()))
        wanted = [("fields", place, name) for place, name in enumerate(fields) if name not in (EFFECTS, WORDS)]
        wanted += [("where", name, name) for name in one.get("where", ())]
        missing = [(key, place, name) for key, place, name in wanted if name not in kind.rules]
        for key, place, name in missing:
            hint = f"the fields are: {', '.join((*kind.rules, EFFECTS, WORDS))}"
            self.complain(f'a {kind.title} has no field "{name}"', *path, key, place, hint=hint)
        if missing:
            return None
        return Part(
            what="kind",
            subject=self._named(one, KIND, *path),
            title=one.get("title", ""),
            shown=one.get("as", "lines"),
            only=tuple(
                Named(name, self.data.place("boards", *path, "only", place))
                for place, name in enumerate(one.get("only", ()))
            ),
            where=one.get("where", {}),
            fields=fields,
            wide=one.get("wide", False),
        )

    def _table(self, one: Mapping[str, Any], *path: str | int) -> Part:
        return Part(
            what="table",
            subject=self._named(one, TABLE, *path),
            title=one.get("title", ""),
            fields=tuple(one.get("fields", ())),
            wide=one.get("wide", False),
        )

    def _calculator(self, one: Mapping[str, Any], *path: str | int) -> Part | None:
        if one[CALCULATOR] not in self.calculators:
            self.complain(f'there is no calculator "{one[CALCULATOR]}"', *path, CALCULATOR)
            return None
        return Part(
            what="calculator",
            subject=self._named(one, CALCULATOR, *path),
            title=one.get("title", ""),
            wide=one.get("wide", False),
        )

    def _named(self, one: Mapping[str, Any], key: str, *path: str | int) -> Named:
        return Named(one[key], self.data.place("boards", *path, key))


COMMON = ("title", "wide")
ALLOWED = {
    KIND: (KIND, "as", "fields", "only", "where", *COMMON),
    TABLE: (TABLE, "fields", *COMMON),
    CALCULATOR: (CALCULATOR, *COMMON),
}
"""What may be said of each sort of part."""
