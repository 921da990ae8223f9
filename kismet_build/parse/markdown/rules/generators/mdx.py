"""MDX: lines with `import` and `export`, and comments, `{/* … */}`, are left out."""

import re
from bisect import bisect_right

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.generators.box import INTERRUPTS, line_text, skip_to
from kismet_build.parse.markdown.rules.generators.element import find_closing

MODULE = re.compile(
    r"import\s+(?:['\"]|[\w{*][^'\"]*\sfrom\s*['\"]|\{\s*$)"
    r"|export\s+(?:(?:const|let|var|function|class|async|default)\b|[{*])"
)
"""The first line of an import or export."""
COMMENT, COMMENT_END = "{/*", "*/}"


def mdx(parser: Parser) -> None:
    """Add the rules. Indented lines are not code: text between the tags of components is often indented."""
    parser.block.ruler.disable("code")
    parser.add_block("mdx_module", _parse_module, before="table", starts="ie")
    parser.add_block("mdx_comment", _parse_comment, before="table", interrupts=INTERRUPTS, starts="{")
    parser.add_inline("{", "mdx_comment", _parse_inline, before="link", stop=r"\{/\*", signs=(COMMENT,))


def _parse_module(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if silent or state.level or MODULE.match(line_text(state, first)) is None:
        return False
    line = first + 1
    while line < end and not state.isEmpty(line):
        line += 1
    state.line = line
    return True


def _parse_comment(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    start = state.bMarks[first] + state.tShift[first]
    if not state.src.startswith(COMMENT, start) or start >= state.env.get("unclosed_comments", len(state.src)):
        return False
    closing = state.src.find(COMMENT_END, start, state.eMarks[end - 1])
    if closing < 0:
        state.env["unclosed_comments"] = start
        return False
    line = bisect_right(state.bMarks, closing, first, end) - 1
    after = closing + len(COMMENT_END)
    if line == first and state.src[after : state.eMarks[line]].strip():
        return False
    if not silent:
        skip_to(state, line, after)
    return True


def _parse_inline(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(COMMENT, state.pos):
        return False
    closing = find_closing(state, COMMENT_END, state.pos)
    if closing < 0:
        return False
    if not silent and state.pending:
        state.pushPending()
    state.pos = closing + len(COMMENT_END)
    return True
