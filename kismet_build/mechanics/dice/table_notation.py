"""Rewrite the short forms of players into dice notation.

    d20 adv, d20+5 dis     adv(d20), dis(d20+5)
    4dF                    (4d3-8): each die shows -1, 0 or 1
    3d6>4, 3d6<3           3d6>=5, 3d6<=2: dice above or below a number
    1d6 vs 1d8             two rolls; either may use all other forms

Only the command line and the dice roller of the website (`dice.js`) read these forms. In formulas, `>` compares.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from .notation import MAX_CHARACTERS
from .odds import odds, to_fraction_tree
from .tree import DiceError, Expression, Product, Sum

VERSUS = re.compile(r"\bvs\b\.?", re.IGNORECASE)
FATE_DICE = re.compile(r"(?<![a-z0-9])([0-9]{0,3})[dw]F(?![a-z0-9])", re.IGNORECASE)
DICE = r"[0-9]{0,9}[dw](?:[0-9]{1,9}|%)(?:!|(?:kh|kl|dh|dl)[0-9]{0,9})?"
BEYOND = re.compile(rf"({DICE})\s*([<>])\s*([0-9]{{1,9}})", re.IGNORECASE)
COUNT = re.compile(r"([0-9]{0,9}[dw]([0-9]{1,9}|%)!?)\s*[<>]=\s*([0-9]{1,9})", re.IGNORECASE)
TWICE_ONE = re.compile(rf"(?<![a-z0-9])({DICE})\s*(adv|dis)(?=\s*[-+])", re.IGNORECASE)
TWICE_ALL = re.compile(r"(?<![a-z])(?:adv|dis)\Z", re.IGNORECASE)


def in_dice_notation(text: str) -> str:
    """A roll in dice notation. A text without these forms is returned unchanged."""
    if len(text) > MAX_CHARACTERS:
        return text
    text = without_fate_dice(text)
    text = BEYOND.sub(_with_limit, text)
    text = TWICE_ONE.sub(r"\2(\1)", text)
    twice = TWICE_ALL.search(text.rstrip())
    return f"{twice[0]}({text[: twice.start()].strip()})" if twice and twice.start() else text


def without_fate_dice(text: str) -> str:
    """A text with Fate dice, `4dF`, in dice notation: `(4d3-8)`."""
    return FATE_DICE.sub(lambda dice: f"({dice[1]}d3-{2 * int(dice[1] or 1)})", text)


def check_counts(text: str) -> None:
    """Refuse a roll that compares each die with a number beyond its faces: `3d6>=12` must mean the sum.

    Raises `DiceError`.
    """
    for found in COUNT.finditer(text[:MAX_CHARACTERS]):
        dice, faces, number = found.groups()
        if int(number) > (100 if faces == "%" else int(faces)):
            one = dice.lstrip("0123456789").rstrip("!")
            raise DiceError(
                f'no {one} shows {number}, and a comparison counts dice: write "{dice}" for their sum', found.start()
            )


def _with_limit(found: re.Match[str]) -> str:
    dice, sign, number = found.groups()
    return f"{dice}>={int(number) + 1}" if sign == ">" else f"{dice}<={int(number) - 1}"


class Contest(NamedTuple):
    """The chances that the first of two rolls is higher, equal and lower."""

    win: Fraction
    tie: Fraction
    lose: Fraction

    def to_tree(self) -> Mapping[str, object]:
        """Convert to plain data."""
        return {name: to_fraction_tree(chance) for name, chance in self._asdict().items()}


def contest(first: Expression, second: Expression) -> Contest:
    """The odds of two rolls against each other. Raises `DiceError`."""
    difference = odds(Sum((first, Product(-1, second))))
    win = difference.at_least(1)
    return Contest(win, difference.at_least(0) - win, 1 - difference.at_least(0))
