"""Parse Markdown into documents: the functions of its dialects."""

from collections.abc import Callable, Mapping
from typing import Any

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse import DialectFunctions, Expand
from kismet_build.parse.composition import Inputs
from kismet_build.parse.markdown import reader
from kismet_build.parse.markdown.dialects import COMMONMARK, GITHUB, OBSIDIAN, Dialect

FindDialect = Callable[[Mapping[str, Any]], Dialect]
"""The dialect with these options of a game."""


def dialect_functions(find: FindDialect, expand: Expand | None = None) -> DialectFunctions:
    """The functions of a dialect of Markdown, given its rules and, if its texts include others, what expands them."""

    def read(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
        return reader.read(source, find(options), report, options)

    def properties(source: Source, inputs: Inputs) -> Document:
        return reader.read_properties(source, find(inputs.variables), inputs.variables)

    return DialectFunctions(read, properties, expand)


commonmark = dialect_functions(lambda _: COMMONMARK)
"""CommonMark without extensions."""

github = dialect_functions(lambda _: GITHUB)
"""GitHub's Markdown."""

obsidian = dialect_functions(lambda _: OBSIDIAN)
"""Obsidian's Markdown."""
