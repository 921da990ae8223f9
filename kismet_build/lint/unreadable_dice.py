"""`unreadable-dice`: inline code for the Dice Roller plugin that cannot be rolled."""

from collections.abc import Sequence

from kismet_build.model.book import AnchorRef
from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import DiceRoll, Link, Table
from kismet_build.pack import MAX_ROLLED_CHARACTERS, Pack, find_column

MAX_CODES = 3
"""Maximum number of codes quoted in a message."""
MAX_CHARACTERS = 40
"""Maximum length of a quoted code."""
UNREADABLE_HINT = "kismet odds explains what is wrong with a notation; name a table by its block id: [[Note^id]]"
LONG_HINT = (
    f"the rows of a table may have {MAX_ROLLED_CHARACTERS:,} characters; name a shorter column, or split the table"
)


def unreadable_dice(pack: Pack, report: Report) -> None:
    """Report all unreadable codes in one diagnostic at the first code, and all codes for long tables in another."""
    outlines = pack.book.outlines.values()
    rolls = [roll for outline in outlines for roll in outline.chapter.document.dice_rolls]
    _report(report, [roll for roll in rolls if not _can_be_read(pack, roll)], "cannot be rolled", UNREADABLE_HINT)
    known: dict[tuple[AnchorRef, str], bool] = {}
    long = [roll for roll in rolls if roll.rolls == "table" and _is_too_long(pack, roll, known)]
    _report(report, long, "cannot be rolled, because the table is too long", LONG_HINT)


def _report(report: Report, rolls: Sequence[DiceRoll], fault: str, hint: str) -> None:
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
    if len(_links(roll)) < roll.span.text.count("[["):
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


def _links(roll: DiceRoll) -> list[Link]:
    return [node for node in roll.children if isinstance(node, Link)]


def _target(pack: Pack, roll: DiceRoll) -> AnchorRef | None:
    target = next((pack.book.targets.get(link.span) for link in _links(roll)), None)
    return None if target is None else target.resolved_anchor


def _quoted(roll: DiceRoll) -> str:
    code = " ".join(roll.span.text.split())
    return code if len(code) <= MAX_CHARACTERS else f"{code[:MAX_CHARACTERS]}…"
