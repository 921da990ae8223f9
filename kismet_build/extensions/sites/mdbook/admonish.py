"""A code block `admonish warning "Title"`: a callout of mdBook, whose content is Markdown."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.box import (
    INTERRUPTS,
    UNTITLED,
    Box,
    Title,
    box_tokens,
    line_text,
    tokenize_lines,
)

FENCE = re.compile(
    r"(?P<fence>`{3,}|~{3,})[ \t]*admonish(?:[ \t]+(?P<kind>[a-z][\w-]*)(?=\s|$))?(?P<rest>[^`\n]*)", re.IGNORECASE
)
TITLE = re.compile(r"""(?:title[ \t]*=[ \t]*)?(?P<quote>["'])(?P<title>.*?)(?P=quote)""")
FOLDED = re.compile(r"collapsible[ \t]*=[ \t]*true")
TITLE_OF_BOOK = re.compile(r"\{\{#title [^{}]*\}\}")
USUAL_KIND = "note"


def admonish(parser: Parser) -> None:
    """Add the rule for callouts, and the rules that leave out the title of a page."""
    parser.add_block("admonish", _parse_fence, before="table", interrupts=INTERRUPTS, starts="`~")
    parser.add_block("page_title", _parse_title, before="table", interrupts=INTERRUPTS, starts="{")
    parser.add_inline("{", "page_title", _parse_inline_title, before="link", stop=r"\{\{#title ", signs=("{{#title",))


def _parse_fence(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    match = FENCE.fullmatch(line_text(state, first))
    if match is None or state.is_code_block(first):
        return False
    if silent:
        return True
    closing = first + 1
    while closing < end and (state.isEmpty(closing) or state.sCount[closing] >= state.blkIndent):
        text = line_text(state, closing)
        if text.startswith(match["fence"]) and not text.strip(match["fence"][0]):
            break
        closing += 1
    is_closed = closing < end and (state.isEmpty(closing) or state.sCount[closing] >= state.blkIndent)
    after = closing + 1 if is_closed else closing
    words = TITLE.search(match["rest"])
    offset = state.bMarks[first] + state.tShift[first] + match.start("rest")
    title = Title(words["title"], offset + words.start("title")) if words else None
    box = Box(kind=(match["kind"] or USUAL_KIND).casefold(), fold="-" if FOLDED.search(match["rest"]) else "")
    if title is not None and not title.text:
        box = Box(name=UNTITLED)
    with box_tokens(state, box, (first, after), title):
        tokenize_lines(state, first + 1, closing, state.blkIndent)
    state.line = after
    return True


def _parse_title(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    if TITLE_OF_BOOK.fullmatch(line_text(state, first)) is None or state.is_code_block(first):
        return False
    if not silent:
        state.line = first + 1
    return True


def _parse_inline_title(state: StateInline, silent: bool) -> bool:
    match = TITLE_OF_BOOK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent and state.pending:
        state.pushPending()
    state.pos = match.end()
    return True
