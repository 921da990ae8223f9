"""Checks of roll tables and of inline code that is rolled."""

from collections.abc import Iterator, Sequence

from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model.book import AnchorRef
from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import DiceRoll, Link, Table
from kismet_build.pack import MAX_ROLLED_CHARACTERS, Pack, find_column

# --- roll tables

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


# --- dice codes

MAX_CODES = 3
"""Maximum number of codes quoted in a message."""
MAX_QUOTED = 40
"""Maximum length of a quoted code."""
UNREADABLE_HINT = "kismet odds explains what is wrong with a notation; name a table by its block id: [[Note^id]]"
LONG_HINT = (
    f"the rows of a table may have {MAX_ROLLED_CHARACTERS:,} characters; name a shorter column, or split the table"
)


def unreadable_dice(pack: Pack, report: Report) -> None:
    """Report all unreadable codes in one diagnostic at the first code, and all codes for long tables in another."""
    outlines = pack.book.outlines.values()
    rolls = [roll for outline in outlines for roll in outline.chapter.document.dice_rolls]
    _report_codes(report, [roll for roll in rolls if not _can_be_read(pack, roll)], "cannot be rolled", UNREADABLE_HINT)
    known: dict[tuple[AnchorRef, str], bool] = {}
    long = [roll for roll in rolls if roll.rolls == "table" and _is_too_long(pack, roll, known)]
    _report_codes(report, long, "cannot be rolled, because the table is too long", LONG_HINT)


def _report_codes(report: Report, rolls: Sequence[DiceRoll], fault: str, hint: str) -> None:
    if not rolls:
        return
    codes = list(dict.fromkeys(map(_quoted, rolls)))
    more = f" and {len(codes) - MAX_CODES} more" if len(codes) > MAX_CODES else ""
    subject = "1 dice code" if len(rolls) == 1 else f"{len(rolls):,} dice codes"
    message = f"{subject} {fault}: {', '.join(codes[:MAX_CODES])}{more}"
    places = tuple(Related(roll.span, "also here") for roll in rolls[1:])
    report(warning("unreadable-dice", rolls[0].span, message, hint, places))


def _can_be_read(pack: Pack, roll: DiceRoll) -> bool:
    """Whether a code can be read, or must not be reported by this check."""
    if len(_links_in(roll)) < roll.span.text.count("[["):
        return True  # the code links to a private text, which diagnostics must not name
    if roll.rolls != "table":
        return roll.rolls == "dice"
    target = _target(pack, roll)
    if target is None:
        return True  # `unresolved-link` reports this
    table = pack.book.anchor(target).node
    return isinstance(table, Table) and (not roll.column or find_column(table, roll.column) is not None)


def _is_too_long(pack: Pack, roll: DiceRoll, known: dict[tuple[AnchorRef, str], bool]) -> bool:
    """Whether the table of a code is too long. `known`: the results for earlier codes, by target and column."""
    target = _target(pack, roll)
    if target is None:
        return False
    if (target, roll.column) not in known:
        rolled = pack.rolled_rows(roll)
        known[target, roll.column] = rolled is not None and rolled.is_too_long
    return known[target, roll.column]


def _links_in(roll: DiceRoll) -> list[Link]:
    return [node for node in roll.children if isinstance(node, Link)]


def _target(pack: Pack, roll: DiceRoll) -> AnchorRef | None:
    target = next((pack.book.targets.get(link.span) for link in _links_in(roll)), None)
    return None if target is None else target.resolved_anchor


def _quoted(roll: DiceRoll) -> str:
    code = " ".join(roll.span.text.split())
    return code if len(code) <= MAX_QUOTED else f"{code[:MAX_QUOTED]}…"
