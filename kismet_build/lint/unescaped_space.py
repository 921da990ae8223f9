"""`unescaped-space`: a link or image with a space in its target, which most programs show as plain text.

Parsing cannot report it, because the message shows the line, which may contain the name of a private text.
"""

import re
from collections.abc import Iterator

from kismet_build.model.diagnostic import Diagnosed, Diagnostic, warning
from kismet_build.model.nodes import Document, Image, Link, walk

TARGET = re.compile(r"\]\(\s*(?P<target>[^\s<][^\"<\n]*?)\s*\)$")
SPACE_IN_TARGET = re.compile(r"\]\((?>(?:(?!\]\()[^<\n ])*) ")
"""A fast test: a text without a match has no such target, and its nodes are not searched."""

WITH_TITLE = re.compile(r"\S+ +(?:\"[^\"]*\"|'[^']*')")
"""A target without spaces, followed by a title, which may be empty."""
HINT = "write < before the target and > after it, or %20 for each space"


def unescaped_space(document: Document) -> Diagnosed[None]:
    """A diagnostic for each target with unescaped spaces in a document."""
    return Diagnosed(None, tuple(_spaced(document)) if SPACE_IN_TARGET.search(document.source.text) else ())


def _spaced(document: Document) -> Iterator[Diagnostic]:
    in_properties = {node.span for node in walk(*document.properties)}
    for node in document.links:
        if isinstance(node, Link | Image) and not node.wiki and not node.title and node.span not in in_properties:
            typed = TARGET.search(node.span.text)
            if typed is not None and " " in typed["target"] and not WITH_TITLE.fullmatch(typed["target"]):
                start, end = typed.span("target")
                what = "picture" if isinstance(node, Image) else "link"
                span = node.span.source.span(node.span.start + start, node.span.start + end)
                yield warning("unescaped-space", span, f"the target of this {what} has a space", HINT)
