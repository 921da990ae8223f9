"""Parse stage: source texts to documents."""

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.markdown import reader
from kismet_build.parse.markdown.dialects import ASCIIDOC, DIALECTS
from kismet_build.parse.raw_html import bound_raw_html

DIALECT_NAMES = tuple(sorted((ASCIIDOC, *DIALECTS)))
"""The names that `dialect` in `game.yaml` accepts."""


def read(source: Source, dialect: str, report: Report, *, strict_line_breaks: bool | None = None) -> Document:
    """Parse a text in the dialect with this name, and report each repair.

    `strict_line_breaks` overrides the Markdown dialect: true reads a single line end as a space. AsciiDoc always does.
    """
    if dialect == ASCIIDOC:
        from kismet_build.parse import asciidoc  # imported on use: most libraries have no AsciiDoc

        document = asciidoc.read(source, report)
    else:
        document = reader.read(source, DIALECTS[dialect], report, strict_line_breaks=strict_line_breaks)
    bound_raw_html(document, report)
    return document
