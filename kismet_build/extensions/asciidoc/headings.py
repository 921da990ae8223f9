"""Parse section headings, and create their ids."""

import re

from kismet_build.extensions.asciidoc.attributes import OFFSET, Attributes
from kismet_build.extensions.asciidoc.inlines import parse_inlines
from kismet_build.extensions.asciidoc.lines import Cursor, Line, joined
from kismet_build.extensions.asciidoc.patterns import SECTION, UNDERLINES
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.nodes import Heading, plain_text

DISCRETE = ("discrete", "float")
"""Styles of headings that do not start a section."""
MAX_LEVEL = 7
"""The deepest heading level of a document."""
DROPPED = re.compile(r"[^ \w\-.]")
SEPARATED_CHARACTERS = {"-": " .-", ".": " .-"}
"""The characters that each separator replaces in an id. A separator that is not listed also replaces itself."""


def read_heading(cursor: Cursor, attributes: Attributes, state: ParseState, at_top: bool) -> Heading | None:
    """The next heading, or `None`. Below the top level, only discrete headings are allowed."""
    if not at_top and attributes.style not in DISCRETE:
        return None
    line = cursor.lines[cursor.position]
    if (match := SECTION.fullmatch(line.text)) is not None:
        level, count = len(match[1]), 1
        title = Line(match[2], line.without_prefix(match.start(2)).start)
    elif level := underlined_level(cursor):
        title, count = line, 2
    else:
        return None
    cursor.position += count
    span = state.source.span(line.start, cursor.lines[cursor.position - 1].end)
    offset = state.attributes.get("leveloffset", "")
    if OFFSET.fullmatch(offset):
        level = min(max(level + int(offset), 1), MAX_LEVEL)
    parsed = parse_inlines(joined(state.source, (title,)), state)
    plain_title = " ".join(plain_text(*parsed.inlines).split())
    id_line = attributes.line or line
    id_span = state.source.span(id_line.start, id_line.end)
    if attributes.id and state.define_id(attributes.id, attributes.reftext or plain_title, id_span):
        heading_id = attributes.id
    else:
        heading_id = parsed.ids[0] if parsed.ids else _section_id(plain_title, state)
        state.link_texts[heading_id] = state.link_texts.get(heading_id) or attributes.reftext or plain_title
    for anchor in parsed.ids:
        if anchor != heading_id:
            state.id_aliases.setdefault(anchor, heading_id)
    if state.files:
        state.file_ids.setdefault(span.original.source.path, heading_id)
    state.ids_by_title.setdefault(attributes.reftext or plain_title, heading_id)
    number = "" if attributes.style in DISCRETE else state.numbering.next(level - 1, attributes.style, state.attributes)
    return Heading(span=span, level=level, children=parsed.inlines, raw=title.text, id=heading_id, number=number)


def underlined_level(cursor: Cursor) -> int:
    """The level of a heading that is underlined by the next line; 0 if there is no such heading at the cursor."""
    if cursor.position + 1 >= cursor.end:
        return 0
    title, underline = cursor.lines[cursor.position].text, cursor.lines[cursor.position + 1].text
    level = UNDERLINES.get(underline[:1], 0)
    if not level or len(underline) < 2 or underline.strip(underline[0]) or abs(len(title) - len(underline)) > 1:
        return 0
    return level if any(letter.isalnum() for letter in title) and title[0] not in ". \t" else 0


def _section_id(title: str, state: ParseState) -> str:
    """The id of a section, unique in its text and formed as in Asciidoctor: `_steps`, then `_steps_2`."""
    prefix = state.attributes.get("idprefix", "_")
    separator = state.attributes.get("idseparator", "_")[:1]
    # Asciidoctor removes an em dash and the spaces around it.
    base = DROPPED.sub("", re.sub(" ?— ?", "", title.lower()))
    if separator:
        characters = re.escape(SEPARATED_CHARACTERS.get(separator, f" {separator}.-"))
        base = re.sub(rf"[{characters}]+", separator, prefix + base).removesuffix(separator)
        base = base if prefix else base.removeprefix(separator)
    else:
        base = prefix + base.replace(" ", "")
    heading_id = base
    while heading_id in state.link_texts:
        number = state.next_suffix.get(base, 2)
        state.next_suffix[base] = number + 1
        heading_id = f"{base}{separator}{number}"
    return heading_id
