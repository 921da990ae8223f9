"""Formulas: a small expression language for rules that compute, its tree of plain data, and its evaluation.

The tree is published with the pack, and `site/assets/formula.js` evaluates it in a browser, bit for bit alike: a change
of meaning here is a change there. Nothing loops, nothing recurses without bound, nothing is run as code.
"""

from kismet_build.mechanics.formula.evaluation import evaluate
from kismet_build.mechanics.formula.reading import parse
from kismet_build.mechanics.formula.tree import FormulaError, Tree, Value, Vocabulary, plain_number

__all__ = ["FormulaError", "Tree", "Value", "Vocabulary", "evaluate", "parse", "plain_number"]
