"""Parse the part of AsciiDoc that rule books use, in the same way as Asciidoctor.

docs/decisions/0004-dialects.md says why kismet does not run Asciidoctor itself.
"""

from collections.abc import Mapping
from typing import Any

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.asciidoc.attributes import given_attributes
from kismet_build.parse.asciidoc.blocks import parse_blocks
from kismet_build.parse.asciidoc.header import parse_header
from kismet_build.parse.asciidoc.lines import Cursor, lines_of
from kismet_build.parse.asciidoc.references import resolve_references
from kismet_build.parse.asciidoc.state import ParseState
from kismet_build.parse.markdown.dialects import ASCIIDOC


def read(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse a text. The only option used is `attributes`."""
    state = ParseState(source, report)
    state.attributes, state.locked = given_attributes(options, source.path)
    lines = lines_of(source)
    cursor = Cursor(lines, 0, len(lines))
    cursor.skip_blank()
    title, metadata = parse_header(cursor, state)
    body_blocks = parse_blocks(cursor, state, "top")
    all_blocks = resolve_references((*([title] if title is not None else ()), *body_blocks, *state.footnotes), state)
    return Document(source=source, dialect=ASCIIDOC, blocks=all_blocks, metadata=metadata)
