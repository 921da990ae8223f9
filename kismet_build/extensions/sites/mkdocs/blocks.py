"""Blocks of Python-Markdown and its extensions: callouts, tabs, titled code, marks of contents."""

import re
from functools import partial

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.box import (
    GROUP,
    INTERRUPTS,
    TAB,
    TABS,
    UNTITLED,
    Box,
    Title,
    box_tokens,
    indented_end,
    line_text,
    tokenize_lines,
)
from kismet_build.parse.markdown.state import MappedText, ParseState

# --- boxes: `!!! note`, `??? note`

CLASSES = r"[\w-]+(?: +[\w-]+)*"
TITLE = r'[ \t]+"(?P<title>.*)"'
ADMONITION = re.compile(rf"!!!(?P<fold>)[ \t]*(?P<classes>{CLASSES})(?:{TITLE})?")
FOLDED = re.compile(rf"\?\?\?(?P<fold>\+?)(?=[ \t]*[\w\"-])[ \t]*(?P<classes>{CLASSES})?(?:{TITLE})?")
INDENT = 4
"""Indent of the content relative to the mark, in columns."""
USUAL_DETAILS = "details"
"""The kind of a callout with a title but no kind."""


def admonition(parser: Parser) -> None:
    """`!!! note "Title"`: a callout, whose content is indented by four spaces."""
    parser.add_block("admonition", partial(_parse_box, ADMONITION), before="table", interrupts=INTERRUPTS, starts="!")


def details(parser: Parser) -> None:
    """`??? note`: a callout that can be folded, closed at first; with `???+`, it is open."""
    parser.add_block("details", partial(_parse_box, FOLDED), before="table", interrupts=INTERRUPTS, starts="?")


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
    with box_tokens(state, _callout_box(match), (first, max(after, first + 1)), title):
        tokenize_lines(state, first + 1, after, indent)
    state.line = max(after, first + 1)
    return True


def _callout_box(match: re.Match[str]) -> Box:
    kind, *others = (match["classes"] or USUAL_DETAILS).casefold().split()
    is_details = match[0].startswith("?")
    if match["title"] == "" and not is_details:
        return Box(name=UNTITLED)
    return Box(kind=kind, fold=(match["fold"] or "-") if is_details else "", metadata=" ".join(others))


# --- tabs: `=== "Title"`

TAB_MARK = re.compile(r'===(?P<sign>[!+]{0,2})[ \t]+"(?P<title>.*)"')
NEW_GROUP = "!"
"""The sign of a tab that starts a new group of tabs."""


def content_tabs(parser: Parser) -> None:
    """`=== "Title"`: a tab, whose content is indented by four spaces. All tabs are shown in order."""
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


# --- blocks between two marks: `/// note`

SLASH_MARK = re.compile(r"(?P<fence>/{3,})[ \t]*(?P<name>[a-z][\w-]*)[ \t]*(?:\|[ \t]*(?P<words>.*))?")
OPTION = re.compile(r"(?P<name>[\w-]+):[ \t]*(?P<value>.*)")
OPTION_INDENT = 4
"""Minimum indent of the options below a mark, in columns."""
CAPTIONS = frozenset(("caption", "figure-caption", "table-caption"))
CALLOUTS = frozenset(("admonition", "note", "attention", "caution", "danger", "error", "tip", "hint", "warning"))
SLASH_DETAILS = "details"
GROUPS = frozenset(("html", "define"))
EXTENSIONS_OF_BLOCKS = {
    **dict.fromkeys(CAPTIONS, "caption"),
    **dict.fromkeys(CALLOUTS, "admonition"),
    **{name: name for name in ("html", SLASH_DETAILS, TAB)},
    "define": "definition",
}
"""The extension that defines each block. The option `slash_blocks` names the extensions in use."""


def slash_block(parser: Parser) -> None:
    """`/// note | Title`: blocks of `pymdownx.blocks`: callouts, details, tabs, captions and groups."""
    parser.add_block("slash_block", _parse_block, before="table", interrupts=INTERRUPTS, starts="/")


