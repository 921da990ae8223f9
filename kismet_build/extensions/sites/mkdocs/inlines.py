"""Inlines of Python-Markdown and its extensions: CriticMarkup, keys, progress bars, raised and lowered text."""

import re
from functools import partial

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.marks import ELEMENT, add_double_mark, find_closing, push_wrapped

# --- changes of an editor: `{++added++}`

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
    """CriticMarkup: `{++added++}`, `{--removed--}`, `{~~old~>new~~}`, `{==marked==}` and `{>>a comment<<}`."""
    parser.add_inline("{", "critic", _parse_critic, before="link", stop=r"\{(?:\+\+|--|~~|==|>>)", signs=tuple(MARKS))


def _parse_critic(state: StateInline, silent: bool) -> bool:
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


# --- keys: `++ctrl+x++`

KEY = r"""[\w-]+|"[^"\n]+"|'[^'\n]+'"""
KEYS = re.compile(rf"\+\+(?P<keys>(?:{KEY})(?:\+(?:{KEY}))*)\+\+(?!\+)")


def keys(parser: Parser) -> None:
    """`++ctrl+k++`: keys of a keyboard, in Python-Markdown."""
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


# --- progress bars: `[=50% "half"]`

BAR = re.compile(
    r"\[=+[ \t]*(?P<value>\d{1,9}(?:\.\d{1,9})?(?:%|[ \t]*/[ \t]*\d{1,9}))"
    r"""(?:[ \t]+(["'])(?P<label>[^"'\n]*)\2)?[ \t]*\]"""
)


def progress_bar(parser: Parser) -> None:
    """`[=65% "Oil left"]`: a progress bar, shown as its label, or else as its value."""
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


# --- raised and lowered text: `^2^`, `~2~`

RAISED = re.compile(r"\^(?!\^)((?:\\.|[^\s\\^])+)\^(?!\^)")
LOWERED = re.compile(r"~(?!~)((?:\\.|[^\s\\~])+)~(?!~)")


def caret(parser: Parser) -> None:
    """`^^inserted^^` and `^raised^`. Raised words have no spaces."""
    _add_single_mark(parser, "^", "superscript", RAISED, "sup")
    add_double_mark(parser, "insertion", "^", ELEMENT, "ins")


def tilde(parser: Parser) -> None:
    """`~~struck~~` and `~lowered~`."""
    _add_single_mark(parser, "~", "subscript", LOWERED, "sub")
    add_double_mark(parser, "deletion", "~", "s")


def _add_single_mark(parser: Parser, mark: str, name: str, pattern: re.Pattern[str], tag: str) -> None:
    parser.add_inline(mark, name, partial(_parse_single_mark, pattern, tag), before="emphasis", signs=(mark,))


def _parse_single_mark(pattern: re.Pattern[str], tag: str, state: StateInline, silent: bool) -> bool:
    match = pattern.match(state.src, state.pos, state.posMax)
    if match is None or state.src[state.pos - 1 : state.pos] == match[0][0]:
        return False
    if silent:
        state.pos = match.end()
    else:
        push_wrapped(state, ELEMENT, tag, match.start(), match.span(1), match.end())
    return True
