"""Load data files: `game.yaml`, kinds, calculators, effects and boards."""
