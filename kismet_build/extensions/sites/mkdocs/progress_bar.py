"""`[=65% "Oil left"]`: a progress bar, shown as its label, or else as its value."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

BAR = re.compile(
    r"\[=+[ \t]*(?P<value>\d{1,9}(?:\.\d{1,9})?(?:%|[ \t]*/[ \t]*\d{1,9}))"
    r"""(?:[ \t]+(["'])(?P<label>[^"'\n]*)\2)?[ \t]*\]"""
)


def progress_bar(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("[", "progress_bar", _parse_bar, before="link", signs=("[=",))


def _parse_bar(state: StateInline, silent: bool) -> bool:
    match = BAR.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        token = state.push("replaced", "", 0)
        start, end = match.span("label" if match["label"] else "value")
        token.content, token.map = state.src[start:end], [start, end]
    state.pos = match.end()
    return True
