"""Dice: a parser for dice notation, and the exact odds of the results."""

from kismet_build.mechanics.dice.notation import DICE_CHAIN, parse
from kismet_build.mechanics.dice.odds import Distribution, odds
from kismet_build.mechanics.dice.tree import DiceError, Expression, to_tree

__all__ = ["DICE_CHAIN", "DiceError", "Distribution", "Expression", "odds", "parse", "to_tree"]
