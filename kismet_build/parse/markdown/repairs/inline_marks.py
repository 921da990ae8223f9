"""Repair inlines: unclosed bold, odd spaces, stray punctuation."""

import re
from dataclasses import replace
from itertools import pairwise

from kismet_build.model.diagnostic import info, warning
from kismet_build.model.nodes import HardBreak, Inline, Link, SoftBreak, Strong, Text, plain_text
from kismet_build.model.source import Span
from kismet_build.parse.markdown.rules.odd_space import ODD_SPACE, fold_spaces, report_odd_space
from kismet_build.parse.markdown.split_text import offset_after, split_text
from kismet_build.parse.markdown.state import ParseState

MAX_BOLD_PARAGRAPH = 60
"""Maximum number of characters in a paragraph that becomes bold as a whole.

In a longer paragraph, bold ends after the first colon or before the first line break.
"""

OPENING_MARK = re.compile(r"(\*\*|__)(?![*_\s])")

DOUBLED_COMMA = re.compile(r",,+")
MISSING_SPACE = re.compile(r"[,;](?=[\w(])|(?=[0-9(A-Z])")
"""Matches text right after a link that needs a space. Lower-case letters may be the ending of the link's last word."""

SPACES = " \t"

BREAKS = (HardBreak, SoftBreak)

Inlines = tuple[Inline, ...]


def repair_inlines(inlines: Inlines, state: ParseState) -> Inlines:
    """Repair the inline content of a block."""
    inlines = _strip(inlines)
    if not inlines or not state.repairs:
        return inlines
    inlines = _repair_punctuation(_repair_unclosed_bold(inlines, state), state)
    match inlines:
        case (Strong(span=span, children=children), *others) if state.may_have_odd_space and ODD_SPACE.search(
            plain_text(*children)
        ):
            report_odd_space(state, span, "a bold label")
            return (Strong(span, _fold_inlines(children)), *others)
        case _:
            return inlines


def repair_heading(inlines: Inlines, span: Span, state: ParseState) -> Inlines:
    """Normalize the spaces in a heading."""
    if not state.repairs:
        return inlines
    report_odd_space(state, span, "a heading")
    folded = list(_fold_inlines(inlines))
    if folded and isinstance(first := folded[0], Text):
        folded[0] = _with_value(first, first.value.lstrip())
    if folded and isinstance(last := folded[-1], Text):
        folded[-1] = _with_value(last, last.value.rstrip())
    return tuple(inline for inline in folded if not isinstance(inline, Text) or inline.value)


def _fold_inlines(inlines: Inlines) -> Inlines:
    return tuple(
        _with_value(inline, fold_spaces(inline.value))
        if isinstance(inline, Text)
        else replace(inline, children=_fold_inlines(inline.children))
        if isinstance(inline, Strong | Link)
        else inline
        for inline in inlines
    )


def _with_value(text: Text, value: str) -> Text:
    return text if value == text.value else Text(text.span, value)


def _strip(inlines: Inlines) -> Inlines:
    """Strip white space at both ends, which may remain after a comment or block id is removed."""
    while inlines and isinstance(inlines[0], BREAKS):
        inlines = inlines[1:]
    while inlines and isinstance(inlines[-1], BREAKS):
        inlines = inlines[:-1]
    # A space that is written as an entity is intended.
    if inlines and isinstance(first := inlines[0], Text) and first.span.source.text[first.span.start] in SPACES:
        rest = split_text(first, len(first.value) - len(first.value.lstrip(SPACES)))[1]
        inlines = (rest, *inlines[1:]) if rest.value else inlines[1:]
    if inlines and isinstance(last := inlines[-1], Text) and last.span.source.text[last.span.end - 1] in SPACES:
        rest = split_text(last, len(last.value.rstrip(SPACES)))[0]
        inlines = (*inlines[:-1], rest) if rest.value else inlines[:-1]
    return inlines


def _repair_unclosed_bold(inlines: Inlines, state: ParseState) -> Inlines:
    """Repair a paragraph that begins with unclosed bold: make it bold as a whole or, if it is long, only its start."""
    first, *others = inlines
    mark = OPENING_MARK.match(first.value) if isinstance(first, Text) else None
    if mark is None or not isinstance(first, Text) or not first.span.text.startswith(mark[0]):
        return inlines
    mark_span = first.span.source.span(first.span.start, first.span.start + len(mark[0]))
    hint = f"close it with {mark[0]} where the bold words end"
    state.report(warning("unclosed-emphasis", mark_span, f"this {mark[0]} is never closed", hint))
    rest = (split_text(first, len(mark[0]))[1], *others)
    bold, plain = _split_at_colon(rest) if len(plain_text(*rest)) > MAX_BOLD_PARAGRAPH else (rest, ())
    return (Strong(first.span.source.span(mark_span.start, bold[-1].span.end), bold), *plain)


def _split_at_colon(inlines: Inlines) -> tuple[Inlines, Inlines]:
    """Split inlines after the first colon or before the first line break.

    If there is neither, the second part is empty.
    """
    for index, inline in enumerate(inlines):
        if isinstance(inline, BREAKS) and index:
            return inlines[:index], inlines[index:]
        if isinstance(inline, Text) and ":" in inline.value:
            length = inline.value.index(":") + 1
            head, tail = split_text(inline, length)
            rest = (tail,) if tail.value else ()
            return (*inlines[:index], head), (*rest, *inlines[index + 1 :])
    return inlines, ()


def _repair_punctuation(inlines: Inlines, state: ParseState) -> Inlines:
    """Reduce double commas after links to one, and insert missing spaces after links."""
    result = list(inlines)
    for index, (before, text) in enumerate(pairwise(inlines), 1):
        if not isinstance(before, Link) or not isinstance(text, Text) or not before.span.text.startswith("["):
            continue
        start, value = text.span.start, text.value
        if on_duplicate := DOUBLED_COMMA.match(value):
            _report(state, text, on_duplicate.end(), "there are two commas after this link; they are read as one")
            value = value[on_duplicate.end() - 1 :]
        if glued := MISSING_SPACE.match(value):
            if not on_duplicate:
                end = max(glued.end(), 1)
                _report(state, text, end, "there is no space after this link")
            value = glued[0] + " " + value[glued.end() :]
        if value != text.value:
            result[index] = Text(text.span.source.span(start, text.span.end), value)
    return tuple(result)


def _report(state: ParseState, text: Text, length: int, message: str) -> None:
    span = text.span.source.span(text.span.start, offset_after(text, length))
    state.report(info("stray-punctuation", span, message))
