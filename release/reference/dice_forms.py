"""Descriptions of all forms of dice notation, for the manual."""

from typing import NamedTuple


class Form(NamedTuple):
    """A form of dice notation."""

    name: str
    """The notation itself, or one word for it."""
    meaning: str
    examples: tuple[str, ...]
    """Expressions; the manual shows their lowest and highest result and their mean."""


FORMS = (
    Form(
        "dice",
        "Dice of one size, added up. `d6` is one die; `d%` is a die of 100 faces. Spaces and case are ignored.",
        ("d6", "2d6", "d%"),
    ),
    Form("sum", "Dice and numbers, added and subtracted.", ("1d10+3", "2d6-1d4+2")),
    Form("d66", "Two six-sided dice, one read as tens and one as ones.", ("d66",)),
    Form("kh", "Keep the highest dice of a roll. Without a number, one die is kept.", ("4d6kh3", "2d20kh")),
    Form("kl", "Keep the lowest dice of a roll.", ("4d6kl3", "2d20kl")),
    Form("dh", "Drop the highest dice of a roll.", ("4d6dh1",)),
    Form("dl", "Drop the lowest dice of a roll. `d6d1` is refused: it could mean `dh` or `dl`.", ("4d6dl1",)),
    Form(
        "!",
        "A die that shows its highest face adds another die, which may do the same.",
        ("d6!", "5d6!>=5"),
    ),
    Form(
        "open-ended",
        "`d6+`: the highest face rolls again, and the new roll is added to the same die. The sum has the same odds as "
        "with `!`; where dice are counted or kept, the odds differ. In `d6+3` the plus is an addition; `d6+ + 3` is "
        "both.",
        ("d6+", "5d6+>=7"),
    ),
    Form(
        "successes",
        "Count the dice that show at least a number (`>=`) or at most a number (`<=`). Dice codes and formulas "
        "do not accept `>`: programs disagree on its meaning.",
        ("5d6>=5", "5d6<=2"),
    ),
    Form("*", "A roll multiplied by a whole number.", ("2*d6",)),
    Form(
        "division",
        "A roll divided by a whole number; `floor` rounds down, `ceil` rounds up. One of them is needed.",
        ("floor(2d6/2)", "ceil(d6/2)"),
    ),
    Form("min", "The lowest of several rolls and numbers.", ("min(d6, d8)",)),
    Form("max", "The highest of several rolls and numbers.", ("max(2d6, 7)",)),
    Form("adv", "Rolls everything twice and keeps the higher result.", ("adv(d20+2)",)),
    Form("dis", "Rolls everything twice and keeps the lower result.", ("dis(d20)",)),
    Form(
        "bonus",
        "One more die of the size of the primary die, added. The primary die is the first die of the sum; it must be "
        "one plain die. `bonus` and `penalty` cancel each other, and neither stacks with itself.",
        ("bonus(1d10+3)",),
    ),
    Form("penalty", "One more die of the size of the primary die, subtracted.", ("penalty(1d10+3)",)),
    Form(
        "crit",
        "An amount added when the primary die shows a face. Its arguments are the roll, the face and the amount.",
        ("crit(1d10+3, 10, +5)",),
    ),
    Form(
        "step",
        "The die a number of steps up or down the chain d3, d4, d5, d6, d7, d8, d10, d12, d14, d16, d20, d24, d30. A "
        "step past an end of the chain is refused.",
        ("step(d6, +1)", "step(d10, -2)"),
    ),
)
"""All forms, in the order of the manual."""
