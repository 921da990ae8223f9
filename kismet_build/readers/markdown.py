"""Read a Markdown text in one of its dialects."""

from kismet_build.diagnostic import Report
from kismet_build.dialects import Dialect, parser
from kismet_build.model import Document
from kismet_build.readers.blocks import blocks
from kismet_build.source import Source
from kismet_build.syntax.reading import Reading

UNREADABLE = str.maketrans({"\0": "\ufffd", "\r": " "})
"""What a parser does not expect; each becomes one character, so that places stay."""


def read(source: Source, dialect: Dialect, report: Report, *, strict_line_breaks: bool | None = None) -> Document:
    """The document of a text; what had to be repaired is reported.

    `strict_line_breaks` overrules the dialect on whether a single line end is read as a space.
    """
    options = dict(dialect.options)
    if strict_line_breaks is not None:
        options["strict_line_breaks"] = strict_line_breaks
    reading = Reading(source, report, options)
    tokens = parser(dialect).tokens(source.text.translate(UNREADABLE), reading)
    return Document(source=source, dialect=dialect.name, blocks=blocks(tokens, reading))
