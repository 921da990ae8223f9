"""Decide whether a table is rolled on: whether its first column holds every result of a roll, each once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kismet_build.mechanics.dice.find import find
from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.odds import odds
from kismet_build.mechanics.dice.tree import Dice

HEADERS = ("roll", "die", "die roll", "dice roll")
"""What the column of results is called where its title does not say with what to roll."""
RESULTS = re.compile(r"([0-9]{1,4})(?:\s*(?:[-–—−]|to)\s*([0-9]{1,4}))?")
MOST = 1_000
"""A higher result than this, and it is no table that anybody rolls on."""


@dataclass(frozen=True, slots=True)
class RollTable:
    """How to roll on a table."""

    notation: str
    """What to roll, such as `1d10`."""
    rows: tuple[tuple[int, int], ...]
    """The lowest and the highest result of each row."""


def roll_table(header: str, cells: Sequence[str]) -> RollTable | None:
    """How to roll on a table with this first column, or `None` where nobody would.

    The cells hold whole numbers or ranges that leave no result out and have none twice. A title that names dice says
    with what to roll; "Roll" alone means one die, and the results start at 1.
    """
    found = list(find(header))
    named = found[0].notation if len(found) == 1 else ""
    if len(cells) < 2 or not (named or " ".join(header.split()).casefold() in HEADERS):
        return None
    rows = tuple(_row(cell, hundred=named in ("d%", "1d%", "d100", "1d100")) for cell in cells)
    ends = sorted(rows)
    if any(low > high for low, high in rows) or any(one[1] + 1 != other[0] for one, other in pairwise(ends)):
        return None
    lowest, highest = ends[0][0], ends[-1][1]
    expression = parse(named) if named else Dice(1, highest)
    if highest > MOST or (not named and lowest != 1):
        return None
    possible = odds(expression)
    return RollTable(named or f"1d{highest}", rows) if (lowest, highest) == (possible.low, possible.high) else None


def _row(cell: str, *, hundred: bool) -> tuple[int, int]:
    """The lowest and the highest result that a cell names; the wrong way round where it names none."""
    match = RESULTS.fullmatch(cell.strip())
    if match is None:
        return 1, 0
    low, high = (100 if hundred and end == "00" else int(end) for end in (match[1], match[2] or match[1]))
    return low, high
