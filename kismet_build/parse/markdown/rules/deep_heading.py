"""`####### Title`: a heading with more than six marks, as some converters write. Markdown has six levels."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state

OPENING_MARKS = re.compile(r"#{7,}(?=[ \t]+[^\s#])")
CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
LEVEL = 7
"""The level of all headings with more than six marks."""


def deep_heading(parser: Parser) -> None:
    """Add the rule."""
    interrupts = ("paragraph", "reference", "blockquote")
    parser.add_block("deep_heading", _parse_heading, before="heading", interrupts=interrupts, starts="#")


def _parse_heading(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    start, end = state.bMarks[first] + state.tShift[first], state.eMarks[first]
    marks = OPENING_MARKS.match(state.src, start, end)
    if marks is None or state.is_code_block(first):
        return False
    if silent:
        return True
    span = parse_state(state).source.span(*marks.span())
    message = f"this heading has {len(marks[0])} marks, but six is the limit; it is read as one below the sixth level"
    hint = "raise the headings above it, or make it a bold line: other programs show its marks"
    parse_state(state).report(warning("deep-heading", span, message, hint))
    token = state.push("heading_open", f"h{LEVEL}", 1)
    token.markup, token.map = marks[0], [first, first + 1]
    inline = state.push("inline", "", 0)
    inline.content, inline.map = CLOSING_MARKS.sub("", state.src[marks.end() : end].strip()).strip(), [first, first + 1]
    state.push("heading_close", f"h{LEVEL}", -1)
    state.line = first + 1
    return True
