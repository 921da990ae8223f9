"""Read words as they were meant: marks that never close, odd spaces, stray punctuation. All of it is told."""

import re
from dataclasses import replace
from itertools import pairwise

from kismet_build.model.diagnostic import info, warning
from kismet_build.model.nodes import HardBreak, Inline, Link, SoftBreak, Strong, Text, plain_text
from kismet_build.model.source import Span
from kismet_build.parse.markdown.rules.odd_space import ODD, fold_spaces, tell_odd_space
from kismet_build.parse.markdown.split import after, cut
from kismet_build.parse.markdown.state import Reading

RUN_IN = 60
"""Up to this many letters a paragraph may be a heading of its own; a longer one only begins with one."""

OPENED = re.compile(r"(\*\*|__)(?![*_\s])")

DOUBLED = re.compile(r",,+")
GLUED = re.compile(r"[,;](?=[\w(])|(?=[0-9(A-Z])")
"""What stands right after a link without a space; small letters may be the ending of its word."""

SPACES = " \t"

BREAKS = (HardBreak, SoftBreak)

Inlines = tuple[Inline, ...]


def repair_words(inlines: Inlines, reading: Reading) -> Inlines:
    """The words of a block as they were meant."""
    inlines = _trimmed(inlines)
    if not inlines or not reading.repairs:
        return inlines
    inlines = _punctuation(_emphasis(inlines, reading), reading)
    match inlines:
        case (Strong(span=span, children=children), *others) if reading.odd and ODD.search(plain_text(*children)):
            tell_odd_space(reading, span, "a bold label")
            return (Strong(span, _folded(children)), *others)
        case _:
            return inlines


def repair_heading(inlines: Inlines, span: Span, reading: Reading) -> Inlines:
    """The words of a heading with plain single spaces."""
    if not reading.repairs:
        return inlines
    tell_odd_space(reading, span, "a heading")
    folded = list(_folded(inlines))
    if folded and isinstance(first := folded[0], Text):
        folded[0] = _saying(first, first.value.lstrip())
    if folded and isinstance(last := folded[-1], Text):
        folded[-1] = _saying(last, last.value.rstrip())
    return tuple(one for one in folded if not isinstance(one, Text) or one.value)


def _folded(inlines: Inlines) -> Inlines:
    return tuple(
        _saying(one, fold_spaces(one.value))
        if isinstance(one, Text)
        else replace(one, children=_folded(one.children))
        if isinstance(one, Strong | Link)
        else one
        for one in inlines
    )


def _saying(text: Text, value: str) -> Text:
    return text if value == text.value else Text(text.span, value)


def _trimmed(inlines: Inlines) -> Inlines:
    """Words without the spaces and line ends at both ends, which a comment or a name may have left there."""
    while inlines and isinstance(inlines[0], BREAKS):
        inlines = inlines[1:]
    while inlines and isinstance(inlines[-1], BREAKS):
        inlines = inlines[:-1]
    # A space that was typed as an entity is wanted.
    if inlines and isinstance(first := inlines[0], Text) and first.span.source.text[first.span.start] in SPACES:
        rest = cut(first, len(first.value) - len(first.value.lstrip(SPACES)))[1]
        inlines = (rest, *inlines[1:]) if rest.value else inlines[1:]
    if inlines and isinstance(last := inlines[-1], Text) and last.span.source.text[last.span.end - 1] in SPACES:
        rest = cut(last, len(last.value.rstrip(SPACES)))[0]
        inlines = (*inlines[:-1], rest) if rest.value else inlines[:-1]
    return inlines


def _emphasis(inlines: Inlines, reading: Reading) -> Inlines:
    """A paragraph that begins with bold that never closes: all of it, or its first words up to a colon, are bold."""
    first, *others = inlines
    mark = OPENED.match(first.value) if isinstance(first, Text) else None
    if mark is None or not isinstance(first, Text) or not first.span.text.startswith(mark[0]):
        return inlines
    here = first.span.source.span(first.span.start, first.span.start + len(mark[0]))
    hint = f"write {mark[0]} again where the bold words end"
    reading.report(warning("unclosed-emphasis", here, f"this {mark[0]} never closes", hint))
    rest = (cut(first, len(mark[0]))[1], *others)
    bold, plain = _run_in(rest) if len(plain_text(*rest)) > RUN_IN else (rest, ())
    return (Strong(first.span.source.span(here.start, bold[-1].span.end), bold), *plain)


def _run_in(inlines: Inlines) -> tuple[Inlines, Inlines]:
    """The words up to the first colon or line end, and those after it; all of them where there is none."""
    for place, inline in enumerate(inlines):
        if isinstance(inline, BREAKS) and place:
            return inlines[:place], inlines[place:]
        if isinstance(inline, Text) and ":" in inline.value:
            until = inline.value.index(":") + 1
            head, tail = cut(inline, until)
            left = (tail,) if tail.value else ()
            return (*inlines[:place], head), (*left, *inlines[place + 1 :])
    return inlines, ()


def _punctuation(inlines: Inlines, reading: Reading) -> Inlines:
    """A doubled comma after a link is one, and what is glued to a link gets its space."""
    words = list(inlines)
    for place, (before, text) in enumerate(pairwise(inlines), 1):
        if not isinstance(before, Link) or not isinstance(text, Text) or not before.span.text.startswith("["):
            continue
        start, value = text.span.start, text.value
        if doubled := DOUBLED.match(value):
            _tell(reading, text, doubled.end(), "a doubled comma after a link is read as one")
            value = value[doubled.end() - 1 :]
        if glued := GLUED.match(value):
            if not doubled:
                end = max(glued.end(), 1)
                _tell(reading, text, end, "a space is missing after a link")
            value = glued[0] + " " + value[glued.end() :]
        if value != text.value:
            words[place] = Text(text.span.source.span(start, text.span.end), value)
    return tuple(words)


def _tell(reading: Reading, text: Text, length: int, message: str) -> None:
    span = text.span.source.span(text.span.start, after(text, length))
    reading.report(info("stray-punctuation", span, message))
