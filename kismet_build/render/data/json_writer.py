"""JSON in parts: what is large is put together of texts, so that it never has to be in memory as objects as well."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import orjson

INDENT = b"  "


def to_bytes(data: Any) -> bytes:
    """JSON as it is published: the keys in the order of the shape, two spaces, line feeds, UTF-8."""
    return to_text(data) + b"\n"


def to_text(data: Any) -> bytes:
    """The same as it stands in other JSON, at the beginning of a line."""
    try:
        return orjson.dumps(data, option=orjson.OPT_INDENT_2)
    except orjson.JSONEncodeError:  # a number of more than 64 bits
        return json.dumps(data, ensure_ascii=False, indent=2).encode()


def merged(*objects: bytes) -> bytes:
    """One object with the members of several, none of which is empty."""
    return b"{%b\n}" % b",".join(one[1:-2] for one in objects)


def items(texts: Iterable[bytes]) -> bytes:
    """Such texts one after another, as they stand in a list."""
    return b",\n".join(INDENT + _inside(text) for text in texts)


def listed(parts: Iterable[bytes]) -> Iterator[bytes]:
    """A list of what `items` has joined, piece by piece."""
    return _joined(((part,) for part in parts if part), b"[", b"]")


def keyed(members: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """An object of such texts, each of which may come piece by piece."""
    named = (chain((INDENT + to_text(name) + b": ",), map(_inside, value)) for name, value in members)
    return _joined(named, b"{", b"}")


def _inside(text: bytes) -> bytes:
    # No other line feeds: those in strings are escaped.
    return text.replace(b"\n", b"\n" + INDENT)


def _joined(parts: Iterable[Iterable[bytes]], begin: bytes, end: bytes) -> Iterator[bytes]:
    between, last = begin + b"\n", begin + end
    for part in parts:
        yield between
        yield from part
        between, last = b",\n", b"\n" + end
    yield last
