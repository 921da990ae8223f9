"""Parse the part of AsciiDoc that rule books use, in the same way as Asciidoctor.

docs/decisions/0004-dialects.md says why kismet does not run Asciidoctor itself.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kismet_build.extensions.asciidoc.attributes import given_attributes
from kismet_build.extensions.asciidoc.blocks import parse_blocks
from kismet_build.extensions.asciidoc.headings import parse_header
from kismet_build.extensions.asciidoc.lines import Cursor, lines_of
from kismet_build.extensions.asciidoc.preprocessor import preprocess, preprocess_header
from kismet_build.extensions.asciidoc.references import resolve_references
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.nodes import Document, Heading
from kismet_build.model.source import Source
from kismet_build.parse import DialectFunctions
from kismet_build.parse.composition import Inputs

ASCIIDOC = "asciidoc"
INCLUDED_NAME = re.compile(r"^include::(?:[^\[\n]*[/$])?([^\[\n/$]+)\[", re.MULTILINE)
MAX_HEADER_CHARACTERS = 200_000
"""Maximum number of characters that a header includes while the properties of its text are read."""


def read(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse a text. The only option used is `attributes`."""
    state, cursor, title, metadata = _header(source, report, options)
    body_blocks = parse_blocks(cursor, state, "top")
    all_blocks = resolve_references((*([title] if title is not None else ()), *body_blocks, *state.footnotes), state)
    return Document(source=source, dialect=ASCIIDOC, blocks=all_blocks, metadata=metadata)


def read_properties(source: Source, inputs: Inputs) -> Document:
    """The attributes in the header of a text, which may come from included files."""
    limited = inputs._replace(max_characters=MAX_HEADER_CHARACTERS, of_game=None)
    header, files = preprocess_header(source, limited)
    *_, metadata = _header(header, ignore, inputs.variables)
    # Lines further down may set attributes, too, so the source is the whole text.
    whole = replace(source, included=files, is_incomplete=header.is_incomplete)
    return Document(source=whole, dialect=ASCIIDOC, blocks=(), metadata=metadata)


def _header(
    source: Source, report: Report, options: Mapping[str, Any]
) -> tuple[ParseState, Cursor, Heading | None, Mapping[str, Any]]:
    state = ParseState(source, report)
    state.attributes, state.locked = given_attributes(options, source.path)
    lines = lines_of(source)
    cursor = Cursor(lines, 0, len(lines))
    cursor.skip_blank()
    title, metadata = parse_header(cursor, state)
    return state, cursor, title, metadata


def included_names(source: Source) -> list[str]:
    """The names, without folders, of the files that a text includes."""
    return INCLUDED_NAME.findall(source.text)


asciidoc = DialectFunctions(read, read_properties, preprocess, included_names)
