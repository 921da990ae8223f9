"""`+as it is+`, `pass:[...]` and their like: words in which nothing means anything."""

import re
from bisect import bisect_left
from typing import NamedTuple

from kismet_build.parse.asciidoc.marker_index import Places

START = re.compile(
    r"(?P<back>\\{0,2})(?:(?P<wide>\+\+\+?|\$\$)|(?P<pass>(?<!\w)pass:(?:[a-z]+(?:,[a-z-]+)*)?\[)|(?P<one>[+`]))"
)
CLOSE = {"+": re.compile(r"(?<=\S)\+(?!\w)"), "`": re.compile(r"(?<=\S)`(?!\w)")}
FIGURE_FIRST = re.compile(r"(?:\d*d)?\d+\b")
FIGURE_LAST = re.compile(r"(?:\d*d)?\d+\Z")
LONGEST_FIGURE = 12


class Literal(NamedTuple):
    """Words that are kept as they are."""

    start: int
    inside: int
    close: int
    end: int
    sort: str
    """`text`, `code`, `raw` for markup of HTML, `words` for what is read as usual, `trap` for pluses of dice."""


def literals(text: str, places: Places) -> list[Literal]:
    """Every such part of a text, in order."""
    if not any(sign in text for sign in ("+", "$$", "pass:")):
        return []
    found: list[Literal] = []
    closers = {sign: [one.start() for one in pattern.finditer(text)] for sign, pattern in CLOSE.items()}
    at = 0
    while (start := START.search(text, at)) is not None:
        one = _wide(start, places) if start["wide"] else _pass(start, places) if start["pass"] else None
        if one is None:
            one = _single(text, start, closers)
        if one is None:
            at = start.end() if start["one"] or start["pass"] else start.end() - 1
        else:
            if one.sort != "none":
                found.append(one)
            at = one.end
    return found


def _wide(start: re.Match[str], places: Places) -> Literal | None:
    """`+++raw+++`, `++text++` or `$$text$$`."""
    mark = start["wide"]
    for sign in (mark, mark[:2]):
        inside = start.start("wide") + len(sign)
        close = places.next(sign, inside)
        if close >= 0:
            sort = "none" if start["back"] else "raw" if sign == "+++" else "text"
            return Literal(start.start(), inside, close, close + len(sign), sort)
    return None


def _pass(start: re.Match[str], places: Places) -> Literal | None:
    close = places.closing(start.end() - 1)
    if close < 0:
        return None
    how = start["pass"].removeprefix("pass:")
    sort = "none" if start["back"] else "raw" if how == "[" else "text" if "c" in how else "words"
    return Literal(start.start(), start.end(), close, close + 1, sort)


def _single(text: str, start: re.Match[str], closers: dict[str, list[int]]) -> Literal | None:
    """`+text+`, or words in a fixed pitch, in which pluses mean nothing either."""
    sign = start["one"] or (start["wide"] or "")[:1]
    if sign not in closers:
        return None
    place = start.end("back")
    before = place - 1
    if before >= 0 and (text[before].isalnum() or text[before] in "_;:"):
        return None
    if place + 1 >= len(text) or text[place + 1].isspace():
        return None
    following = bisect_left(closers[sign], place + 2)
    if following == len(closers[sign]):
        return None
    close = closers[sign][following]
    if start["back"]:
        return Literal(start.start(), place + 1, close, close + 1, "escaped" if sign == "+" else "none")
    if sign == "`":
        inside = text[place + 1 : close]
        if len(inside) > 2 and inside[0] == "+" == inside[-1] and not (inside[1].isspace() or inside[-2].isspace()):
            return Literal(place, place + 2, close - 1, close + 1, "code")
        return Literal(place, place + 1, close, close + 1, "none")
    sort = "trap" if _is_trap(text[place + 1 : close]) else "text"
    return Literal(place, place + 1, close, close + 1, sort)


def _is_trap(words: str) -> bool:
    """Whether one of the pluses around some words belongs to a die or a number, as in `+1 to a roll of d6+`."""
    figure = FIGURE_FIRST.match(words) or FIGURE_LAST.search(words[-LONGEST_FIGURE:])
    return figure is not None and any(letter.isspace() for letter in words)
