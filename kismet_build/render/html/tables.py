"""What is known of a table before it is shown: of what sort it is, and whether its caption stands above it already."""

import re
from dataclasses import replace
from statistics import median

from kismet_build.model.nodes import Block, Cell, Heading, Paragraph, Table, Text, plain_text

MANY = 4
"""Columns that are too many for the words of a row to stand beside each other on a phone."""
LONG_ROW = 90
"""Letters in a row of three columns that make them too narrow to read on a phone."""

FIGURE = re.compile(r"[—–-]?|n/?a|(?=.*\d).{1,14}", re.IGNORECASE)
"""A cell that takes little room: a number with few words, or nothing."""


def sort_of(table: Table) -> str:
    """What a narrow page has to know: `long` rows, or nothing but short `figures` in many columns."""
    width = len(table.header.cells)
    if width < MANY - 1:
        return ""
    if width < MANY:
        lengths = [sum(len(cell_words(cell)) for cell in row.cells) for row in table.rows]
        return "long" if lengths and median(lengths) > LONG_ROW else ""
    cells = (cell for row in table.rows for cell in row.cells[1:])
    return "figures" if table.rows and all(FIGURE.fullmatch(cell_words(cell)) for cell in cells) else "long"


def cell_words(cell: Cell) -> str:
    """What stands in a cell, in words."""
    children = cell.children
    if len(children) == 1 and isinstance(only := children[0], Paragraph) and len(only.children) == 1:
        words = only.children[0]
        if isinstance(words, Text):
            return words.value.strip()  # as in nearly every cell
    return plain_text(*children).strip()


def under(above: Block | None, block: Block) -> Block:
    """A block as it is shown under another: a table has no caption where the heading above it says the same."""
    if isinstance(above, Heading) and isinstance(block, Table) and block.caption:
        words = plain_text(*block.caption)
        return replace(block, caption=()) if plain_text(above).endswith(words) else block
    return block
