"""Detect roll tables, whose first column has the results of a roll, and the faults in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from kismet_build.mechanics.dice.find import find_dice, with_english_dice
from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.odds import odds
from kismet_build.mechanics.dice.table_notation import without_fate_dice
from kismet_build.mechanics.dice.tree import Dice
from kismet_build.model.language import ENGLISH, Language
from kismet_build.model.language.dice import DIE_LETTERS, ROLL_HEADERS

NUMBER_HEADERS = ("", "die", "dice", "result", "number", "no.", "nr.", "nr", "no", "#", "d", "range", "value")
"""Headers, in lower case, of a first column with results if the text near the table names the dice."""
COMMON_FACES = frozenset((4, 6, 8, 10, 12, 20, 30, 100))
"""The dice to try for an incomplete table, by its highest result, if the header is one of `ROLL_HEADERS`."""
MAX_RESULT = 1_000
"""The highest result of a roll table, unless dice explode."""
MIN_COVERED = 0.5
"""Minimum share of the results that a roll table with faults must have. A table with fewer is not a roll table."""
MAX_CANDIDATES = 8
"""Maximum number of dice notations to try for a table, which limits the time."""
MAX_NAMED = 5
"""Maximum number of results and ranges named in the description of a fault."""

LANGUAGES_WITH_DICE = tuple(map(Language, DIE_LETTERS))
"""Languages with a die letter of their own.

A header that is just a die in one of them, such as `W20`, is read in texts of every language.
"""
DIE_HEADER = re.compile("[0-9]{0,3}d[0-9]{1,3}")

SPACED_DIE = re.compile(r"\A\s*([0-9]{0,3}) ?([dDwW]) ?([0-9]{1,3})\s*\Z")
"""A header that is one die, typed with spaces: `D 6`."""

NUMBER = "[0-9]{1,4}"
DASH = "(?:[-‐‑–—−]|to|bis)"
"""A dash, or its word in English or German: like column headers, cells are read in both languages."""
LESS = "(?:(?:or|and) (?:less|lower|below|under|fewer)|(?:oder|und) (?:weniger|niedriger|darunter))"
MORE = "(?:(?:or|and) (?:more|higher|above|up|over|greater)|(?:oder|und) (?:mehr|höher|darüber))"
PART = re.compile(
    rf"(?P<low>{NUMBER})(?: ?{DASH} ?(?P<high>{NUMBER}))?"
    rf"|(?:≤|<=) ?(?P<at_most>{NUMBER})|(?P<or_less>{NUMBER}) ?(?:[-‐‑–−]|{LESS})"
    rf"|(?:≥|>=) ?(?P<at_least>{NUMBER})|(?P<or_more>{NUMBER}) ?(?:\+|{MORE})"
    rf"|< ?(?P<below>{NUMBER})|> ?(?P<above>{NUMBER})"
)
LAST_ZERO = re.compile(r"(?<![0-9])00?\s*\Z")
SEPARATOR = re.compile(r" ?[,;/&] ?| (?:or|and|oder|und) (?=[0-9])")
SIGNED = re.compile(rf"(?P<low>[+−-]?{NUMBER})(?: ?{DASH} ?(?P<high>[+−-]?{NUMBER}))?")
"""A result or a range of dice with negative results."""
MISPRINT = re.compile(rf"(?P<low>{NUMBER}) ?[=_~:‐‑–—−-]{{1,2}} ?(?P<high>{NUMBER}) ?[a-z]?", re.IGNORECASE)
"""A range with a mark other than a dash, or with a stray letter after it."""


class ResultRange(NamedTuple):
    """Results of a roll that lead to the same row."""

    low: int | None
    high: int | None
    """The last result, included; `None` if the range is open at this end."""
    column: int = 0
    """The column that has the range."""


class TableFault(NamedTuple):
    """A way in which a table does not fit its dice."""

    message: str
    """The end of a sentence: `has no row for 7`."""
    rows: tuple[int, ...]
    """The rows with the fault; empty for a gap."""


@dataclass(frozen=True, slots=True)
class RollTable:
    """The dice of a roll table, and the results that lead to each row."""

    notation: str
    """The dice to roll, as the text names them: `1d10`, `d%`."""
    low: int
    """The lowest result."""
    high: int
    """The highest result."""
    rows: tuple[tuple[ResultRange, ...], ...]
    """The results of each row, in the order of the columns; empty for a row that no roll leads to."""
    columns: tuple[int, ...] = (0,)
    """The columns with results of the roll."""
    faults: tuple[TableFault, ...] = ()

    @property
    def die(self) -> str:
        """The notation with a count: `1d10` for `d10`, `1d100` for `d%`. `d66` stays as it is."""
        notation = self.notation.replace("%", "100")
        return f"1{notation}" if re.fullmatch(r"d(?!66$)[0-9]+.*", notation) else notation

    @property
    def is_parallel(self) -> bool:
        """Whether each column is for a separate roll: adjacent columns, such as `Easy | Hard | Monster`.

        Columns with words between them continue each other.
        """
        return 1 in self.columns

    def bounds(self, row: int) -> tuple[str, str]:
        """The lowest results of a row's ranges and the highest results, each joined by commas."""
        ends = [self.ends(part) for part in self.rows[row]]
        return ",".join(str(low) for low, _ in ends), ",".join(str(high) for _, high in ends)

    def ends(self, part: ResultRange) -> tuple[int, int]:
        """The lowest and the highest result of a range. An open end is the lowest or highest result of the dice."""
        return self.low if part.low is None else part.low, self.high if part.high is None else part.high


