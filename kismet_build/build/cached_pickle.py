"""Pickles in the cache folder: an unpickler that admits the classes of this program and a short list of others."""

import copyreg
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from io import BytesIO
from operator import attrgetter
from types import MappingProxyType
from typing import IO, Any

from kismet_build.model.source import Source

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
        *("build.build_cache", "build.fingerprint", "build.game_state", "build.rendered_game", "build.result"),
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
    return _to_pickle(value, REDUCERS)


def from_pickle(content: bytes) -> Any:
    """The value of a pickle; `None` if it cannot be loaded or contains something that is not admitted."""
    try:
        return _Unpickler(BytesIO(content), []).load()
    except UNPICKLING_ERRORS:
        return None


def to_pickles(values: Iterable[object]) -> Iterator[memoryview]:
    """Pickle values one by one, which takes less memory than one pickle of all.

    Of the objects that two values share, only sources are the same object again after `from_pickles`.
    """
    numbers: dict[int, int] = {}

    def reduce_source(source: Source) -> Any:
        if (number := numbers.get(id(source))) is not None:
            return _known_source, (number,)
        numbers[id(source)] = len(numbers)
        return _new_source, SOURCE_FIELDS(source)

    for value in values:
        yield _to_pickle(value, {**REDUCERS, Source: reduce_source})


def from_pickles(file: IO[bytes]) -> Iterator[Any]:
    """The values of the pickles in a file. Raises one of `UNPICKLING_ERRORS`."""
    sources: list[Source] = []
    while file.peek(1):  # type: ignore[attr-defined]
        yield _Unpickler(file, sources).load()


def _to_pickle(value: object, reducers: Mapping[type, Callable[[Any], Any]]) -> memoryview:
    content = BytesIO()
    pickler = pickle.Pickler(content, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = reducers
    pickler.dump(value)
    return content.getbuffer()


class _Unpickler(pickle.Unpickler):
    """Admits only what a cache contains: a pickle may name any function to be called."""

    def __init__(self, file: IO[bytes], sources: list[Source]) -> None:
        super().__init__(file)
        # Not methods of this object: it holds what it returns here, and a cycle would keep all it has read.
        self._functions = {
            _known_source.__name__: sources.__getitem__,
            _new_source.__name__: partial(_add_source, sources),
        }

    def find_class(self, module: str, name: str) -> Any:
        return self._functions.get(name) or _find_class(module, name)


@cache
def _find_class(module: str, name: str) -> Any:
    is_admitted = (module, name) in ADMITTED_NAMES
    # A name with a dot reaches what a module imports.
    if is_admitted or (f"{module}.".startswith(VALUE_MODULES) and "." not in name):
        found = attrgetter(name)(import_module(module))
        if is_admitted or (isinstance(found, type) and found.__module__ == module):
            return found
    raise pickle.UnpicklingError(f"{module}.{name}")


SOURCE_FIELDS = attrgetter("path", "text", "digest", "display_path", "line_starts")


def _add_source(sources: list[Source], *fields: Any) -> Source:
    source = object.__new__(Source)
    source.__setstate__(fields)  # type: ignore[attr-defined]
    sources.append(source)
    return source


def _new_source(path: str, text: str, digest: str, display_path: str, line_starts: Sequence[int]) -> Source:
    """A source that no pickle before had: `_Unpickler` replaces this by `_add_source`."""
    raise NotImplementedError


def _known_source(number: int) -> Source:
    """The source with this number, in the order in which `to_pickles` found them: `_Unpickler` replaces this."""
    raise NotImplementedError


def _read_only(mapping: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(mapping)


def _reduce_mapping(mapping: MappingProxyType[Any, Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return _read_only, (dict(mapping),)


REDUCERS = {**copyreg.dispatch_table, MappingProxyType: _reduce_mapping}
"""Pickle reducers. Read-only mappings cannot be pickled without one."""
