"""Inline code that rolls on a table of any page: the rows that it may show, as attributes for `roll.js`."""

from collections.abc import Iterator

import orjson

from kismet_build.mechanics.dice.roll_table import ResultRange, RollTable
from kismet_build.model.nodes import DiceRoll, Link, Table
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack
from kismet_build.render.html.escape import escaped
from kismet_build.render.html.tables import cell_text

MAX_CHARACTERS = 20_000
"""Characters of table rows that a page contains for one dice code; a code for a longer table is only a link."""


def table_roll_attributes(pack: Pack, roll: DiceRoll) -> str:
    """The attributes of the `<span>` of a code that rolls on a table; empty if it can only be a link.

    `data-rows` is a JSON list: for each row its words, then the lowest and highest result of each of its ranges.
    """
    target = next((pack.book.targets.get(node.span) for node in roll.children if isinstance(node, Link)), None)
    anchor = None if target is None or target.resolved_anchor is None else pack.book.anchor(target.resolved_anchor)
    blocks = () if anchor is None else pack.book.embedded_blocks(anchor)
    table = blocks[0] if len(blocks) == 1 else None
    if not isinstance(table, Table) or not table.rows:
        return ""
    roll_table = pack.roll_table(table) or _even_table(table)
    rows = [[words, *ends] for words, ends in _rows(table, roll_table, roll.column)]
    data = orjson.dumps(rows).decode()
    if len(data) > MAX_CHARACTERS or not rows:
        return ""
    times = f' data-times="{escaped(roll.notation)}"' if roll.notation else ""
    return f' class="table-roll" data-dice="{escaped(roll_table.notation)}"{times} data-rows="{escaped(data)}"'


def _even_table(table: Table) -> RollTable:
    """An ordinary table as one on which each row has the same chance."""
    count = len(table.rows)
    rows = tuple((ResultRange(number, number, -1),) for number in range(1, count + 1))
    return RollTable(f"1d{count}", 1, count, rows, ())


def _rows(table: Table, roll_table: RollTable, column: str) -> Iterator[tuple[str, list[int]]]:
    """The words and the ends of the ranges of each row that a roll may lead to."""
    titles = [normalize(cell_text(cell)) for cell in table.header.cells]
    starts = sorted({part.column for row in roll_table.rows for part in row})
    named = [place for place, title in enumerate(titles) if column and title == normalize(column)]
    if roll_table.is_parallel:
        # One column of results is rolled on, and leads to all cells without results.
        starts = [place for place in named if place in starts][:1] or starts[:1]
        named = [place for place in named if place not in roll_table.columns]
    for start in starts:
        # Each column with results leads to the cells up to the next one.
        end = next((later for later in starts if later > start), len(titles))
        shown = [place for place in range(start + 1, end) if place not in roll_table.columns]
        if named:
            shown = [next((place for place in named if start <= place < end), named[0])]
        for row, ranges in zip(table.rows, roll_table.rows, strict=True):
            words = " · ".join(filter(None, (cell_text(row.cells[place]) for place in shown)))
            if ends := [end for part in ranges if part.column == start for end in roll_table.ends(part)]:
                yield words or "—", ends