def even_roll_table(count: int) -> RollTable:
    """A table of `count` rows with equal chances."""
    rows = tuple((ResultRange(number, number, -1),) for number in range(1, count + 1))
    return RollTable(f"1d{count}", 1, count, rows, ())


class _Cell(NamedTuple):
    """The results in a cell."""

    ranges: tuple[ResultRange, ...]
    fault: str = ""
    """The end of a sentence about a fault of the cell, as in `TableFault`; can be empty."""


def detect_roll_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], around: Sequence[str] = (), language: Language = ENGLISH
) -> RollTable | None:
    """How to roll on a table; `None` if it is not a roll table.

    `header` and `rows` are the words in the cells. `around` are words that may name the dice: the caption, the words
    before the table, the heading above it. A table that fits its dice exactly is a roll table wherever the dice are
    named. Any other table is a roll table if its first header names the dice or says that the column has results.
    `language` is the language of the text: in German, `W20` is a die anywhere, in other languages only as an entire
    header. If all headers are empty, a first row that names dice is taken for the headers.
    """
    if rows and not any(text.strip() for text in header) and _dice_in(_read_header("".join(rows[0][:1]), language)):
        below = detect_roll_table(rows[0], rows[1:], around, language)
        if below is not None:
            faults = (TableFault(message, tuple(row + 1 for row in faulty)) for message, faulty in below.faults)
            return replace(below, rows=((), *below.rows), faults=tuple(faults))
    header = [_read_header(text, language) for text in header]
    around = [with_english_dice(text, language) for text in around]
    title = " ".join(header[0].split()).casefold() if header else ""
    named = _dice_in(header[0]) if header else ()
    nearby = [dice for text in around if (dice := _dice_in(text))]
    if len(rows) < 2 or not (named or nearby or title in ROLL_HEADERS):
        return None
    candidates = [*named, *(notation for dice in nearby for notation in dice)]
    for notation in candidates[:MAX_CANDIDATES]:
        table = _read(notation, header, rows)
        if table is not None and not table.faults:
            return table
    if named:
        return _read(named[0], header, rows) if len(named) == 1 else None
    if title not in (*ROLL_HEADERS, *NUMBER_HEADERS):
        return None
    table = _read_without_dice(header, rows) if title in ROLL_HEADERS else None
    if nearby and (table is None or table.faults):
        return _read(nearby[0][0], header, rows) if len(nearby[0]) == 1 else None
    return table


