"""Compile tabletop rule books into a linked website and validated data.

Stages, each in its folder: load (`config`) -> `parse` -> `resolve` -> `extract` -> `crossref` -> `lint` -> `render` ->
write (`output`). `build` runs them; `pack` has their results for a game.
"""

__version__ = "0.1.0"
