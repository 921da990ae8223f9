"""`[[Bk2]](#_msocom_2)`: the residue of a word processor comment, removed and reported."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state

RESIDUE = re.compile(
    r"\[?\[[A-Za-z]{1,3}\d{1,3}\]\]?\(#_mso(?:com|anchor)_\d+\)"
    # Initials and a number, such as [Bk2]. Capitals and a number, such as [HP3], may be terms of a game.
    r"|(?<!\[)\[[A-Z][a-z]\d{1,3}\](?![\[(:\]])"
)


def comment_residue(parser: Parser) -> None:
    """Add the rule before the rules for links, which would also match."""
    parser.add_inline("[", "comment_residue", _parse_residue, before="link")


def _parse_residue(state: StateInline, silent: bool) -> bool:
    match = RESIDUE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        if state.pending:
            state.pushPending()
        span = parse_state(state).span(state, *match.span())
        message = f'"{match[0]}" is left over from a word processor comment'
        parse_state(state).report(warning("comment-residue", span, message, "delete it; it is not shown"))
    state.pos = match.end()
    return True
