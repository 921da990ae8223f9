"""Split `Text` nodes while keeping their spans exact."""

import re
from collections.abc import Iterator, Sequence

from kismet_build.model.nodes import Text

TYPED_CHARACTER = re.compile(
    r"\\[!-/:-@\[-`{-~]|&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});|.", re.DOTALL
)
"""One character as written: plain, escaped by a backslash, or as an entity."""


def offset_after(text: Text, count: int) -> int:
    """The offset in the source after the first `count` characters of a text."""
    start, end = text.span.start, text.span.end
    if end - start == len(text.value):
        return start + count
    source, offset = text.span.source.text, start
    for character in text.value[:count]:
        typed = TYPED_CHARACTER.match(source, offset, end)
        if typed is None:
            break
        # Text that only looks like an entity is read one character at a time.
        offset += 1 if source[offset] == character else typed.end() - offset
    return min(offset, end)


def parts_of_text(text: Text, ends: Sequence[int]) -> Iterator[Text]:
    """The parts of a text that end at these positions, in order, and the rest of the text. Parts may be empty."""
    source, offset = text.span.source, text.span.start
    is_as_typed = text.span.end - text.span.start == len(text.value)
    start = 0
    for end in (*ends, len(text.value)):
        part = text.value[start:end]
        if is_as_typed or end == len(text.value):
            after = text.span.start + end if is_as_typed else text.span.end
        else:
            after = offset_after(Text(source.span(offset, text.span.end), part), len(part))
        yield Text(source.span(offset, after), part)
        start, offset = end, after


def split_text(text: Text, count: int) -> tuple[Text, Text]:
    """The first `count` characters of a text, and the rest."""
    source, offset = text.span.source, offset_after(text, count)
    head = Text(source.span(text.span.start, offset), text.value[:count])
    return head, Text(source.span(offset, text.span.end), text.value[count:])