def _read_header(text: str, language: Language) -> str:
    text = SPACED_DIE.sub(r"\1\2\3", without_fate_dice(text))
    for other in LANGUAGES_WITH_DICE:
        if DIE_HEADER.fullmatch(read := with_english_dice(text, other)):
            return read
    return with_english_dice(text, language)


def _read_without_dice(header: Sequence[str], rows: Sequence[Sequence[str]]) -> RollTable | None:
    """Read a table for one die that is not named anywhere: the highest result is the number of faces."""
    if any(LAST_ZERO.search(row[0]) for row in rows):
        # `0` is a ten and `00` a hundred if the other results have no gap before it.
        tables = (_read(notation, header, rows) for notation in ("1d10", "1d100"))
        return next((table for table in tables if table is not None and not table.faults), None)
    ends = [end for row in rows for part in _read_cell(row[0], 0, 0).ranges for end in (part.low, part.high)]
    highest = max((end for end in ends if end is not None), default=0)
    if None in ends or 0 in ends or not 2 <= highest <= MAX_RESULT or 1 not in ends:
        return None
    table = _read(f"1d{highest}", header, rows)
    is_die = table is not None and (not table.faults or highest in COMMON_FACES)
    return table if is_die else None


def _dice_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(dice.notation for dice in find_dice(text)))


@lru_cache(maxsize=256)
def _results(notation: str) -> tuple[tuple[int, ...], int, bool]:
    """All results of dice, the number that zeros stand for (0 for none), and whether a die explodes."""
    expression = parse(notation)
    distribution = odds(expression)
    is_die = isinstance(expression, Dice) and expression.count == 1 and expression.faces in (10, 100, 1000)
    return (
        tuple(result for result, _ in distribution.outcomes),
        distribution.high if is_die else 0,
        distribution.tail > 0,
    )


