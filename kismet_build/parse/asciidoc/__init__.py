"""Read an AsciiDoc text: what rule books use of it, as Asciidoctor reads it."""

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.asciidoc.blocks import blocks
from kismet_build.parse.asciidoc.header import header
from kismet_build.parse.asciidoc.lines import Cursor, lines_of
from kismet_build.parse.asciidoc.references import settled
from kismet_build.parse.asciidoc.state import ParseState
from kismet_build.parse.markdown.dialects import ASCIIDOC


def read(source: Source, report: Report) -> Document:
    """The document of a text; what had to be repaired is reported."""
    state = ParseState(source, report)
    lines = lines_of(source)
    cursor = Cursor(lines, 0, len(lines))
    cursor.skip_blank()
    title, metadata = header(cursor, state)
    found = blocks(cursor, state, "top")
    body = settled((*([title] if title is not None else ()), *found, *state.notes), state)
    return Document(source=source, dialect=ASCIIDOC, blocks=body, metadata=metadata)
