"""Find the type and the unit of what a formula gives."""

from collections.abc import Mapping
from typing import TypeAlias

from kismet_build.mechanics.formula import FormulaError, Tree
from kismet_build.mechanics.formula.types.type import (
    ANYTHING,
    BOOLEAN,
    DICE,
    LITERAL,
    NONE,
    NUMBER,
    PLAIN,
    TEXT,
    Type,
    TypeEnvironment,
    Unit,
    entity,
    list_of,
    one_of,
    options,
    read_unit,
    show,
    show_unit,
    text,
    times,
)

Path: TypeAlias = tuple[str, ...]
"""A name and the fields after it: `("row", "range", "min")`."""
Known: TypeAlias = Mapping[Path, Type]
"""What a condition has found out, such as that something is not none."""

VERBS = {"+": "added", "-": "subtracted", "%": "divided with a rest", "sum": "added"}
"""What is done to two numbers that needs them to have the same unit; all else compares them."""


def infer(tree: Tree, names: Mapping[str, Type], environment: TypeEnvironment) -> Type:
    """The type of a formula in which some names have a meaning.

    A `FormulaError` with the code `type` or `unknown`, and its place, when the formula cannot have a value.
    """
    return _Inference(names, environment).type(tree, {})


def agree(found: Type, wanted: Type, at: int) -> Type:
    """What something is, where something is wanted; a `FormulaError` when it may be anything else.

    The answer says more than what is wanted where the formula does: which texts, which kinds.
    """
    fitting = []
    for option in options(found):
        fit = next((other for other in options(wanted) if _fits(option, other)), None)
        if fit is None:
            be = "may be" if found.options else "is"
            raise FormulaError("type", f"this {be} {show(option)} where {show(wanted)} is needed", at)
        fitting.append(fit if option in (ANYTHING, LITERAL) else option)
    return one_of(fitting)


def _fits(found: Type, wanted: Type) -> bool:
    if "anything" in (found.sort, wanted.sort):
        return True
    if found.sort != wanted.sort:
        return False
    match found.sort:
        case "number":
            return found.unit is None or wanted.unit is None or found.unit == wanted.unit
        case "text":
            return not wanted.words or (bool(found.words) and found.words <= wanted.words)
        case "list" if wanted.places and found.places:
            pairs = zip(found.places, wanted.places, strict=False)
            return len(found.places) == len(wanted.places) and all(_all_fit(one, other) for one, other in pairs)
        case "list":
            return found.item is None or wanted.item is None or _all_fit(found.item, wanted.item)
        case "record":
            return not wanted.kinds or (bool(found.kinds) and set(found.kinds) <= set(wanted.kinds))
        case _:
            return True


def _all_fit(found: Type, wanted: Type) -> bool:
    return all(any(_fits(option, other) for other in options(wanted)) for option in options(found))


def _may_be_same(one: Type, other: Type) -> bool:
    """Whether there is a value that both can have."""
    for option in options(one):
        for against in options(other):
            match option.sort, against.sort:
                case ("anything", _) | (_, "anything"):
                    return True
                case "text", "text":
                    if not option.words or not against.words or option.words & against.words:
                        return True
                case "record", "record":
                    if not option.kinds or not against.kinds or set(option.kinds) & set(against.kinds):
                        return True
                case here, there if here == there:
                    return True
    return False


