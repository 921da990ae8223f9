"""Data files: the JSON of packs and calculators."""
