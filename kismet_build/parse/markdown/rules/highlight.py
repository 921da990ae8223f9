"""`==words==`: highlighted text."""

from functools import partial

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

from kismet_build.parse.markdown.parser import Parser


def highlight(parser: Parser) -> None:
    """Add the rule for the marks, and the rule that pairs them."""
    add_double_mark(parser, "highlight", "=", "mark")


def add_double_mark(parser: Parser, name: str, mark: str, token: str, tag: str = "") -> None:
    """Add the rules for words between doubled characters such as `==`. Other modules also use this function.

    The tokens have the name `token` and this tag.
    """
    double = mark * 2
    stop = double if mark.isalnum() else "".join(f"\\{character}" for character in double)
    parser.add_inline(mark, name, partial(_parse_mark, mark), before="emphasis", stop=stop, signs=(double,))
    parser.inline.ruler2.before("emphasis", name, partial(_pair_marks, mark, token, tag))


def _parse_mark(mark: str, state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(mark * 2, state.pos):
        return False
    scanned = state.scanDelims(state.pos, True)
    if silent:
        return False
    token = state.push("text", "", 0)
    token.content = mark * scanned.length
    state.pos += scanned.length
    if scanned.length != 2:
        return True
    state.delimiters.append(
        Delimiter(
            marker=ord(mark),
            length=0,
            token=len(state.tokens) - 1,
            end=-1,
            open=scanned.can_open,
            close=scanned.can_close,
        )
    )
    return True


def _pair_marks(mark: str, name: str, tag: str, state: StateInline) -> None:
    nested = [meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta]
    for delimiters in (state.delimiters, *nested):
        for delimiter in delimiters:
            if delimiter.marker != ord(mark) or delimiter.end == -1:
                continue
            for token, suffix, nesting in (
                (state.tokens[delimiter.token], "open", 1),
                (state.tokens[delimiters[delimiter.end].token], "close", -1),
            ):
                token.type, token.tag, token.nesting, token.content = f"{name}_{suffix}", tag, nesting, ""
