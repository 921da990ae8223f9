"""Where signs stand in some words: each sort is looked for once, so that no text takes longer than its length."""

import re
from bisect import bisect_left

BRACKET = re.compile(r"\\?[\[\]]")
STOP = re.compile(r"[\s\[]")


class Places:
    """The places of signs in one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: dict[str, list[int]] = {}
        self.stops: list[int] | None = None
        self.closers: list[int] | None = None
        self.partners: dict[int, int] = {}

    def next(self, sign: str, at: int) -> int:
        """Where a sign stands next, from a place on; -1 where it does not."""
        places = self.found.get(sign)
        if places is None:
            places = []
            place = self.text.find(sign)
            while place >= 0:
                places.append(place)
                place = self.text.find(sign, place + 1)
            self.found[sign] = places
        return _first(places, at)

    def stop(self, at: int) -> int:
        """Where the next white space or opening bracket stands; -1 where there is none."""
        if self.stops is None:
            self.stops = [found.start() for found in STOP.finditer(self.text)]
        return _first(self.stops, at)

    def closing(self, bracket: int) -> int:
        """The partner of an opening bracket, or the next closing one if it has none; -1 where there is none."""
        if self.closers is None:
            self.closers = self._pair()
        partner = self.partners.get(bracket)
        return _first(self.closers, bracket) if partner is None else partner

    def _pair(self) -> list[int]:
        closers: list[int] = []
        waiting: list[int] = []
        for found in BRACKET.finditer(self.text):
            if found[0] == "[":
                waiting.append(found.start())
            elif found[0] == "]":
                closers.append(found.start())
                if waiting:
                    self.partners[waiting.pop()] = found.start()
        return closers


def _first(places: list[int], at: int) -> int:
    place = bisect_left(places, at)
    return places[place] if place < len(places) else -1
