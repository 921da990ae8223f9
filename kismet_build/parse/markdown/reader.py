"""Read a Markdown text in one of its dialects."""

import re

from kismet_build.model.diagnostic import Report, info
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.markdown.blocks import blocks
from kismet_build.parse.markdown.dialects import Dialect, parser
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.parse.markdown.rules.odd_space import ODD
from kismet_build.parse.markdown.state import Reading

BLANK = re.compile(rf"^[ \t]*{ODD.pattern}(?:{ODD.pattern}|[ \t])*$", re.MULTILINE)


def read(source: Source, dialect: Dialect, report: Report, *, strict_line_breaks: bool | None = None) -> Document:
    """The document of a text; what had to be repaired is reported.

    `strict_line_breaks` overrules the dialect on whether a single line end is read as a space.
    """
    options = dict(dialect.options)
    if strict_line_breaks is not None:
        options["strict_line_breaks"] = strict_line_breaks
    odd = "&" in source.text or (not source.text.isascii() and ODD.search(source.text) is not None)
    reading = Reading(source, report, options, odd)
    metadata, start = frontmatter(source, report)
    # What a parser does not expect becomes one character each, so that places stay.
    readable = source.text[start:].replace("\0", "\ufffd").replace("\r", " ")
    text = re.sub(r"[^\n]", " ", source.text[:start]) + readable
    if reading.repairs and odd:
        text = BLANK.sub(lambda line: _blank(line, reading), text)
    tokens = parser(dialect).tokens(text, reading)
    return Document(source=source, dialect=dialect.name, blocks=blocks(tokens, reading), metadata=metadata)


def _blank(line: re.Match[str], reading: Reading) -> str:
    span = reading.source.span(*line.span())
    reading.report(info("odd-space", span, "this line holds nothing but odd spaces, and is read as a blank one"))
    return " " * len(line[0])
