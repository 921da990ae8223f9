"""The words of a text in which names may link, as runs that follow each other."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from kismet_build.model import (
    BlockQuote,
    Callout,
    CodeBlock,
    DefinitionItem,
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
    children,
    plain_text,
)

SET_OFF = re.compile(r"\s*:|\s+[–—-]\s|—")
"""What stands between a label and what it is a label of."""
START = re.compile(r"(?:^|[.!?:…·•|–—][)\]\"'”’]*)[\s(\[\"'“‘]*\Z")
"""What stands before the first word of a sentence."""
CONTEXT = 40
"""So many characters before a name tell whether it starts a sentence."""


class Run(NamedTuple):
    """Words that follow each other, over the ends of lines."""

    text: str
    nodes: tuple[Text | SoftBreak, ...]
    starts: tuple[int, ...]
    """Where each node starts in the text."""
    is_as_typed: bool
    """The source spells its words as they read, sign by sign."""
    before: str
    """What stands before it in its paragraph."""

    def starts_at(self, place: int) -> bool:
        """Whether a sentence starts at an offset."""
        if place >= CONTEXT:
            return START.search("x" + self.text[place - CONTEXT : place]) is not None
        return START.search(self.before + self.text[:place]) is not None


def paragraphs(nodes: Iterable[Node]) -> Iterator[Paragraph]:
    """The paragraphs in which names may link: none of titles and quotes, nor of the heads of tables and their rows."""
    for node in nodes:
        match node:
            case Paragraph():
                yield node
            case Heading() | CodeBlock() | BlockQuote() | RawBlock() | ThematicBreak():
                pass
            case Callout(children=inside) | DefinitionItem(children=inside):
                yield from paragraphs(inside)
            case Table(rows=rows):
                # The first cell is the title of its row.
                yield from paragraphs(cell for row in rows for cell in row.cells[1:])
            case _:
                yield from paragraphs(children(node))


def runs(paragraph: Paragraph) -> Iterator[Run]:
    """The runs of words of a paragraph, but for a label at its head."""
    inlines = paragraph.children
    first = inlines[0] if inlines else None
    if isinstance(first, Strong | Emphasis):
        label = plain_text(first)
        after = inlines[1] if len(inlines) > 1 else None
        if label.rstrip().endswith(":") or (isinstance(after, Text) and SET_OFF.match(after.value)):
            yield from _within(inlines[1:], f"{label}:")
            return
    yield from _within(inlines, "")


def _within(inlines: Sequence[Inline], before: str) -> Iterator[Run]:
    """The runs of some inlines; nothing in links, code and pictures, and none that goes over an end of emphasis."""
    nodes: list[Text | SoftBreak] = []
    for inline in inlines:
        if isinstance(inline, Text | SoftBreak):
            nodes.append(inline)
            continue
        if nodes:
            run = _run(nodes, before)
            yield run
            before, nodes = (before + run.text)[-CONTEXT:], []
        if isinstance(inline, Emphasis | Strong | Strikethrough | Highlight):
            yield from _within(inline.children, before)
        before = "" if isinstance(inline, HardBreak) else (before + plain_text(inline))[-CONTEXT:]
    if nodes:
        yield _run(nodes, before)


def _run(nodes: Sequence[Text | SoftBreak], before: str) -> Run:
    words = [node.value if isinstance(node, Text) else "\n" for node in nodes]
    starts = tuple(accumulate(map(len, words[:-1]), initial=0))
    as_typed = all(not isinstance(node, Text) or node.span.end - node.span.start == len(node.value) for node in nodes)
    return Run("".join(words), tuple(nodes), starts, as_typed, before)
