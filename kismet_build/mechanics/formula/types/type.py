"""The types and units that values of formulas have, and how they go together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Sort: TypeAlias = Literal["number", "text", "boolean", "none", "list", "record", "dice", "anything", "one of"]

Unit: TypeAlias = tuple[tuple[str, int], ...]
"""Each unit with its power, by name: `feet/tiles` is `(("feet", 1), ("tiles", -1))`, a plain number has none."""

PLAIN: Unit = ()

PLURALS = {"number": "numbers", "text": "texts", "list": "lists", "record": "records"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """What is known of a value before there is one."""

    sort: Sort
    unit: Unit | None = PLAIN
    """Of a number; `None` for one that is written in the formula without a unit and takes that of its neighbours."""
    words: frozenset[str] = frozenset()
    """The only texts that it can be; empty for any."""
    item: "Type | None" = None
    """Of what a list holds; `None` where it holds nothing."""
    places: tuple["Type", ...] = ()
    """Of a list that is written in the formula: the type of each thing in it."""
    kinds: tuple[str, ...] = ()
    """Of a record that is an entity: the kinds that it can be of."""
    fields: tuple[tuple[str, "Type"], ...] = ()
    """Of any other record, such as a range."""
    options: tuple["Type", ...] = ()
    """Of `one of`: at least two, each of another sort or without a common type."""


TEXT = Type(sort="text")
BOOLEAN = Type(sort="boolean")
NONE = Type(sort="none")
DICE = Type(sort="dice")
ANYTHING = Type(sort="anything")
NUMBER = Type(sort="number")
LITERAL = Type(sort="number", unit=None)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a calculator takes, in order, and gives."""

    inputs: Mapping[str, Type]
    result: Type


@dataclass(frozen=True, slots=True)
class TypeEnvironment:
    """What formulas of a game can speak of."""

    kinds: Mapping[str, Mapping[str, Type]]
    """For each kind the types of the fields of its entities."""
    calculators: Mapping[str, Signature]
    """By local id."""


# --- making types


def number(unit: str = "") -> Type:
    """A number with a unit as it is written, such as `feet/tiles`; plain without one."""
    return replace(NUMBER, unit=read_unit(unit))


def text(words: Iterable[str]) -> Type:
    """One of some texts."""
    return replace(TEXT, words=frozenset(words))


def list_of(item: Type | None, places: tuple[Type, ...] = ()) -> Type:
    """A list."""
    return Type(sort="list", item=item, places=places)


def entity(kinds: Iterable[str]) -> Type:
    """An entity of one of some kinds."""
    return Type(sort="record", kinds=tuple(kinds))


def outcomes(unit: str = "") -> Type:
    """Pairs of a value and its chance."""
    pair = (number(unit), NUMBER)
    return list_of(list_of(one_of(pair), pair))


def optional(type_: Type) -> Type:
    """A type that may be none as well."""
    return one_of((type_, NONE))


def one_of(types: Iterable[Type]) -> Type:
    """All that is of one of some types; types that have a common one are merged, units must have been compared."""
    found: list[Type] = []
    for option in (option for type_ in types for option in options(type_)):
        if option.sort == "anything":
            return ANYTHING
        place = next((place for place, other in enumerate(found) if _merged(other, option)), None)
        if place is None:
            found.append(option)
        else:
            found[place] = _merged(found[place], option) or option
    return found[0] if len(found) == 1 else Type(sort="one of", options=tuple(found))


def options(type_: Type) -> tuple[Type, ...]:
    """The types that it can be, one by one."""
    return type_.options or (type_,)


def _merged(one: Type, other: Type) -> Type | None:
    """The type of both, or `None` where they stay apart."""
    if one.sort != other.sort:
        return None
    match one.sort:
        case "number":
            if one.unit is None or other.unit is None:
                return other if one.unit is None else one
            return one if one.unit == other.unit else None
        case "text":
            return replace(one, words=one.words | other.words if one.words and other.words else frozenset())
        case "list":
            items = [item for item in (one.item, other.item) if item]
            alike = len(one.places) == len(other.places)
            pairs = zip(one.places, other.places, strict=True) if alike else ()
            return list_of(one_of(items) if items else None, tuple(one_of(pair) for pair in pairs))
        case "record":
            if one.kinds and other.kinds:
                return entity(dict.fromkeys((*one.kinds, *other.kinds)))
            return one if one == other else None
        case _:
            return one


# --- units


def read_unit(written: str) -> Unit:
    """The unit that is written so: names with spaces, joined by `*` and `/`."""
    found = PLAIN
    power = 1
    for part in written.replace("*", "|*").replace("/", "|/").split("|") if written else ():
        power = -1 if part.startswith("/") else 1
        found = times(found, ((part.lstrip("*/"), power),))
    return found


def times(one: Unit, other: Unit, power: int = 1) -> Unit:
    """The unit of a product, or with `power` -1 of a quotient."""
    powers = dict(one)
    for name, number_ in other:
        powers[name] = powers.get(name, 0) + power * number_
    return tuple(sorted((name, number_) for name, number_ in powers.items() if number_))


def show_unit(unit: Unit | None) -> str:
    """A unit in words for messages."""
    if not unit:
        return "plain numbers"
    over = [name for name, power in unit for _ in range(power)]
    under = [name for name, power in unit for _ in range(-power)]
    return "*".join(over or ["1"]) + "".join(f"/{name}" for name in under)


def show(type_: Type) -> str:
    """A type in words for messages, such as `a number of tiles or none`."""
    match type_.sort:
        case "number":
            return f"a number of {show_unit(type_.unit)}" if type_.unit else "a number"
        case "one of":
            return " or ".join(show(option) for option in type_.options)
        case "record" if type_.kinds:
            return " or ".join(("an " if kind[0] in "aeiou" else "a ") + kind for kind in type_.kinds)
        case "list" if type_.item:
            pairs = type_.item.sort == "list" and len(type_.item.places) == 2
            return f"a list of {'pairs' if pairs else PLURALS.get(type_.item.sort, 'values')}"
        case "text" if type_.words:
            return quoted(sorted(type_.words))
        case "boolean":
            return "true or false"
        case "none" | "dice" | "anything":
            return type_.sort
        case _:
            return f"a {type_.sort}"


def quoted(words: Sequence[str]) -> str:
    """Some words for a message, the first few of them."""
    shown = [f'"{word}"' for word in words[:4]]
    return " or ".join(shown) if len(words) <= 4 else ", ".join(shown) + " ..."
