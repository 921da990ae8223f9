"""Split text into sentences, and shorten it for descriptions and previews."""

import re
from collections.abc import Iterator, Sequence

from kismet_build.model.nodes import Block, List, Statblock, Table, reading_text
from kismet_build.render.html.escape import with_minus

PUNCTUATION = tuple(".!?:;,…")
CLOSING = ")]\"'”’"
SENTENCE_END = re.compile(
    r"""(?<=[.!?…])(?<!\b[Vv]s\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<![\s(]\w\.)["”’)\]]*\s+(?=["“(\[]?[^\W_a-z])|(?<=[。！？])"""
)
"""The boundary between two sentences, except after an initial or an abbreviation that rules often use."""
MIN_WORDS = 6
"""Minimum number of words of a sentence. Shorter ones, such as run-in headings, are joined to the next."""
FIELD_LINE = re.compile(r"^[^\s.:·!?][^.:·!?\n]{0,40}: .*[^\s.:;,!?…](?=\n)", re.MULTILINE)
"""A line such as `HP: 22`, without punctuation at its end."""
FULL_STOPS = tuple(".!?…。！？")


def prose(blocks: Sequence[Block]) -> str:
    """The words of blocks on one line, without tables and statblocks.

    Semicolons separate list items that do not end in punctuation.
    """
    parts = (
        _items(block) if isinstance(block, List) else " ".join(reading_text(block).split())
        for block in blocks
        if not isinstance(block, Table | Statblock)
    )
    return with_minus(" ".join(parts))


def _items(items: List) -> str:
    *others, last = (" ".join(reading_text(item).split()) for item in items.items)
    return " ".join((*(item if item.rstrip(CLOSING).endswith(PUNCTUATION) else f"{item};" for item in others), last))


def summary(text: str, length: int = 155) -> str:
    """The beginning of a text on one line, cut between words to at most `length` characters.

    Semicolons separate fields on lines of their own.
    """
    words = " ".join(FIELD_LINE.sub(r"\g<0>;", text).split())
    if len(words) <= length:
        return words
    return words[:length].rpartition(" ")[0].rstrip(" ,;:.–—") + "…"


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text. A line break ends a sentence. A short sentence is joined to the next."""
    for line in text.splitlines():
        waiting = ""
        for part in SENTENCE_END.split(" ".join(line.split())):
            waiting = f"{waiting} {part}".strip()
            if waiting.count(" ") + 1 >= MIN_WORDS:
                yield waiting
                waiting = ""
        if waiting:
            yield waiting


def first_sentence(text: str) -> str:
    """The first sentence that ends in a full stop or a similar mark, or else the first one."""
    found = [*sentences(text)]
    full = (sentence for sentence in found if sentence.rstrip(CLOSING).endswith(FULL_STOPS))
    return next(full, "".join(found[:1]))
