"""Calculators: rules that compute, read from the data files of a game, and run."""

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
    nodes,
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
    "nodes",
    "shown",
    "wanted",
]
