"""`**Label: ** words`: bold with a space before its closing mark, which Markdown reads as an opening mark."""

import re

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state

MARK = "*"
LABEL = re.compile(r"(?<!\w)\*\*(?=[^\s*:])([^*\n]*:) $")
"""An opening mark and a label at the end of a text. In `**Label**: `, the last mark is a closing mark."""


def spaced_label(parser: Parser) -> None:
    """Add the rule before the rule for emphasis, which would pair the marks."""
    parser.add_inline(MARK, "spaced_label", _parse_closing_mark, before="emphasis", signs=(": **",))


def _parse_closing_mark(state: StateInline, silent: bool) -> bool:
    start, end = state.pos, state.pos + 2
    label = None
    if not silent and state.src.startswith(": **", start - 2):
        # A label cannot contain a star. Searching from the start of the text would be slow in a text with many labels.
        label = LABEL.search(state.src, max(state.src.rfind(2 * MARK, 0, start), 0), start)
    if label is None or state.src.startswith(MARK, end):
        return False
    for _ in range(2):
        state.push("text", "", 0).content = MARK
        closing = Delimiter(marker=ord(MARK), length=2, token=len(state.tokens) - 1, end=-1, open=False, close=True)
        state.delimiters.append(closing)
    span = parse_state(state).span(state, start - 1, end)
    hint = f"write **{label[1]}**"
    parse_state(state).report(warning("unclosed-emphasis", span, "there is a space before the closing **", hint))
    state.pos = end
    return True
