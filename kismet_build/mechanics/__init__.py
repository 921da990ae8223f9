"""Libraries for dice, formulas and calculators. They read no documents and no files."""
