"""The schema of a published pack, and a test that validates data with it."""

import json
from functools import cache
from typing import Any

from kismet_build.config.data_file import Test, schema_validator, shipped_schema


@cache
def pack_schema() -> dict[str, Any]:
    """The published schema of a pack, including all schemas that it refers to."""
    pack, effects, formula = map(shipped_schema, ("pack", "effects", "formula"))
    effect = effects["$defs"]["effect"]
    properties = {key: _published(schema) for key, schema in effect["properties"].items()}
    bundled = {
        **pack,
        "$defs": {
            **effects["$defs"],
            "effect": {
                **effect,
                "required": ["operation", *effect["required"]],
                "anyOf": [*map(_defined, effect["anyOf"])],
                "properties": {"operation": {"$ref": "#/$defs/operation"}, **properties},
            },
            **formula["$defs"],
            **pack["$defs"],
        },
    }
    text = json.dumps(bundled).replace('"effects.schema.json#', '"#').replace('"formula.schema.json#', '"#')
    schema: dict[str, Any] = json.loads(text)
    return schema


def _published(schema: dict[str, Any]) -> dict[str, Any]:
    """The published schema of an effect's key. Keys that accept a value or a list are published as lists."""
    lists = [option for option in schema.get("anyOf", ()) if option.get("type") == "array"]
    described = {"description": schema["description"]} if "description" in schema else {}
    return {**described, **lists[0], "minItems": 1} if lists else schema


def _defined(alternative: dict[str, Any]) -> dict[str, Any]:
    """An alternative of a schema, with its required keys also listed as properties, as strict validators demand."""
    return {"properties": dict.fromkeys(alternative["required"], True), **alternative}


@cache
def pack_test() -> Test:
    """The test of whether data is a valid published pack."""
    return schema_validator(pack_schema())
