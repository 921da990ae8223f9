"""Infer the type and unit of the result of a formula."""

from collections.abc import Mapping
from typing import TypeAlias

from kismet_build.mechanics.formula import FormulaError, Tree
from kismet_build.mechanics.formula.functions import FUNCTIONS, Function
from kismet_build.mechanics.formula.types import (
    ANYTHING,
    BOOLEAN,
    DICE,
    LITERAL,
    NO_UNIT,
    NONE,
    NUMBER,
    TEXT,
    Type,
    TypeEnvironment,
    Unit,
    describe,
    describe_unit,
    entity,
    list_of,
    multiply_units,
    read_unit,
    text,
    union_members,
    union_of,
)
from kismet_build.model.suggestion import did_you_mean, did_you_mean_or_list

Path: TypeAlias = tuple[str, ...]
"""A name and the fields after it: `row.range.min` is `("row", "range", "min")`."""
Narrowed: TypeAlias = Mapping[Path, Type]
"""Types narrowed by the conditions around a node, for example to exclude none."""

VERBS = {"+": "added", "-": "subtracted", "%": "divided with a remainder"}
"""Participles for messages about units, by operator; operators not listed here compare."""


def infer(tree: Tree, names: Mapping[str, Type], environment: TypeEnvironment, problems: list[FormulaError]) -> Type:
    """Infer the type of a formula; `names` has the types of inputs and earlier steps.

    If types do not fit or a name is unknown, a `FormulaError` with the code `type` or `unknown` is added to `problems`,
    and that part of the formula has the type `ANYTHING`.
    """
    return _Inference(names, environment, problems).type(tree, {})


def check_type(actual: Type, expected: Type, at: int) -> Type:
    """Check that a type fits another one. Raises `FormulaError` otherwise.

    Returns the narrower type, with any texts and kinds of `actual`.
    """
    agreed = []
    for option in union_members(actual):
        match = next((target for target in union_members(expected) if _fits(option, target)), None)
        if match is None:
            be = "may be" if actual.members else "is"
            raise FormulaError("type", f"this {be} {describe(option)} where {describe(expected)} is needed", at)
        agreed.append(match if option in (ANYTHING, LITERAL) else option)
    return union_of(agreed)


def _fits(actual: Type, expected: Type) -> bool:
    if "anything" in (actual.category, expected.category):
        return True
    if actual.category != expected.category:
        return False
    match actual.category:
        case "number":
            return actual.unit is None or expected.unit is None or actual.unit == expected.unit
        case "text":
            return not expected.texts or (bool(actual.texts) and actual.texts <= expected.texts)
        case "list" if expected.item_types and actual.item_types:
            pairs = zip(actual.item_types, expected.item_types, strict=False)
            return len(actual.item_types) == len(expected.item_types) and all(_all_fit(*pair) for pair in pairs)
        case "list":
            return actual.item is None or expected.item is None or _all_fit(actual.item, expected.item)
        case "record":
            return not expected.kinds or (bool(actual.kinds) and set(actual.kinds) <= set(expected.kinds))
        case _:
            return True


def _all_fit(actual: Type, expected: Type) -> bool:
    return all(any(_fits(option, target) for target in union_members(expected)) for option in union_members(actual))


def _may_be_equal(left: Type, right: Type) -> bool:
    """Whether the two types have a value in common."""
    for a in union_members(left):
        for b in union_members(right):
            match a.category, b.category:
                case ("anything", _) | (_, "anything"):
                    return True
                case "text", "text":
                    if not a.texts or not b.texts or a.texts & b.texts:
                        return True
                case "record", "record":
                    if not a.kinds or not b.kinds or set(a.kinds) & set(b.kinds):
                        return True
                case a_sort, b_sort if a_sort == b_sort:
                    return True
    return False


