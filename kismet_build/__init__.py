"""Compile tabletop rule books into a linked website and validated data.

Stages, a folder each: load (`config`) -> `parse` -> `resolve` -> `extract` -> `crossref` -> `lint` -> `render` -> write
(`output`). `build` runs them; `pack` holds what they know of a game.
"""

__version__ = "0.1.0"
