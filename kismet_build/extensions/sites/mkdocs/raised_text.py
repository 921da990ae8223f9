"""`^^inserted^^`, `^raised^`, `~~struck~~` and `~lowered~`. Raised words have no spaces."""

import re
from functools import partial

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.element import ELEMENT, push_wrapped
from kismet_build.parse.markdown.rules.highlight import add_double_mark

RAISED = re.compile(r"\^(?!\^)((?:\\.|[^\s\\^])+)\^(?!\^)")
LOWERED = re.compile(r"~(?!~)((?:\\.|[^\s\\~])+)~(?!~)")


def caret(parser: Parser) -> None:
    """Add the rules for one and two carets."""
    _add_single_mark(parser, "^", "superscript", RAISED, "sup")
    add_double_mark(parser, "insertion", "^", ELEMENT, "ins")


def tilde(parser: Parser) -> None:
    """Add the rules for one and two tildes."""
    _add_single_mark(parser, "~", "subscript", LOWERED, "sub")
    add_double_mark(parser, "deletion", "~", "s")


def _add_single_mark(parser: Parser, mark: str, name: str, pattern: re.Pattern[str], tag: str) -> None:
    parser.add_inline(mark, name, partial(_parse_mark, pattern, tag), before="emphasis", signs=(mark,))


def _parse_mark(pattern: re.Pattern[str], tag: str, state: StateInline, silent: bool) -> bool:
    match = pattern.match(state.src, state.pos, state.posMax)
    if match is None or state.src[state.pos - 1 : state.pos] == match[0][0]:
        return False
    if silent:
        state.pos = match.end()
    else:
        push_wrapped(state, ELEMENT, tag, match.start(), match.span(1), match.end())
    return True
