"""Types and units of the values in formulas: constructors, unions, and descriptions for messages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Sort: TypeAlias = Literal["number", "text", "boolean", "none", "list", "record", "dice", "anything", "one of"]

Unit: TypeAlias = tuple[tuple[str, int], ...]
"""Pairs of a name and a power, sorted by name: `feet/tiles` is `(("feet", 1), ("tiles", -1))`."""

NO_UNIT: Unit = ()
"""The unit of plain numbers."""

PLURALS = {"number": "numbers", "text": "texts", "list": "lists", "record": "records"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """The static type of a value."""

    category: Sort
    unit: Unit | None = NO_UNIT
    """Unit of a number; `None` for a number literal without a unit, which fits every unit."""
    texts: frozenset[str] = frozenset()
    """All possible values of a string; empty if every string is possible."""
    item: "Type | None" = None
    """Type of the items of a list; `None` if the list is always empty."""
    item_types: tuple["Type", ...] = ()
    """Type of each item of a list literal."""
    kinds: tuple[str, ...] = ()
    """Possible kinds of a record that is an entity."""
    fields: tuple[tuple[str, "Type"], ...] = ()
    """Names and types of the fields of any other record, such as a range."""
    members: tuple["Type", ...] = ()
    """Types of a `one of`: two or more that cannot be merged into one."""


TEXT = Type(category="text")
BOOLEAN = Type(category="boolean")
NONE = Type(category="none")
DICE = Type(category="dice")
ANYTHING = Type(category="anything")
NUMBER = Type(category="number")
LITERAL = Type(category="number", unit=None)
"""A number literal without a unit."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a calculator: inputs by name, in order, and result."""

    inputs: Mapping[str, Type]
    result: Type


@dataclass(frozen=True, slots=True)
class TypeEnvironment:
    """The kinds and calculators that the formulas of a game can use."""

    kinds: Mapping[str, Mapping[str, Type]]
    """By kind, the types of the fields by name."""
    calculators: Mapping[str, Signature]
    """Signatures by local id."""


# --- constructors


def number(unit: str = "") -> Type:
    """A number with a unit such as `feet/tiles`; a plain number if the unit is empty."""
    return replace(NUMBER, unit=read_unit(unit))


def text(words: Iterable[str]) -> Type:
    """A text that is one of `words`."""
    return replace(TEXT, texts=frozenset(words))


def list_of(item: Type | None, places: tuple[Type, ...] = ()) -> Type:
    """A list of `item`; `places` are the types of its items if it is a literal."""
    return Type(category="list", item=item, item_types=places)


def entity(kinds: Iterable[str]) -> Type:
    """An entity of one of the kinds."""
    return Type(category="record", kinds=tuple(kinds))


def outcomes(unit: str = "") -> Type:
    """A list of pairs of a value (with the unit) and its chance."""
    pair = (number(unit), NUMBER)
    return list_of(list_of(union_of(pair), pair))


def optional(type_: Type) -> Type:
    """The type, or none."""
    return union_of((type_, NONE))


def union_of(types: Iterable[Type]) -> Type:
    """The union of types; types with a common type are merged. The caller has checked that units agree."""
    members: list[Type] = []
    for option in (option for type_ in types for option in union_members(type_)):
        if option.category == "anything":
            return ANYTHING
        index = next((index for index, member in enumerate(members) if _merge(member, option)), None)
        if index is None:
            members.append(option)
        else:
            members[index] = _merge(members[index], option) or option
    return members[0] if len(members) == 1 else Type(category="one of", members=tuple(members))


def union_members(type_: Type) -> tuple[Type, ...]:
    """The members of a union; the type itself if it is not a union."""
    return type_.members or (type_,)


def _merge(left: Type, right: Type) -> Type | None:
    if left.category != right.category:
        return None
    match left.category:
        case "number":
            if left.unit is None or right.unit is None:
                return right if left.unit is None else left
            return left if left.unit == right.unit else None
        case "text":
            return replace(left, texts=left.texts | right.texts if left.texts and right.texts else frozenset())
        case "list":
            items = [item for item in (left.item, right.item) if item]
            same_length = len(left.item_types) == len(right.item_types)
            pairs = zip(left.item_types, right.item_types, strict=True) if same_length else ()
            return list_of(union_of(items) if items else None, tuple(union_of(pair) for pair in pairs))
        case "record":
            if left.kinds and right.kinds:
                return entity(dict.fromkeys((*left.kinds, *right.kinds)))
            return left if left == right else None
        case _:
            return left


# --- units


def read_unit(text: str) -> Unit:
    """Parse a unit: names, which may have spaces, joined by `*` and `/`; no unit if the text is empty."""
    unit = NO_UNIT
    power = 1
    for factor in text.replace("*", "|*").replace("/", "|/").split("|") if text else ():
        power = -1 if factor.startswith("/") else 1
        unit = multiply_units(unit, ((factor.lstrip("*/"), power),))
    return unit


def multiply_units(left: Unit, right: Unit, power: int = 1) -> Unit:
    """The unit of a product; with `power` -1, of a quotient."""
    powers = dict(left)
    for name, exponent in right:
        powers[name] = powers.get(name, 0) + power * exponent
    return tuple(sorted((name, exponent) for name, exponent in powers.items() if exponent))


def describe_unit(unit: Unit | None) -> str:
    """Describe a unit for a message, such as `feet/tiles`."""
    if not unit:
        return "plain numbers"
    numerator = [name for name, power in unit for _ in range(power)]
    denominator = [name for name, power in unit for _ in range(-power)]
    return "*".join(numerator or ["1"]) + "".join(f"/{name}" for name in denominator)


def describe(type_: Type) -> str:
    """Describe a type for a message, such as `a number of tiles or none`."""
    match type_.category:
        case "number":
            return f"a number of {describe_unit(type_.unit)}" if type_.unit else "a number"
        case "one of":
            return " or ".join(describe(option) for option in type_.members)
        case "record" if type_.kinds:
            return " or ".join(("an " if kind[0] in "aeiou" else "a ") + kind for kind in type_.kinds)
        case "list" if type_.item:
            is_pairs = type_.item.category == "list" and len(type_.item.item_types) == 2
            return f"a list of {'pairs' if is_pairs else PLURALS.get(type_.item.category, 'values')}"
        case "text" if type_.texts:
            return quoted(sorted(type_.texts))
        case "boolean":
            return "true or false"
        case "none" | "dice" | "anything":
            return type_.category
        case _:
            return f"a {type_.category}"


def quoted(words: Sequence[str]) -> str:
    """Quote the first four words for a message."""
    shown = [f'"{word}"' for word in words[:4]]
    return " or ".join(shown) if len(words) <= 4 else ", ".join(shown) + " ..."
