"""`{::comment}…{:/comment}`: extensions of kramdown. Comments, options and named attribute lists are left out."""

import re
from bisect import bisect_right

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.generators.box import INTERRUPTS, line_text, skip_to

OPENING = re.compile(r"\{::(?P<name>\w+)[^{}\n]*\}")
CLOSING = re.compile(r"\{:/\w*\}")
NAMED_LIST = re.compile(r"\{:[\w-]+:[^{}\n]*\}")
"""A list of attributes with a name, which other lists refer to."""
COMMENT = "comment"
COMMENT_END = re.compile(r"\{:/(?:comment)?\}")


def kramdown_extension(parser: Parser) -> None:
    """Add the rules for extensions on lines of their own, and within a line."""
    parser.add_block("kramdown_extension", _parse_block, before="table", interrupts=INTERRUPTS, starts="{")
    parser.add_inline("{", "kramdown_extension", _parse_inline, before="link", stop=r"\{:", signs=("{:",))


def _parse_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    text = line_text(state, first)
    opening = OPENING.match(text)
    if opening is not None and opening["name"] == COMMENT:
        return _parse_comment(state, first, end, silent, opening.end())
    if not any(pattern.fullmatch(text) for pattern in (OPENING, CLOSING, NAMED_LIST)):
        return False
    if not silent:
        state.line = first + 1
    return True


def _parse_comment(state: StateBlock, first: int, end: int, silent: bool, length: int) -> bool:
    start = state.bMarks[first] + state.tShift[first] + length
    if start >= state.env.get("unclosed_comments", len(state.src)):
        return False
    closing = COMMENT_END.search(state.src, start, state.eMarks[end - 1])
    if closing is None:
        state.env["unclosed_comments"] = start
        return False
    line = bisect_right(state.bMarks, closing.start(), first, end) - 1
    if line == first and state.src[closing.end() : state.eMarks[line]].strip():
        return False
    if not silent:
        skip_to(state, line, closing.end())
    return True


def _parse_inline(state: StateInline, silent: bool) -> bool:
    match = OPENING.match(state.src, state.pos, state.posMax) or CLOSING.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    after = match.end()
    if match.re is OPENING and match["name"] == COMMENT:
        closing = COMMENT_END.search(state.src, after, state.posMax) if _may_be_closed(state, after) else None
        if closing is None:
            state.env["unclosed_inline"] = (id(state), state.posMax, after)
            return not silent and _push_unclosed(state, match)
        after = closing.end()
    if not silent and state.pending:
        state.pushPending()
    state.pos = after
    return True


def _may_be_closed(state: StateInline, start: int) -> bool:
    known, limit, position = state.env.get("unclosed_inline", (0, 0, 0))
    return not (known == id(state) and limit == state.posMax and start >= position)


def _push_unclosed(state: StateInline, match: re.Match[str]) -> bool:
    """Keep the mark of a comment that is never closed, and report it."""
    span = parse_state(state).span(state, *match.span())
    hint = "close it with {:/comment}"
    parse_state(state).report(warning("unclosed-comment", span, "this comment is never closed", hint))
    state.push("text", "", 0).content = match[0]
    state.pos = match.end()
    return True
