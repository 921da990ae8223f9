"""Large JSON files joined from encoded parts, so that they are never in memory as Python objects."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import orjson

INDENT = b"  "


def json_file(data: Any) -> bytes:
    """A published JSON file: UTF-8, two spaces of indentation, a line feed at the end."""
    return encode(data) + b"\n"


def encode(data: Any) -> bytes:
    """JSON as in a file, without the line feed at the end, to be a part of other JSON."""
    try:
        # A copy: orjson's result keeps its whole buffer, of up to eight times the size of the text.
        return bytes(memoryview(orjson.dumps(data, option=orjson.OPT_INDENT_2)))
    except orjson.JSONEncodeError:  # An integer of more than 64 bits.
        return json.dumps(data, ensure_ascii=False, indent=2).encode()


def merge_objects(*objects: bytes) -> bytes:
    """One encoded object with the members of several, none of which is empty."""
    return b"{%b\n}" % b",".join(encoded[1:-2] for encoded in objects)


def items(values: Iterable[bytes]) -> bytes:
    """Encoded values as the items of a list, without its brackets."""
    return b",\n".join(INDENT + _indented(value) for value in values)


def list_chunks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks of a list whose parts are results of `items`; empty parts are left out."""
    return _joined(((part,) for part in parts if part), b"[", b"]")


def object_chunks(members: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """The chunks of an object; the value of each member is given as its chunks."""
    chunks = (chain((INDENT + encode(name) + b": ",), map(_indented, value)) for name, value in members)
    return _joined(chunks, b"{", b"}")


def _indented(encoded: bytes) -> bytes:
    # Line feeds in strings are escaped, so that each line feed starts a line of JSON.
    return encoded.replace(b"\n", b"\n" + INDENT)


def _joined(parts: Iterable[Iterable[bytes]], opening: bytes, closing: bytes) -> Iterator[bytes]:
    separator, last = opening + b"\n", opening + closing
    for part in parts:
        yield separator
        yield from part
        separator, last = b",\n", b"\n" + closing
    yield last
