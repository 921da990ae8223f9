"""Cache the results of functions of short strings, such as names, while a library is compiled."""

from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache
from typing import Any, TypeVar

Result = TypeVar("Result")

_caches: "list[_lru_cache_wrapper[Any]]" = []


def cached_texts(maxsize: int) -> "Callable[[Callable[..., Result]], _lru_cache_wrapper[Result]]":
    """A decorator that keeps the results for the last `maxsize` arguments until `forget_texts`."""

    def decorate(function: Callable[..., Result]) -> "_lru_cache_wrapper[Result]":
        cached = lru_cache(maxsize=maxsize)(function)
        _caches.append(cached)
        return cached

    return decorate


def forget_texts() -> None:
    """Empty the caches of all functions with the decorator `cached_texts`.

    `kismet serve` may run for days, and the caches would keep the names of thousands of former versions. These names
    lie between current objects in memory, so the memory around them could not be returned to the system either.
    """
    for cache in _caches:
        cache.cache_clear()
