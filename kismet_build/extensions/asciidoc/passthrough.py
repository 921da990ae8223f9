"""Find passthroughs such as `+text+` and `pass:[...]`, in which markup has no meaning, and other pairs of markers."""

import re
from bisect import bisect_left
from typing import NamedTuple

# --- an index of the marks that close a passthrough

BRACKET = re.compile(r"\\?[\[\]]")
STOP = re.compile(r"[\s\[]")


class MarkerIndex:
    """Positions of markers in one text, indexed on first use."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.positions: dict[str, list[int]] = {}
        self.stop_positions: list[int] | None = None
        self.closers: list[int] | None = None
        self.partners: dict[int, int] = {}

    def next(self, marker: str, start: int) -> int:
        """The position of the next marker from `start` on, or -1."""
        positions = self.positions.get(marker)
        if positions is None:
            positions = []
            position = self.text.find(marker)
            while position >= 0:
                positions.append(position)
                position = self.text.find(marker, position + 1)
            self.positions[marker] = positions
        return _first(positions, start)

    def stop(self, start: int) -> int:
        """The position of the next white space or opening bracket, or -1."""
        if self.stop_positions is None:
            self.stop_positions = [stop.start() for stop in STOP.finditer(self.text)]
        return _first(self.stop_positions, start)

    def closing(self, bracket: int) -> int:
        """The position of the bracket that closes this one, or else of the next closing bracket, or else -1."""
        if self.closers is None:
            self.closers = self._pair()
        partner = self.partners.get(bracket)
        return _first(self.closers, bracket) if partner is None else partner

    def _pair(self) -> list[int]:
        closers: list[int] = []
        open_brackets: list[int] = []
        for bracket in BRACKET.finditer(self.text):
            if bracket[0] == "[":
                open_brackets.append(bracket.start())
            elif bracket[0] == "]":
                closers.append(bracket.start())
                if open_brackets:
                    self.partners[open_brackets.pop()] = bracket.start()
        return closers


def _first(positions: list[int], start: int) -> int:
    index = bisect_left(positions, start)
    return positions[index] if index < len(positions) else -1


# --- passthroughs

START = re.compile(
    r"(?P<backslashes>\\{0,2})(?:(?P<double>\+\+\+?|\$\$)|(?P<pass>(?<!\w)pass:(?:[a-z]+(?:,[a-z-]+)*)?\[)|(?P<single>[+`]))"
)
CLOSE = {"+": re.compile(r"(?<=\S)\+(?!\w)"), "`": re.compile(r"(?<=\S)`(?!\w)")}
FIGURE_FIRST = re.compile(r"(?:\d*d)?\d+\b")
FIGURE_LAST = re.compile(r"(?:\d*d)?\d+\Z")
MAX_FIGURE_LENGTH = 12
"""Number of characters searched for a number or dice before a plus."""


class Passthrough(NamedTuple):
    """A passthrough and its positions in the text."""

    start: int
    inside: int
    close: int
    end: int
    kind: str
    """`text`, `code`, `raw` (HTML), `words` (parsed as usual), `escaped`, `none`, or `trap` (plus signs of dice)."""


def find_passthroughs(text: str, markers: MarkerIndex) -> list[Passthrough]:
    """The passthroughs in a text, in order."""
    if not any(sign in text for sign in ("+", "$$", "pass:")):
        return []
    passthroughs: list[Passthrough] = []
    closers = {sign: [mark.start() for mark in pattern.finditer(text)] for sign, pattern in CLOSE.items()}
    position = 0
    while (start := START.search(text, position)) is not None:
        passthrough = _double(start, markers) if start["double"] else _pass(start, markers) if start["pass"] else None
        if passthrough is None:
            passthrough = _single(text, start, closers)
        if passthrough is None:
            position = start.end() if start["single"] or start["pass"] else start.end() - 1
        else:
            if passthrough.kind != "none":
                passthroughs.append(passthrough)
            position = passthrough.end
    return passthroughs


def _double(start: re.Match[str], markers: MarkerIndex) -> Passthrough | None:
    """A passthrough between several marks: `+++raw+++`, `++text++` or `$$text$$`."""
    mark = start["double"]
    for sign in (mark, mark[:2]):
        inside = start.start("double") + len(sign)
        close = markers.next(sign, inside)
        if close >= 0:
            kind = "none" if start["backslashes"] else "raw" if sign == "+++" else "text"
            return Passthrough(start.start(), inside, close, close + len(sign), kind)
    return None


def _pass(start: re.Match[str], markers: MarkerIndex) -> Passthrough | None:
    close = markers.closing(start.end() - 1)
    if close < 0:
        return None
    macro = start["pass"].removeprefix("pass:")
    kind = "none" if start["backslashes"] else "raw" if macro == "[" else "text" if "c" in macro else "words"
    return Passthrough(start.start(), start.end(), close, close + 1, kind)


def _single(text: str, start: re.Match[str], closers: dict[str, list[int]]) -> Passthrough | None:
    """A passthrough `+text+`, or code in backticks, in which plus signs are plain text."""
    sign = start["single"] or (start["double"] or "")[:1]
    if sign not in closers:
        return None
    mark = start.end("backslashes")
    before = mark - 1
    if before >= 0 and (text[before].isalnum() or text[before] in "_;:"):
        return None
    if mark + 1 >= len(text) or text[mark + 1].isspace():
        return None
    following = bisect_left(closers[sign], mark + 2)
    if following == len(closers[sign]):
        return None
    close = closers[sign][following]
    if start["backslashes"]:
        return Passthrough(start.start(), mark + 1, close, close + 1, "escaped" if sign == "+" else "none")
    if sign == "`":
        inside = text[mark + 1 : close]
        if len(inside) > 2 and inside[0] == "+" == inside[-1] and not (inside[1].isspace() or inside[-2].isspace()):
            return Passthrough(mark, mark + 2, close - 1, close + 1, "code")
        return Passthrough(mark, mark + 1, close, close + 1, "none")
    kind = "trap" if _is_trap(text[mark + 1 : close]) else "text"
    return Passthrough(mark, mark + 1, close, close + 1, kind)


def _is_trap(text: str) -> bool:
    """Whether one of the plus signs around a text belongs to dice or a number, as in `+1 to a roll of d6+`."""
    figure = FIGURE_FIRST.match(text) or FIGURE_LAST.search(text[-MAX_FIGURE_LENGTH:])
    return figure is not None and any(letter.isspace() for letter in text)
