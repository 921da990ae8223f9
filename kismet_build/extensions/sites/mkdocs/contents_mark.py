"""`[TOC]`: the place of a table of contents, which is left out, because each page has a table of contents.

The option `contents_mark` of a dialect sets another mark to use in place of `[TOC]`.
"""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.box import line_text

MARK = re.compile(r"\[TOC\]|\[\[TOC\]\]", re.IGNORECASE)


def contents_mark(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("contents_mark", _parse_mark, before="table", interrupts=("paragraph",))


def _parse_mark(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    line, mark = line_text(state, first), parse_state(state).options.get("contents_mark")
    is_mark = MARK.fullmatch(line) is not None if mark is None else line == mark
    if not is_mark or state.is_code_block(first):
        return False
    if not silent:
        state.line = first + 1
    return True