class _Inference:
    """What the parts of one formula may use."""

    def __init__(self, names: Mapping[str, Type], environment: TypeEnvironment) -> None:
        self._names = names
        self._environment = environment

    def type(self, node: Tree, known: Known) -> Type:
        at = node["at"]
        match node["node"]:
            case "number":
                return Type(sort="number", unit=read_unit(node["unit"])) if "unit" in node else LITERAL
            case "text":
                return text((node["value"],))
            case "boolean":
                return BOOLEAN
            case "none":
                return NONE
            case "dice":
                return DICE
            case "name":
                if node["name"] not in self._names:
                    raise FormulaError("unknown", f'there is no input or step "{node["name"]}"', at)
                return known.get((node["name"],), self._names[node["name"]])
            case "if":
                return self._branches(node, known)
            case "call":
                return self._call(node, known)
            case "list":
                return self._list(node, known)
            case "field":
                found = self._field(self.type(node["of"][0], known), node["field"], at)
                return known.get(_path(node), found)
            case "lookup":
                return self._lookup(node, known)
            case "where":
                return self._where(node, known)
            case _:
                return self._calculator(node, known)

    # --- choices

    def _branches(self, node: Tree, known: Known) -> Type:
        condition, then, other = node["of"]
        self._boolean(condition, known)
        yes = self.type(then, {**known, **self._found_out(condition, True, known)})
        no = self.type(other, {**known, **self._found_out(condition, False, known)})
        return _joined(yes, no, other["at"], "one branch gives {}, the other {}")

    def _boolean(self, node: Tree, known: Known) -> Type:
        return agree(self.type(node, known), BOOLEAN, node["at"])

    def _found_out(self, node: Tree, truth: bool, known: Known) -> dict[Path, Type]:
        """What is known where a condition is true, or where it is not."""
        if node["node"] != "call":
            return {}
        of = node["of"]
        match node["name"], truth:
            case "not", _:
                return self._found_out(of[0], not truth, known)
            case ("and", True) | ("or", False):
                first = self._found_out(of[0], truth, known)
                return {**first, **self._found_out(of[1], truth, {**known, **first})}
            case ("==" | "!=") as name, _:
                for one, other in (of, of[::-1]):
                    path = _path(one)
                    if path and other["node"] in ("none", "text"):
                        same = (name == "==") is truth
                        return {path: _narrowed(self.type(one, known), self.type(other, known), same)}
        return {}

    # --- operators and functions

    def _call(self, node: Tree, known: Known) -> Type:
        name, of, at = node["name"], node["of"], node["at"]
        match name:
            case "and" | "or":
                self._boolean(of[0], known)
                self._boolean(of[1], {**known, **self._found_out(of[0], name == "and", known)})
                return BOOLEAN
            case "not":
                return self._boolean(of[0], known)
            case "==" | "!=":
                self._comparable(self.type(of[0], known), self.type(of[1], known), at)
                return BOOLEAN
            case "in":
                items = self._item(of[1], known)
                if items:
                    self._comparable(self.type(of[0], known), items, at)
                return BOOLEAN
            case "<" | "<=" | ">" | ">=":
                self._same_unit(node, [self._number(one, known) for one in of])
                return BOOLEAN
            case "*" | "/" | "//":
                one, other = (self._number(one, known) for one in of)
                if one.unit is None and other.unit is None:
                    return LITERAL
                return Type(sort="number", unit=times(one.unit or PLAIN, other.unit or PLAIN, 1 if name == "*" else -1))
            case "+" | "-" | "%":
                return self._same_unit(node, [self._number(one, known) for one in of])
            case "min" | "max" | "sum":
                return self._same_unit(node, self._numbers(of, known))
            case "floor" | "ceil" | "round" | "abs" | "negate":
                return self._number(of[0], known)
            case "count":
                self._item(of[0], known)
                return NUMBER
            case "chance":
                agree(self.type(of[0], known), DICE, of[0]["at"])
                self._plain(of[1], known)
                return NUMBER
            case "mean":
                found = self.type(of[0], known)
                return NUMBER if found == DICE else self._outcomes(found, of[0]["at"])
            case "tries" | "tries_spread":
                total = self._number(of[0], known)
                value = self._outcomes(self.type(of[1], known), of[1]["at"])
                self._same_unit(node, [total, value])
                return NUMBER
            case "successes":
                for one in of:
                    self._plain(one, known)
                return NUMBER
        raise FormulaError("unknown", f'there is no function "{name}"', at)

    def _comparable(self, one: Type, other: Type, at: int) -> None:
        for option in options(one):
            for against in options(other):
                if option.sort == against.sort == "number":
                    _common_unit([option, against], "compared", at)
        if not _may_be_same(one, other):
            raise FormulaError("type", f"{show(one)} and {show(other)} are never the same", at)

    def _number(self, node: Tree, known: Known) -> Type:
        return _as_number(self.type(node, known), node["at"])

    def _plain(self, node: Tree, known: Known) -> None:
        agree(self.type(node, known), NUMBER, node["at"])

    def _numbers(self, of: list[Tree], known: Known) -> list[Type]:
        """The numbers that are given one by one, or as one list."""
        found = self.type(of[0], known)
        if len(of) == 1 and found.sort == "list":
            return [_as_number(option, of[0]["at"]) for option in (options(found.item) if found.item else ())]
        return [self._number(one, known) for one in of]

    def _same_unit(self, node: Tree, found: list[Type]) -> Type:
        return _common_unit(found, VERBS.get(node["name"], "compared"), node["at"])

    def _outcomes(self, found: Type, at: int) -> Type:
        """The values in a list of pairs."""
        pairs = options(found.item) if found.sort == "list" and found.item else ()
        if found.sort == "anything" or (found.sort == "list" and not pairs):
            return LITERAL
        values = []
        for pair in pairs:
            if pair.sort != "list" or len(pair.places) != 2:
                raise FormulaError("type", "this has to be a list of pairs, each a value and its chance", at)
            agree(pair.places[1], NUMBER, at)
            values.append(_as_number(pair.places[0], at))
        if not values:
            raise FormulaError("type", f"this is {show(found)} where pairs of a value and its chance are needed", at)
        return _common_unit(values, "added", at)

    # --- lists and records

    def _item(self, node: Tree, known: Known) -> Type | None:
        found = self.type(node, known)
        if found.sort == "anything":
            return found
        if found.sort != "list":
            raise FormulaError("type", f"this is {show(found)} where a list is needed", node["at"])
        return found.item

    def _list(self, node: Tree, known: Known) -> Type:
        places = tuple(self.type(one, known) for one in node["of"])
        item: Type | None = None
        for one, place in zip(node["of"], places, strict=True):
            item = place if item is None else _joined(item, place, one["at"], "a list holds one sort, not {} and {}")
        return list_of(item, places)

    def _field(self, found: Type, name: str, at: int) -> Type:
        if found.sort == "list":
            inner = one_of(self._field(option, name, at) for option in options(found.item)) if found.item else NONE
            items = [item for option in options(inner) for item in (option.item if option.sort == "list" else option,)]
            held = [item for item in items if item is not None and item != NONE]
            return list_of(one_of(held) if held else None)
        if found.sort == "anything" or (found.sort == "record" and not found.kinds and not found.fields):
            return ANYTHING
        if NONE in options(found):
            raise FormulaError("type", f'this may be none, which has no "{name}"', at)
        records = [option for option in options(found) if option.sort == "record"]
        if len(records) < len(options(found)):
            raise FormulaError("type", f"this is {show(found)}, which has no fields", at)
        tables = [table for record in records for table in self._fields(record)]
        if not any(name in table for table in tables):
            known = sorted({field for table in tables for field in table})
            raise FormulaError("unknown", f'{show(found)} has no field "{name}": it has {", ".join(known)}', at)
        return one_of(table.get(name, NONE) for table in tables)

    def _fields(self, record: Type) -> list[Mapping[str, Type]]:
        return [self._environment.kinds[kind] for kind in record.kinds] if record.kinds else [dict(record.fields)]

    def _lookup(self, node: Tree, known: Known) -> Type:
        kind, name, at = node["kind"], node["field"], node["of"][0]["at"]
        wanted = self.type(node["of"][0], known)
        held = self._field(entity((kind,)), name, node["at"])
        ranges = [dict(option.fields).get("min") for option in options(held) if option.sort == "record"]
        fitting = one_of((held, TEXT, *(end for end in ranges if end)))
        for option in options(wanted):
            if not _may_be_same(option, fitting):
                raise FormulaError("type", f'no {kind} has {show(option)} as "{name}"', at)
        for option in options(wanted):
            if option.sort == "number" and option.unit:
                raise FormulaError("type", f"{show_unit(option.unit)} and plain numbers cannot be compared", at)
        return entity((kind,))

    def _where(self, node: Tree, known: Known) -> Type:
        item = self._item(node["of"][0], known)
        for name, one in zip(node["fields"], node["of"][1:], strict=True):
            wanted = self.type(one, known)
            if item is not None:
                held = _held(self._field(item, name, node["at"]))
                self._comparable(held, _held(wanted), one["at"])
        return list_of(item)

    def _calculator(self, node: Tree, known: Known) -> Type:
        name = node["calculator"]
        if name not in self._environment.calculators:
            raise FormulaError("unknown", f'there is no calculator "{name}"', node["at"])
        signature = self._environment.calculators[name]
        for given, one in zip(node["inputs"], node["of"], strict=True):
            agree(self.type(one, known), signature.inputs[given], one["at"])
        return signature.result


