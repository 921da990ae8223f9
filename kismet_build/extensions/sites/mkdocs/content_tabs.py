"""`=== "Title"`: a tab of Python-Markdown, whose content is indented by four spaces. All tabs are shown in order."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.extensions.sites.mkdocs.admonition import INDENT
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.box import (
    INTERRUPTS,
    TAB,
    TABS,
    Box,
    Title,
    box_tokens,
    indented_end,
    line_text,
    tokenize_lines,
)

TAB_MARK = re.compile(r'===(?P<sign>[!+]{0,2})[ \t]+"(?P<title>.*)"')
NEW_GROUP = "!"
"""The sign of a tab that starts a new group of tabs."""


def content_tabs(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("content_tabs", _parse_tabs, before="table", interrupts=INTERRUPTS, starts="=")


def _parse_tabs(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if state.is_code_block(first) or TAB_MARK.fullmatch(line_text(state, first)) is None:
        return False
    if silent:
        return True
    tabs = _tabs(state, first, end)
    with box_tokens(state, Box(name=TABS), (first, tabs[-1][2])):
        for line, title, after in tabs:
            with box_tokens(state, Box(name=TAB), (line, after), title):
                tokenize_lines(state, line + 1, after, state.sCount[line] + INDENT)
    state.line = tabs[-1][2]
    return True


def _tabs(state: StateBlock, first: int, end: int) -> list[tuple[int, Title, int]]:
    """The tabs of a group: for each, the line of its mark, its title, and the line after its content."""
    tabs: list[tuple[int, Title, int]] = []
    line, indent = first, state.sCount[first]
    while line < end and state.sCount[line] == indent:
        match = TAB_MARK.fullmatch(line_text(state, line))
        if match is None or (tabs and NEW_GROUP in match["sign"]):
            break
        after = max(indented_end(state, line + 1, end, indent + INDENT), line + 1)
        tabs.append(
            (line, Title(match["title"], state.bMarks[line] + state.tShift[line] + match.start("title")), after)
        )
        line = after
        while line < end and state.isEmpty(line):
            line += 1
    return tabs
