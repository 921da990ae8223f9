"""The title of a document, its authors and what is set below them."""

import re
from typing import Any

from kismet_build.model.nodes import Heading
from kismet_build.parse.asciidoc.attributes import entry
from kismet_build.parse.asciidoc.inlines import words_of
from kismet_build.parse.asciidoc.lines import Cursor, Line, passage
from kismet_build.parse.asciidoc.state import ParseState

TITLE = re.compile(r"(?:=|#)[ \t]+(\S.*)")
AUTHOR = re.compile(r"(?P<name>\w[\w\-'. ]*?)(?: +<(?P<address>[^>]+)>)?")
REVISION = re.compile(r"(?:v(?P<number>[\w.-]+)|(?=.*,))(?:,? *(?P<date>[^:]+?))?(?:: *(?P<remark>.*))?")


def header(cursor: Cursor, state: ParseState) -> tuple[Heading | None, dict[str, Any]]:
    """Read the top of a document; its title, and what is known of the whole."""
    _settings(cursor, state)
    found = TITLE.fullmatch(cursor.text or "")
    if found is None:
        return None, dict(state.attributes)
    line = cursor.line()
    words = words_of(passage(state.source, (line.cut(found.start(1)),)), state)
    title = Heading(span=state.source.span(line.start, line.end), level=1, children=words.inlines, raw=found[1])
    authors = _authors(cursor, state)
    _settings(cursor, state)
    metadata: dict[str, Any] = {"title": found[1]}
    if authors:
        metadata["authors"] = authors
    return title, {**metadata, **state.attributes}


def _settings(cursor: Cursor, state: ParseState) -> None:
    """Read attributes, past comments."""
    while cursor.text is not None and (entry(cursor, state) or _comment(cursor)):
        pass


def _comment(cursor: Cursor) -> bool:
    text = cursor.text or ""
    if text.startswith("//") and not text.startswith("///"):
        cursor.line()
        return True
    return False


def _authors(cursor: Cursor, state: ParseState) -> list[str]:
    """The line of the authors, and that of the edition below it."""
    while cursor.text and _comment(cursor):
        pass
    text = cursor.text
    if not text or text.startswith(":"):
        return []
    found = [AUTHOR.fullmatch(one.strip()) for one in text.split(";")]
    if not all(found):
        return []
    cursor.line()
    authors = [one["name"].replace("_", " ") for one in found if one]
    first = found[0]
    state.attributes["author"] = authors[0]
    if first is not None and first["address"]:
        state.attributes["email"] = first["address"]
    revision = REVISION.fullmatch(cursor.text or "")
    if cursor.text and not cursor.text.startswith((":", "//")) and revision is not None:
        cursor.line()
        for name in ("number", "date", "remark"):
            if revision[name]:
                state.attributes[f"rev{name}"] = revision[name].strip()
    return authors


def is_title(line: Line) -> bool:
    """Whether a line is the title of a document."""
    return TITLE.fullmatch(line.text) is not None
