"""Parse stage: source texts to documents."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from kismet_build.model.diagnostic import Report
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.raw_html import bound_raw_html

Dialect = Callable[[Source, Report, Mapping[str, Any]], Document]
"""Reads a text. The last argument contains the `options` of `game.yaml`."""
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


def read(source: Source, dialect: str, report: Report, options: Mapping[str, Any] = NO_OPTIONS) -> Document:
    """Parse a text in the dialect with this name.

    Raises `UnusableEntryPoint` if there is no such dialect, and `TypeError` if the dialect does not return a document.
    A dialect from another package may raise any other exception.
    """
    document = _dialect(dialect)(source, report, options)
    if not isinstance(document, Document):
        raise TypeError(f'the dialect "{dialect}" must return a Document, not {type(document).__name__}')
    bound_raw_html(document, report)
    return document


@cache
def _dialect(name: str) -> Dialect:
    """The function of a dialect; cached, because each text needs it."""
    return DIALECTS.load(name).function
