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
    called_calculators,
    describe_input,
    format_literal,
    formula_nodes,
    is_valid_input,
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
    "called_calculators",
    "describe_input",
    "format_literal",
    "formula_nodes",
    "is_valid_input",
]
