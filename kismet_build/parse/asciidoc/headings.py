"""Headings of sections, and their ids."""

import re

from kismet_build.model.nodes import Heading, plain_text
from kismet_build.parse.asciidoc.attributes import Attributes
from kismet_build.parse.asciidoc.ids import section_id
from kismet_build.parse.asciidoc.inlines import words_of
from kismet_build.parse.asciidoc.lines import Cursor, Line, passage
from kismet_build.parse.asciidoc.patterns import SECTION, UNDERLINES
from kismet_build.parse.asciidoc.state import ParseState

DEEPEST_LEVEL = 7
OFFSET = re.compile(r"[+-]?\d")


def read_heading(cursor: Cursor, attributes: Attributes, state: ParseState, at_top: bool) -> Heading | None:
    """The heading that comes next; sections begin at the top of a text only, other headings say that they are none."""
    if not at_top and attributes.style not in ("discrete", "float"):
        return None
    line = cursor.lines[cursor.at]
    if (found := SECTION.fullmatch(line.text)) is not None:
        level, count = len(found[1]), 1
        title = Line(found[2], line.cut(found.start(2)).start)
    elif level := _underlined(cursor):
        title, count = line, 2
    else:
        return None
    cursor.at += count
    span = state.source.span(line.start, cursor.lines[cursor.at - 1].end)
    offset = state.attributes.get("leveloffset", "")
    if OFFSET.fullmatch(offset):
        level = min(max(level + int(offset), 1), DEEPEST_LEVEL)
    words = words_of(passage(state.source, (title,)), state)
    shown = " ".join(plain_text(*words.inlines).split())
    place = attributes.line or line
    typed = state.source.span(place.start, place.end)
    if attributes.id and state.name(attributes.id, attributes.reftext or shown, typed):
        name = attributes.id
    else:
        name = words.ids[0] if words.ids else section_id(shown, state)
        state.names[name] = state.names.get(name) or attributes.reftext or shown
    for other in words.ids:
        if other != name:
            state.same.setdefault(other, name)
    state.titles.setdefault(attributes.reftext or shown, name)
    return Heading(span=span, level=level, children=words.inlines, raw=title.text, id=name)


def _underlined(cursor: Cursor) -> int:
    """The level of a title with a line of signs below it; 0 where there is none."""
    if cursor.at + 1 >= cursor.end:
        return 0
    title, below = cursor.lines[cursor.at].text, cursor.lines[cursor.at + 1].text
    level = UNDERLINES.get(below[:1], 0)
    if not level or len(below) < 2 or below.strip(below[0]) or abs(len(title) - len(below)) > 1:
        return 0
    return level if any(letter.isalnum() for letter in title) and title[0] not in ". \t" else 0
