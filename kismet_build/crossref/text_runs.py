"""The words of a text in which names may link, as runs that follow each other."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from kismet_build.model.nodes import (
    BlockQuote,
    CodeBlock,
    Emphasis,
    HardBreak,
    Heading,
    Highlight,
    Inline,
    Node,
    Paragraph,
    RawBlock,
    SoftBreak,
    Strikethrough,
    Strong,
    Table,
    Text,
    ThematicBreak,
    plain_text,
)

SET_OFF = re.compile(r"\s*:|\s+[–—-]\s|—")
"""What stands between a label and what it is a label of."""
START = re.compile(r"(?:^|[.!?:…·•|–—][)\]\"'”’]*)[\s(\[\"'“‘]*\Z")
"""What stands before the first word of a sentence."""
CONTEXT = 40
"""So many characters before a name tell whether it starts a sentence."""
SILENT = frozenset((Heading, CodeBlock, BlockQuote, RawBlock, ThematicBreak))
"""Blocks in which no name links."""
MARKED = frozenset((Emphasis, Strong, Strikethrough, Highlight))


class Run(NamedTuple):
    """Words that follow each other, over the ends of lines."""

    text: str
    nodes: tuple[Text | SoftBreak, ...]
    before: str
    """What stands before it in its paragraph."""

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each node starts in the text."""
        return tuple(accumulate((len(_words(node)) for node in self.nodes[:-1]), initial=0))

    @property
    def is_as_typed(self) -> bool:
        """Whether the source spells its words as they read, sign by sign."""
        texts = [node for node in self.nodes if isinstance(node, Text)]
        return all(node.span.end - node.span.start == len(node.value) for node in texts)

    def starts_at(self, place: int) -> bool:
        """Whether a sentence starts at an offset."""
        if place >= CONTEXT:
            return START.search("x" + self.text[place - CONTEXT : place]) is not None
        return START.search(self.before + self.text[:place]) is not None


def paragraphs(nodes: Iterable[Node]) -> list[Paragraph]:
    """The paragraphs in which names may link: none of titles and quotes, nor of the heads of tables and their rows."""
    return _paragraphs(nodes, [])


def _paragraphs(nodes: Iterable[Node], found: list[Paragraph]) -> list[Paragraph]:
    for node in nodes:
        if isinstance(node, Paragraph):
            found.append(node)
        elif isinstance(node, Table):
            for row in node.rows:
                _paragraphs(row.cells[1:], found)  # the first cell is the title of its row
        elif type(node) not in SILENT:
            _paragraphs(node.children, found)  # type: ignore[union-attr]  # all other blocks have some
    return found


def runs(paragraph: Paragraph) -> list[Run]:
    """The runs of words of a paragraph, but for a label at its head."""
    inlines = paragraph.children
    first = inlines[0] if inlines else None
    if isinstance(first, Text) and len(inlines) == 1:
        return [Run(first.value, (first,), "")]  # most paragraphs
    if isinstance(first, Strong | Emphasis):
        label = plain_text(first)
        after = inlines[1] if len(inlines) > 1 else None
        if label.rstrip().endswith(":") or (isinstance(after, Text) and SET_OFF.match(after.value)):
            return _within(inlines[1:], f"{label}:", [])
    return _within(inlines, "", [])


def _within(inlines: Sequence[Inline], before: str, found: list[Run]) -> list[Run]:
    """The runs of some inlines; nothing in links, code and pictures, and none that goes over an end of emphasis."""
    nodes: list[Text | SoftBreak] = []
    for inline in inlines:
        if isinstance(inline, (Text, SoftBreak)):
            nodes.append(inline)
            continue
        if nodes:
            run = _run(nodes, before)
            found.append(run)
            before, nodes = (before + run.text)[-CONTEXT:], []
        if type(inline) in MARKED:
            _within(inline.children, before, found)  # type: ignore[union-attr]
        before = "" if isinstance(inline, HardBreak) else (before + plain_text(inline))[-CONTEXT:]
    if nodes:
        found.append(_run(nodes, before))
    return found


def _run(nodes: Sequence[Text | SoftBreak], before: str) -> Run:
    return Run("".join(map(_words, nodes)), tuple(nodes), before)


def _words(node: Text | SoftBreak) -> str:
    return node.value if isinstance(node, Text) else "\n"
