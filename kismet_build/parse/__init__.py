"""Parse stage: source texts to documents, and what the parsers of all dialects know of links."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from kismet_build.model.diagnostic import Diagnostic, Report, ignore, warning
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs
from kismet_build.parse.raw_html import bound_raw_html

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
VIDEO_ADDRESSES = {"youtube": "https://www.youtube.com/watch?v=", "vimeo": "https://vimeo.com/"}
"""The start of a video's address by its service. The rest is the id of the video."""
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
    included_names: Callable[[Source], Sequence[str]] | None = None
    """The names, without folders, of files that a text includes. A text whose name is among them is read after the
    others, because it may be no page of its own."""

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


def included_names(source: Source, dialect: str) -> Sequence[str]:
    """The names, without folders, of files that a text includes; not all of them, and none in most dialects."""
    functions = _dialect(dialect)
    named = functions.included_names if isinstance(functions, DialectFunctions) else None
    return () if named is None else named(source)


def _is_document(document: object, dialect: str) -> Document:
    if not isinstance(document, Document):
        raise TypeError(f'the dialect "{dialect}" must return a Document, not {type(document).__name__}')
    return document


@cache
def _dialect(name: str) -> Read | DialectFunctions:
    """The function of a dialect; cached, because each text needs it."""
    dialect: Read | DialectFunctions = DIALECTS.load(name).function
    return dialect


def nested_link(span: Span, target: str) -> Diagnostic:
    """The diagnostic for a link inside another link: its words lead to the target of the outer link."""
    message = f"this link is inside another link, so it does not lead to {target}"
    return warning("nested-link", span, message, "write one link after the other")
