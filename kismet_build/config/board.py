"""Read the boards of a game file: reference sheets that show entities, tables and calculators side by side."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from kismet_build.config.data_reader import DataReader
from kismet_build.config.kind import Kind
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Span
from kismet_build.model.suggestion import did_you_mean_or_list

EFFECTS_COLUMN = "effects"
"""In the `fields` of a part: shows a summary of an entity's effects."""
TEXT_COLUMN = "text"
"""In the `fields` of a part: shows an excerpt of an entity's text."""
KIND, TABLE, CALCULATOR = "kind", "table", "calculator"

NO_CONDITIONS: Mapping[str, Any] = MappingProxyType({})

Shown = Literal["lines", "table", "cards"]


@dataclass(frozen=True, slots=True)
class LocatedName:
    """A name in a game file, with its span in that file."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardPart:
    """A part of a board: entities of a kind, a table of the text, or the results of a calculator."""

    type: Literal["kind", "table", "calculator"]
    subject: LocatedName
    """The id of the kind or the calculator, or the id or caption of the table."""
    title: str
    """The title of the part; empty to use the title of the subject."""
    display: Shown = "lines"
    only: tuple[LocatedName, ...] = ()
    """The last part of the id of each entity to show, in order; empty to show all entities of the kind."""
    where: Mapping[str, Any] = field(default_factory=lambda: NO_CONDITIONS)
    """Conditions on the entities: names of fields, each with the value that it must equal or contain."""
    fields: tuple[str, ...] = ()
    """The fields of a kind or the columns of a table to show, in this order; empty for the default fields."""
    field_spans: tuple[Span, ...] = ()
    """The span, in the game file, of each name in `fields`."""
    at: tuple[Any, ...] = ()
    """The values of an input, as in the game file, each of which becomes a column of results.

    If empty, there is one column, for the default value.
    """
    at_spans: tuple[Span, ...] = ()
    """The span, in the game file, of each value in `at`."""
    wide: bool = False
    """Whether the part spans all columns of the board."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Board:
    """A reference sheet for use at the table."""

    id: str
    title: str
    description: str
    columns: int
    """Number of columns on wide screens and on paper; narrow screens show fewer."""
    parts: tuple[BoardPart, ...]


def read_boards(
    data: Data, kinds: Mapping[str, Kind], calculators: Iterable[str], report: Report, invalid: Collection[str] = ()
) -> tuple[Board, ...]:
    """Read the `boards` of a valid game file. Invalid parts and boards with a repeated id are left out.

    `invalid`: ids of invalid calculators, whose parts are left out without a report.
    """
    reader = _BoardReader(data, kinds, tuple(calculators), report, invalid)
    entries: Sequence[Mapping[str, Any]] = data.value.get("boards", ())
    taken: set[str] = set()
    boards = []
    for index, entry in enumerate(entries):
        if entry["id"] in taken:
            reader.refuse((index, "id"), f'there are two boards "{entry["id"]}"', "rename one of them")
            continue
        taken.add(entry["id"])
        boards.append(
            Board(
                id=entry["id"],
                title=entry["title"],
                description=entry.get("description", "").strip(),
                columns=entry.get("columns", 3),
                parts=tuple(reader.parts(entry["parts"], index, "parts")),
            )
        )
    return tuple(boards)


