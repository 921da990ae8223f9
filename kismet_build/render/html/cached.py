"""Cache what functions of a pack return, inside the pack."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import TypeVar

from kismet_build.pack import Pack

Value = TypeVar("Value")


def cached_in_pack(function: Callable[[Pack], Value]) -> Callable[[Pack], Value]:
    """Decorate a function of a pack to cache its result in the pack.

    A cache outside the pack would keep old packs in memory while `kismet serve` runs:
    docs/decisions/0028-serve-on-demand.md.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def cached(pack: Pack) -> Value:
        results = vars(pack)
        if name not in results:
            results[name] = function(pack)
        result: Value = results[name]
        return result

    return cached


def forget_cached(pack: Pack) -> None:
    """Remove all results cached in a pack.

    They refer to the pack, so they would keep it in memory until the next garbage collection.
    """
    kept = {field.name for field in fields(pack)}
    for name in [name for name in vars(pack) if name not in kept]:
        del vars(pack)[name]
