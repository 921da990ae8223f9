"""`^name` at the end of a block: its block id, the target of links."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

BLOCK_ID = re.compile(r"\^([A-Za-z0-9_-]+)\s*$")

BLOCK_ID_LINE = re.compile(r"\^[A-Za-z0-9_-]+[ \t]*$")
"""A line with only a block id, which also ends a table."""


def block_id(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("^", "block_id", _parse_block_id, before="link", stop=r"\^(?=[A-Za-z0-9_-]+\s*\Z)", signs=("^",))


def _parse_block_id(state: StateInline, silent: bool) -> bool:
    match = BLOCK_ID.match(state.src, state.pos)
    if silent or match is None or state.level or not (state.pos == 0 or state.src[state.pos - 1].isspace()):
        return False
    state.push("block_id", "", 0).content = match[1]
    state.pos = state.posMax
    return True
