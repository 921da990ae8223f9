"""`^name` at the end of a block: its name, for links."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

NAME = re.compile(r"\^([A-Za-z0-9_-]+)\s*$")

ALONE = re.compile(r"\^[A-Za-z0-9_-]+[ \t]*$")
"""A line that is nothing but a name; a table ends before it."""


def block_id(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("^", "block_id", _name, before="link", stop=r"\^(?=[A-Za-z0-9_-]+\s*\Z)", signs=("^",))


def _name(state: StateInline, silent: bool) -> bool:
    found = NAME.match(state.src, state.pos)
    if silent or found is None or state.level or not (state.pos == 0 or state.src[state.pos - 1].isspace()):
        return False
    state.push("block_id", "", 0).content = found[1]
    state.pos = state.posMax
    return True
