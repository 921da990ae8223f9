"""`*words*` and `**words**` between spaces: emphasis in its plainest form, which most has, is read at a glance."""

import re

from markdown_it.rules_inline import StateInline, emphasis

PLAIN = re.compile(r"(?<![^ \n])(?P<mark>\*\*?)(?=\S)(?P<words>[^*]+)(?<=\S)(?P=mark)(?![^ \n])")
"""The first mark can only open and the second only close, so that they pair whatever stands around them."""


def mark(state: StateInline, silent: bool) -> bool:
    """Read emphasis: by markdown-it's own rule where its marks have to be sorted out with others."""
    found = None if silent else PLAIN.match(state.src, state.pos, state.posMax)
    if found is None or state.env["rules"].stop.search(state.src, *found.span("words")):
        return emphasis.tokenize(state, silent)
    start, end = found.span("words")
    name = "strong" if len(found["mark"]) > 1 else "em"
    # Of the two characters of a mark the parser keeps the inner one.
    state.push(f"{name}_open", name, 1).map = [start - 1, start]
    words = state.push("text", "", 0)
    words.content, words.map = found["words"], [start, end]
    state.push(f"{name}_close", name, -1).map = [end, end + 1]
    state.pos = found.end()
    return True
