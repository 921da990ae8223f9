"""Blocks that contain blocks: `> [!note] Title`, a callout, and the tokens of all boxes, which several rules make."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import MappedText

# --- callouts

OBSIDIAN_TITLE = re.compile(
    r"\[!(?P<kind>[^\]|\n]*[^\]|\s])\s*(?:\|(?P<metadata>[^\]\n]*))?\](?P<fold>[+-]?)[ \t]*(?P<title>.*)"
)
GITHUB_TITLE = re.compile(
    r"\[!(?P<kind>note|tip|important|warning|caution)\](?P<metadata>)(?P<fold>)[ \t]*(?P<title>)$", re.IGNORECASE
)
HUGO_TITLE = re.compile(r"\[!(?P<kind>[\w-]+)\](?P<metadata>)(?P<fold>[+-]?)(?P<title>(?:[ \t].*)?)$")


def callout(parser: Parser) -> None:
    """Add Obsidian's rule: any kind, with a title and a fold sign."""
    parser.add_block("callout", partial(_parse_title, OBSIDIAN_TITLE), before="table", starts="[")


def github_callout(parser: Parser) -> None:
    """Add GitHub's rule: five kinds, on a line without other text."""
    parser.add_block("github_callout", partial(_parse_title, GITHUB_TITLE), before="table", starts="[")


def alert(parser: Parser) -> None:
    """Add Hugo's rule: any kind that is one word, with a title and a fold sign."""
    parser.add_block("alert", partial(_parse_title, HUGO_TITLE), before="table", starts="[")


def _parse_title(pattern: re.Pattern[str], state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    """Parse the first line of a quote as a callout title. The other lines are parsed as the content of the quote."""
    opened = state.tokens[-1] if state.tokens else None
    if silent or opened is None or opened.type != "blockquote_open" or opened.map is None or opened.map[0] != first:
        return False
    start = state.bMarks[first] + state.tShift[first]
    end = start + len(state.src[start : state.eMarks[first]].rstrip())
    match = pattern.match(state.src, start, end)
    if match is None or state.is_code_block(first):
        return False
    token = state.push("callout_title_open", "", 1)
    token.map = [first, first + 1]
    token.meta["callout"] = {
        "kind": " ".join(match["kind"].split()).casefold(),
        "metadata": (match["metadata"] or "").strip(),
        "fold": match["fold"],
    }
    inline = state.push("inline", "", 0)
    inline.map = [first, first + 1]
    title = match["title"].lstrip()
    inline.content = title
    inline.meta["content"] = MappedText(title, ((0, match.end("title") - len(title)),))
    state.push("callout_title_close", "", -1)
    state.line = first + 1
    return True


# --- boxes

INTERRUPTS = ("paragraph", "reference", "blockquote", "list", "footnote")
"""The types of blocks that end before a mark on a line of its own."""
UNTITLED = "callout"
"""The name of the group for a callout that its author left untitled."""
GROUP = "titled"
"""The name of a group of blocks with a title, such as code with a file name."""
TABS = "tabs"
"""The name of a group of tabs."""
TAB = "tab"
"""The name of the group for a single tab, whose first block is the title."""


class Box(NamedTuple):
    """What becomes of the blocks in a box: a `Callout` of this kind, or a `Div` with this name."""

    kind: str = ""
    name: str = ""
    fold: str = ""
    metadata: str = ""
    block_id: str = ""


class Title(NamedTuple):
    """The title of a box: its words, and where they start in the source."""

    text: str
    offset: int


@contextmanager
def box_tokens(
    state: StateBlock,
    box: Box,
    lines: tuple[int, int],
    title: Title | None = None,
    span: tuple[int, int] | None = None,
) -> Iterator[None]:
    """Push the tokens that open and close a box on these lines. Tokens pushed in between are its content.

    `span`: the range of the box in the source, if the lines contain more than the box.
    """
    token = state.push("box_open", "", 1)
    token.map, token.meta = list(lines), {"box": box, **({"span": span} if span else {})}
    if title is not None and title.text:
        state.push("box_title_open", "", 1).map = [lines[0], lines[0] + 1]
        inline = state.push("inline", "", 0)
        inline.map, inline.content = [lines[0], lines[0] + 1], title.text
        inline.meta["content"] = MappedText(title.text, ((0, title.offset),))
        state.push("box_title_close", "", -1)
    yield
    state.push("box_close", "", -1)


def tokenize_lines(state: StateBlock, begin: int, end: int, indent: int) -> None:
    """Parse the blocks on lines that are indented by at least this number of columns."""
    while begin < end and state.isEmpty(begin):
        begin += 1
    if begin >= end:
        return
    saved = state.blkIndent, state.lineMax, state.parentType
    # markdown-it continues a paragraph up to `lineMax`, even beyond the end given to `tokenize`.
    state.blkIndent, state.lineMax, state.parentType = indent, end, "box"
    state.md.block.tokenize(state, begin, end)
    state.blkIndent, state.lineMax, state.parentType = saved


def indented_end(state: StateBlock, first: int, end: int, indent: int) -> int:
    """The line after the last non-blank line that is indented by at least this number of columns."""
    after = first
    for line in range(first, end):
        if state.isEmpty(line):
            continue
        if state.sCount[line] < indent:
            break
        after = line + 1
    return after


def line_text(state: StateBlock, line: int) -> str:
    """The text of a line, without its indent and the spaces at its end."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip(" \t")


def move_start(state: StateBlock, line: int, offset: int) -> None:
    """Move the start of a line to the first character after this offset."""
    rest = state.src[offset : state.eMarks[line]]
    state.bMarks[line] = offset + len(rest) - len(rest.lstrip(" \t"))
    state.tShift[line], state.sCount[line] = 0, state.blkIndent


def parse_rest(state: StateBlock, line: int, end: int, offset: int) -> None:
    """Parse the block that starts after this offset in a line, and continue after it."""
    saved = state.bMarks[line], state.tShift[line], state.sCount[line]
    move_start(state, line, offset)
    for rule in state.md.block.ruler.getRules(""):
        if rule(state, line, end, False):
            break
    state.bMarks[line], state.tShift[line], state.sCount[line] = saved


def skip_to(state: StateBlock, line: int, offset: int) -> None:
    """Continue after this offset in a line: on the same line if text follows, or else on the next line."""
    state.line = line + 1
    if state.src[offset : state.eMarks[line]].strip():
        state.line = line
        move_start(state, line, offset)
