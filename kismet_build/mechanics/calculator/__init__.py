"""Calculators: rules with inputs and a formula, and functions that run them."""

from kismet_build.mechanics.calculator.calculator import (
    Agreement,
    Calculator,
    Citation,
    Example,
    Input,
    Odds,
    Reading,
    Result,
    Step,
    asked,
    fits,
    formula_nodes,
    shown,
    wanted,
)

__all__ = [
    "Agreement",
    "Calculator",
    "Citation",
    "Example",
    "Input",
    "Odds",
    "Reading",
    "Result",
    "Step",
    "asked",
    "fits",
    "formula_nodes",
    "shown",
    "wanted",
]
