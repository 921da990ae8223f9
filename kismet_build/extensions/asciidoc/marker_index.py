"""Index of the markers in a text: each marker is searched for once."""

import re
from bisect import bisect_left

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
