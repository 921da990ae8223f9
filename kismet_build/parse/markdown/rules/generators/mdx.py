"""MDX: lines with `import` and `export`, comments, `{/* … */}`, and values, `{props.name}`, are left out.

Elements contain Markdown, and their attributes in braces are left out. A text in braces, `{"words"}`, is shown.
"""

import re
from bisect import bisect_right

from markdown_it.common.html_blocks import block_names
from markdown_it.rules_block import StateBlock, html_block
from markdown_it.rules_inline import StateInline

from kismet_build.model.nodes import LONE_SHORTCODE, SHORTCODE
from kismet_build.parse.markdown.components import BRACES, LITERAL
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.generators.box import INTERRUPTS, line_text, parse_rest, skip_to
from kismet_build.parse.markdown.rules.generators.element import find_closing
from kismet_build.parse.markdown.rules.generators.markdown_element import push_html, push_paragraph

MODULE = re.compile(
    r"import\s+(?:['\"]|[\w{*][^'\"]*\sfrom\s*['\"]|\{\s*$)"
    r"|export\s+(?:(?:const|let|var|function|class|async|default)\b|[{*])"
)
"""The first line of an import or export."""
COMMENT, COMMENT_END = "{/*", "*/}"
VALUE = re.compile(r"\{\s*[\w$(!-][^{}<>\"'`\n]{0,200}\}")
"""An expression without words: `{props.name}`, `{limit + 1}`."""
WITH_WORDS = re.compile(r"""\{\s*[\w$(!-](?>(?:[^{}<"'`\n]|<(?![A-Za-z/>])|"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)*)\}""")
"""An expression with words: `{open ? "Open" : "Shut"}`."""
CHOSEN = re.compile(r"""(?:\?|:|&&|\|\|)\s*(?P<quote>["'`])(?P<words>(?:(?!\$\{)[^"'`\\\n])+)(?P=quote)""")
"""Words that an expression may show."""
ELEMENT = re.compile(rf"""<[a-z][\w-]*+(?>(?:\s+[\w:.-]++(?>(?:=(?:"[^"]*+"|'[^']*+'|{BRACES}))?))*)\s*/?>""")
CLOSING = re.compile(r"</[a-z][\w-]*+\s*>")
CLOSED_LINE = re.compile(r"[^<\n]*(?P<tags>(?>(?:</[a-z][\w-]*+\s*>\s*)+))(?=\n|\Z)")
"""Words and the tags that close the elements around them."""
NAME = re.compile(r"</?([a-z][\w-]*+)")
BLOCKS = frozenset(block_names)
"""Elements whose tags are blocks of their own. Others are part of a paragraph."""
VERBATIM = frozenset(("pre", "script", "style", "textarea"))
"""Elements without Markdown."""
ATTRIBUTE_IN_BRACES = re.compile(rf"\s+[\w:.-]+={BRACES}")


def mdx(parser: Parser) -> None:
    """Add the rules. Indented lines are not code: text between the tags of components is often indented."""
    parser.block.ruler.disable("code")
    parser.add_block("mdx_module", _parse_module, before="table", starts="ie")
    parser.add_block("mdx_comment", _parse_comment, before="table", interrupts=INTERRUPTS, starts="{")
    parser.add_block("mdx_block_element", _parse_block_element, before="html_block", interrupts=INTERRUPTS, starts="<")
    parser.block.ruler.at("html_block", _parse_other_html, {"alt": ["paragraph", "reference", "blockquote"]})
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
    choice = WITH_WORDS.match(state.src, state.pos, state.posMax) if value is None and words is None else None
    found = value or words or choice
    if found is None:
        return False
    if choice is not None and not silent:
        _push_chosen(state, choice)
    elif not silent:
        token = state.push("replaced" if words else "foreign", "", 0)
        token.map, token.info, token.content = [*found.span()], LONE_SHORTCODE, words["words"] if words else ""
    state.pos = found.end()
    return True


def _push_chosen(state: StateInline, expression: re.Match[str]) -> None:
    """Push the words between which an expression chooses."""
    chosen = list(CHOSEN.finditer(state.src, *expression.span()))
    token = state.push("foreign", "", 0)
    token.map, token.info = [expression.start(), expression.start() + 1], SHORTCODE if chosen else LONE_SHORTCODE
    for number, words in enumerate(chosen):
        token = state.push("replaced", "", 0)
        token.map, token.content = [*words.span("words")], (" / " if number else "") + words["words"]


def _parse_element(state: StateInline, silent: bool) -> bool:
    element = ELEMENT.match(state.src, state.pos, state.posMax)
    if element is None or "={" not in element[0]:
        return False
    if not silent:
        token = state.push("html_inline", "", 0)
        token.map, token.content = [*element.span()], ATTRIBUTE_IN_BRACES.sub("", element[0])
    state.pos = element.end()
    return True


def _parse_block_element(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Match a tag of a block at the start of a line. Any Markdown may follow it, also on the same line."""
    start = state.bMarks[first] + state.tShift[first]
    stop = state.eMarks[first]
    if (tag := _block_tag(state.src, start, stop)) is None:
        return False
    if silent:
        return True
    state.line = first + 1
    while tag is not None:
        push_html(state, first, ATTRIBUTE_IN_BRACES.sub("", tag[0]), *tag.span())
        start = _after_spaces(state.src, tag.end(), stop)
        closing = CLOSING.search(state.src, start, stop)
        if closing is not None and _names(closing, tag) and state.src.find("<", start) == closing.start():
            push_paragraph(state, first, start, closing.start())
            push_html(state, first, closing[0], *closing.span())
            start = _after_spaces(state.src, closing.end(), stop)
        tag = _block_tag(state.src, start, stop)
    if start < stop and state.src[start:stop].strip():
        closed = CLOSED_LINE.match(state.src, start, stop)
        if closed is None or not all(name in BLOCKS for name in NAME.findall(closed["tags"])):
            parse_rest(state, first, end, start)
            return True
        push_paragraph(state, first, start, closed.start("tags"))
        push_html(state, first, closed["tags"], *closed.span("tags"))
    return True


def _block_tag(text: str, start: int, stop: int) -> re.Match[str] | None:
    tag = ELEMENT.match(text, start, stop) or CLOSING.match(text, start, stop)
    name = NAME.match(tag[0]) if tag is not None else None
    return tag if name is not None and name[1] in BLOCKS else None


def _names(closing: re.Match[str], tag: re.Match[str]) -> bool:
    of_closing, of_tag = NAME.match(closing[0]), NAME.match(tag[0])
    return of_closing is not None and of_tag is not None and of_closing[1] == of_tag[1]


def _after_spaces(text: str, start: int, stop: int) -> int:
    while start < stop and text[start] in " \t":
        start += 1
    return start


def _parse_other_html(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Match comments and verbatim elements. Other tags at the start of a line begin a paragraph."""
    start = state.bMarks[first] + state.tShift[first]
    name = NAME.match(state.src, start, state.eMarks[first])
    return (name is None or name[1] in VERBATIM) and html_block(state, first, end, silent)
