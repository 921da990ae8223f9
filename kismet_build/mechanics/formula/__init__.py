"""Formulas: a small expression language for calculators, with a parser, type inference and evaluation.

The parser returns a tree of plain data, which is published. `site/assets/formula.js` evaluates the same tree in a
browser with bit-identical results: change both together. The language has no loops and no unbounded recursion. Formulas
are never run as Python or JavaScript code.
"""

from .evaluation import evaluate
from .reading import parse
from .tree import FormulaError, Tree, Value, Vocabulary, plain_number, without_offsets

__all__ = ["FormulaError", "Tree", "Value", "Vocabulary", "evaluate", "parse", "plain_number", "without_offsets"]