class _Inference:
    """The inference for one formula."""

    def __init__(self, names: Mapping[str, Type], environment: TypeEnvironment, problems: list[FormulaError]) -> None:
        self._names = names
        self._environment = environment
        self._problems = problems

    def type(self, node: Tree, narrowed: Narrowed) -> Type:
        try:
            return self._type(node, narrowed)
        except FormulaError as problem:
            self._add(problem)
            return ANYTHING

    def _add(self, problem: FormulaError) -> None:
        """Add a mistake to the problems once."""
        if not any((known.at, known.message) == (problem.at, problem.message) for known in self._problems):
            self._problems.append(problem)

    def _type(self, node: Tree, narrowed: Narrowed) -> Type:
        at = node["at"]
        match node["node"]:
            case "number":
                return Type(category="number", unit=read_unit(node["unit"])) if "unit" in node else LITERAL
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
                    known = f"available here: {', '.join(self._names)}; a step can be used only below its own line"
                    hint = did_you_mean(node["name"], self._names, known)
                    raise FormulaError("unknown", f'there is no input or step "{node["name"]}"', at, hint)
                return narrowed.get((node["name"],), self._names[node["name"]])
            case "if":
                return self._branches(node, narrowed)
            case "call":
                return self._call(node, narrowed)
            case "list":
                return self._list(node, narrowed)
            case "field":
                actual = self._field(self.type(node["of"][0], narrowed), node["field"], at)
                return narrowed.get(_path(node), actual)
            case "lookup":
                return self._lookup(node, narrowed)
            case "where":
                return self._where(node, narrowed)
            case _:
                return self._calculator(node, narrowed)

    # --- choices

    def _branches(self, node: Tree, narrowed: Narrowed) -> Type:
        condition, then, otherwise = node["of"]
        self._boolean(condition, narrowed)
        then_type = self.type(then, {**narrowed, **self._narrow(condition, True, narrowed)})
        else_type = self.type(otherwise, {**narrowed, **self._narrow(condition, False, narrowed)})
        return _join(then_type, else_type, otherwise["at"], "one branch gives {}, the other {}")

    def _boolean(self, node: Tree, narrowed: Narrowed) -> Type:
        try:
            return check_type(self.type(node, narrowed), BOOLEAN, node["at"])
        except FormulaError as problem:
            self._add(problem)
            return BOOLEAN

    def _narrow(self, node: Tree, truth: bool, narrowed: Narrowed) -> dict[Path, Type]:
        """The types that a condition narrows where it is true or false (`truth`)."""
        if node["node"] != "call":
            return {}
        operands = node["of"]
        match node["name"], truth:
            case "not", _:
                return self._narrow(operands[0], not truth, narrowed)
            case ("and", True) | ("or", False):
                first = self._narrow(operands[0], truth, narrowed)
                return {**first, **self._narrow(operands[1], truth, {**narrowed, **first})}
            case ("==" | "!=") as name, _:
                for left, right in (operands, operands[::-1]):
                    path = _path(left)
                    if path and right["node"] in ("none", "text"):
                        is_equal = (name == "==") is truth
                        return {path: _narrow_type(self.type(left, narrowed), self.type(right, narrowed), is_equal)}
        return {}

    # --- operators and functions

    def _call(self, node: Tree, narrowed: Narrowed) -> Type:
        name, operands, at = node["name"], node["of"], node["at"]
        match name:
            case "and" | "or":
                self._boolean(operands[0], narrowed)
                self._boolean(operands[1], {**narrowed, **self._narrow(operands[0], name == "and", narrowed)})
                return BOOLEAN
            case "not":
                return self._boolean(operands[0], narrowed)
            case "==" | "!=":
                self._check_comparable(self.type(operands[0], narrowed), self.type(operands[1], narrowed), at)
                return BOOLEAN
            case "in":
                items = self._item_type(operands[1], narrowed)
                if items:
                    self._check_comparable(self.type(operands[0], narrowed), items, at)
                return BOOLEAN
            case "<" | "<=" | ">" | ">=":
                self._same_unit(node, [self._number(operand, narrowed) for operand in operands])
                return BOOLEAN
            case "*" | "/" | "//":
                left, right = (self._number(operand, narrowed) for operand in operands)
                if ANYTHING in (left, right):
                    return ANYTHING
                if left.unit is None and right.unit is None:
                    return LITERAL
                power = 1 if name == "*" else -1
                return Type(category="number", unit=multiply_units(left.unit or NO_UNIT, right.unit or NO_UNIT, power))
            case "+" | "-" | "%":
                return self._same_unit(node, [self._number(operand, narrowed) for operand in operands])
            case "negate":
                return self._number(operands[0], narrowed)
        if name in FUNCTIONS:
            return self._function(FUNCTIONS[name], operands, narrowed, at)
        raise FormulaError("unknown", f'there is no function "{name}"', at)

    def _function(self, function: Function, operands: list[Tree], narrowed: Narrowed, at: int) -> Type:
        numbers: list[Type] = []
        for operand, argument in zip(operands, function.arguments.values(), strict=False):
            match argument.takes:
                case "number":
                    numbers.append(self._number(operand, narrowed))
                case "plain number":
                    check_type(self.type(operand, narrowed), NUMBER, operand["at"])
                case "list":
                    self._item_type(operand, narrowed)
                case "dice":
                    check_type(self.type(operand, narrowed), DICE, operand["at"])
                case "outcomes":
                    numbers.append(self._outcomes(self.type(operand, narrowed), operand["at"]))
                case "dice or outcomes":
                    actual = self.type(operand, narrowed)
                    numbers.append(NUMBER if actual == DICE else self._outcomes(actual, operand["at"]))
                case "numbers":
                    numbers += self._numbers(operands, narrowed)
                    break
        unit = _common_unit(numbers, function.verb, at)
        return unit if function.keeps_unit else NUMBER

    def _check_comparable(self, left: Type, right: Type, at: int) -> None:
        for a in union_members(left):
            for b in union_members(right):
                if a.category == b.category == "number":
                    _common_unit([a, b], "compared", at)
        if not _may_be_equal(left, right):
            hint = "compare with a value that the other side can have"
            raise FormulaError("type", f"{describe(left)} and {describe(right)} are never equal", at, hint)

    def _number(self, node: Tree, narrowed: Narrowed) -> Type:
        try:
            return _as_number(self.type(node, narrowed), node["at"])
        except FormulaError as problem:
            self._add(problem)
            return ANYTHING

    def _numbers(self, operands: list[Tree], narrowed: Narrowed) -> list[Type]:
        """The types of numbers given as several arguments or as one list."""
        actual = self.type(operands[0], narrowed)
        if len(operands) == 1 and actual.category == "list":
            return [
                _as_number(option, operands[0]["at"]) for option in (union_members(actual.item) if actual.item else ())
            ]
        return [self._number(operand, narrowed) for operand in operands]

    def _same_unit(self, node: Tree, numbers: list[Type]) -> Type:
        if ANYTHING in numbers:
            return ANYTHING  # a mistake, about which nothing more is said
        return _common_unit(numbers, VERBS.get(node["name"], "compared"), node["at"])

    def _outcomes(self, actual: Type, at: int) -> Type:
        """The type of the values in a list of pairs of a value and its chance."""
        pairs = union_members(actual.item) if actual.category == "list" and actual.item else ()
        if actual.category == "anything" or (actual.category == "list" and not pairs):
            return LITERAL
        values = []
        for pair in pairs:
            if pair.category != "list" or len(pair.item_types) != 2:
                raise FormulaError("type", "this must be a list of pairs, each a value and its chance", at)
            check_type(pair.item_types[1], NUMBER, at)
            values.append(_as_number(pair.item_types[0], at))
        if not values:
            raise FormulaError(
                "type", f"this is {describe(actual)} where pairs of a value and its chance are needed", at
            )
        return _common_unit(values, "added", at)

    # --- lists and records

    def _item_type(self, node: Tree, narrowed: Narrowed) -> Type | None:
        actual = self.type(node, narrowed)
        if actual.category == "anything":
            return actual
        if actual.category != "list":
            raise FormulaError("type", f"this is {describe(actual)} where a list is needed", node["at"])
        return actual.item

    def _list(self, node: Tree, narrowed: Narrowed) -> Type:
        places = tuple(self.type(child, narrowed) for child in node["of"])
        item: Type | None = None
        for child, place in zip(node["of"], places, strict=True):
            item = place if item is None else _join(item, place, child["at"], "a list cannot mix {} and {}")
        return list_of(item, places)

    def _field(self, actual: Type, name: str, at: int) -> Type:
        if actual.category == "list":
            field = (
                union_of(self._field(option, name, at) for option in union_members(actual.item))
                if actual.item
                else NONE
            )
            items = [option.item if option.category == "list" else option for option in union_members(field)]
            values = [item for item in items if item is not None and item != NONE]
            return list_of(union_of(values) if values else None)
        if actual.category == "anything" or (actual.category == "record" and not actual.kinds and not actual.fields):
            return ANYTHING
        if NONE in union_members(actual):
            raise FormulaError("type", f'this may be none, which has no field "{name}"', at)
        records = [option for option in union_members(actual) if option.category == "record"]
        if len(records) < len(union_members(actual)):
            raise FormulaError("type", f"this is {describe(actual)}, which has no fields", at)
        schemas = [schema for record in records for schema in self._fields_of(record)]
        if not any(name in schema for schema in schemas):
            known = sorted({field for schema in schemas for field in schema})
            hint = did_you_mean_or_list(name, known, "its fields are")
            raise FormulaError("unknown", f'{describe(actual)} has no field "{name}"', at, hint)
        return union_of(schema.get(name, NONE) for schema in schemas)

    def _fields_of(self, record: Type) -> list[Mapping[str, Type]]:
        return [self._environment.kinds[kind] for kind in record.kinds] if record.kinds else [dict(record.fields)]

    def _lookup(self, node: Tree, narrowed: Narrowed) -> Type:
        kind, name, at = node["kind"], node["field"], node["of"][0]["at"]
        value = self.type(node["of"][0], narrowed)
        field = self._field(entity((kind,)), name, node["at"])
        ranges = [dict(option.fields).get("min") for option in union_members(field) if option.category == "record"]
        comparable = union_of((field, TEXT, *(end for end in ranges if end)))
        for option in union_members(value):
            if not _may_be_equal(option, comparable):
                raise FormulaError("type", f'no {kind} has {describe(option)} as "{name}"', at)
        for option in union_members(value):
            if option.category == "number" and option.unit:
                raise FormulaError("type", f"{describe_unit(option.unit)} and plain numbers cannot be compared", at)
        return entity((kind,))

    def _where(self, node: Tree, narrowed: Narrowed) -> Type:
        item = self._item_type(node["of"][0], narrowed)
        for name, child in zip(node["fields"], node["of"][1:], strict=True):
            value = self.type(child, narrowed)
            if item is not None:
                field = _items_or_self(self._field(item, name, node["at"]))
                self._check_comparable(field, _items_or_self(value), child["at"])
        return list_of(item)

    def _calculator(self, node: Tree, narrowed: Narrowed) -> Type:
        name = node["calculator"]
        if name not in self._environment.calculators:
            raise FormulaError("unknown", f'there is no calculator "{name}"', node["at"])
        signature = self._environment.calculators[name]
        for name, argument in zip(node["inputs"], node["of"], strict=True):
            check_type(self.type(argument, narrowed), signature.inputs[name], argument["at"])
        return signature.result


