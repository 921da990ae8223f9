"""Dice: a parser for dice notation, and the exact odds of the results."""

from .notation import parse
from .odds import Distribution, odds
from .tree import DiceError, to_tree

__all__ = ["DiceError", "Distribution", "odds", "parse", "to_tree"]
