"""Spaces that look like a space and are none: folded in names, and told."""

import re

from kismet_build.model.diagnostic import info
from kismet_build.model.source import Span
from kismet_build.parse.markdown.state import Reading

ODD = re.compile("[\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]")
"""The spaces of Unicode that are not the one on the keyboard."""

NO_WIDTH = re.compile("[\u200b\u2060\ufeff]")
RUN = re.compile("[\\s\u200b\u2060\ufeff]+")


def fold_spaces(text: str) -> str:
    """A text with every run of spaces as one plain space; odd spaces without width are dropped."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text  # nearly always, and known much faster
    return RUN.sub(" ", NO_WIDTH.sub("", text))


def tell_odd_space(reading: Reading, span: Span, where: str) -> None:
    """Say that a name is read with plain spaces, at its first odd one."""
    if not reading.odd or not reading.repairs or (found := ODD.search(span.text)) is None:
        return
    last = max(place.end() for place in ODD.finditer(span.text))
    here = span.source.span(span.start + found.start(), span.start + last)
    code = f"U+{ord(found[0]):04X}"
    reading.report(info("odd-space", here, f"{where} holds an odd space ({code}), read as a plain one"))
