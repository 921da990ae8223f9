"""Detect roll tables: tables whose first column has every result of a roll exactly once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kismet_build.mechanics.dice.find import find_dice
from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.odds import odds
from kismet_build.mechanics.dice.tree import Dice

HEADERS = ("roll", "die", "die roll", "dice roll")
"""Titles of the first column of a roll table that do not name the dice, in lower case."""
RESULTS = re.compile(r"([0-9]{1,4})(?:\s*(?:[-–—−]|to)\s*([0-9]{1,4}))?")
MAX_RESULT = 1_000
"""The highest result of a roll table."""


@dataclass(frozen=True, slots=True)
class RollTable:
    """How to roll on a table."""

    notation: str
    """The dice to roll, such as `1d10`."""
    rows: tuple[tuple[int, int], ...]
    """The lowest and the highest result of each row, in the order of the table."""


def detect_roll_table(header: str, cells: Sequence[str]) -> RollTable | None:
    """How to roll on the table with this first column; `None` if it is no roll table.

    The cells must be whole numbers or ranges, with every result exactly once. The dice are those in the header; a
    header of `HEADERS` means one die, and the results start at 1.
    """
    matches = list(find_dice(header))
    notation = matches[0].notation if len(matches) == 1 else ""
    if len(cells) < 2 or not (notation or " ".join(header.split()).casefold() in HEADERS):
        return None
    rows = tuple(_parse_range(cell, hundred=notation in ("d%", "1d%", "d100", "1d100")) for cell in cells)
    ranges = sorted(rows)
    if any(low > high for low, high in rows) or any(last + 1 != first for (_, last), (first, _) in pairwise(ranges)):
        return None
    lowest, highest = ranges[0][0], ranges[-1][1]
    expression = parse(notation) if notation else Dice(1, highest)
    if highest > MAX_RESULT or (not notation and lowest != 1):
        return None
    possible = odds(expression)
    return RollTable(notation or f"1d{highest}", rows) if (lowest, highest) == (possible.low, possible.high) else None


def _parse_range(cell: str, *, hundred: bool) -> tuple[int, int]:
    """The lowest and highest result in a cell; `(1, 0)` if it has none. `hundred`: `00` means 100."""
    match = RESULTS.fullmatch(cell.strip())
    if match is None:
        return 1, 0
    low, high = (100 if hundred and digits == "00" else int(digits) for digits in (match[1], match[2] or match[1]))
    return low, high
