"""Parse the document header: title, authors, revision and attributes."""

import re
from collections.abc import Mapping
from typing import Any

from kismet_build.extensions.asciidoc.attributes import read_attribute_entry
from kismet_build.extensions.asciidoc.headings import underlined_level
from kismet_build.extensions.asciidoc.inlines import parse_inlines
from kismet_build.extensions.asciidoc.lines import Cursor, Line, joined
from kismet_build.extensions.asciidoc.patterns import ATTRIBUTES, COMMENT_FENCE, is_comment
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.nodes import Heading, plain_text

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

    Returns the words of the title; `None` if there is none, and then nothing is consumed.
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
