"""Limit the depth of raw HTML and the number of attributes of a tag: the time for sanitizing is quadratic in both."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import Block, Document, Node, RawBlock, RawInline

MAX_DEPTH = 100
"""Maximum depth of raw HTML elements. A depth of 100,000 took 66 s: docs/decisions/0022-bounds-of-input.md."""

MAX_ATTRIBUTES = 1_000
"""Maximum number of attributes in a tag of raw HTML."""
MIN_CHARACTERS = 2
"""Minimum number of characters of an attribute together with the separator before it."""

TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)", re.IGNORECASE)
VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)"""
UNENDED_TAG = re.compile(r"<(/?[a-z][^<>]*)\Z", re.IGNORECASE)
OVERSIZED_TAG = re.compile(
    rf"</?[a-z][^\s/>]*+(?:[\s/]*+[^\s/>][^\s/>=]*+(?>(?:\s*+=\s*+{VALUE})?)){{{MAX_ATTRIBUTES + 1}}}", re.IGNORECASE
)
"""The start of a tag with more than `MAX_ATTRIBUTES` attributes."""
UNCOUNTED = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input"),
        *("link", "meta", "param", "source", "track", "wbr"),
        *("p", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup"),
    )
)
"""Void elements, and elements that the next element closes implicitly.

They are not counted, as they cannot nest directly.
"""
ENDED_BY_THE_NEXT = {"li": "li", "dt": "dd", "dd": "dd", "option": "option", "a": "a"}
"""Elements that another element of the same group closes implicitly, with the name of the group."""


class _OpenElements:
    def __init__(self) -> None:
        self.names: list[str] = []
        self.counts: Counter[str] = Counter()

    def bounded(self, html: str) -> str:
        """The HTML at this place, with the tags of elements beyond `MAX_DEPTH` escaped."""
        parts, end = [], 0
        for match in TAG.finditer(html):
            name = match[2].lower()
            if name not in UNCOUNTED and self._is_too_deep(ENDED_BY_THE_NEXT.get(name, name), is_end=bool(match[1])):
                parts += [html[end : match.start()], "&lt;"]
                end = match.start() + 1
        return "".join((*parts, html[end:]))

    def _is_too_deep(self, name: str, *, is_end: bool) -> bool:
        """Open or end an element. Returns whether the element is beyond `MAX_DEPTH`."""
        if not is_end:
            if name not in ENDED_BY_THE_NEXT or self.names[-1:] != [name]:
                self.names.append(name)
                self.counts[name] += 1
            return len(self.names) > MAX_DEPTH
        if not self.counts[name]:
            return False
        while self.names[-1] != name:
            self.counts[self.names.pop()] -= 1  # an end tag also ends the elements inside
        self.counts[self.names.pop()] -= 1
        return len(self.names) >= MAX_DEPTH


def bound_raw_html(document: Document, report: Report) -> None:
    """Show tags as plain text if they never end, are nested too deeply or have too many attributes.

    The first tag with each problem is reported.
    """
    text = document.source.text
    tags = text.count("<")
    if tags:
        message = "this HTML tag has no >, so it is shown as plain text"
        _change(_with_whole_tags(document.nodes), report, "broken-markup", message, "add the missing >")
    if tags and len(text) > MIN_CHARACTERS * MAX_ATTRIBUTES:
        message = f"this HTML tag has more than {MAX_ATTRIBUTES:,} attributes, so it is shown as plain text"
        _change(_with_small_tags(document.nodes), report, "oversized-tag", message, "add the missing >")
    if tags > MAX_DEPTH:
        message = f"more than {MAX_DEPTH} HTML elements are open here, so further tags are shown as plain text"
        _change(_bounded(document.nodes), report, "deep-nesting", message, "add the missing end tags")


def _change(
    texts: Iterable[tuple[RawBlock | RawInline, str]], report: Report, code: str, message: str, hint: str
) -> None:
    """Replace the text of nodes in place, and report the first node that changes."""
    first = True
    for node, text in texts:
        if text == node.text:
            continue
        # The document is not in use yet, so its nodes may still change.
        object.__setattr__(node, "text", text)
        if first:
            report(warning(code, node.span, message, hint))
            first = False


def _with_whole_tags(nodes: Sequence[Node]) -> Iterator[tuple[RawBlock | RawInline, str]]:
    """Each block of raw HTML, and its HTML with a tag at its end escaped that never ends: it would take in what
    follows.
    """
    for node in nodes:
        if isinstance(node, RawBlock) and "<" in node.text:
            yield node, UNENDED_TAG.sub(r"&lt;\1", node.text)


def _with_small_tags(nodes: Sequence[Node]) -> Iterator[tuple[RawBlock | RawInline, str]]:
    """Each long node with raw HTML, and its HTML with oversized tags escaped."""
    for node in nodes:
        if isinstance(node, RawBlock | RawInline) and len(node.text) > MIN_CHARACTERS * MAX_ATTRIBUTES:
            yield node, OVERSIZED_TAG.sub(lambda match: f"&lt;{match[0][1:]}", node.text)


def _bounded(nodes: Sequence[Node]) -> Iterator[tuple[RawBlock | RawInline, str]]:
    """Each node with raw HTML, and its HTML with tags that are too deep escaped.

    An inline tag opens an element only in its block.
    """
    blocks, inlines = _OpenElements(), _OpenElements()
    for node in nodes:
        match node:
            case RawBlock(text=html):
                yield node, blocks.bounded(html)
            case RawInline(text=html):
                yield node, inlines.bounded(html)
            case _ if inlines.names and isinstance(node, Block):
                inlines = _OpenElements()
            case _:
                pass
