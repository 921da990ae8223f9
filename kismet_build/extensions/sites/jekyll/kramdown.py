"""Constructs of kramdown: its extensions, and tables without a header."""

import re
from bisect import bisect_right

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.box import INTERRUPTS, line_text, skip_to
from kismet_build.parse.markdown.rules.table import (
    MAX_PADDING,
    CellRange,
    alignments,
    is_row_separator,
    push_empty_row,
    push_row,
    row_cells,
    without_code,
)

# --- `{::comment}…{:/comment}`: extensions of kramdown. Comments, options and named attribute lists are left out
#
# Also the other marks that only kramdown has: `^` alone on a line, which ends a block, and `\\` at the end of a line.

OPENING = re.compile(r"\{::(?P<name>\w+)[^{}\n]*\}")
CLOSING = re.compile(r"\{:/\w*\}")
NAMED_LIST = re.compile(r"\{:[\w-]+:[^{}\n]*\}")
"""A named list of attributes, which other lists can refer to."""
ENDS = {name: re.compile(rf"\{{:/(?:{name})?\}}") for name in ("comment", "nomarkdown")}
"""The closing mark of each extension whose content is not Markdown."""
PARSES_HTML = re.compile(r"\bparse_block_html=[\"'](?P<value>true|false)[\"']")
"""The option by which HTML elements contain Markdown."""
COMMENT = "comment"
END_OF_BLOCK = "^"


def kramdown_extension(parser: Parser) -> None:
    """Add the rules for extensions on lines of their own, and within a line."""
    parser.add_block("kramdown_extension", _parse_block, before="table", interrupts=INTERRUPTS, starts="{")
    parser.add_inline("{", "kramdown_extension", _parse_inline, before="link", stop=r"\{:", signs=("{:",))


def kramdown_marks(parser: Parser) -> None:
    """Add the rules for the end of a block, and for the end of a line."""
    parser.add_block("end_of_block", _parse_end, before="table", interrupts=INTERRUPTS, starts=END_OF_BLOCK)
    parser.add_inline("\\", "backslash_break", _parse_break, before="escape", signs=("\\\\\n",))


def _parse_end(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    if line_text(state, first) != END_OF_BLOCK or state.is_code_block(first):
        return False
    if not silent:
        state.line = first + 1
    return True


def _parse_break(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("\\\\\n", state.pos, state.posMax):
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos += 3
    return True


def _parse_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    text = line_text(state, first)
    opening = OPENING.match(text)
    if opening is not None and opening["name"] in ENDS:
        return _parse_content(state, first, end, silent, opening)
    if not any(pattern.fullmatch(text) for pattern in (OPENING, CLOSING, NAMED_LIST)):
        return False
    if not silent:
        if opening is not None and (option := PARSES_HTML.search(text)) is not None:
            parse_state(state).parses_html = option["value"] == "true"
        state.line = first + 1
    return True


def _parse_content(state: StateBlock, first: int, end: int, silent: bool, opening: re.Match[str]) -> bool:
    """Match an extension with content: a comment, or HTML."""
    name = opening["name"]
    start = state.bMarks[first] + state.tShift[first] + opening.end()
    unclosed = state.env.setdefault("unclosed_extensions", {})
    if start >= unclosed.get(name, len(state.src)):
        return False
    closing = ENDS[name].search(state.src, start, state.eMarks[end - 1])
    if closing is None:
        unclosed[name] = start
        return False
    line = bisect_right(state.bMarks, closing.start(), first, end) - 1
    is_within_line = line == first and state.src[closing.end() : state.eMarks[line]].strip()
    if is_within_line:
        return False
    if not silent:
        if name != COMMENT:
            token = state.push("html_block", "", 0)
            token.map, token.content = [first, line + 1], state.src[start : closing.start()]
            token.meta["span"] = (start, closing.start())
        skip_to(state, line, closing.end())
    return True


def _parse_inline(state: StateInline, silent: bool) -> bool:
    match = OPENING.match(state.src, state.pos, state.posMax) or CLOSING.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    after = match.end()
    name = match["name"] if match.re is OPENING else ""
    content = None
    if name in ENDS:
        closing = ENDS[name].search(state.src, after, state.posMax) if _may_be_closed(state, name, after) else None
        if closing is not None:
            content, after = (after, closing.start()), closing.end()
        else:
            state.env[f"unclosed_{name}"] = (id(state), state.posMax, after)
    if not silent:
        if state.pending:
            state.pushPending()
        if content is not None and name != COMMENT:
            token = state.push("html_inline", "", 0)
            token.content, token.map = state.src[slice(*content)], list(content)
    state.pos = after
    return True


def _may_be_closed(state: StateInline, name: str, start: int) -> bool:
    known, limit, position = state.env.get(f"unclosed_{name}", (0, 0, 0))
    return not (known == id(state) and limit == state.posMax and start >= position)


# --- tables, which need no header: lines with bars, in groups that lines of dashes or equals signs divide

BAR = re.compile(r"(?:^|[^\\])\|")
Rows = list[tuple[int, list[CellRange]]]
"""The line and the cells of each row."""


def kramdown_table(parser: Parser) -> None:
    """Add the rule for tables that GitHub does not read as tables."""
    parser.add_block("kramdown_table", _parse_table, before="paragraph")


def _parse_table(state: StateBlock, first: int, end: int, _silent: bool) -> bool:
    rows: Rows = []
    head: Rows = []
    alignment_list: list[str] = []
    line = first
    while line < end and (text := _text_of_row(state, line)):
        if not is_row_separator(text):
            rows.append((line, row_cells(state, line)))
        elif rows and not alignment_list and "=" not in text:
            alignment_list = alignments(text.replace("+", "|"))
            # A `Table` has at most one header row.
            head, rows = (rows, []) if len(rows) == 1 else ([], rows)
        line += 1
    width = max((len(cells) for _, cells in (*head, *rows)), default=0)
    padding = sum(width - len(cells) for _, cells in rows)
    if not width or padding > MAX_PADDING or not _is_boundary(state, line, end):
        return False
    token = state.push("table_open", "table", 1)
    token.map = [first, line]
    token.meta["alignments"] = tuple([*alignment_list, *[""] * width][:width])
    if not head:
        push_empty_row(state, first, width)
    for row_line, cells in (*head, *rows):
        push_row(state, row_line, cells, width)
    state.push("table_close", "table", -1)
    state.line = line
    return True


def _text_of_row(state: StateBlock, line: int) -> str:
    """The text of a line with a bar outside code; empty for any other line."""
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    return text if state.sCount[line] >= state.blkIndent and BAR.search(without_code(text)) else ""


def _is_boundary(state: StateBlock, line: int, end: int) -> bool:
    """Whether a paragraph would also end before this line. If it would not, the table is part of the paragraph."""
    if line >= end or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
        return True
    return any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("paragraph"))
