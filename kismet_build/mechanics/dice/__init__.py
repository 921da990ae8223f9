"""Dice: a parser for dice notation, and the exact odds of the results."""

from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.odds import Distribution, odds
from kismet_build.mechanics.dice.tree import DiceError, to_tree

__all__ = ["DiceError", "Distribution", "odds", "parse", "to_tree"]
