"""`####### Title`: a heading below the sixth, which Markdown has not and converters write."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, reading

MARKS = re.compile(r"#{7,}(?=[ \t]+[^\s#])")
CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
LEVEL = 7
"""All headings below the sixth are on one level: nobody counts eight marks."""


def deep_heading(parser: Parser) -> None:
    """Add the rule."""
    ends = ("paragraph", "reference", "blockquote")
    parser.add_block("deep_heading", _heading, before="heading", ends=ends, starts="#")


def _heading(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    start, end = state.bMarks[first] + state.tShift[first], state.eMarks[first]
    marks = MARKS.match(state.src, start, end)
    if marks is None or state.is_code_block(first):
        return False
    if silent:
        return True
    span = reading(state).source.span(*marks.span())
    message = f"a heading has six marks at most, and this has {len(marks[0])}; it is read as one below the sixth level"
    hint = "set the headings above it higher, or make it a bold line: elsewhere its marks are shown"
    reading(state).report(warning("deep-heading", span, message, hint))
    token = state.push("heading_open", f"h{LEVEL}", 1)
    token.markup, token.map = marks[0], [first, first + 1]
    words = state.push("inline", "", 0)
    words.content, words.map = CLOSING.sub("", state.src[marks.end() : end].strip()).strip(), [first, first + 1]
    state.push("heading_close", f"h{LEVEL}", -1)
    state.line = first + 1
    return True
