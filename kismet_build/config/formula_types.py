"""The types, in formulas, of the fields of kinds and of the inputs and results of calculators."""

from collections.abc import Mapping, Sequence
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
    optional,
    outcomes,
    text,
    union_members,
    union_of,
)


def environment(
    kinds: Mapping[str, Kind], calculators: Mapping[str, Signature], operations: Sequence[str] = ()
) -> TypeEnvironment:
    """The type environment of formulas: the fields of all kinds, including the fields that every entity has.

    `operations` are the operations of the game's rolls; their values may have any type.
    """
    common = {"id": TEXT, "slug": TEXT, "name": TEXT, "effects": list_of(_effect(operations))}
    fields = {name: {**of_fields(kind.schema), **common, "kind": text((name,))} for name, kind in kinds.items()}
    return TypeEnvironment(fields, calculators)


def of_input(input_: Input) -> Type:
    """The type of a calculator input in formulas."""
    match input_.type:
        case "integer" | "number":
            type_ = number(input_.unit)
        case "boolean":
            type_ = BOOLEAN
        case "choice":
            type_ = text(input_.options)
        case _:
            type_ = entity(input_.kinds)
    return list_of(type_) if input_.many else type_


def of_result(type_: str, unit: str = "") -> Type:
    """The formula type for the `type` and `unit` that a calculator declares for a result or step."""
    match type_:
        case "number":
            return number(unit)
        case "chance":
            return NUMBER
        case "outcomes":
            return outcomes(unit)
        case "entity":
            return Type(category="record")
        case _:
            return {"boolean": BOOLEAN, "text": TEXT, "dice": DICE}[type_]


def of_fields(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> dict[str, Type]:
    """The types of the properties of an object schema.

    A property is optional unless it is required or has a default. `root` is the schema with the `$defs`; `None` means
    `schema` itself.
    """
    properties = schema.get("properties", {})
    always_set = {*schema.get("required", ()), *(name for name, part in properties.items() if "default" in part)}
    types = {name: of_schema(part, root or schema) for name, part in properties.items()}
    return {name: type_ if name in always_set else optional(type_) for name, type_ in types.items()}


def of_schema(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Type:
    """The type of the values of a JSON Schema; `ANYTHING` if the schema has no type.

    `root` is the schema with the `$defs`.
    """
    if "$ref" in schema:
        return of_schema(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    if "const" in schema or "enum" in schema:
        return union_of(_of_value(value) for value in schema.get("enum", [schema.get("const")]))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return union_of(of_schema(option, root) for option in schema[key])
    json_type = schema.get("type", "anything")
    if isinstance(json_type, list):
        return union_of(of_schema({**schema, "type": option}, root) for option in json_type)
    match json_type:
        case "array":
            return list_of(of_schema(schema.get("items", {}), root))
        case "object":
            return Type(category="record", fields=tuple(of_fields(schema, root).items()))
        case _:
            simple = {"integer": NUMBER, "number": NUMBER, "string": TEXT, "boolean": BOOLEAN, "null": NONE}
            return simple.get(json_type, ANYTHING)


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


def _effect(operations: Sequence[str]) -> Type:
    """The type of an effect in the records of entities.

    A key that accepts a value or a list always has a list in a record.
    """
    schema = shipped_schema("effects")
    fields = {"operation": TEXT, **of_fields(schema["$defs"]["effect"], schema)}
    for name, type_ in fields.items():
        lists = [option for option in union_members(type_) if option.category == "list"]
        fields[name] = optional(lists[0]) if lists else type_
    fields |= dict.fromkeys(operations, ANYTHING)
    return Type(category="record", fields=tuple(fields.items()))
