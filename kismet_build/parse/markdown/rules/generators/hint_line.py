"""`!> words`: a paragraph of Docsify that is a callout; `?> words` is a tip."""

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.generators.box import Box, box_tokens, move_start, tokenize_lines

KINDS = {"!>": "important", "?>": "tip"}


def hint_line(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("hint_line", _parse_hint, before="table", starts="!?")


def _parse_hint(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    start = state.bMarks[first] + state.tShift[first]
    kind = KINDS.get(state.src[start : start + 2])
    if silent or kind is None or state.is_code_block(first):
        return False
    after = first + 1
    while after < end and not state.isEmpty(after) and state.sCount[after] >= state.blkIndent:
        after += 1
    saved = state.bMarks[first], state.tShift[first], state.sCount[first]
    with box_tokens(state, Box(kind=kind), (first, after), span=(start, state.eMarks[after - 1])):
        move_start(state, first, start + 2)
        tokenize_lines(state, first, after, state.blkIndent)
    state.bMarks[first], state.tShift[first], state.sCount[first] = saved
    state.line = after
    return True
