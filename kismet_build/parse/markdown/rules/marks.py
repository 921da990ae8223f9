"""Marks around words: `==highlighted==`, `~~struck~~`, and elements such as `<ins>`."""

import sys
from functools import partial

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

from kismet_build.parse.markdown.inline_rules import PositionedState
from kismet_build.parse.markdown.parser import Parser

ELEMENT = "element"
"""The name of the tokens of an HTML element. The tag of a token is the name of the element."""


def push_wrapped(state: StateInline, name: str, tag: str, opening: int, content: tuple[int, int], after: int) -> None:
    """Push the inlines in the range `content` between two tokens. The marks start at `opening` and end at `after`."""
    limit = state.posMax
    state.push(f"{name}_open", tag, 1).map = [opening, content[0]]
    state.pos, state.posMax = content
    state.md.inline.tokenize(state)
    state.pos, state.posMax = after, limit
    state.push(f"{name}_close", tag, -1).map = [content[1], after]


def find_closing(state: StateInline, mark: str, start: int) -> int:
    """The position of the next mark from `start` on, or -1. A missing mark is searched for only once."""
    assert isinstance(state, PositionedState)
    if state.unclosed is None:
        state.unclosed = {}
    key = (mark, state.posMax)
    if start >= state.unclosed.get(key, sys.maxsize):
        return -1
    position = state.src.find(mark, start, state.posMax)
    if position < 0:
        state.unclosed[key] = start
    return position


def highlight(parser: Parser) -> None:
    """`==words==`: highlighted text."""
    add_double_mark(parser, "highlight", "=", "mark")


def add_double_mark(parser: Parser, name: str, mark: str, token: str, tag: str = "") -> None:
    """Add the rules for words between doubled characters such as `==`. Other modules also use this function.

    The tokens have the name `token` and this tag.
    """
    double = mark * 2
    stop = double if mark.isalnum() else "".join(f"\\{character}" for character in double)
    parser.add_inline(mark, name, partial(_parse_mark, mark), before="emphasis", stop=stop, signs=(double,))
    parser.inline.ruler2.before("emphasis", name, partial(_pair_marks, mark, token, tag))


def _parse_mark(mark: str, state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(mark * 2, state.pos):
        return False
    scanned = state.scanDelims(state.pos, True)
    if silent:
        return False
    token = state.push("text", "", 0)
    token.content = mark * scanned.length
    state.pos += scanned.length
    if scanned.length != 2:
        return True
    state.delimiters.append(
        Delimiter(
            marker=ord(mark),
            length=0,
            token=len(state.tokens) - 1,
            end=-1,
            open=scanned.can_open,
            close=scanned.can_close,
        )
    )
    return True


def _pair_marks(mark: str, name: str, tag: str, state: StateInline) -> None:
    nested = [meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta]
    for delimiters in (state.delimiters, *nested):
        for delimiter in delimiters:
            if delimiter.marker != ord(mark) or delimiter.end == -1:
                continue
            for token, suffix, nesting in (
                (state.tokens[delimiter.token], "open", 1),
                (state.tokens[delimiters[delimiter.end].token], "close", -1),
            ):
                token.type, token.tag, token.nesting, token.content = f"{name}_{suffix}", tag, nesting, ""


def strikethrough(parser: Parser) -> None:
    """`~~words~~`: strikethrough text, by markdown-it's own rule."""
    parser.inline.ruler.enable("strikethrough")
    parser.inline.ruler2.enable("strikethrough")
    parser.inline.ruler2.after("strikethrough", "tilde_places", _sort_positions)


def single_tilde(parser: Parser) -> None:
    """Accept one tilde as well as two, like GitHub."""
    parser.options["strikethrough_single_tilde"] = True


def double_tilde(parser: Parser) -> None:
    """Accept only two tildes."""
    parser.options["strikethrough_single_tilde"] = False


def _sort_positions(state: StateInline) -> None:
    """Sort the positions of tildes: if three tildes close, the rule moves the extra tilde after the closing mark."""
    for index, token in enumerate(state.tokens):
        if token.type != "text" or token.content != "~" or token.map is None:
            continue
        first = index
        while (
            first
            and state.tokens[first - 1].type == "s_close"
            and (state.tokens[first - 1].map or [0])[0] > token.map[0]
        ):
            first -= 1
        position = token.map[0]
        for close in state.tokens[first:index]:
            close.map = [position, position + len(close.markup)]
            position += len(close.markup)
        if first < index:
            token.map = [position, position + 1]
