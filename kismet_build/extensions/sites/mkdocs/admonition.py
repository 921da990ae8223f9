"""`!!! note "Title"`: a callout of Python-Markdown, whose content is indented by four spaces; `???` can be folded."""

import re
from functools import partial

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.box import (
    INTERRUPTS,
    UNTITLED,
    Box,
    Title,
    box_tokens,
    indented_end,
    line_text,
    tokenize_lines,
)

CLASSES = r"[\w-]+(?: +[\w-]+)*"
TITLE = r'[ \t]+"(?P<title>.*)"'
ADMONITION = re.compile(rf"!!!(?P<fold>)[ \t]*(?P<classes>{CLASSES})(?:{TITLE})?")
DETAILS = re.compile(rf"\?\?\?(?P<fold>\+?)(?=[ \t]*[\w\"-])[ \t]*(?P<classes>{CLASSES})?(?:{TITLE})?")
INDENT = 4
"""Indent of the content relative to the mark, in columns."""
USUAL_DETAILS = "details"
"""The kind of a callout with a title but no kind."""


def admonition(parser: Parser) -> None:
    """Add the rule for `!!!`."""
    parser.add_block("admonition", partial(_parse_box, ADMONITION), before="table", interrupts=INTERRUPTS, starts="!")


def details(parser: Parser) -> None:
    """Add the rule for callouts that can be folded. With `???` they are closed at first, with `???+` open."""
    parser.add_block("details", partial(_parse_box, DETAILS), before="table", interrupts=INTERRUPTS, starts="?")


def _parse_box(pattern: re.Pattern[str], state: StateBlock, first: int, end: int, silent: bool) -> bool:
    match = pattern.fullmatch(line_text(state, first))
    if match is None or state.is_code_block(first):
        return False
    if silent:
        return True
    indent = state.sCount[first] + INDENT
    after = indented_end(state, first + 1, end, indent)
    offset = state.bMarks[first] + state.tShift[first] + max(match.start("title"), 0)
    title = Title(match["title"] or "", offset)
    with box_tokens(state, _box(match), (first, max(after, first + 1)), title):
        tokenize_lines(state, first + 1, after, indent)
    state.line = max(after, first + 1)
    return True


def _box(match: re.Match[str]) -> Box:
    kind, *others = (match["classes"] or USUAL_DETAILS).casefold().split()
    is_details = match[0].startswith("?")
    if match["title"] == "" and not is_details:
        return Box(name=UNTITLED)
    return Box(kind=kind, fold=(match["fold"] or "-") if is_details else "", metadata=" ".join(others))
