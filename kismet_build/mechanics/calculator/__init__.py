"""Calculators: rules with inputs and a formula."""

from kismet_build.mechanics.calculator.calculator import (
    Agreement,
    Calculator,
    Citation,
    Example,
    FaultyCalculator,
    Input,
    Odds,
    Reading,
    Result,
    Step,
    called_calculators,
    formula_nodes,
)

__all__ = [
    "Agreement",
    "Calculator",
    "Citation",
    "Example",
    "FaultyCalculator",
    "Input",
    "Odds",
    "Reading",
    "Result",
    "Step",
    "called_calculators",
    "formula_nodes",
]
