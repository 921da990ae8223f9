"""Convert values of this program to JSON and back. The annotations of their classes give the types of the members.

Dataclasses and named tuples become lists of their members. Each source is stored once and referred to by number.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from kismet_build.model.source import Source, Span

Value = TypeVar("Value")
Reader = Callable[[Any, Sequence[Source]], Any]
"""Makes a value from data and the numbered sources. Raises `ValueError` for invalid data."""

UNREADABLE = (ValueError, RecursionError)
"""Errors that `from_json` raises for content that `to_json` did not write."""


def to_json(value: object) -> bytes:
    """A value as JSON."""
    numbers: dict[Source, int] = {}

    def encode(member: Any) -> object:
        if isinstance(member, Source):
            return numbers.setdefault(member, len(numbers))
        if isinstance(member, frozenset):
            return sorted(member)
        return [getattr(member, field.name) for field in fields(member)]

    # Escaped, because bytes of a file name that are not UTF-8 become lone surrogates.
    content = json.dumps(value, default=encode, separators=(",", ":"))
    sources = [(source.path, source.text, source.digest, source.display_path) for source in numbers]
    return f"[{json.dumps(sources)},{content}]".encode()


def from_json(wanted: type[Value], content: bytes) -> Value:
    """A value of a class, from the JSON that `to_json` returned. Raises one of `UNREADABLE` for any other content."""
    texts, data = _reader(tuple[tuple[tuple[str, str, str, str], ...], Any])(json.loads(content), ())
    value: Value = _reader(cast("Any", wanted))(data, [Source(*text) for text in texts])
    return value


@cache
def _reader(wanted: Any) -> Reader:
    origin, arguments = get_origin(wanted), get_args(wanted)
    if wanted is Any:
        return lambda data, _: data
    if wanted in (str, int, bool):
        return lambda data, _: _checked(data, wanted)
    if wanted is Source:
        return _read_source
    if origin is UnionType:  # an annotation with None
        read = _reader(arguments[0])
        return lambda data, sources: None if data is None else read(data, sources)
    if origin in (Mapping, dict):
        return lambda data, sources: dict(
            zip(_checked(data, dict), _read_all(arguments[1], [*data.values()], sources), strict=True)
        )
    if origin is frozenset or arguments[-1:] == (...,):
        return lambda data, sources: origin(_read_all(arguments[0], data, sources))
    if origin is None and issubclass(wanted, Enum):
        return lambda data, _: wanted(data)
    return _reader_of_members(wanted, arguments)


def _reader_of_members(wanted: Any, arguments: Sequence[Any]) -> Reader:
    hints = dict(enumerate(arguments)) or get_type_hints(wanted)
    names, readers = [*hints], [*map(_reader, hints.values())]

    def read(data: Any, sources: Sequence[Source]) -> Any:
        pairs = zip(readers, _checked(data, list), strict=True)
        members = [read_member(part, sources) for read_member, part in pairs]
        if arguments:
            return tuple(members)
        value = wanted(**dict(zip(names, members, strict=True)))
        if wanted is Span and not 0 <= value.start <= value.end <= len(value.source.text):
            raise ValueError(data)
        return value

    return read


def _read_source(data: Any, sources: Sequence[Source]) -> Source:
    number: int = _checked(data, int)
    if not 0 <= number < len(sources):
        raise ValueError(data)
    return sources[number]


def _read_all(wanted: Any, data: Any, sources: Sequence[Source]) -> list[Any]:
    if wanted in (str, int) and set(map(type, _checked(data, list))) <= {wanted}:  # fast, for thousands of digests
        return list(data)
    read = _reader(wanted)
    return [read(part, sources) for part in _checked(data, list)]


def _checked(data: Any, wanted: type) -> Any:
    if type(data) is not wanted:
        raise ValueError(data)
    return data
