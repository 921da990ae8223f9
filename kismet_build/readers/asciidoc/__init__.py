"""Read an AsciiDoc text: what rule books use of it, as Asciidoctor reads it."""

from kismet_build.diagnostic import Report
from kismet_build.dialects import ASCIIDOC
from kismet_build.model import Document
from kismet_build.readers.asciidoc.blocks import blocks
from kismet_build.readers.asciidoc.header import header
from kismet_build.readers.asciidoc.lines import Cursor, lines_of
from kismet_build.readers.asciidoc.reading import Reading
from kismet_build.readers.asciidoc.references import settled
from kismet_build.source import Source


def read(source: Source, report: Report) -> Document:
    """The document of a text; what had to be repaired is reported."""
    reading = Reading(source, report)
    lines = lines_of(source)
    cursor = Cursor(lines, 0, len(lines))
    cursor.skip_blank()
    title, metadata = header(cursor, reading)
    found = blocks(cursor, reading, "top")
    body = settled((*([title] if title is not None else ()), *found, *reading.notes), reading)
    return Document(source=source, dialect=ASCIIDOC, blocks=body, metadata=metadata)
