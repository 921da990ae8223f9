"""Libraries for dice, formulas and calculators. These libraries do not read documents or files."""
