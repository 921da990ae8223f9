"""`%%words%%`: what readers are not to see."""

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, reading

MARK = "%%"


def comment(parser: Parser) -> None:
    """Add the rules: one for lines of their own, which may hold anything, one for words amid others."""
    ends = ("paragraph", "reference", "blockquote", "list")
    parser.add_block("comment", _lines, before="table", ends=ends, starts="%")
    parser.add_inline("%", "comment", _words, before="link", stop=MARK, signs=(MARK,))


def _lines(state: StateBlock, first: int, end: int, silent: bool) -> bool:
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
                _go_on_after(state, line, closed + len(MARK))
            return True
    return False


def _go_on_after(state: StateBlock, line: int, offset: int) -> None:
    """Read on behind a comment: on its last line if anything follows there."""
    rest = state.src[offset : state.eMarks[line]]
    state.line = line + 1
    if rest.strip():
        state.line = line
        # As if the line began with its first word here: nobody sets words in behind a comment.
        state.bMarks[line] = offset + len(rest) - len(rest.lstrip(" \t"))
        state.tShift[line], state.sCount[line] = 0, state.blkIndent


def _words(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(MARK, state.pos):
        return False
    closed = state.src.find(MARK, state.pos + len(MARK), state.posMax)
    if closed < 0:
        if not silent:
            span = reading(state).span(state, state.pos, state.pos + len(MARK))
            hint = "end it with %% in the same paragraph, or begin it on a line of its own"
            reading(state).report(warning("unclosed-comment", span, "this comment never closes", hint))
            # One report is enough: the second sign would be asked next.
            state.push("text", "", 0).content = MARK
            state.pos += len(MARK)
        return not silent
    if not silent and state.pending:
        state.pushPending()
    state.pos = closed + len(MARK)
    return True
