"""Keep what functions of a pack return inside the pack."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar, TypeVarTuple

from kismet_build.pack.compiled_game import Pack

Key = TypeVarTuple("Key")
Value = TypeVar("Value")


def cached_in_pack(function: Callable[[Pack, *Key], Value]) -> Callable[[Pack, *Key], Value]:
    """Decorate a function of a pack, or of a pack and the path of a text, to keep its results in the pack.

    A cache outside the pack would keep old packs in memory while `kismet serve` runs:
    docs/decisions/0028-serve-on-demand.md.
    """
    name = _name(function)

    @wraps(function)
    def cached(pack: Pack, *key: *Key) -> Value:
        results = vars(pack).get(name)
        if results is None:
            results = vars(pack)[name] = {}
        if key not in results:
            results[key] = function(pack, *key)
        result: Value = results[key]
        return result

    return cached


def keep_result(pack: Pack, function: Callable[..., Any], key: tuple[Any, ...], result: Any) -> None:
    """Keep a result that another process has computed. `key`: the arguments after the pack."""
    vars(pack).setdefault(_name(function), {})[key] = result


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def forget_cached(pack: Pack) -> None:
    """Remove all results cached in a pack.

    They refer to the pack, so they would keep it in memory until the next garbage collection.
    """
    kept = {field.name for field in fields(pack)}
    for name in [name for name in vars(pack) if name not in kept]:
        del vars(pack)[name]
