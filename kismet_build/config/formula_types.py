"""The types of what data files declare: fields of kinds, inputs and results of calculators."""

from collections.abc import Mapping
from typing import Any

from kismet_build.config.data_file import shipped_schema
from kismet_build.config.kind import Kind
from kismet_build.mechanics.calculator import Input
from kismet_build.mechanics.formula.types import (
    ANYTHING,
    BOOLEAN,
    DICE,
    NONE,
    NUMBER,
    TEXT,
    Signature,
    Type,
    TypeEnvironment,
    entity,
    list_of,
    number,
    one_of,
    optional,
    options,
    outcomes,
    text,
)


def environment(kinds: Mapping[str, Kind], calculators: Mapping[str, Signature]) -> TypeEnvironment:
    """The fields of all kinds, and what every entity has."""
    every = {"id": TEXT, "slug": TEXT, "name": TEXT, "effects": list_of(_effect())}
    fields = {name: {**of_fields(kind.schema), **every, "kind": text((name,))} for name, kind in kinds.items()}
    return TypeEnvironment(fields, calculators)


def of_input(given: Input) -> Type:
    """The type that an input of a calculator has in its formulas."""
    match given.type:
        case "integer" | "number":
            return number(given.unit)
        case "boolean":
            return BOOLEAN
        case "choice":
            return text(given.options)
        case _:
            return list_of(entity(given.kinds)) if given.many else entity(given.kinds)


def of_result(type_: str, unit: str = "") -> Type:
    """The type that a calculator, or a step of one, says it gives."""
    match type_:
        case "number":
            return number(unit)
        case "chance":
            return NUMBER
        case "outcomes":
            return outcomes(unit)
        case "entity":
            return Type(sort="record")
        case _:
            return {"boolean": BOOLEAN, "text": TEXT, "dice": DICE}[type_]


def of_fields(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> dict[str, Type]:
    """The type of each property of an object; what need not be there, and has no default, may be none."""
    written = schema.get("properties", {})
    sure = {*schema.get("required", ()), *(name for name, one in written.items() if "default" in one)}
    found = {name: of_schema(one, root or schema) for name, one in written.items()}
    return {name: type_ if name in sure else optional(type_) for name, type_ in found.items()}


def of_schema(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Type:
    """The type of what a JSON Schema describes; `anything` where it does not say. `root` holds its definitions."""
    if "$ref" in schema:
        return of_schema(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    if "const" in schema or "enum" in schema:
        return one_of(_of_value(value) for value in schema.get("enum", [schema.get("const")]))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return one_of(of_schema(one, root) for one in schema[key])
    sorts = schema.get("type", "anything")
    if isinstance(sorts, list):
        return one_of(of_schema({**schema, "type": sort}, root) for sort in sorts)
    match sorts:
        case "array":
            return list_of(of_schema(schema.get("items", {}), root))
        case "object":
            return Type(sort="record", fields=tuple(of_fields(schema, root).items()))
        case _:
            simple = {"integer": NUMBER, "number": NUMBER, "string": TEXT, "boolean": BOOLEAN, "null": NONE}
            return simple.get(sorts, ANYTHING)


def _of_value(value: Any) -> Type:
    match value:
        case bool():
            return BOOLEAN
        case str():
            return text((value,))
        case int() | float():
            return NUMBER
        case _:
            return NONE if value is None else ANYTHING


def _effect() -> Type:
    """An effect as entities have it: where a list may be, there is one."""
    schema = shipped_schema("effects")
    fields = of_fields(schema["$defs"]["effect"], schema)
    for name, type_ in fields.items():
        lists = [option for option in options(type_) if option.sort == "list"]
        fields[name] = optional(lists[0]) if lists else type_
    return Type(sort="record", fields=tuple(fields.items()))
