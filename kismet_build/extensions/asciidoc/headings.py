"""Parse the header of a document and section headings, and create the ids of headings."""

import re
from collections.abc import Mapping
from typing import Any

from kismet_build.extensions.asciidoc.attributes import OFFSET, Attributes, read_attribute_entry
from kismet_build.extensions.asciidoc.inlines import parse_inlines
from kismet_build.extensions.asciidoc.lines import Cursor, Line, joined
from kismet_build.extensions.asciidoc.patterns import ATTRIBUTES, COMMENT_FENCE, SECTION, UNDERLINES, is_comment
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.nodes import Heading, plain_text

# --- headings

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


# --- the header of a document: title, authors, revision and attributes

TITLE = re.compile(r"(?:=|#)[ \t]+(\S.*)")
AUTHOR = re.compile(r"(?P<name>\w[\w\-'. ]*?)(?: +<(?P<address>[^>]+)>)?")
REVISION = re.compile(r"(?:v(?P<number>[\w.-]+)|(?=.*,))(?:,? *(?P<date>[^:]+?))?(?:: *(?P<remark>.*))?")

TITLE_NAME = "doctitle"
"""The attribute with the title of the document."""


def parse_header(cursor: Cursor, state: ParseState) -> tuple[Heading | None, dict[str, Any]]:
    """Parse the document header. Returns the title and the document's metadata."""
    given = dict(state.attributes)
    _read_attribute_entries(cursor, state)
    words = _skip_to_title(cursor, state)
    if words is None:
        return None, _own(state, given)
    parsed = parse_inlines(joined(state.source, (words,)), state)
    start, end = cursor.lines[cursor.position - 1].start, cursor.lines[cursor.position - 1].end
    span = state.source.span(min(start, state.source.text.rfind("\n", 0, words.start) + 1), end)
    title = Heading(span=span, level=1, children=parsed.inlines, raw=words.text)
    state.attributes.setdefault(TITLE_NAME, plain_text(*parsed.inlines))
    authors = _authors(cursor, state)
    _read_attribute_entries(cursor, state)
    metadata: dict[str, Any] = {"title": words.text}
    if authors:
        metadata["authors"] = authors
    return title, {**metadata, **_own(state, given)}


def _skip_to_title(cursor: Cursor, state: ParseState) -> Line | None:
    """Consume the title and what may stand before it: blank lines, comments, attributes and attribute lists.

    Returns the words of the title. For a text without a title, returns `None` and consumes nothing.
    """
    position, attributes = cursor.position, dict(state.attributes)
    while cursor.text is not None:
        if (match := TITLE.fullmatch(cursor.text)) is not None:
            return cursor.next_line().without_prefix(match.start(1))
        if underlined_level(cursor) == 1:
            words = cursor.next_line()
            cursor.next_line()
            return words
        if not (cursor.skip_blank() or read_attribute_entry(cursor, state) or _skip_comment(cursor)):
            if not ATTRIBUTES.fullmatch(cursor.text):
                break
            cursor.next_line()
    cursor.position, state.attributes = position, attributes
    return None


def _own(state: ParseState, given: Mapping[str, str]) -> dict[str, str]:
    """The attributes that the text itself sets, which become its properties."""
    own = {name: value for name, value in state.attributes.items() if given.get(name) != value}
    return {name: value for name, value in own.items() if name != TITLE_NAME}


def _read_attribute_entries(cursor: Cursor, state: ParseState) -> None:
    while cursor.text is not None and (read_attribute_entry(cursor, state) or _skip_comment(cursor)):
        pass


def _skip_comment(cursor: Cursor) -> bool:
    text = cursor.text or ""
    if is_comment(text):
        cursor.next_line()
        return True
    if COMMENT_FENCE.fullmatch(text):
        cursor.next_line()
        cursor.position = min(cursor.find(text) + 1, cursor.end)
        return True
    return False


def _authors(cursor: Cursor, state: ParseState) -> list[str]:
    """Consume the author line and any revision line below it. Returns the names of the authors."""
    while cursor.text and _skip_comment(cursor):
        pass
    text = cursor.text
    if not text or text.startswith(":"):
        return []
    matches = [AUTHOR.fullmatch(author.strip()) for author in text.split(";")]
    if not all(matches):
        return []
    cursor.next_line()
    authors = [match["name"].replace("_", " ") for match in matches if match]
    first = matches[0]
    state.attributes["author"] = authors[0]
    if first is not None and first["address"]:
        state.attributes["email"] = first["address"]
    revision = REVISION.fullmatch(cursor.text or "")
    if cursor.text and not cursor.text.startswith((":", "//")) and revision is not None:
        cursor.next_line()
        for name in ("number", "date", "remark"):
            if revision[name]:
                state.attributes[f"rev{name}"] = revision[name].strip()
    return authors
