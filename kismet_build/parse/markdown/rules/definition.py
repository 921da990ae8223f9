"""`Term`, and below it `: meaning`: a list of terms as pandoc has it."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser

MARK = re.compile(r":[ \t]+(?=\S)")
FURTHEST = 3
"""How far a mark may stand in; more is code."""
INDENT = 2
"""How much further than its mark the lines of a meaning stand in, at least; more, as pandoc asks, does no harm."""
MOST_TERMS = 5
LONGEST_TERM = 80
"""So many lines in a row, and so long ones, may share a meaning; more is a paragraph that goes on with a colon."""


def definition(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("definition", _list, before="github_table")


def _list(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if silent or (mark := _first_mark(state, first, end)) is None:
        return False
    parent, state.parentType = state.parentType, "definition"
    token = state.push("definitions_open", "dl", 1)
    token.map = lines = [first, first]
    term: int | None = first
    while term is not None and mark is not None:
        _push_terms(state, term, mark)
        after = mark
        while mark is not None:
            after = _push_meaning(state, mark, end)
            following = _next_line(state, after, end)
            mark = following if following is not None and _is_mark_beside(state, following, mark) else None
        lines[1] = after
        term = _next_line(state, after, end)
        mark = _first_mark(state, term, end) if term is not None else None
    state.push("definitions_close", "dl", -1)
    state.line, state.parentType = lines[1], parent
    return True


def _first_mark(state: StateBlock, first: int, end: int) -> int | None:
    """The line of the first meaning of terms that begin at a line; `None` where there is none."""
    mark = first + 1
    while mark < min(end, first + MOST_TERMS) and not state.isEmpty(mark) and not _is_mark(state, mark):
        mark += 1
    terms = range(first, mark)
    # One blank line may stand between a single term and what it means.
    if len(terms) == 1 and mark < end and state.isEmpty(mark):
        mark += 1
    if mark >= end or not _is_mark(state, mark):
        return None
    if len(terms) > 1 and any(state.eMarks[line] - state.bMarks[line] > LONGEST_TERM for line in terms):
        return None
    return mark if all(_is_term(state, line, end) for line in terms) else None


def _is_term(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line could be a term: words, and not the beginning of another block."""
    if state.isEmpty(line) or _is_mark(state, line) or state.is_code_block(line):
        return False
    if state.sCount[line] < state.blkIndent:
        return False
    return not any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("paragraph"))


def _is_mark(state: StateBlock, line: int) -> bool:
    """Whether a meaning begins on a line."""
    start = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith(":", start):
        return False
    indent = state.sCount[line] - state.blkIndent
    return 0 <= indent <= FURTHEST and MARK.match(state.src, start, state.eMarks[line]) is not None


def _is_mark_beside(state: StateBlock, line: int, mark: int) -> bool:
    """Whether another meaning begins on a line, in the same list as one before: not inside that."""
    return _is_mark(state, line) and state.sCount[line] < state.sCount[mark] + INDENT


def _push_terms(state: StateBlock, first: int, mark: int) -> None:
    for line in range(first, mark):
        if state.isEmpty(line):
            continue
        state.push("term_open", "dt", 1).map = [line, line + 1]
        words = state.push("inline", "", 0)
        words.map = [line, line + 1]
        words.content = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()
        state.push("term_close", "dt", -1)


def _push_meaning(state: StateBlock, first: int, end: int) -> int:
    """Push the blocks of a meaning; gives the line after it."""
    stop = _end_of_meaning(state, first, end)
    token = state.push("meaning_open", "dd", 1)
    token.map = [first, stop]
    before = state.bMarks[first], state.tShift[first], state.sCount[first], state.blkIndent, state.lineMax
    found = MARK.match(state.src, state.bMarks[first] + state.tShift[first])
    assert found is not None
    state.bMarks[first], state.tShift[first] = found.end(), 0
    state.blkIndent = state.sCount[first] = state.sCount[first] + INDENT
    # A paragraph looks for its end up to the last line, not up to the end of what it is read in.
    state.lineMax = stop
    state.md.block.tokenize(state, first, stop)
    stop = max(state.line, first + 1)
    state.bMarks[first], state.tShift[first], state.sCount[first], state.blkIndent, state.lineMax = before
    token.map[1] = stop
    state.push("meaning_close", "dd", -1)
    return stop


def _end_of_meaning(state: StateBlock, first: int, end: int) -> int:
    """The line after a meaning: before another mark, before a term with a mark, or after a blank line that ends it."""
    line = first + 1
    while line < end:
        if state.isEmpty(line):
            following = _next_line(state, line, end)
            if following is None or state.sCount[following] < state.sCount[first] + INDENT:
                return line
            line = following
        elif _is_mark_beside(state, line, first) or _is_next_term(state, line, end):
            return line
        line += 1
    return end


def _is_next_term(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line that is not set in is a term, with its meaning right below it."""
    return state.sCount[line] - state.blkIndent < INDENT and _first_mark(state, line, end) == line + 1


def _next_line(state: StateBlock, line: int, end: int) -> int | None:
    """The first line with words from a line on."""
    while line < end and state.isEmpty(line):
        line += 1
    return line if line < end else None
