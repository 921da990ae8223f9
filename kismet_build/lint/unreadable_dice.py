"""`unreadable-dice`: inline code of the plugin Dice Roller that cannot be rolled."""

from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import DiceRoll, Link, Table
from kismet_build.pack import Pack, find_column

MAX_CODES = 3
"""Codes that the message quotes."""
MAX_CHARACTERS = 40
"""Characters of a code that the message quotes."""


def unreadable_dice(pack: Pack, report: Report) -> None:
    """Report all codes that cannot be rolled as one diagnostic, at the first of them."""
    outlines = pack.book.outlines.values()
    rolls = [
        roll for outline in outlines for roll in outline.chapter.document.dice_rolls if not _can_be_rolled(pack, roll)
    ]
    if not rolls:
        return
    codes = list(dict.fromkeys(map(_quoted, rolls)))
    more = f" and {len(codes) - MAX_CODES} more" if len(codes) > MAX_CODES else ""
    subject = "1 dice code cannot be rolled" if len(rolls) == 1 else f"{len(rolls):,} dice codes cannot be rolled"
    message = f"{subject}: {', '.join(codes[:MAX_CODES])}{more}"
    hint = "kismet odds explains what is wrong with a notation; a table is named by its block id: [[Note^id]]"
    places = tuple(Related(roll.span, "also here") for roll in rolls[1:])
    report(warning("unreadable-dice", rolls[0].span, message, hint, places))


def _can_be_rolled(pack: Pack, roll: DiceRoll) -> bool:
    """Whether a code can be rolled, or is not to be reported here."""
    links = [node for node in roll.children if isinstance(node, Link)]
    if len(links) < roll.span.text.count("[["):
        return True  # the code links to a private text, which no report may name
    if roll.rolls != "table":
        return roll.rolls == "dice"
    target = pack.book.targets.get(links[0].span)
    if target is None or target.resolved_anchor is None:
        return True  # reported as `unresolved-link`
    table = pack.book.anchor(target.resolved_anchor).node
    return isinstance(table, Table) and (not roll.column or find_column(table, roll.column) is not None)


def _quoted(roll: DiceRoll) -> str:
    code = " ".join(roll.span.text.split())
    return code if len(code) <= MAX_CHARACTERS else f"{code[:MAX_CHARACTERS]}…"
