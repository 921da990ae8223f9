"""`%%words%%`: a comment, left out of the document."""

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state

MARK = "%%"


def comment(parser: Parser) -> None:
    """Add the block rule, for comments that may contain any blocks, and the inline rule."""
    interrupts = ("paragraph", "reference", "blockquote", "list")
    parser.add_block("comment", _parse_block, before="table", interrupts=interrupts, starts="%")
    parser.add_inline("%", "comment", _parse_inline, before="link", stop=MARK, signs=(MARK,))


def _parse_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    start = state.bMarks[first] + state.tShift[first]
    if not state.src.startswith(MARK, start) or state.is_code_block(first):
        return False
    if state.src.find(MARK, start + len(MARK), state.eMarks[first]) >= 0:
        return False
    for line in range(first + 1, end):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return False
        closed = state.src.find(MARK, state.bMarks[line], state.eMarks[line])
        if closed >= 0:
            if not silent:
                _continue_after(state, line, closed + len(MARK))
            return True
    return False


def _continue_after(state: StateBlock, line: int, offset: int) -> None:
    """Continue after a comment: on its last line if there is text after the comment, or else on the next line."""
    rest = state.src[offset : state.eMarks[line]]
    state.line = line + 1
    if rest.strip():
        state.line = line
        # Move the start of the line to the first character after the comment.
        state.bMarks[line] = offset + len(rest) - len(rest.lstrip(" \t"))
        state.tShift[line], state.sCount[line] = 0, state.blkIndent


def _parse_inline(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(MARK, state.pos):
        return False
    closed = state.src.find(MARK, state.pos + len(MARK), state.posMax)
    if closed < 0:
        if not silent:
            span = parse_state(state).span(state, state.pos, state.pos + len(MARK))
            hint = "close it with %% in the same paragraph, or start it on a separate line"
            parse_state(state).report(warning("unclosed-comment", span, "this comment is never closed", hint))
            # Consume both signs: at the second sign, the rule would be tried again and report a second time.
            state.push("text", "", 0).content = MARK
            state.pos += len(MARK)
        return not silent
    if not silent and state.pending:
        state.pushPending()
    state.pos = closed + len(MARK)
    return True
