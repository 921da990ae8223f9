"""Estimate the height of a text on the screen of a phone, without rendering it."""

from collections.abc import Iterable, Sequence

from kismet_build.model.nodes import Block, CodeBlock, Heading, Node, Paragraph, RawBlock, Row, Table, children

SCREEN = 844
"""The height of the screen in CSS pixels. The width is 390."""
LINE, CHARACTERS = 28, 42
"""The height of a line of text, and the number of characters in it."""
GAP = 18
"""The space between two blocks."""
HEADING, CODE_LINE, ROW = 80, 24, 46
"""The heights of a heading, a line of code and a row of a table of numbers and names."""
CARD_ROW, CELL = 45, 28
"""The height of a row in a table of sentences, which is shown as a card, and of each line in the row."""
SHORT_CELL = 30
"""Maximum number of characters in a cell with a name or number. Longer cells contain sentences."""


def height(blocks: Iterable[Block]) -> int:
    """The estimated height of these blocks, in CSS pixels."""
    return sum(map(_height, blocks))


def _height(block: Node) -> int:
    match block:
        case Heading():
            return HEADING
        case Paragraph() | RawBlock():
            return LINE * _lines(block) + GAP
        case CodeBlock():
            return CODE_LINE * (block.text.count("\n") + 1) + GAP
        case Table():
            return _table_height((block.header, *block.rows))
        case _:
            return GAP + sum(map(_height, children(block)))


def _table_height(rows: Sequence[Row]) -> int:
    cells = [cell for row in rows for cell in row.cells]
    if all(cell.span.end - cell.span.start <= SHORT_CELL for cell in cells):
        return ROW * len(rows) + GAP
    return CARD_ROW * len(rows) + CELL * sum(map(_lines, cells))


def _lines(node: Node) -> int:
    return (node.span.end - node.span.start) // CHARACTERS + 1
