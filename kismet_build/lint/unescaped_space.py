"""`unescaped-space`: a link or picture whose target has a space, which most programs show as words.

It is not reported while the text is read, because the message shows the line: a link to a private text has none.
"""

import re
from collections.abc import Iterator

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import Document, Image, Link, walk
from kismet_build.model.source import Span
from kismet_build.pack import Pack

TARGET = re.compile(r"\]\(\s*(?P<target>[^\s<][^\"<\n]*?)\s*\)$")
SPACE_IN_TARGET = re.compile(r"\]\((?>(?:(?!\]\()[^<\n ])*) ")
"""Matches somewhere in each text with such a target. No other text is searched node by node."""

HINT = "write < before the target and > after it, or %20 for each space"


def unescaped_space(pack: Pack, report: Report) -> None:
    """Report each such target."""
    for path, outline in pack.book.outlines.items():
        for what, span in pack.memo.run("unescaped spaces", path, _targets, outline.chapter.document):
            report(warning("unescaped-space", span, f"the target of this {what} has a space", HINT))


def _targets(document: Document) -> tuple[tuple[str, Span], ...]:
    """The sort of each link with such a target (`link` or `picture`), and the span of the target."""
    return tuple(_spaced(document)) if SPACE_IN_TARGET.search(document.source.text) else ()


def _spaced(document: Document) -> Iterator[tuple[str, Span]]:
    for node in walk(*document.blocks):
        if isinstance(node, Link | Image) and not node.wiki and not node.title:
            typed = TARGET.search(node.span.text)
            if typed is not None and " " in typed["target"]:
                start, end = typed.span("target")
                what = "picture" if isinstance(node, Image) else "link"
                yield what, node.span.source.span(node.span.start + start, node.span.start + end)
