"""`==words==`: highlighted text."""

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

from kismet_build.parse.markdown.parser import Parser

MARK = "="


def highlight(parser: Parser) -> None:
    """Add the rule for the marks, and the rule that pairs them."""
    parser.add_inline(MARK, "highlight", _parse_mark, before="emphasis", stop="==", signs=("==",))
    parser.inline.ruler2.before("emphasis", "highlight", _pair_marks)


def _parse_mark(state: StateInline, silent: bool) -> bool:
    scanned = state.scanDelims(state.pos, True)
    if silent:
        return False
    token = state.push("text", "", 0)
    token.content = MARK * scanned.length
    state.pos += scanned.length
    if scanned.length != 2:
        return True
    state.delimiters.append(
        Delimiter(
            marker=ord(MARK),
            length=0,
            token=len(state.tokens) - 1,
            end=-1,
            open=scanned.can_open,
            close=scanned.can_close,
        )
    )
    return True


def _pair_marks(state: StateInline) -> None:
    nested = [meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta]
    for delimiters in (state.delimiters, *nested):
        for delimiter in delimiters:
            if delimiter.marker != ord(MARK) or delimiter.end == -1:
                continue
            for token, name, nesting in (
                (state.tokens[delimiter.token], "mark_open", 1),
                (state.tokens[delimiters[delimiter.end].token], "mark_close", -1),
            ):
                token.type, token.nesting, token.content = name, nesting, ""