def _as_number(found: Type, at: int) -> Type:
    """The number that something is; of several that have one unit, that."""
    if found.sort == "anything":
        return LITERAL
    for option in options(found):
        if option.sort != "number":
            raise FormulaError("type", f"this {'may be' if found.options else 'is'} {show(option)}, not a number", at)
    return _common_unit(list(options(found)), "compared", at)


def _common_unit(numbers: list[Type], verb: str, at: int) -> Type:
    units: list[Unit] = []
    for one in numbers:
        if one.unit is not None and one.unit not in units:
            units.append(one.unit)
    if len(units) > 1:
        raise FormulaError("type", f"{show_unit(units[0])} and {show_unit(units[1])} cannot be {verb}", at)
    return Type(sort="number", unit=units[0]) if units else LITERAL


def _joined(one: Type, other: Type, at: int, message: str) -> Type:
    """What is one or the other: of one sort, or none."""
    units = {option.unit for type_ in (one, other) for option in options(type_) if option.sort == "number"}
    sorts = [{option.sort for option in options(type_)} - {"none", "anything"} for type_ in (one, other)]
    if len(units - {None}) > 1 or not (sorts[0] <= sorts[1] or sorts[1] <= sorts[0]):
        raise FormulaError("type", message.format(show(one), show(other)), at)
    return one_of((one, other))


def _held(found: Type) -> Type:
    """What is compared of a value: of a list the things in it."""
    return one_of(
        inner for option in options(found) for inner in ((option.item or NONE,) if option.sort == "list" else (option,))
    )


def _path(node: Tree) -> Path:
    """The name and fields that a node is made of; empty when it is anything else."""
    if node["node"] == "name":
        return (node["name"],)
    inner = _path(node["of"][0]) if node["node"] == "field" else ()
    return (*inner, node["field"]) if inner else ()


def _narrowed(found: Type, against: Type, same: bool) -> Type:
    """A type that has been compared with none or with one text."""
    left = []
    for option in options(found):
        if option.sort == "text" and against.sort == "text" and option.words:
            words = option.words & against.words if same else option.words - against.words
            if words:
                left.append(text(words))
        elif (option.sort == against.sort) is same or (option.sort == "text" == against.sort):
            left.append(option)
    return one_of(left) if left else found
