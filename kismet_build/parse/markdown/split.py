"""Cut words in two without losing their place."""

import re

from kismet_build.model.nodes import Text

LETTER = re.compile(r"\\[!-/:-@\[-`{-~]|&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});|.", re.DOTALL)
"""How one letter is typed: as itself, behind a backslash, or as an entity."""


def after(text: Text, count: int) -> int:
    """The offset in the source behind the first letters of some words."""
    start, end = text.span.start, text.span.end
    if end - start == len(text.value):
        return start + count
    source, offset = text.span.source.text, start
    for letter in text.value[:count]:
        typed = LETTER.match(source, offset, end)
        if typed is None:
            break
        # What looks like an entity and is none is read letter by letter.
        offset += 1 if source[offset] == letter else typed.end() - offset
    return min(offset, end)


def cut(text: Text, count: int) -> tuple[Text, Text]:
    """The first letters of some words, and the rest."""
    source, offset = text.span.source, after(text, count)
    head = Text(source.span(text.span.start, offset), text.value[:count])
    return head, Text(source.span(offset, text.span.end), text.value[count:])
