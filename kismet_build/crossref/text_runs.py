"""Split paragraphs into runs of plain text, in which names may become links."""

import re
from collections.abc import Iterable, Iterator, Sequence
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
    InlineField,
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

LABEL_END = re.compile(r"\s*:|\s+[–—-]\s|—")
"""Separator between a label and the text of its paragraph."""
SENTENCE_START = re.compile(r"(?:^|[.!?:…·•|–—][)\]\"'”’]*)[\s(\[\"'“‘]*\Z")
"""Matches the text before the first word of a sentence."""
CONTEXT = 40
"""Number of characters before a name that are searched for the end of a sentence."""
UNLINKED_BLOCKS = frozenset((Heading, CodeBlock, BlockQuote, RawBlock, ThematicBreak))
"""Blocks in which no names are linked."""
STYLED_INLINES = frozenset((Emphasis, Strong, Strikethrough, Highlight, InlineField))
"""Types of inlines that start a separate run of text."""


class TextRun(NamedTuple):
    """Consecutive text nodes of a paragraph, with the line breaks between them."""

    text: str
    nodes: tuple[Text | SoftBreak, ...]
    before: str
    """The last `CONTEXT` characters of the paragraph before the run."""

    @property
    def starts(self) -> tuple[int, ...]:
        """Offset of each node in `text`."""
        return tuple(accumulate((len(_node_text(node)) for node in self.nodes[:-1]), initial=0))

    @property
    def is_verbatim(self) -> bool:
        """Whether the source contains exactly this text, without escapes or entities."""
        texts = [node for node in self.nodes if isinstance(node, Text)]
        return all(node.span.end - node.span.start == len(node.value) for node in texts)

    def starts_sentence(self, offset: int) -> bool:
        """Whether a sentence starts at this offset of `text`."""
        return SENTENCE_START.search(self.text_before(offset)) is not None

    def text_before(self, offset: int) -> str:
        """The end of the paragraph's text before this offset of `text`."""
        if offset >= CONTEXT:
            # The "x" marks a cut, which would otherwise look like the start of a paragraph.
            return "x" + self.text[offset - CONTEXT : offset]
        return self.before + self.text[:offset]


def linkable_paragraphs(nodes: Iterable[Node]) -> Iterator[Paragraph]:
    """Paragraphs in which names may be linked, without headings, quotes, table headers and first table columns."""
    for node in nodes:
        if isinstance(node, Paragraph):
            yield node
        elif isinstance(node, Table):
            for row in node.rows:
                yield from linkable_paragraphs(row.cells[1:])  # the first cell is the title of its row
        elif type(node) not in UNLINKED_BLOCKS:
            yield from linkable_paragraphs(node.children)  # type: ignore[union-attr]  # every other block has children


def text_runs(paragraph: Paragraph) -> list[TextRun]:
    """The text runs of a paragraph, without a label at its start."""
    inlines = paragraph.children
    first = inlines[0] if inlines else None
    if isinstance(first, Strong | Emphasis):
        label = plain_text(first)
        after = inlines[1] if len(inlines) > 1 else None
        if label.rstrip().endswith(":") or (isinstance(after, Text) and LABEL_END.match(after.value)):
            return _runs_in(inlines[1:], f"{label}:", [])
    return _runs_in(inlines, "", [])


def _runs_in(inlines: Sequence[Inline], before: str, runs: list[TextRun]) -> list[TextRun]:
    """Append the runs in these inlines to `runs`.

    Links, code and images are in no run. Styled text is a separate run.
    """
    nodes: list[Text | SoftBreak] = []
    for inline in inlines:
        if isinstance(inline, (Text, SoftBreak)):
            nodes.append(inline)
            continue
        if nodes:
            run = _run(nodes, before)
            runs.append(run)
            before, nodes = (before + run.text)[-CONTEXT:], []
        if type(inline) in STYLED_INLINES:
            _runs_in(inline.children, before, runs)  # type: ignore[union-attr]
        before = "" if isinstance(inline, HardBreak) else (before + plain_text(inline))[-CONTEXT:]
    if nodes:
        runs.append(_run(nodes, before))
    return runs


def _run(nodes: Sequence[Text | SoftBreak], before: str) -> TextRun:
    return TextRun("".join(map(_node_text, nodes)), tuple(nodes), before)


def _node_text(node: Text | SoftBreak) -> str:
    return node.value if isinstance(node, Text) else "\n"
