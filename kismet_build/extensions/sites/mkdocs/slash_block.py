"""`/// note | Title`: blocks of `pymdownx.blocks`: callouts, details, tabs, captions and groups."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.box import (
    GROUP,
    INTERRUPTS,
    TAB,
    Box,
    Title,
    box_tokens,
    line_text,
    tokenize_lines,
)

MARK = re.compile(r"(?P<fence>/{3,})[ \t]*(?P<name>[a-z][\w-]*)[ \t]*(?:\|[ \t]*(?P<words>.*))?")
OPTION = re.compile(r"(?P<name>[\w-]+):[ \t]*(?P<value>.*)")
OPTION_INDENT = 4
"""Minimum indent of the options below a mark, in columns."""
CAPTIONS = frozenset(("caption", "figure-caption", "table-caption"))
CALLOUTS = frozenset(("admonition", "note", "attention", "caution", "danger", "error", "tip", "hint", "warning"))
DETAILS = "details"
GROUPS = frozenset(("html", "define"))
EXTENSIONS = {
    **dict.fromkeys(CAPTIONS, "caption"),
    **dict.fromkeys(CALLOUTS, "admonition"),
    **{name: name for name in ("html", DETAILS, TAB)},
    "define": "definition",
}
"""The extension that defines each block. The option `slash_blocks` names the extensions in use."""


def slash_block(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("slash_block", _parse_block, before="table", interrupts=INTERRUPTS, starts="/")


def _parse_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    match = MARK.fullmatch(line_text(state, first))
    extension = EXTENSIONS.get(match["name"]) if match else None
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
    with box_tokens(state, _box(name, options), (first, closing + 1), title):
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


def _box(name: str, options: dict[str, str]) -> Box:
    kind = options.get("type", "").casefold()
    if name == DETAILS:
        return Box(kind=kind or DETAILS, fold="+" if options.get("open", "").casefold() == "true" else "-")
    if name in CALLOUTS:
        return Box(kind=kind or ("note" if name == "admonition" else name))
    return Box(name=TAB if name == TAB else GROUP)
