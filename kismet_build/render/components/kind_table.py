"""What the table of a kind can be filtered and sorted by: for each column how its values compare."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from kismet_build.config.kind import Kind
from kismet_build.mechanics.dice import DiceError, odds, parse
from kismet_build.mechanics.dice.find import find
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.field import Column, columns_of, constants, is_figure, shown_fields

TAKEN = frozenset(("find", "name", "sort", "view", "effects"))
"""What an address says of a table beside its fields; a field of such a name has a `_` after it there."""
FEW = 12
"""Different values up to which one chooses among them."""
SHORT = 32
"""Characters up to which a value is a choice and no text."""

Sort = Literal["words", "choice", "list", "number", "dice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A column that a table is filtered and sorted by."""

    key: str
    """What it is called in an address: the field, or the way to a part of one."""
    place: int
    """Which cell of each row it is about; the name is cell 0."""
    label: str
    """Of its group and its own."""
    sort: Sort
    options: tuple[str, ...] = ()
    """The words to choose from, where their order is the author's; else they are taken from the cells."""
    values: tuple[str, ...] = ()
    """For each row what it compares by, where the words of the cell do not say it: the ends of a range, the mean of
    dice, the items of a list between strokes; empty where they do."""
    reach: tuple[str, str] = ("", "")
    """The least and the greatest of its numbers."""


def filters(pack: Pack, kind: Kind) -> tuple[Filter, ...]:
    """The filters of the table of a kind, one for each of its columns but the name."""
    entities = pack.entities.get(kind.id, ())
    columns = columns_of(shown_fields(kind, entities), entities)
    return tuple(_filter(pack, column, place, entities) for place, column in enumerate(columns, 1))


def key_of(field: str) -> str:
    """What a field is called in the address of a table."""
    return f"{field}_" if field in TAKEN else field


def _filter(pack: Pack, column: Column, place: int, entities: Sequence[Entity]) -> Filter:
    values = [column.of(entity) for entity in entities]
    key = ".".join(rule.name for rule in column.path)
    sort = _sort(column, values, entities)
    ends: list[tuple[float, float | None] | None] = []
    shown: Iterable[str] = ()
    match sort:
        case "number":
            ends = [_ends(value) for value in values]
            shown = [_range(value) for value in values]
        case "dice":
            means = [_mean(value) for value in values]
            ends = [None if mean is None else (mean, mean) for mean in means]
            shown = ["" if mean is None else _plain(mean) for mean in means]
        case "list":
            shown = [_items(pack, value) for value in values]
        case _:
            pass
    return Filter(
        key=key_of(key),
        place=place,
        label=" ".join(part for part in (column.group, column.label) if part),
        sort=sort,
        options=_options(column, values) if sort == "choice" else (),
        values=tuple(shown) if any(shown) else (),
        reach=_reach(ends),
    )


def _sort(column: Column, values: Sequence[Any], entities: Sequence[Entity]) -> Sort:
    if is_figure(column, entities):
        return "number"
    there = [value for value in values if value not in (None, [], "")]
    if any(isinstance(value, list) for value in there):
        return "list" if all(len(str(item)) <= SHORT * 2 for value in there for item in value) else "words"
    if all(isinstance(value, bool) for value in there) or column.rule.refers:
        return "choice"
    if not all(isinstance(value, str) for value in there):
        return "words"
    if _are_dice(there):
        return "dice"
    few = set(there)
    known = few.issubset(constants(column.rule.schema))
    # As many values as rows are names, among which nobody chooses.
    chosen = len(few) <= FEW and len(few) < len(there) and all(len(value) <= SHORT for value in few)
    return "choice" if known or chosen else "words"


def _are_dice(values: Sequence[str]) -> bool:
    return any(any(find(value)) for value in values) and all(_mean(value) is not None for value in values)


def _mean(value: Any) -> float | None:
    """What dice show on average; `None` for what is no dice expression."""
    return _mean_of(value) if value else None


@lru_cache(maxsize=1024)
def _mean_of(notation: str) -> float | None:
    # Many things of a kind have the same dice, and each value is asked for as a sort, as words and as an end.
    try:
        return float(odds(parse(notation)).mean)
    except DiceError:
        return None


def _ends(value: Any) -> tuple[float, float | None] | None:
    match value:
        case {"min": low, "max": high}:
            return (low, high)
        case list():
            return (len(value), len(value))
        case None:
            return None
        case _:
            return (value, value)


def _range(value: Any) -> str:
    """The ends of a range, the upper one left out where there is none; a number says itself."""
    if not isinstance(value, Mapping):
        return ""
    low, high = value["min"], value["max"]
    return f"{low} {'' if high is None else high}"


def _items(pack: Pack, value: Any) -> str:
    """The items of a list, where commas between them would not tell them apart."""
    names = [pack.by_id[item].name if item in pack.by_id else str(item) for item in value or ()]
    return "|".join(names) if any("," in name for name in names) else ""


def _options(column: Column, values: Sequence[Any]) -> tuple[str, ...]:
    """The words of the schema that occur, in its order."""
    return tuple(word.replace("-", " ") for word in dict.fromkeys(constants(column.rule.schema)) if word in values)


def _reach(ends: Iterable[tuple[float, float | None] | None]) -> tuple[str, str]:
    there = [end for end in ends if end is not None]
    highs = [high for _, high in there if high is not None]
    lows = [low for low, _ in there]
    return (_plain(min(lows)), _plain(max((*lows, *highs)))) if lows else ("", "")


def _plain(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".") if isinstance(number, float) else str(number)
