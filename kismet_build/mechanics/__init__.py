"""Libraries for dice, formulas and calculators; they know nothing of documents or files."""