def _read(notation: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> RollTable | None:
    """Read the table with these dice; `None` if too few of its results fit them."""
    results, zero, is_open_ended = _results(notation)
    if results[-1] > MAX_RESULT and not is_open_ended:
        return None
    has_signs = results[0] < 0
    read = {0: _read_column(rows, 0, zero, has_signs)}
    if sum(bool(cell.ranges) for cell in read[0]) * 2 < sum(bool(row[0].strip()) for row in rows):
        return None
    for column in range(1, len(header)):
        cells = _read_column(rows, column, zero, has_signs)
        title = header[column].strip().casefold()
        is_same = _dice_in(title) == (notation,) or title == header[0].strip().casefold() != ""
        if is_same or (column - 1 in read and _has_every_result(cells, results)):
            read[column] = cells
    columns = tuple(column for column, cells in read.items() if any(cell.ranges for cell in cells))
    if not columns or columns[0] != 0:
        return None
    ranges = tuple(tuple(part for column in columns for part in read[column][row].ranges) for row in range(len(rows)))
    table = RollTable(notation, results[0], results[-1], ranges, columns)
    faults: list[TableFault] = []
    for group in [(column,) for column in columns] if table.is_parallel else [columns]:
        parts = [(row, part) for column in group for row, cell in enumerate(read[column]) for part in cell.ranges]
        # Exploding dice have no highest result.
        covered, found = (len(results), []) if is_open_ended else _compare(parts, results)
        if 0 in group and covered < len(results) * MIN_COVERED:
            return None
        faults += found
    for column in columns:
        faults += (TableFault(cell.fault, (row,)) for row, cell in enumerate(read[column]) if cell.fault)
    return replace(table, faults=tuple(faults))


def _has_every_result(cells: Sequence[_Cell], results: Sequence[int]) -> bool:
    """Whether the cells have every result exactly once, and at least one range.

    Plain numbers alone may mean anything.
    """
    parts = [(row, part) for row, cell in enumerate(cells) for part in cell.ranges]
    return any(part.low != part.high for _, part in parts) and not _compare(parts, results)[1]


def _read_column(rows: Sequence[Sequence[str]], column: int, zero: int, has_signs: bool) -> list[_Cell]:
    return [_read_cell(row[column], column, zero, has_signs) for row in rows]


def _read_cell(text: str, column: int, zero: int, has_signs: bool = False) -> _Cell:
    """The ranges in a cell, or no ranges if it has other words.

    `zero`: what `0` and `00` stand for. `has_signs`: whether results may be negative.
    """
    if has_signs and (signed := SIGNED.fullmatch(" ".join(text.split()))) is not None:
        low, high = (int(end.replace("−", "-")) for end in (signed["low"], signed["high"] or signed["low"]))
        return _Cell((ResultRange(min(low, high), max(low, high), column),))
    words = " ".join(text.split()).casefold().rstrip(".:)*†‡").rstrip()
    ranges: list[ResultRange] = []
    for piece in SEPARATOR.split(words):
        match = PART.fullmatch(piece)
        if match is None:
            break
        ranges += (ResultRange(low, high, column) for low, high in _part(match, zero))
    else:
        is_reversed = any(None not in (low, high) and low > high for low, high, _ in ranges)  # type: ignore[operator]
        return _Cell((), f'has the reversed range "{words}"') if is_reversed else _Cell(tuple(ranges))
    misprint = MISPRINT.fullmatch(words)
    if misprint is None:
        return _Cell(())
    (low, high), *_ = _ends(misprint["low"], misprint["high"], zero)
    if low > high:
        return _Cell(())
    return _Cell((ResultRange(low, high, column),), f'has "{words}", which is read as {low}-{high}')


def _part(match: re.Match[str], zero: int) -> Iterator[tuple[int | None, int | None]]:
    """The lowest and highest result of each range in a part of a cell; `None` for an open end."""
    match match.lastgroup:
        case "low" | "high":
            yield from _ends(match["low"], match["high"] or match["low"], zero)
        case "at_most" | "or_less" | "below":
            yield None, int(match[match.lastgroup]) - (match.lastgroup == "below")
        case other:
            assert other is not None
            yield int(match[other]) + (other == "above"), None


def _ends(low: str, high: str, zero: int) -> Iterator[tuple[int, int]]:
    """The ranges between two numbers as printed.

    `00` is 100: it ends `96-00`, and begins `00-05`, which is two ranges.
    """
    first, last = int(low), int(high)
    if zero and first == 0 and last > 0:
        yield 1, last
        yield zero, zero
    else:
        yield (zero if first == 0 and zero else first), (zero if last == 0 and zero else last)


def _compare(parts: Sequence[tuple[int, ResultRange]], results: Sequence[int]) -> tuple[int, list[TableFault]]:
    """The number of results that have a row, and the faults of a column."""
    rows_of: dict[int, list[int]] = {result: [] for result in results}
    outside: dict[int, list[int]] = {}
    for row, (low, high, _) in parts:
        for end in {low, high} - {None}:
            if end not in rows_of:
                outside.setdefault(end, []).append(row)  # type: ignore[arg-type]
        first, last = results[0] if low is None else low, results[-1] if high is None else high
        for result in range(max(first, results[0]), min(last, results[-1]) + 1):
            if result in rows_of:
                rows_of[result].append(row)
    missing = [result for result, rows in rows_of.items() if not rows]
    repeated = [result for result, rows in rows_of.items() if len(rows) > 1]
    faults = []
    if missing:
        faults.append(TableFault(f"has no row for {_named(missing, results)}", ()))
    if repeated:
        rows = sorted({row for result in repeated for row in rows_of[result]})
        faults.append(TableFault(f"has several rows for {_named(repeated, results)}", tuple(rows)))
    if outside:
        rows = sorted({row for of_result in outside.values() for row in of_result})
        faults.append(TableFault(f"has {_named(sorted(outside), ())}, which cannot be rolled", tuple(rows)))
    return len(results) - len(missing), faults


def _named(numbers: Sequence[int], results: Sequence[int]) -> str:
    """Numbers as text; numbers that are consecutive in `results` become a range."""
    place = {result: index for index, result in enumerate(results)}
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number in place and place[number] == place.get(groups[-1][-1], -2) + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    named = [str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups]
    more = f" and {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
    return ", ".join(named[:MAX_NAMED]) + more
