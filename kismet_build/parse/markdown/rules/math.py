r"""`$E = mc^2$` and `$$…$$`, or `\(…\)` and `\[…\]`: formulas in LaTeX, converted to MathML."""

import re
from functools import lru_cache, partial

from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state

DOUBLE = re.compile(r"\$\$(?P<block>[^$]+)\$\$(?P<inline>)")
FORMULA = re.compile(r"\$\$(?P<block>[^$]+)\$\$|\$(?P<inline>(?![\s$])(?:[^$\\\n`]|\\[^\n])*(?<!\s))\$(?!\d)")
"""A formula between dollar signs. A digit after the last sign makes it an amount: `$5-$10`."""
BRACKETS = re.compile(r"\\\[(?P<block>[^\[\]]+)\\\]|\\\((?P<inline>[^\n`]{1,500}?)\\\)")
DOUBLE_BACKSLASHES = re.compile(
    r"\\\\\[(?P<block>(?>(?:[^\[\]\\]|\\(?!\\?\]))+))\\\\\]|\\\\\((?P<inline>[^\n`]{1,500}?)\\\\\)"
)
"""Brackets for MathJax in texts whose Markdown removes the first of two backslashes."""
MAX_FORMULA_LENGTH = 2000
"""Maximum length of a formula to convert: the time that the library takes grows faster than the length."""
TAGS = frozenset(
    (
        *("math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mroot"),
        *("mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr"),
        *("munder", "munderover"),
    )
)
"""MathML elements that a formula may have. The library does not check what is in `\\text{…}` and `\\href{…}`."""
ATTRIBUTES = frozenset(
    (
        *("accent", "columnalign", "depth", "display", "displaystyle", "fence", "form", "height", "linethickness"),
        *("lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rspace", "scriptlevel"),
        *("separator", "stretchy", "width"),
    )
)


def math(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("$", "math", partial(_parse_formula, FORMULA), signs=("$",))


def double_dollar_math(parser: Parser) -> None:
    """Add the rule for `$$` alone: in kramdown, a single dollar sign is money."""
    parser.add_inline("$", "math", partial(_parse_formula, DOUBLE), stop=r"\$\$", signs=("$$",))


def bracket_math(parser: Parser) -> None:
    """Add the rule for brackets with backslashes."""
    parser.add_inline("\\", "bracket_math", partial(_parse_formula, BRACKETS), before="escape", signs=("\\(", "\\["))


def double_backslash_math(parser: Parser) -> None:
    """Add the rule for brackets with two backslashes."""
    rule = partial(_parse_formula, DOUBLE_BACKSLASHES)
    parser.add_inline("\\", "double_backslash_math", rule, before="escape", signs=("\\\\(", "\\\\["))


def _parse_formula(pattern: re.Pattern[str], state: StateInline, silent: bool) -> bool:
    match = pattern.match(state.src, state.pos, state.posMax)
    if match is None or silent:
        return False
    latex = (match["block"] or match["inline"]).strip()
    if not latex:
        return False
    # In kramdown, a formula within a line is in the line.
    is_block = bool(match["block"]) and (pattern is not DOUBLE or len(match[0]) == len(state.src.strip()))
    mathml = to_mathml(latex, "block" if is_block else "inline")
    if mathml:
        token = state.push("math", "", 0)
        token.content, token.meta = latex, {"mathml": mathml}
    else:
        span = parse_state(state).span(state, state.pos, match.end())
        hint = "it is shown as written; look for a misspelled command or an unmatched brace"
        parse_state(state).report(warning("unreadable-math", span, "this formula cannot be read", hint))
        state.push("text", "", 0).content = match[0]
    state.pos = match.end()
    return True


@lru_cache(maxsize=1024)
def to_mathml(latex: str, display: str) -> str:
    """A formula as MathML; empty if it cannot be read. `display`: `inline` or `block`."""
    # Imported when needed: few texts contain formulas, and both libraries are slow to load.
    import nh3
    from latex2mathml import exceptions
    from latex2mathml.converter import convert

    braces = re.sub(r"\\.", "", latex, flags=re.DOTALL)
    if len(latex) > MAX_FORMULA_LENGTH or braces.count("{") != braces.count("}"):
        return ""
    # The errors of the library have no common base class, and it also raises other errors.
    errors: tuple[type[Exception], ...] = (AttributeError, LookupError, RecursionError, StopIteration)
    errors += (TypeError, ValueError, *(error for error in vars(exceptions).values() if isinstance(error, type)))
    try:
        mathml = convert(latex, display=display)
    except errors:
        return ""
    # An unknown command is passed through as a name.
    return "" if "\\" in mathml else nh3.clean(mathml, tags=set(TAGS), attributes={"*": set(ATTRIBUTES)})
