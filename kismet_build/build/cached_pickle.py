"""Pickles in the cache folder: an unpickler that admits the classes of this program and a short list of others."""

import copyreg
import pickle
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from io import BytesIO
from operator import attrgetter
from types import MappingProxyType
from typing import Any

ADMITTED_NAMES = frozenset(
    (
        ("kismet_build.build.cached_pickle", "_read_only"),
        ("kismet_build.crossref.phrase_index", "_normalize_symbols"),
        ("kismet_build.model.source", "Source.span"),
        ("kismet_build.model.text_normalization", "normalize"),
        *(("builtins", name) for name in ("set", "frozenset")),
        *((module, name) for module in ("pathlib", "pathlib._local") for name in ("PosixPath", "WindowsPath")),
        ("array", "_array_reconstructor"),
        ("array", "array"),
        ("re", "_compile"),
        ("collections", "Counter"),
        *(("yaml.nodes", name) for name in ("MappingNode", "ScalarNode", "SequenceNode")),
        ("yaml.error", "Mark"),
        ("yaml._yaml", "__pyx_unpickle_Mark"),
        ("yaml._yaml", "Mark"),
    )
)
"""Module and name of what a cached pickle may contain besides classes of this program."""

VALUE_MODULES = tuple(
    f"kismet_build.{name}."
    for name in (
        *("config", "crossref", "extract", "mechanics", "model", "pack", "parse", "render", "resolve"),
        *("build.build_cache", "build.fingerprint", "build.result"),
        "output.tree",
    )
)
"""Modules of this program, or their folders, whose classes are values. Others start processes or write files."""

UNPICKLING_ERRORS = (
    pickle.UnpicklingError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
    re.error,
)
"""Errors of a pickle that this program did not write."""


def to_pickle(value: object) -> memoryview:
    """Pickle a value."""
    content = BytesIO()
    pickler = pickle.Pickler(content, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = REDUCERS
    pickler.dump(value)
    return content.getbuffer()


def from_pickle(content: bytes) -> Any:
    """The value of a pickle; `None` if it cannot be loaded or contains something that is not admitted."""
    try:
        return _Unpickler(BytesIO(content)).load()
    except UNPICKLING_ERRORS:
        return None


class _Unpickler(pickle.Unpickler):
    """Admits only what a cache contains: a pickle may name any function to be called."""

    def find_class(self, module: str, name: str) -> Any:
        return _find_class(module, name)


@cache
def _find_class(module: str, name: str) -> Any:
    is_admitted = (module, name) in ADMITTED_NAMES
    # A name with a dot reaches what a module imports.
    if is_admitted or (f"{module}.".startswith(VALUE_MODULES) and "." not in name):
        found = attrgetter(name)(import_module(module))
        if is_admitted or (isinstance(found, type) and found.__module__ == module):
            return found
    raise pickle.UnpicklingError(f"{module}.{name}")


def _read_only(mapping: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(mapping)


def _reduce_mapping(mapping: MappingProxyType[Any, Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return _read_only, (dict(mapping),)


REDUCERS = {**copyreg.dispatch_table, MappingProxyType: _reduce_mapping}
"""Pickle reducers. Read-only mappings cannot be pickled without one."""
