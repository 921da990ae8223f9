"""`[[Bk2]](#_msocom_2)`: the mark of a comment that a word processor left behind."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, reading

RESIDUE = re.compile(
    r"\[?\[[A-Za-z]{1,3}\d{1,3}\]\]?\(#_mso(?:com|anchor)_\d+\)"
    # Initials and a number alone, as in [Bk2]; capitals and a number, as in [HP3], may be words of the rules.
    r"|(?<!\[)\[[A-Z][a-z]\d{1,3}\](?![\[(:\]])"
)


def comment_residue(parser: Parser) -> None:
    """Add the rule. It stands before those of links, which such a mark looks like."""
    parser.add_inline("[", "comment_residue", _mark, before="link")


def _mark(state: StateInline, silent: bool) -> bool:
    found = RESIDUE.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        if state.pending:
            state.pushPending()
        span = reading(state).span(state, *found.span())
        message = f'"{found[0]}" is the mark of a comment in a word processor'
        reading(state).report(warning("comment-residue", span, message, "delete it; it is not shown"))
    state.pos = found.end()
    return True