def _parse_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    match = SLASH_MARK.fullmatch(line_text(state, first))
    extension = EXTENSIONS_OF_BLOCKS.get(match["name"]) if match else None
    if match is None or extension not in parse_state(state).options["slash_blocks"] or state.is_code_block(first):
        return False
    closing = _closing_line(state, match["fence"], first + 1, end)
    if closing is None:
        return False
    if silent:
        return True
    begin, options = first + 1, {}
    while begin < closing and state.sCount[begin] - state.blkIndent >= OPTION_INDENT and not state.isEmpty(begin):
        if option := OPTION.fullmatch(line_text(state, begin)):
            options[option["name"]] = option["value"].strip("\"' ")
        begin += 1
    offset = state.bMarks[first] + state.tShift[first] + max(match.start("words"), 0)
    name = match["name"]
    title = Title(match["words"] or "", offset) if name not in CAPTIONS | GROUPS else None
    with box_tokens(state, _slash_box(name, options), (first, closing + 1), title):
        tokenize_lines(state, begin, closing, state.blkIndent)
    state.line = closing + 1
    return True


def _closing_line(state: StateBlock, fence: str, begin: int, end: int) -> int | None:
    """The line that closes a block: only its slashes. `None` if the surrounding block ends first."""
    unclosed: dict[str, int] = state.env.setdefault("unclosed_slashes", {})
    if begin >= unclosed.get(fence, end):
        return None
    for line in range(begin, end):
        if not state.isEmpty(line) and state.sCount[line] < state.blkIndent:
            return None
        if line_text(state, line) == fence:
            return line
    unclosed[fence] = begin
    return None


def _slash_box(name: str, options: dict[str, str]) -> Box:
    kind = options.get("type", "").casefold()
    if name == SLASH_DETAILS:
        return Box(kind=kind or SLASH_DETAILS, fold="+" if options.get("open", "").casefold() == "true" else "-")
    if name in CALLOUTS:
        return Box(kind=kind or ("note" if name == "admonition" else name))
    return Box(name=TAB if name == TAB else GROUP)


# --- titles of code blocks

TITLE_ARGUMENT = re.compile(r"""\btitle=(?P<quote>["'])(?P<title>(?>(?:(?!(?P=quote))[^\n])*))(?P=quote)""")
"""The title of a code block in MkDocs: `title="bilge.txt"`."""


def titles_in_arguments(parser: Parser) -> None:
    """Show the titles of code blocks given as an argument, as in MkDocs."""
    parser.transforms.append(_with_titles)


def _with_titles(tokens: list[Token], state: ParseState) -> None:
    result: list[Token] = []
    for token in tokens:
        match = TITLE_ARGUMENT.search(token.info) if token.type == "fence" else None
        if match is None:
            result.append(token)
            continue
        title = match["title"].strip()
        first, end = token.meta["span"]
        # The parser replaces null characters, so the info string may not be in the source.
        start = max(state.source.text.find(token.info, first, end), first) + match.start("title")
        span = {"span": token.meta["span"]}
        content = MappedText(title, ((0, start),))
        result += (
            Token("box_open", "", 1, meta={**span, "box": Box(name=GROUP)}),
            Token("box_title_open", "", 1, meta=span),
            Token("inline", "", 0, content=title, meta={**span, "content": content}),
            Token("box_title_close", "", -1, meta=span),
            token,
            Token("box_close", "", -1, meta=span),
        )
    tokens[:] = result


# --- the mark of a table of contents

CONTENTS_MARK = re.compile(r"\[TOC\]|\[\[TOC\]\]", re.IGNORECASE)


def contents_mark(parser: Parser) -> None:
    """`[TOC]`, or the option `contents_mark`: the place of a table of contents, which each page has anyway."""
    parser.add_block("contents_mark", _parse_mark, before="table", interrupts=("paragraph",))


def _parse_mark(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    line, mark = line_text(state, first), parse_state(state).options.get("contents_mark")
    is_mark = CONTENTS_MARK.fullmatch(line) is not None if mark is None else line == mark
    if not is_mark or state.is_code_block(first):
        return False
    if not silent:
        state.line = first + 1
    return True