NUMBER_HINTS = {
    "none": "give a value for that case, such as: if weapon.bonus == none then 0 else weapon.bonus",
    "dice": 'add numbers inside the quotation marks, such as dice("2d6+1"), or take them from the target of chance',
}
"""How to get a number from a value of another category."""


def _as_number(actual: Type, at: int) -> Type:
    """The number type of a value; the members of a union must be numbers of one unit."""
    if actual.category == "anything":
        return LITERAL
    for option in union_members(actual):
        if option.category != "number":
            message = f"this {'may be' if actual.members else 'is'} {describe(option)}, not a number"
            raise FormulaError("type", message, at, NUMBER_HINTS.get(option.category, ""))
    return _common_unit(list(union_members(actual)), "compared", at)


def _common_unit(numbers: list[Type], verb: str, at: int) -> Type:
    units: list[Unit] = []
    for number in numbers:
        if number.unit is not None and number.unit not in units:
            units.append(number.unit)
    if len(units) > 1:
        message = f"{describe_unit(units[0])} and {describe_unit(units[1])} cannot be {verb}"
        hint = "give both the same unit, or multiply by a conversion such as 5[feet/tiles]"
        raise FormulaError("type", message, at, hint)
    return Type(category="number", unit=units[0]) if units else LITERAL


