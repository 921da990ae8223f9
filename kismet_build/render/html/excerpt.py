"""Excerpts of text for descriptions and previews."""

from collections.abc import Sequence

from kismet_build.model.nodes import Block, List, Statblock, Table, plain_text
from kismet_build.render.html.escape import with_minus

PUNCTUATION = tuple(".!?:;,…")
CLOSING = ")]\"'”’"


def prose(blocks: Sequence[Block]) -> str:
    """The words of blocks on one line, without tables and statblocks. List items are separated by semicolons."""
    parts = (
        _items(block) if isinstance(block, List) else " ".join(plain_text(block).split())
        for block in blocks
        if not isinstance(block, Table | Statblock)
    )
    return with_minus(" ".join(parts))


def _items(items: List) -> str:
    *others, last = (" ".join(plain_text(item).split()) for item in items.items)
    return " ".join((*(item if item.rstrip(CLOSING).endswith(PUNCTUATION) else f"{item};" for item in others), last))


def summary(text: str, length: int = 155) -> str:
    """The beginning of a text on one line, cut between words to at most `length` characters."""
    words = " ".join(text.split())
    if len(words) <= length:
        return words
    return words[:length].rpartition(" ")[0].rstrip(" ,;:.–—") + "…"
