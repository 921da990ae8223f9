"""Odd spaces: Unicode spaces other than U+0020. Odd spaces are reported, and names are read with plain spaces."""

import re

from kismet_build.model.diagnostic import info
from kismet_build.model.source import Span
from kismet_build.parse.markdown.state import ParseState

ODD_SPACE = re.compile("[\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]")
"""Matches one odd space."""

ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff]")
SPACES = re.compile("[\\s\u200b\u2060\ufeff]+")


def fold_spaces(text: str) -> str:
    """Replace each run of spaces by one plain space, and drop zero-width spaces."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text  # true for most texts, and the replacements below are much slower
    return SPACES.sub(" ", ZERO_WIDTH.sub("", text))


def report_odd_space(parse_state: ParseState, span: Span, what: str) -> None:
    """Report that a name is read with plain spaces, if the span contains an odd space."""
    if not parse_state.may_have_odd_space or not parse_state.repairs or (first := ODD_SPACE.search(span.text)) is None:
        return
    last_end = max(match.end() for match in ODD_SPACE.finditer(span.text))
    odd_span = span.source.span(span.start + first.start(), span.start + last_end)
    code = f"U+{ord(first[0]):04X}"
    parse_state.report(info("odd-space", odd_span, f"{what} has an odd space ({code}), which is read as a plain one"))
