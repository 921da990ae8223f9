"""Find the roll tables of a document: tables whose first column lists the results of dice named in the text."""

from collections.abc import Iterator, Mapping, Sequence

from kismet_build.mechanics.dice.roll_table import RollTable, detect_roll_table
from kismet_build.model.book import Outline
from kismet_build.model.language import ENGLISH, Language
from kismet_build.model.nodes import Block, Callout, Cell, Paragraph, Table, plain_text
from kismet_build.model.source import Span

MAX_CHARACTERS = 300
"""Number of characters before a table that are searched for its dice."""


def find_roll_tables(outline: Outline, language: Language) -> Mapping[Span, RollTable]:
    """The roll tables of a document, by the span of the table. `language`: the language of the document."""
    found = {}
    for section in outline.sections:
        if section.tables:
            heading = section.anchor.title if section.anchor.level else ""
            for table, before in _tables(section.blocks, ""):
                roll_table = roll_table_of(table, before, heading, language)
                if roll_table is not None:
                    found[table.span] = roll_table
    return found


def _tables(blocks: Sequence[Block], before: str) -> Iterator[tuple[Table, str]]:
    """The tables in blocks, at any depth, each with the end of the paragraph before it or the title of its callout."""
    for block in blocks:
        if isinstance(block, Table):
            yield block, before
        elif not isinstance(block, Paragraph) and (children := getattr(block, "children", ())):
            yield from _tables(children, plain_text(*block.title) if isinstance(block, Callout) else before)
        before = plain_text(block)[-MAX_CHARACTERS:] if isinstance(block, Paragraph) else ""


def roll_table_of(table: Table, before: str = "", heading: str = "", language: Language = ENGLISH) -> RollTable | None:
    """How to roll on a table; `None` if it is not a roll table.

    `before` and `heading`: texts that may name its dice.
    """
    header = [plain_text(*cell.children).strip() for cell in table.header.cells]
    rows = []
    above: tuple[Cell, ...] = ()
    for row in table.rows:
        # A cell that spans several rows is repeated in each of them; its results refer to the first row.
        is_repeated = [place < len(above) and above[place].span == cell.span for place, cell in enumerate(row.cells)]
        texts = (plain_text(*cell.children).strip() for cell in row.cells)
        rows.append(["" if repeated else text for text, repeated in zip(texts, is_repeated, strict=True)])
        above = row.cells
    return detect_roll_table(header, rows, (plain_text(*table.caption), before, heading), language)
