"""CriticMarkup: `{++added++}`, `{--removed--}`, `{~~old~>new~~}`, `{==marked==}` and `{>>a comment<<}`."""

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.element import ELEMENT, find_closing, push_wrapped

MARKS = {
    "{++": ("++}", ELEMENT, "ins"),
    "{--": ("--}", "s", ""),
    "{~~": ("~~}", "s", ""),
    "{==": ("==}", "mark", ""),
    "{>>": ("<<}", ELEMENT, "small"),
}
"""For each opening mark: the closing mark, and the name and tag of the tokens."""
SUBSTITUTION = "{~~"
ARROW = "~>"


def critic(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("{", "critic", _parse_mark, before="link", stop=r"\{(?:\+\+|--|~~|==|>>)", signs=tuple(MARKS))


def _parse_mark(state: StateInline, silent: bool) -> bool:
    opening = state.pos
    mark = state.src[opening : opening + 3]
    if mark not in MARKS:
        return False
    closing_mark, name, tag = MARKS[mark]
    start = opening + len(mark)
    end = find_closing(state, closing_mark, start)
    if end <= start:
        return False
    after = end + len(closing_mark)
    arrow = state.src.find(ARROW, start, end) if mark == SUBSTITUTION else end
    if arrow < 0:
        return False
    if silent:
        state.pos = after
        return True
    push_wrapped(state, name, tag, opening, (start, arrow), arrow if arrow < end else after)
    if arrow < end:
        push_wrapped(state, ELEMENT, "ins", arrow, (arrow + len(ARROW), end), after)
    return True
