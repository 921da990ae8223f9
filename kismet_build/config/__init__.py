"""Data files: `game.yaml`, kinds, calculators, effects and boards, read and checked."""
