"""`[key:: value]` and `(key:: value)`: fields in the text, as Obsidian's plugin Dataview reads them."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

KEY = r"\s*+(?P<key>[^:()\[\]\n^!][^:()\[\]\n]{0,59})::(?!:)[ \t]*+"
SQUARE = re.compile(rf"\[{KEY}(?P<value>(?>(?:[^\[\]\n]|\[\[[^\[\]\n]*+\]\]|\[[^\[\]\n]*+\])+))\](?![(\[])")
ROUND = re.compile(rf"\({KEY}(?P<value>(?>(?:[^()\n]|\([^()\n]*+\))+))\)")
"""A field in round or in square brackets. The value may contain one level of the same brackets, as links do."""


def inline_field(parser: Parser) -> None:
    """Add the rule after the rule for wiki links, which may contain colons."""
    parser.add_inline("[(", "inline_field", _parse_field, before="link", signs=("::",))


def _parse_field(state: StateInline, silent: bool) -> bool:
    form = SQUARE if state.src[state.pos] == "[" else ROUND
    match = form.match(state.src, state.pos, state.posMax)
    if match is None or not (key := match["key"].strip("*_ \t")) or not match["value"].strip():
        return False
    if not silent:
        state.push("inline_field_open", "", 1).meta = {"key": key, "shows_key": form is SQUARE}
        saved_end, (state.pos, state.posMax) = state.posMax, match.span("value")
        state.posMax -= len(match["value"]) - len(match["value"].rstrip())
        state.md.inline.tokenize(state)
        state.posMax = saved_end
        state.push("inline_field_close", "", -1)
    state.pos = match.end()
    return True
