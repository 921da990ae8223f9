"""Parse stage: source texts to documents."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.composition import Inputs
from kismet_build.parse.raw_html import bound_raw_html

NAMED_FILE = re.compile(r"^include::(?:[^\[\n]*[/$])?([^\[\n/$]+)\[", re.MULTILINE)
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
Read = Callable[[Source, Report, Mapping[str, Any]], Document]
"""Reads a text. The last argument contains the `options` of `game.yaml`."""
Expand = Callable[[Source, Inputs, Report], Source]
"""Composes a text of itself and the files that it includes. Returns the same source if there is nothing to expand."""


class DialectFunctions(NamedTuple):
    """The functions of a dialect whose texts can include others or take long to read. Others register `read` alone."""

    read: Read
    properties: Callable[[Source, Inputs], Document]
    """Reads the properties of a text: the result has no blocks. `Source.included` of the result has the paths of the
    files that the properties come from, besides the text, and `Source.is_incomplete` says that one of them is missing.
    """
    expand: Expand | None = None

    def __call__(self, source: Source, report: Report, options: Mapping[str, Any]) -> Document:
        return self.read(source, report, options)


def read(source: Source, dialect: str, report: Report, options: Mapping[str, Any] = NO_OPTIONS) -> Document:
    """Parse a text in the dialect with this name.

    Raises `UnusableEntryPoint` if there is no such dialect, and `TypeError` if the dialect does not return a document.
    A dialect from another package may raise any other exception.
    """
    document = _is_document(_dialect(dialect)(source, report, options), dialect)
    bound_raw_html(document, report)
    return document


def read_properties(source: Source, dialect: str, inputs: Inputs) -> Document:
    """The properties of a text, in a document whose blocks are not read. Raises what `read` raises.

    A dialect that registers only `read` reads the text for this.
    """
    functions = _dialect(dialect)
    if isinstance(functions, DialectFunctions):
        return functions.properties(source, inputs)
    return _is_document(functions(source, ignore, inputs.variables), dialect)


def expand(source: Source, dialect: str, inputs: Inputs, report: Report) -> Source:
    """Expand the includes and variables of a text. Returns the same source if there is nothing to expand."""
    functions = _dialect(dialect)
    expander = functions.expand if isinstance(functions, DialectFunctions) else None
    return source if expander is None else expander(source, inputs, report)


def named_files(source: Source, dialect: str) -> list[str]:
    """The names, without folders, of the files that a text includes."""
    return NAMED_FILE.findall(source.text) if dialect == "asciidoc" else []


def _is_document(document: object, dialect: str) -> Document:
    if not isinstance(document, Document):
        raise TypeError(f'the dialect "{dialect}" must return a Document, not {type(document).__name__}')
    return document


@cache
def _dialect(name: str) -> Read | DialectFunctions:
    """The function of a dialect; cached, because each text needs it."""
    dialect: Read | DialectFunctions = DIALECTS.load(name).function
    return dialect
