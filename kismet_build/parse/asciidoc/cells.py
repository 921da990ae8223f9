"""Cut the lines of a table into cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kismet_build.parse.asciidoc.lines import SPACE, Line

SPEC = re.compile(
    r"(?:(?=\.?\d)(?P<across>\d+)?(?:\.(?P<down>\d+)?)?(?P<how>[*+]))?"
    r"(?P<side>[<^>](?:\.[<^>]?)?|(?:[<^>]?\.)?[<^>])?(?P<style>[adehlmsv])?"
)
"""What may stand right before the bar of a cell, such as `2+^a`."""
MOST = 200
"""So many places one cell may take up, or be repeated."""


@dataclass(slots=True)
class Cut:
    """One cell as typed."""

    start: int
    """The offset of its bar, or of what stands before that."""
    lines: list[Line] = field(default_factory=list)
    across: int = 1
    down: int = 1
    times: int = 1
    style: str = ""
    row: int = 0
    """The number of the line on which it begins, counted in the table."""
    leads: bool = False
    """Its bar is the first sign of that line."""


def bar_cells(lines: Sequence[Line], sign: str) -> list[Cut]:
    """The cells of a table whose cells begin with a bar, or another sign."""
    found: list[Cut] = []
    for number, line in enumerate(lines):
        at = 0
        for bar in _bars(line.text, sign):
            words, spec = _spec(line.text[at:bar], at == 0)
            if found and (at or words.strip()):
                found[-1].lines.append(_unescaped(line, at, at + len(words), sign))
            cut = _cut(line.start + bar - len(spec), spec, number)
            cut.leads = not at and not words
            found.append(cut)
            at = bar + len(sign)
        if found:
            found[-1].lines.append(_unescaped(line, at, len(line.text), sign))
    return found


def value_cells(lines: Sequence[Line], sign: str) -> list[list[Cut]]:
    """The rows of a table of comma-separated values, or values with another sign between them."""
    rows: list[list[Cut]] = []
    number = 0
    while number < len(lines):
        if not lines[number].text:
            number += 1
            continue
        row: list[Cut] = []
        number = _values(lines, number, sign, row)
        rows.append(row)
    return rows


def _values(lines: Sequence[Line], number: int, sign: str, row: list[Cut]) -> int:
    """Read one row of values into a list; the number of the line after it."""
    line, at, first = lines[number], 0, number
    while True:
        place = at + len(line.text[at:]) - len(line.text[at:].lstrip(SPACE))
        cut = Cut(line.start + place, row=first)
        row.append(cut)
        if line.text.startswith('"', place):
            at = place + 1
            while True:
                held, end = _quoted(line, at)
                cut.lines.append(held)
                if end >= 0 or number + 1 >= len(lines):
                    break
                number += 1
                line, at = lines[number], 0
            at = len(line.text) if end < 0 else end
            stop = line.text.find(sign, at)
        else:
            stop = line.text.find(sign, place)
            words = line.text[place : stop if stop >= 0 else len(line.text)]
            cut.lines.append(Line(words.rstrip(SPACE), line.start + place))
        if stop < 0:
            return number + 1
        at = stop + len(sign)


def _quoted(line: Line, at: int) -> tuple[Line, int]:
    """What stands in quotes from a place on, and where it ends; -1 where the line ends first."""
    skips: list[int] = []
    letters: list[str] = []
    place = at
    while place < len(line.text):
        if line.text[place] != '"':
            letters.append(line.text[place])
        elif line.text.startswith('""', place):
            skips.append(len(letters))
            letters.append('"')
            place += 1
        else:
            return Line("".join(letters), line.start + at, tuple(skips)), place + 1
        place += 1
    return Line("".join(letters), line.start + at, tuple(skips)), -1


def _bars(text: str, sign: str) -> Iterator[int]:
    """Where the bars of a line stand that no backslash takes away."""
    at = text.find(sign)
    while at >= 0:
        if at == 0 or text[at - 1] != "\\":
            yield at
        at = text.find(sign, at + len(sign))


def _spec(before: str, first: bool) -> tuple[str, str]:
    """The words before a bar, and what stands right before it as the specification of the next cell."""
    if first and (not before.strip(SPACE) or SPEC.fullmatch(before.lstrip(SPACE))):
        return "", before.strip(SPACE)
    token = before[max(before.rfind(" "), before.rfind("\t")) + 1 :]
    if not token or token == before or not SPEC.fullmatch(token):
        return before, ""
    return before[: -len(token)], token


def _cut(start: int, typed: str, number: int) -> Cut:
    """A cell with what its specification says."""
    cut = Cut(start, row=number)
    spec = SPEC.fullmatch(typed)
    if spec is None:
        return cut
    across, down = (min(int((spec[name] or "1")[:4]), MOST) for name in ("across", "down"))
    if spec["how"] == "*":
        cut.times = max(across, 1)
    elif spec["how"] == "+":
        cut.across, cut.down = max(across, 1), max(down, 1)
    cut.style = spec["style"] or ""
    return cut


def _unescaped(line: Line, start: int, end: int, sign: str) -> Line:
    """A part of a line, without the backslashes before its bars."""
    text = line.text[start:end]
    if "\\" + sign not in text:
        return Line(text.rstrip(SPACE), line.start + start)
    pieces = text.split("\\" + sign)
    skips: list[int] = []
    at = 0
    for piece in pieces[:-1]:
        at += len(piece)
        skips.append(at)
        at += len(sign)
    return Line(sign.join(pieces).rstrip(SPACE), line.start + start, tuple(skips))
