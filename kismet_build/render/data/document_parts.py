"""Contributions of each document to files about the entire game, computed by the process that renders the document."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from kismet_build.pack import Pack
from kismet_build.render.html.cached import cached_in_pack

Part = TypeVar("Part")
Parts = dict[str, Any]
"""The parts of one document by name. They are plain data, so worker processes can return them."""

PARTS: dict[str, Callable[[Pack, str], Any]] = {}
"""The functions that compute the parts, by name."""


def document_part(function: Callable[[Pack, str], Part]) -> Callable[[Pack, str], Part]:
    """Decorate a function of a pack and a document path. Its result is cached in the pack as a part."""
    name = function.__name__

    @wraps(function)
    def part(pack: Pack, path: str) -> Part:
        parts = _parts(pack).setdefault(path, {})
        if name not in parts:
            parts[name] = function(pack, path)
        result: Part = parts[name]
        return result

    PARTS[name] = part
    return part


def parts_of(pack: Pack, path: str) -> Parts:
    """All parts of the document at this path."""
    return {name: part(pack, path) for name, part in PARTS.items()}


def adopt_parts(pack: Pack, parts: Mapping[str, Parts]) -> None:
    """Add the parts that another process has computed, by the path of their document."""
    _parts(pack).update(parts)


@cached_in_pack
def _parts(_pack: Pack) -> dict[str, Parts]:
    return {}
