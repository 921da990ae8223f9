"""`^name` at the end of a line: the block id of its block, the target of links."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

BLOCK_ID = re.compile(r"\^([A-Za-z0-9_-]+)(?:\s*\Z|[ \t]*(?=\n))")

BLOCK_ID_LINE = re.compile(r"\^[A-Za-z0-9_-]+[ \t]*$")
"""A line with only a block id, which also ends a table."""
ID_BELOW = re.compile(r"\n(?P<indent>[ \t>]*)\^[A-Za-z0-9_-]+\s*\Z")
"""A block id on the last line of a list item, under its mark or under that of a list around it."""


def block_id(parser: Parser) -> None:
    """Add the rule."""
    stop = r"\^(?=[A-Za-z0-9_-]+\s*(?:\n|\Z))"
    parser.add_inline("^", "block_id", _parse_block_id, before="link", stop=stop, signs=("^",))
    parser.add_block("block_id_line", _parse_line, before="paragraph", starts="^")


def _parse_block_id(state: StateInline, silent: bool) -> bool:
    match = BLOCK_ID.match(state.src, state.pos)
    if silent or match is None or state.level or not (state.pos == 0 or state.src[state.pos - 1].isspace()):
        return False
    state.pending = state.pending.rstrip(" \t")
    state.push("block_id", "", 0).content = match[1]
    state.pos = match.end()
    return True


def _parse_line(state: StateBlock, line: int, _end: int, silent: bool) -> bool:
    """Read a line with only a block id as a paragraph. Text on the next line starts a new paragraph."""
    start = state.bMarks[line] + state.tShift[line]
    if silent or not BLOCK_ID_LINE.match(state.src, start, state.eMarks[line]):
        return False
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = state.src[start : state.eMarks[line]].rstrip(), [line, line + 1], []
    state.push("paragraph_close", "p", -1)
    state.line = line + 1
    return True
