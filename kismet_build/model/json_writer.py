"""Write JSON files."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson


def json_file(data: Any) -> bytes:
    """A published JSON file for people to read: UTF-8, indented by two spaces, with a final line feed."""
    return _dumps(data, orjson.OPT_INDENT_2, indent=2) + b"\n"


def encode(data: Any) -> bytes:
    """JSON without white space. Data with integers of more than 64 bits must not contain `orjson.Fragment`."""
    return _dumps(data, 0, separators=(",", ":"))


def list_pieces(encoded: Iterable[bytes]) -> Iterator[bytes]:
    """The JSON text of a list of encoded items, one per line, in pieces."""
    separator = b"[\n"
    for item in encoded:
        yield separator
        yield item
        separator = b",\n"
    yield b"[]" if separator == b"[\n" else b"]"


def object_pieces(members: Mapping[str, Iterable[bytes]]) -> Iterator[bytes]:
    """The JSON text of an object, in pieces, from the pieces of its members."""
    separator = b"{"
    for name, pieces in members.items():
        yield separator + encode(name) + b":"
        yield from pieces
        separator = b","
    yield b"{}" if separator == b"{" else b"}"


def encoded_members(data: Mapping[str, Any]) -> dict[str, tuple[bytes]]:
    """The members of an object, for `object_pieces`."""
    return {name: (encode(value),) for name, value in data.items()}


def _dumps(data: Any, option: int, **other: Any) -> bytes:
    try:
        # Copy the result, because orjson keeps its entire buffer, which may be eight times as large as the text.
        return bytes(memoryview(orjson.dumps(data, option=option)))
    except orjson.JSONEncodeError:  # orjson cannot write an integer of more than 64 bits.
        return json.dumps(data, ensure_ascii=False, **other).encode()