class _BoardReader(DataReader):
    """Each `path` consists of keys below `boards` in the game file."""

    def __init__(
        self,
        data: Data,
        kinds: Mapping[str, Kind],
        calculators: tuple[str, ...],
        report: Report,
        invalid: Collection[str],
    ) -> None:
        super().__init__(data, "invalid-game", report, "boards")
        self.kinds, self.calculators, self.invalid = kinds, calculators, invalid

    def parts(self, entries: Sequence[Mapping[str, Any]], *path: str | int) -> Iterator[BoardPart]:
        for index, entry in enumerate(entries):
            types = [key for key in (KIND, TABLE, CALCULATOR) if key in entry]
            if len(types) > 1:
                message = f'a part can have "{types[0]}" or "{types[1]}", not both'
                self.refuse((*path, index, types[1]), message, "write them as separate parts")
                continue
            read: Callable[..., BoardPart | None] = {
                KIND: self._kind,
                TABLE: self._table,
                CALCULATOR: self._calculator,
            }[types[0]]
            unknown = [key for key in entry if key not in ALLOWED_KEYS[types[0]]]
            if unknown:
                hint = f"known keys: {', '.join(ALLOWED_KEYS[types[0]])}"
                self.refuse((*path, index, unknown[0]), f'a {types[0]} has no key "{unknown[0]}"', hint)
            elif (part := read(entry, *path, index)) is not None:
                yield part

    def _kind(self, entry: Mapping[str, Any], *path: str | int) -> BoardPart | None:
        kind = self.kinds.get(entry[KIND])
        if kind is None:
            known = did_you_mean_or_list(entry[KIND], self.kinds, "the kinds are")
            self.refuse((*path, KIND), f'there is no kind "{entry[KIND]}"', known)
            return None
        fields = tuple(entry.get("fields", ()))
        used = [
            ("fields", index, name) for index, name in enumerate(fields) if name not in (EFFECTS_COLUMN, TEXT_COLUMN)
        ]
        used += [("where", name, name) for name in entry.get("where", ())]
        unknown = [(key, item, name) for key, item, name in used if name not in kind.rules]
        for key, item, name in unknown:
            columns = (*kind.rules, EFFECTS_COLUMN, TEXT_COLUMN)
            hint = did_you_mean_or_list(name, columns, "the fields are")
            self.refuse((*path, key, item), f'{kind.title} has no field "{name}"', hint)
        if unknown:
            return None
        return BoardPart(
            type="kind",
            subject=self._named(entry, KIND, *path),
            title=entry.get("title", ""),
            display=entry.get("as", "lines"),
            only=tuple(
                LocatedName(name, self.span(*path, "only", index)) for index, name in enumerate(entry.get("only", ()))
            ),
            where=entry.get("where", {}),
            fields=fields,
            field_spans=self._item_spans(entry, "fields", *path),
            wide=entry.get("wide", False),
        )

    def _table(self, entry: Mapping[str, Any], *path: str | int) -> BoardPart:
        return BoardPart(
            type="table",
            subject=self._named(entry, TABLE, *path),
            title=entry.get("title", ""),
            fields=tuple(entry.get("fields", ())),
            field_spans=self._item_spans(entry, "fields", *path),
            wide=entry.get("wide", False),
        )

    def _calculator(self, entry: Mapping[str, Any], *path: str | int) -> BoardPart | None:
        if entry[CALCULATOR] in self.invalid:
            return None
        if entry[CALCULATOR] not in self.calculators:
            hint = did_you_mean_or_list(entry[CALCULATOR], self.calculators, "the calculators are")
            self.refuse((*path, CALCULATOR), f'there is no calculator "{entry[CALCULATOR]}"', hint)
            return None
        return BoardPart(
            type="calculator",
            subject=self._named(entry, CALCULATOR, *path),
            title=entry.get("title", ""),
            at=tuple(entry.get("at", ())),
            at_spans=self._item_spans(entry, "at", *path),
            wide=entry.get("wide", False),
        )

    def _item_spans(self, entry: Mapping[str, Any], key: str, *path: str | int) -> tuple[Span, ...]:
        return tuple(self.span(*path, key, index) for index in range(len(entry.get(key, ()))))

    def _named(self, entry: Mapping[str, Any], key: str, *path: str | int) -> LocatedName:
        return LocatedName(entry[key], self.span(*path, key))


COMMON_KEYS = ("title", "wide")
ALLOWED_KEYS = {
    KIND: (KIND, "as", "fields", "only", "where", *COMMON_KEYS),
    TABLE: (TABLE, "fields", *COMMON_KEYS),
    CALCULATOR: (CALCULATOR, "at", *COMMON_KEYS),
}
"""The keys of a part, by its type."""
