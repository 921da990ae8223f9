"""Split a name and fields into cards with a fixed number of lines. Takes linear time in the length of all text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

LINES_PER_CARD = 19
"""Number of lines on a card, including its name."""
CHARACTERS_PER_LINE = 36
CHARACTERS_PER_LABEL_LINE = CHARACTERS_PER_LINE - 2
"""Maximum length of a line of a label, which leaves room for a space and a letter of the value."""
CHARACTERS_PER_NAME_LINE = 22
MAX_NAME_LINES = 9
MAX_QUOTATION = 4 * CHARACTERS_PER_LINE
"""Maximum length of a quotation that is kept on one card."""
QUOTATION = re.compile(rf"“[^“”]{{,{MAX_QUOTATION}}}”|„[^„“”]{{,{MAX_QUOTATION}}}[“”]|«[^«»]{{,{MAX_QUOTATION}}}»")
MAX_LABEL_LINES = 4
"""Maximum number of lines of a label. Even a card with the longest name and label has room for lines of a value."""


@dataclass(slots=True)
class CardPart:
    """One of the cards of an entity."""

    name: str
    """The name of the entity, or a piece of a very long name."""
    lines_left: int
    fields: list[tuple[str, str]] = field(default_factory=list)
    """Labels and values. A long value continues on the next card, with the same label."""
    text: list[str] = field(default_factory=list)
    """Values without a label."""


def card_parts(name: str, fields: Iterable[tuple[str, str]]) -> list[CardPart]:
    """The cards for a name and fields, given as labels and values. A value with an empty label is text.

    A name or label with more than `MAX_NAME_LINES` or `MAX_LABEL_LINES` is split. Each piece of a name is on its own
    card. The pieces of a label follow each other, and the last one has the value.
    """
    names = _pieces(_one_spaced(name), CHARACTERS_PER_NAME_LINE, MAX_NAME_LINES)
    parts: list[CardPart] = []

    def open_card() -> None:
        shown = names[len(parts)] if len(parts) < len(names) else names[0]
        parts.append(CardPart(shown, LINES_PER_CARD - len(_lines(shown, CHARACTERS_PER_NAME_LINE))))

    def add(label: str, value: str) -> None:
        label_lines = _lines(label, CHARACTERS_PER_LABEL_LINE)
        room = CHARACTERS_PER_LINE - len(f"{label_lines[-1]} ") if label_lines else 0
        end = 0
        while True:
            # Each iteration takes some of the value.
            start, lines = end, len(label_lines)
            if room:
                end = _end_beside_label(value, start, room)
            if start == end < len(value):
                end = _line_end(value, start)
                lines += 1
            if lines > parts[-1].lines_left:
                open_card()
            while end < len(value) and lines < parts[-1].lines_left:
                end = _line_end(value, end)
                lines += 1
            parts[-1].lines_left -= lines
            if end < len(value):
                end = _before_quotation(value, start, end)
            words = value[start:end].strip(" ")
            if label:
                parts[-1].fields.append((label, words))
            else:
                parts[-1].text.append(words)
            if end == len(value):
                return

    open_card()
    for label, value in fields:
        *pieces, last = _pieces(_one_spaced(label), CHARACTERS_PER_LABEL_LINE, MAX_LABEL_LINES)
        for piece in pieces:
            add(piece, "")
        if last or value:
            add(last, _one_spaced(value))
    while len(parts) < len(names):
        open_card()
    return parts


def _one_spaced(text: str) -> str:
    """Text on one line, with single spaces. Non-breaking and other special spaces are kept."""
    return re.sub(r"[ \t\n\r\f\v]+", " ", text).strip(" ")


def _pieces(text: str, width: int, max_lines: int) -> list[str]:
    """Text in pieces of at most `max_lines` lines each. Empty text is one empty piece."""
    lines = _lines(text, width)
    return ["".join(lines[at : at + max_lines]).strip(" ") for at in range(0, len(lines), max_lines)] or [""]


def _lines(text: str, width: int) -> list[str]:
    return _line(width).findall(text)


def _line_end(text: str, start: int) -> int:
    match = _line(CHARACTERS_PER_LINE).match(text, start)
    return match.end() if match else start


def _end_beside_label(text: str, start: int, room: int) -> int:
    """The end of the line that begins at `start` after a label, or `start` itself if the next word does not fit."""
    match = _line(room, cuts=False).match(text, start)
    return match.end() if match else start


def _before_quotation(text: str, start: int, end: int) -> int:
    """Where the text from `start` on should end on a card: at `end`, or before a quotation that `end` would divide."""
    for quotation in QUOTATION.finditer(text, max(start, end - MAX_QUOTATION)):
        if quotation.start() < end < quotation.end():
            return text.rfind(" ", start, quotation.start()) + 1 or end
        if quotation.start() >= end:
            break
    return end


@cache
def _line(width: int, *, cuts: bool = True) -> re.Pattern[str]:
    """Pattern of a line with at most `width` characters.

    `cuts`: whether to cut words too long for a line, like browsers.
    """
    words = rf".{{1,{width}}}(?:[ ]|\Z|(?<=[^\W\d_]{{2}}-)(?=[^\W\d_]{{2}}))"
    return re.compile(rf"{words}|.{{{width}}}" if cuts else words, re.DOTALL)
