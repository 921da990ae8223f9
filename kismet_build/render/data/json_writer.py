"""Large JSON files joined from encoded parts, so that they are never in memory as Python objects."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import orjson


def json_file(data: Any) -> bytes:
    """A published JSON file for people to read: UTF-8, two spaces of indentation, a line feed at the end."""
    return _dumps(data, orjson.OPT_INDENT_2, indent=2) + b"\n"


def encode(data: Any) -> bytes:
    """JSON without white space, to be a part of other JSON."""
    return _dumps(data, 0, separators=(",", ":"))


def _dumps(data: Any, option: int, **other: Any) -> bytes:
    try:
        # A copy: orjson's result keeps its whole buffer, of up to eight times the size of the text.
        return bytes(memoryview(orjson.dumps(data, option=option)))
    except orjson.JSONEncodeError:  # An integer of more than 64 bits.
        return json.dumps(data, ensure_ascii=False, **other).encode()


def merge_objects(*objects: bytes) -> bytes:
    """One encoded object with the members of several, none of which is empty."""
    return b"{%b}" % b",".join(encoded[1:-1] for encoded in objects)


def items(values: Iterable[bytes]) -> bytes:
    """Encoded values as the items of a list, without its brackets, each on a line of its own."""
    return b",\n".join(values)


def list_chunks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks of a list whose parts are results of `items`; empty parts are left out."""
    return _joined(((part,) for part in parts if part), b"[", b"]")


def object_chunks(members: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """The chunks of an object, each member on a line of its own; its value is given as chunks."""
    return _joined(((encode(name), b":", *value) for name, value in members), b"{", b"}")


def _joined(parts: Iterable[Iterable[bytes]], opening: bytes, closing: bytes) -> Iterator[bytes]:
    separator, last = opening + b"\n", opening + closing
    for part in parts:
        yield separator
        yield from part
        separator, last = b",\n", b"\n" + closing
    yield last
