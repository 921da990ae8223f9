"""Libraries for dice, formulas, calculators and search."""
