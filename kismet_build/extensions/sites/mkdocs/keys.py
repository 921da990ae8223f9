"""`++ctrl+k++`: keys of a keyboard, in Python-Markdown."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.element import ELEMENT

KEY = r"""[\w-]+|"[^"\n]+"|'[^'\n]+'"""
KEYS = re.compile(rf"\+\+(?P<keys>(?:{KEY})(?:\+(?:{KEY}))*)\+\+(?!\+)")


def keys(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("+", "keys", _parse_keys, before="emphasis", stop=r"\+\+", signs=("++",))


def _parse_keys(state: StateInline, silent: bool) -> bool:
    match = KEYS.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        end = match.start("keys")
        for number, key in enumerate(re.finditer(KEY, match["keys"])):
            start, stop = (match.start("keys") + place for place in key.span())
            if number:
                _push_text(state, "+", start - 1, start)
            state.push(f"{ELEMENT}_open", "kbd", 1).map = [end, start]
            quoted = key[0][0] in "\"'"
            _push_text(state, key[0][1:-1] if quoted else key[0].replace("-", " ").title(), start, stop)
            end = stop
            state.push(f"{ELEMENT}_close", "kbd", -1).map = [stop, stop]
    state.pos = match.end()
    return True


def _push_text(state: StateInline, text: str, start: int, end: int) -> None:
    token = state.push("text", "", 0)
    token.content, token.map = text, [start, end]
