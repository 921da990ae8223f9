"""`faulty-roll-table`: a roll table that does not have exactly one row for each result of its dice."""

from collections.abc import Iterator

from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import Table
from kismet_build.pack import Pack

MAX_ROWS = 20
"""Maximum number of rows listed as related places."""
MAX_FAULTS = 5
"""Maximum number of faults that a message lists before the last fault."""


def faulty_roll_table(pack: Pack, report: Report) -> None:
    """Report every roll table that does not fit its dice, with the faulty rows as related places."""
    for path, facts in pack.documents.items():
        faulty = {span: roll_table for span, roll_table in facts.roll_tables.items() if roll_table.faults}
        if not faulty:
            continue
        for section in pack.book.outlines[path].sections:
            for table in section.tables:
                if table.span in faulty:
                    roll_table = faulty[table.span]
                    message = f"this table of {roll_table.die} {_sentence(roll_table)}"
                    hint = "give each result of the dice exactly one row"
                    places = tuple(_places(table, roll_table))[:MAX_ROWS]
                    report(warning("faulty-roll-table", table.header.span, message, hint, places))


def _sentence(roll_table: RollTable) -> str:
    *others, last = dict.fromkeys(fault.message for fault in roll_table.faults)
    return f"{', '.join(others[:MAX_FAULTS])} and {last}" if others else last


def _places(table: Table, roll_table: RollTable) -> Iterator[Related]:
    for row in sorted({row for fault in roll_table.faults for row in fault.rows}):
        yield Related(table.rows[row].span, "this row")
