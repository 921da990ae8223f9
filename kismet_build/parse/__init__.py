"""Readers: texts in some way of writing to documents."""

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.markdown import reader
from kismet_build.parse.markdown.dialects import ASCIIDOC, DIALECTS

DIALECT_NAMES = tuple(sorted((ASCIIDOC, *DIALECTS)))
"""Every way of writing that a text can be read in."""


def read(source: Source, dialect: str, report: Report, *, strict_line_breaks: bool | None = None) -> Document:
    """The document of a text in the dialect of a name; what had to be repaired is reported.

    `strict_line_breaks` overrules a dialect of Markdown on whether a single line end is read as a space; in AsciiDoc
    it always is.
    """
    if dialect == ASCIIDOC:
        from kismet_build.parse import asciidoc  # most libraries have none

        return asciidoc.read(source, report)
    return reader.read(source, DIALECTS[dialect], report, strict_line_breaks=strict_line_breaks)
