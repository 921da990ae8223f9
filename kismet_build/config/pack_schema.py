"""The schema of a pack as it is published, and the test of data against it."""

import json
from functools import cache
from typing import Any

from kismet_build.config.data_file import Test, quick_test, shipped_schema


@cache
def pack_schema() -> dict[str, Any]:
    """The schema of a pack as it is published: whole in itself, so that nobody needs a second file to check one."""
    pack, effects, formula = map(shipped_schema, ("pack", "effects", "formula"))
    effect = effects["$defs"]["effect"]
    properties = {key: _published(one) for key, one in effect["properties"].items()}
    whole = {
        **pack,
        "$defs": {
            **effects["$defs"],
            "effect": {**effect, "properties": properties},
            **formula["$defs"],
            **pack["$defs"],
        },
    }
    text = json.dumps(whole).replace('"effects.schema.json#', '"#').replace('"formula.schema.json#', '"#')
    schema: dict[str, Any] = json.loads(text)
    return schema


def _published(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a part of an effect; what authors may write as one word or as a list is always a list."""
    lists = [one for one in schema.get("anyOf", ()) if one.get("type") == "array"]
    described = {"description": schema["description"]} if "description" in schema else {}
    return {**described, **lists[0], "minItems": 1} if lists else schema


@cache
def fits() -> Test:
    """The test whether some data is a pack as this program publishes it."""
    return quick_test(pack_schema())
