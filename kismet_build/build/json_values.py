"""Values of this program as JSON, and back. The annotations of their classes say what a member may be.

Dataclasses and named tuples are lists of their members. Each source is stored once, and named by its number.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from kismet_build.model.source import Source, Span

Value = TypeVar("Value")

SCALARS = (str, int, bool)
UNREADABLE = (ValueError, RecursionError)
"""Errors of `from_json` for a text that `to_json` did not make."""


def to_json(value: object) -> bytes:
    """A value as JSON."""
    numbers: dict[Source, int] = {}

    def encode(member: Any) -> object:
        if isinstance(member, Source):
            return numbers.setdefault(member, len(numbers))
        if isinstance(member, frozenset):
            return sorted(member)
        return [getattr(member, field.name) for field in fields(member)]

    # Escaped, because the bytes of a file name that are not UTF-8 are lone surrogates.
    content = json.dumps(value, default=encode, separators=(",", ":"))
    sources = [(source.path, source.text, source.digest, source.display_path) for source in numbers]
    return f'{{"sources":{json.dumps(sources)},"value":{content}}}'.encode()


def from_json(wanted: type[Value], content: bytes) -> Value:
    """The value of this class that `to_json` made JSON of. Raises an error of `UNREADABLE` for anything else."""
    data = json.loads(content)
    if not isinstance(data, dict) or data.keys() != {"sources", "value"}:
        raise ValueError(data)
    # As `Source(*texts)` takes them.
    sources = [Source(*texts) for texts in _decoded(tuple[tuple[str, str, str, str], ...], data["sources"], ())]
    value: Value = _decoded(wanted, data["value"], sources)
    return value


def _decoded(wanted: Any, data: Any, sources: Any) -> Any:
    """The value of an annotation. Raises `ValueError` if the data are not one."""
    if wanted in SCALARS and type(data) is wanted:
        return data
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is UnionType and NoneType in arguments:
        return None if data is None else _decoded(arguments[0], data, sources)
    if origin is Mapping and isinstance(data, dict):
        return dict(zip(data, _decoded_all(arguments[1], [*data.values()], sources), strict=True))
    if wanted is Source and type(data) is int and 0 <= data < len(sources):
        return sources[data]
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return wanted(data)
    if not isinstance(data, list):
        raise ValueError(data)
    if origin is frozenset:
        return frozenset(_decoded_all(arguments[0], data, sources))
    if origin is tuple and arguments[-1] is Ellipsis:
        return tuple(_decoded_all(arguments[0], data, sources))
    if origin is tuple:
        return tuple(_decoded(member, part, sources) for member, part in zip(arguments, data, strict=True))
    members = _member_types(wanted)
    value = wanted(**{name: _decoded(members[name], part, sources) for name, part in zip(members, data, strict=True)})
    if wanted is Span and not 0 <= value.start <= value.end <= len(value.source.text):
        raise ValueError(data)
    return value


def _decoded_all(wanted: Any, data: list[Any], sources: Any) -> list[Any]:
    if wanted in SCALARS and set(map(type, data)) <= {wanted}:  # thousands of digests
        return data
    return [_decoded(wanted, part, sources) for part in data]


@cache
def _member_types(wanted: type) -> dict[str, Any]:
    """The annotation of each member of a dataclass or named tuple, in their order."""
    return get_type_hints(wanted)
