"""MDX: lines with `import` and `export`, comments, `{/* … */}`, and values, `{props.name}`, are left out.

Of elements, attributes in braces are left out; a text in braces, `{"words"}`, is shown.
"""

import re
from bisect import bisect_right

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.model.nodes import LONE_SHORTCODE
from kismet_build.parse.markdown.components import BRACES, LITERAL
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.generators.box import INTERRUPTS, line_text, skip_to
from kismet_build.parse.markdown.rules.generators.element import find_closing

MODULE = re.compile(
    r"import\s+(?:['\"]|[\w{*][^'\"]*\sfrom\s*['\"]|\{\s*$)"
    r"|export\s+(?:(?:const|let|var|function|class|async|default)\b|[{*])"
)
"""The first line of an import or export."""
COMMENT, COMMENT_END = "{/*", "*/}"
VALUE = re.compile(r"\{\s*[A-Za-z_$][^{}<>\"'`\n]{0,200}\}")
"""An expression without words: `{props.name}`, `{limit + 1}`."""
ELEMENT = re.compile(rf"""<[a-z][\w-]*+(?>(?:\s+[\w:.-]++(?>(?:=(?:"[^"]*+"|'[^']*+'|{BRACES}))?))*)\s*/?>""")
ATTRIBUTE_IN_BRACES = re.compile(rf"\s+[\w:.-]+={BRACES}")


def mdx(parser: Parser) -> None:
    """Add the rules. Indented lines are not code: text between the tags of components is often indented."""
    parser.block.ruler.disable("code")
    parser.add_block("mdx_module", _parse_module, before="table", starts="ie")
    parser.add_block("mdx_comment", _parse_comment, before="table", interrupts=INTERRUPTS, starts="{")
    parser.add_inline("{", "mdx_comment", _parse_inline, before="link", stop=r"\{/\*", signs=(COMMENT,))
    parser.add_inline("{", "mdx_value", _parse_value, before="link", signs=("{",))
    parser.add_inline("<", "mdx_element", _parse_element, before="autolink", signs=("={",))


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


def _parse_value(state: StateInline, silent: bool) -> bool:
    value = VALUE.match(state.src, state.pos, state.posMax)
    words = LITERAL.match(state.src, state.pos, state.posMax) if value is None else None
    found = value or words
    if found is None:
        return False
    if not silent:
        token = state.push("replaced" if words else "foreign", "", 0)
        token.map, token.info, token.content = [*found.span()], LONE_SHORTCODE, words["words"] if words else ""
    state.pos = found.end()
    return True


def _parse_element(state: StateInline, silent: bool) -> bool:
    element = ELEMENT.match(state.src, state.pos, state.posMax)
    if element is None or "={" not in element[0]:
        return False
    if not silent:
        token = state.push("html_inline", "", 0)
        token.map, token.content = [*element.span()], ATTRIBUTE_IN_BRACES.sub("", element[0])
    state.pos = element.end()
    return True
