"""Filters of a kind's table, with the values that each column is filtered by."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from kismet_build.config.kind import Kind, constants
from kismet_build.mechanics.dice import DiceError, odds, parse
from kismet_build.mechanics.dice.find import find_dice, with_english_dice
from kismet_build.model.language import Language
from kismet_build.model.tag import keys_with_parents
from kismet_build.pack import Entity, Pack
from kismet_build.render.components import field
from kismet_build.render.html.escape import with_minus

RESERVED_KEYS = frozenset(("find", "name", "sort", "view", "effects", "compare"))
"""Query parameters of a table page that are not fields. If a field has one of these names, its parameter ends in
`_`."""
MAX_OPTIONS = 12
"""Maximum number of options, unless the schema lists them. A column with more distinct texts is filtered by text."""
MAX_OPTION_CHARACTERS = 32
"""Maximum length of an option that the schema does not list. A column with a longer text is filtered by text. List
items may be twice as long."""

TAGS_KEY = "tags"
"""Query parameter of the tag filter."""

FilterType = Literal["words", "choice", "list", "number", "dice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A column's filter, for a template."""

    key: str
    """Query parameter: the name of the field, or the dotted path to a part of it."""
    column: int
    """Index of the cell in each row; 0 is the name."""
    label: str
    """Label of the column, preceded by that of its group."""
    type: FilterType
    options: tuple[str, ...] = ()
    """Options in schema order; empty if the script takes them from the cells."""
    values: tuple[str, ...] = ()
    """The value of each row to filter by, if it differs from the cell's text: the ends of a range, the mean of dice,
    the items of a list separated by `|`. Empty if no row needs one."""
    bounds: tuple[str, str] = ("", "")
    """The smallest and the greatest number; two empty strings if there is none."""


def filters(pack: Pack, kind: Kind) -> tuple[Filter, ...]:
    """The filters of a kind's table, one for each column with a field."""
    entities = pack.entities.get(kind.id, ())
    columns = field.columns_of(field.shown_fields(kind, entities), entities)
    schema = pack.published_schema(kind)
    return tuple(
        _filter(pack, column, _constants(schema, column), index, entities) for index, column in enumerate(columns, 1)
    )


def _constants(schema: Mapping[str, Any], column: field.Column) -> list[str]:
    for rule in column.path:
        schema = schema.get("properties", {}).get(rule.name, {})
    return list(dict.fromkeys(constants(schema)))


def has_tag_filter(pack: Pack, kind: Kind) -> bool:
    """Whether a kind's table has a tag column: some entity has tags, and no field is named `tags`."""
    return TAGS_KEY not in kind.rules and any(pack.tags_of_entity(entity) for entity in pack.entities.get(kind.id, ()))


def tag_filter(pack: Pack, kind: Kind, column: int) -> Filter:
    """The filter by tags, for this column of a kind's table. A tag is also found by its parent tags."""
    values = []
    for entity in pack.entities.get(kind.id, ()):
        keys = pack.tags_of_entity(entity)
        found = {key: None for tag in keys for key in keys_with_parents(tag)}
        values.append("|".join(pack.tags[key].name for key in found))
    return Filter(
        key=TAGS_KEY, column=column, label=pack.game.catalog.text("title.tags"), type="list", values=tuple(values)
    )


def filter_key(name: str) -> str:
    """The query parameter for a field."""
    return f"{name}_" if name in RESERVED_KEYS else name


def _filter(pack: Pack, column: field.Column, allowed: Sequence[str], index: int, entities: Sequence[Entity]) -> Filter:
    values = [column.value(entity) for entity in entities]
    key = ".".join(rule.name for rule in column.path)
    dice = [_dice(value, pack.game.text_language) for value in values]
    filter_type = _filter_type(column, allowed, values, dice, entities)
    ends: list[tuple[float, float | None] | None] = []
    compared: Iterable[str] = ()
    match filter_type:
        case "number":
            ends = [_ends(value) for value in values]
            has_unit = bool(field.unit_beside_label(column.rule))
            compared = [_range(value, has_unit=has_unit) for value in values]
        case "dice":
            means = list(map(_mean, dice))
            ends = [None if mean is None else (mean, mean) for mean in means]
            compared = ["" if mean is None else _number_text(mean) for mean in means]
        case "list":
            compared = [_items(pack, value) for value in values]
        case _:
            pass
    return Filter(
        key=filter_key(key),
        column=index,
        label=" ".join(part for part in (column.group, column.label) if part),
        type=filter_type,
        options=_options(column, allowed, values) if filter_type == "choice" else (),
        values=tuple(compared) if any(compared) else (),
        bounds=_bounds(ends),
    )


def _dice(value: Any, language: Language) -> Any:
    return with_english_dice(value, language) if isinstance(value, str) else value


def _filter_type(
    column: field.Column, allowed: Sequence[str], values: Sequence[Any], dice: Sequence[Any], entities: Sequence[Entity]
) -> FilterType:
    if field.is_number_column(column, entities):
        return "number"
    present = [value for value in values if value not in field.EMPTY]
    if any(isinstance(value, list) for value in present):
        is_short = all(len(value) <= field.MAX_SHOWN_ITEMS for value in present if isinstance(value, list)) and all(
            len(str(item)) <= MAX_OPTION_CHARACTERS * 2 for value in present for item in value
        )
        return "list" if is_short else "words"
    if all(isinstance(value, bool) for value in present) or column.rule.referenced_kinds:
        return "choice"
    if not all(isinstance(value, str) for value in present):
        return "words"
    texts = [value for value in dice if value not in field.EMPTY]
    if any(any(find_dice(text)) for text in texts) and all(_mean(text) is not None for text in texts):
        return "dice"
    distinct = set(present)
    are_constants = distinct.issubset(allowed)
    # If all values differ, they are like names, and a list of options would not help.
    are_options = len(distinct) <= MAX_OPTIONS and len(distinct) < len(present)
    are_short = all(len(value) <= MAX_OPTION_CHARACTERS for value in distinct)
    return "choice" if are_constants or (are_options and are_short) else "words"


@lru_cache(maxsize=1024)
def _mean(notation: str | None) -> float | None:
    # Cached because entities share dice, and each value is parsed for the filter type, the mean and the bounds.
    try:
        return float(odds(parse(notation)).mean) if notation else None
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


def _range(value: Any, *, has_unit: bool) -> str:
    """The ends of a range, separated by a space; an open range has no upper end.

    Empty for a number without a unit, as its cell has it.
    """
    if not isinstance(value, Mapping):
        return f"{value} {value}" if has_unit and isinstance(value, int | float) else ""
    low, high = value["min"], value["max"]
    return f"{low} {'' if high is None else high}"


def _items(pack: Pack, value: Any) -> str:
    """The items of a list separated by `|`; empty if no item contains a comma."""
    names = [pack.by_id[item].name if item in pack.by_id else str(item) for item in value or ()]
    return "|".join(names) if any("," in name for name in names) else ""


def _options(column: field.Column, allowed: Sequence[str], values: Sequence[Any]) -> tuple[str, ...]:
    shown = (constant for constant in allowed if constant in values)
    return tuple(map(with_minus if column.rule.as_written else field.constant_text, shown))


def _bounds(ends: Iterable[tuple[float, float | None] | None]) -> tuple[str, str]:
    present = [pair for pair in ends if pair is not None]
    highs = [high for _, high in present if high is not None]
    lows = [low for low, _ in present]
    return (_number_text(min(lows)), _number_text(max((*lows, *highs)))) if lows else ("", "")


def _number_text(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".") if isinstance(number, float) else str(number)
