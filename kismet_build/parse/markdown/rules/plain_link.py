"""`[words](address)`: a link in its plainest form, which nearly all have, is read at a glance."""

import re

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline import link as any_link

PLAIN = re.compile(r"\[(?P<words>[^\[\]]+)\]\((?P<address>[^\x00-\x20\x7f()<>\\&]+)\)")
"""Nothing in its address is escaped, an entity or a title."""


def link(state: StateInline, silent: bool) -> bool:
    """Read a link: by markdown-it's own rule where there is more to it than plain words and an address."""
    found = PLAIN.match(state.src, state.pos, state.posMax)
    if found is None or state.env["rules"].stop.search(state.src, *found.span("words")):
        return any_link(state, silent)
    if not silent:
        state.push("link_open", "a", 1).attrs = {"href": found["address"]}
        words = state.push("text", "", 0)
        words.content, words.map = found["words"], list(found.span("words"))
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True
