"""JSON files. Records are encoded once, as parts of several files: a game is never in memory as Python objects."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from orjson import Fragment


def json_file(data: Any) -> bytes:
    """A published JSON file for people to read: UTF-8, two spaces of indentation, a line feed at the end."""
    return _dumps(data, orjson.OPT_INDENT_2, indent=2) + b"\n"


def encode(data: Any) -> bytes:
    """JSON without white space. Data with integers of more than 64 bits have no fragments in them."""
    return _dumps(data, 0, separators=(",", ":"))


def fragments(encoded: Iterable[bytes]) -> list[Fragment]:
    """Encoded items of a list as parts of other JSON, each on a line of its own."""
    return [Fragment(b"\n" + item) for item in encoded]


def members(data: Mapping[str, Any]) -> dict[str, Fragment]:
    """The members of an object as parts of other JSON, with integers of any size."""
    return {name: Fragment(encode(value)) for name, value in data.items()}


def _dumps(data: Any, option: int, **other: Any) -> bytes:
    try:
        # A copy: orjson's result keeps its whole buffer, of up to eight times the size of the text.
        return bytes(memoryview(orjson.dumps(data, option=option)))
    except orjson.JSONEncodeError:  # An integer of more than 64 bits.
        return json.dumps(data, ensure_ascii=False, **other).encode()
