"""`R_estoration_`: emphasis that begins one or two letters late. The whole word is emphasized."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state

WORD_START = re.compile(r"(?<![\w\\])([^\W\d_]{1,2})$")
EMPHASIS = re.compile(r"_([^\W_](?:[^_\n]{1,60})[^\W_])_(?![\w])")


def split_emphasis(parser: Parser) -> None:
    """Add the rule before the rule for emphasis, which does not match inside words."""
    parser.add_inline("_", "split_emphasis", _parse_emphasis, before="emphasis")


def _parse_emphasis(state: StateInline, silent: bool) -> bool:
    if silent:
        return False
    emphasis = EMPHASIS.match(state.src, state.pos, state.posMax)
    word_start = WORD_START.search(state.src, max(state.pos - 3, 0), state.pos) if emphasis else None
    if emphasis is None or word_start is None or not state.pending.endswith(word_start[1]):
        return False
    start, word = word_start.start(1), word_start[1] + emphasis[1]
    state.pending = state.pending[: -len(word_start[1])]
    state.push("em_open", "em", 1).map = [start, state.pos]
    text = state.push("text", "", 0)
    text.content, text.map = word, [start, emphasis.end() - 1]
    state.push("em_close", "em", -1).map = [emphasis.end() - 1, emphasis.end()]
    span = parse_state(state).span(state, start, emphasis.end())
    message = f'the emphasis of "{word}" begins inside the word'
    parse_state(state).report(warning("split-emphasis", span, message, f"write _{word}_"))
    state.pos = emphasis.end()
    return True
