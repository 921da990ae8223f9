"""Symbols typed as several characters: `(c)` in `pymdownx.smartsymbols`, `--` and `<<` in kramdown and Goldmark.

Ordinal numbers, which the extension raises, and quotation marks stay as typed: they are often a part of a name.
"""

import re
from functools import partial

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

SYMBOLS = {
    **{"(tm)": "™", "(c)": "©", "(r)": "®", "+/-": "±", "=/=": "≠", "c/o": "℅"},
    **{"-->": "→", "<--": "←", "<-->": "↔", "---": "—", "--": "–", "...": "…", "<<": "«", ">>": "»"},
    **{"1/4": "¼", "1/2": "½", "3/4": "¾", "1/3": "⅓", "2/3": "⅔", "1/5": "⅕", "2/5": "⅖", "3/5": "⅗", "4/5": "⅘"},
    **{"1/6": "⅙", "5/6": "⅚", "1/8": "⅛", "3/8": "⅜", "5/8": "⅝", "7/8": "⅞"},
}
SYMBOL = re.compile(
    r"\((?:tm|c|r)\)|\+/-|=/=|\bc/o\b|<-->|(?<!-)-->|<--(?!-)|(?<!\d)(?:[123]/4|[1-4]/5|[12]/3|[15]/6|[1357]/8|1/2)(?!\d)"
)
STARTS = "(+=c<-123457"
STOP = rf"(?=[{re.escape(STARTS)}])(?:{SYMBOL.pattern})"
DASHES_AND_DOTS = re.compile(r"---?|\.\.\.")
TYPOGRAPHY = re.compile(r"---?|\.\.\.|<<|>>")


def smart_symbols(parser: Parser) -> None:
    """Add the rule of the extension."""
    signs = ("/", "--", "(tm)", "(c)", "(r)")
    rule = partial(_parse_symbol, SYMBOL)
    parser.add_inline(STARTS, "smart_symbols", rule, before="link", stop=STOP, signs=signs)


def typographic_symbols(parser: Parser) -> None:
    """Add the rule for dashes, dots and angle quotes, as in Jekyll and Hugo."""
    signs = ("--", "...", "<<", ">>")
    stop = rf"(?=[-.<>])(?:{TYPOGRAPHY.pattern})"
    rule = partial(_parse_symbol, TYPOGRAPHY)
    parser.add_inline("-.<>", "typographic_symbols", rule, before="autolink", stop=stop, signs=signs)


def dashes_and_dots(parser: Parser) -> None:
    """Add the rule for dashes and dots, as in mdBook and the extension `smarty` of Python-Markdown."""
    rule = partial(_parse_symbol, DASHES_AND_DOTS)
    stop = rf"(?=[-.])(?:{DASHES_AND_DOTS.pattern})"
    parser.add_inline("-.", "dashes_and_dots", rule, before="autolink", stop=stop, signs=("--", "..."))


def _parse_symbol(pattern: re.Pattern[str], state: StateInline, silent: bool) -> bool:
    match = pattern.match(state.src, state.pos, state.posMax)
    symbol = SYMBOLS.get(match[0]) if match else None
    if match is None or symbol is None:
        return False
    if not silent:
        if state.pending:
            state.pushPending()
        token = state.push("replaced", "", 0)
        token.content, token.map = symbol, [*match.span()]
    state.pos = match.end()
    return True