def _join(left: Type, right: Type, at: int, message: str) -> Type:
    """The union of the types of two branches or items. Except for none, they must have the same category and unit."""
    units = {option.unit for type_ in (left, right) for option in union_members(type_) if option.category == "number"}
    sorts = [{option.category for option in union_members(type_)} - {"none", "anything"} for type_ in (left, right)]
    if len(units - {None}) > 1 or not (sorts[0] <= sorts[1] or sorts[1] <= sorts[0]):
        raise FormulaError("type", message.format(describe(left), describe(right)), at)
    return union_of((left, right))


def _items_or_self(actual: Type) -> Type:
    """The types that `where` compares: the items of a list, or the type itself."""
    return union_of((option.item or NONE) if option.category == "list" else option for option in union_members(actual))


def _path(node: Tree) -> Path:
    """The path of a name or of a field below a name; empty for any other node."""
    if node["node"] == "name":
        return (node["name"],)
    inner = _path(node["of"][0]) if node["node"] == "field" else ()
    return (*inner, node["field"]) if inner else ()


def _narrow_type(actual: Type, against: Type, is_equal: bool) -> Type:
    """Narrow a type by a comparison with none or with a single text."""
    remaining = []
    for option in union_members(actual):
        if option.category == "text" and against.category == "text" and option.texts:
            words = option.texts & against.texts if is_equal else option.texts - against.texts
            if words:
                remaining.append(text(words))
        elif (option.category == against.category) is is_equal or (option.category == "text" == against.category):
            remaining.append(option)
    return union_of(remaining) if remaining else actual
