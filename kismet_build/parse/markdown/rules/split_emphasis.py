"""`R_estoration_`: emphasis that begins a letter too late."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, reading

BEFORE = re.compile(r"(?<![\w\\])([^\W\d_]{1,2})$")
MARKED = re.compile(r"_([^\W_](?:[^_\n]{1,60})[^\W_])_(?![\w])")


def split_emphasis(parser: Parser) -> None:
    """Add the rule. It stands before that of emphasis, which lets no underscore begin inside a word."""
    parser.add_inline("_", "split_emphasis", _emphasis, before="emphasis")


def _emphasis(state: StateInline, silent: bool) -> bool:
    if silent:
        return False
    marked = MARKED.match(state.src, state.pos, state.posMax)
    before = BEFORE.search(state.src, max(state.pos - 3, 0), state.pos) if marked else None
    if marked is None or before is None or not state.pending.endswith(before[1]):
        return False
    start, word = before.start(1), before[1] + marked[1]
    state.pending = state.pending[: -len(before[1])]
    state.push("em_open", "em", 1).map = [start, state.pos]
    text = state.push("text", "", 0)
    text.content, text.map = word, [start, marked.end() - 1]
    state.push("em_close", "em", -1).map = [marked.end() - 1, marked.end()]
    span = reading(state).span(state, start, marked.end())
    message = f'the emphasis of "{word}" begins inside the word'
    reading(state).report(warning("split-emphasis", span, message, f"write _{word}_"))
    state.pos = marked.end()
    return True
