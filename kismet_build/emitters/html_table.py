"""What is known of a table before it is shown: of what sort it is, and whether its caption stands above it already."""

import re
from dataclasses import replace
from statistics import median

from kismet_build.model import Block, Cell, Heading, Paragraph, Table, Text, plain_text

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
    rows = [[cell_words(cell) for cell in row.cells] for row in table.rows]
    if width < MANY:
        return "long" if rows and median(sum(map(len, row)) for row in rows) > LONG_ROW else ""
    return "figures" if rows and all(FIGURE.fullmatch(cell) for row in rows for cell in row[1:]) else "long"


def cell_words(cell: Cell) -> str:
    """What stands in a cell, in words."""
    match cell.children:
        case (Paragraph(children=(Text(value=words),)),):
            return words.strip()  # as in nearly every cell
        case children:
            return plain_text(*children).strip()


def under(above: Block | None, block: Block) -> Block:
    """A block as it is shown under another: a table has no caption where the heading above it says the same."""
    if isinstance(above, Heading) and isinstance(block, Table) and block.caption:
        words = plain_text(*block.caption)
        return replace(block, caption=()) if plain_text(above).endswith(words) else block
    return block
