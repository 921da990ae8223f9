"""Tokens of blocks that contain blocks: callouts, tabs and other groups. Several rules make them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.state import MappedText

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
