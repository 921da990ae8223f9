"""`[TOC]`: the place of a table of contents, which is left out, because each page has a table of contents."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.generators.box import line_text

MARK = re.compile(r"\[TOC\]|\[\[TOC\]\]", re.IGNORECASE)


def contents_mark(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("contents_mark", _parse_mark, before="table", interrupts=("paragraph",), starts="[")


def _parse_mark(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    if MARK.fullmatch(line_text(state, first)) is None or state.is_code_block(first):
        return False
    if not silent:
        state.line = first + 1
    return True
