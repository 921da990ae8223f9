"""Tokens of inlines that become HTML elements, such as `<ins>`. Several rules make them."""

import sys

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.inline_rules import PositionedState

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
