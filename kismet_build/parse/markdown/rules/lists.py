"""Task lists, and lists of terms with their definitions."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import ParseState

# --- tasks

CHECKBOX = re.compile(r"\[([^\[\]\n])\][ \t\n]+(?=\S)")


def task(parser: Parser) -> None:
    """`- [x] words`: a task list item."""
    parser.transforms.append(_extract_checkboxes)


def _extract_checkboxes(tokens: list[Token], parse_state: ParseState) -> None:
    marks = parse_state.options.get("task_marks")
    for index, item in enumerate(tokens[:-2]):
        if item.type != "list_item_open" or tokens[index + 1].type != "paragraph_open":
            continue
        inline = tokens[index + 2]
        content = inline.meta["content"]
        box = CHECKBOX.match(content.text)
        if box and (marks is None or box[1] in marks):
            item.meta["checked"] = box[1]
            inline.meta["content"] = content.tail(box.end())


# --- definition lists

# These rules do not apply to `commonmark`: docs/decisions/0004-dialects.md.
MARK = re.compile(r":[ \t]+(?=\S)")
MAX_MARK_INDENT = 3
"""Maximum indent in columns. A mark with a larger indent is code."""
CONTENT_INDENT = 2
"""Minimum indent of the lines of a definition relative to its mark, in columns. Pandoc's larger indent also works."""
MAX_TERM_LINES = 5
MAX_TERM_LENGTH = 80
"""Maximum number of lines, and of characters per line, of terms that share a definition.

Longer blocks are paragraphs.
"""


def definition(parser: Parser) -> None:
    """Definition lists as in pandoc: a term, with `: definition` on a line below it."""
    parser.add_block("definition", _parse_list, before="github_table")


def _parse_list(state: StateBlock, first: int, end: int, silent: bool) -> bool:
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
            after = _push_definition(state, mark, end)
            following = _next_text_line(state, after, end)
            mark = following if following is not None and _is_sibling_mark(state, following, mark) else None
        lines[1] = after
        term = _next_text_line(state, after, end)
        mark = _first_mark(state, term, end) if term is not None else None
    state.push("definitions_close", "dl", -1)
    state.line, state.parentType = lines[1], parent
    return True


def _first_mark(state: StateBlock, first: int, end: int) -> int | None:
    """The line of the first definition for terms that begin at `first`; `None` if there is no definition list."""
    mark = first + 1
    while mark < min(end, first + MAX_TERM_LINES) and not state.isEmpty(mark) and not _is_mark(state, mark):
        mark += 1
    terms = range(first, mark)
    # A single term may have one blank line before its definition.
    if len(terms) == 1 and mark < end and state.isEmpty(mark):
        mark += 1
    if mark >= end or not _is_mark(state, mark):
        return None
    if len(terms) > 1 and any(state.eMarks[line] - state.bMarks[line] > MAX_TERM_LENGTH for line in terms):
        return None
    return mark if all(_is_term(state, line, end) for line in terms) else None


def _is_term(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line can be a term: it has text, and no other block begins on it."""
    if state.isEmpty(line) or _is_mark(state, line) or state.is_code_block(line):
        return False
    if state.sCount[line] < state.blkIndent:
        return False
    return not any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("paragraph"))


def _is_mark(state: StateBlock, line: int) -> bool:
    start = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith(":", start):
        return False
    indent = state.sCount[line] - state.blkIndent
    return 0 <= indent <= MAX_MARK_INDENT and MARK.match(state.src, start, state.eMarks[line]) is not None


def _is_sibling_mark(state: StateBlock, line: int, mark: int) -> bool:
    """Whether a line begins another definition of the same list, and not of a list inside the definition at `mark`."""
    return _is_mark(state, line) and state.sCount[line] < state.sCount[mark] + CONTENT_INDENT


def _push_terms(state: StateBlock, first: int, mark: int) -> None:
    for line in range(first, mark):
        if state.isEmpty(line):
            continue
        state.push("term_open", "dt", 1).map = [line, line + 1]
        inline = state.push("inline", "", 0)
        inline.map = [line, line + 1]
        inline.content = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()
        state.push("term_close", "dt", -1)


def _push_definition(state: StateBlock, first: int, end: int) -> int:
    """Push the tokens of a definition. Returns the line after the definition."""
    stop = _definition_end(state, first, end)
    token = state.push("definition_open", "dd", 1)
    token.map = [first, stop]
    saved = state.bMarks[first], state.tShift[first], state.sCount[first], state.blkIndent, state.lineMax
    mark = MARK.match(state.src, state.bMarks[first] + state.tShift[first])
    assert mark is not None
    state.bMarks[first], state.tShift[first] = mark.end(), 0
    state.blkIndent = state.sCount[first] = state.sCount[first] + CONTENT_INDENT
    # markdown-it continues a paragraph up to `lineMax`, even beyond the end given to `tokenize`.
    state.lineMax = stop
    state.md.block.tokenize(state, first, stop)
    stop = max(state.line, first + 1)
    state.bMarks[first], state.tShift[first], state.sCount[first], state.blkIndent, state.lineMax = saved
    token.map[1] = stop
    state.push("definition_close", "dd", -1)
    return stop


def _definition_end(state: StateBlock, first: int, end: int) -> int:
    """The line after a definition: the next definition or term, or the first blank line after the list."""
    line = first + 1
    while line < end:
        if state.isEmpty(line):
            following = _next_text_line(state, line, end)
            if following is None or state.sCount[following] < state.sCount[first] + CONTENT_INDENT:
                return line
            line = following
        elif _is_sibling_mark(state, line, first) or _is_next_term(state, line, end):
            return line
        line += 1
    return end


def _is_next_term(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line without indent is a term with its definition directly below."""
    return state.sCount[line] - state.blkIndent < CONTENT_INDENT and _first_mark(state, line, end) == line + 1


def _next_text_line(state: StateBlock, line: int, end: int) -> int | None:
    while line < end and state.isEmpty(line):
        line += 1
    return line if line < end else None
