"""A line of words between blank lines: a paragraph in its plainest form, which most have, is read at a glance."""

from string import ascii_letters

from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED
from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.state import Content

STARTS = ascii_letters
"""What begins with a letter is a paragraph, or something that only its next lines can tell."""


def paragraph(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    """Read a paragraph of one line: whatever has more lines, or a meaning below it, is for the other rules."""
    lines = state.lineMax
    if silent or (first + 1 < lines and not state.isEmpty(first + 1)) or state.is_code_block(first):
        return False
    after = state.bMarks[min(first + 2, lines)] + state.tShift[min(first + 2, lines)]
    if state.src.startswith(":", after):
        return False
    start = state.bMarks[first] + state.tShift[first]
    text = state.src[start : state.eMarks[first]].rstrip(TRIMMED)
    meta = {"span": (start, state.eMarks[first]), "content": Content(text, ((0, start),))}
    opened = state.push("paragraph_open", "p", 1)
    opened.map, opened.meta = [first, first + 1], meta
    words = state.push("inline", "", 0)
    words.map, words.content, words.meta = [first, first + 1], text, meta
    state.push("paragraph_close", "p", -1)
    state.line = first + 1
    return True
