"""Read tables as they were meant: a header that is the first row of the data, and rows that miss a cell."""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Cell, Paragraph, Row, Table, Text, plain_text
from kismet_build.parse.markdown.state import Reading

SENTENCE = re.compile(r"(?:\S+\s+){3,}\S*\w[.!?][)\"”’]?")
"""Four words at least, and the sign that ends a sentence: no title of a column."""

FEWEST_ROWS = 2
"""With fewer rows below it, nobody can say of what sort the cells of a column are."""

FEWEST_FULL = 3
"""So many rows that have a cell make one without it worth a word, if they are also twice as many as those without."""

PROSE = 3
"""Words that a cell has in a column of sentences, at least; an empty cell amid numbers or names says enough."""

TOO_LONG = 1.5
"""By so much more than the usual words of its column, a cell holds those of its neighbour as well."""

SHOWN = 40


def repair_table(table: Table, reading: Reading) -> Table:
    """The table with a header only where it has one; what is missing in its rows is told."""
    if not reading.repairs:
        return table
    words = [[_words(cell) for cell in row.cells] for row in (table.header, *table.rows)]
    if _is_data(words[0], words[1:]):
        table = _without_header(table, reading)
    _tell_missing(table, words[0], words[1:], reading)
    return table


def _words(cell: Cell) -> str:
    """The words of a cell on one line."""
    match cell.children:
        case (Paragraph(children=(Text(value=value),)),):
            pass  # nearly every cell, and much faster than asking for the words of all that is in it
        case _:
            value = plain_text(cell)
    return " ".join(value.split())


def _is_data(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header is a row like the others: one of its cells is a sentence, and so are all below it."""
    if len(rows) < FEWEST_ROWS or not all(header):
        return False
    return any(
        SENTENCE.fullmatch(title) and all(SENTENCE.fullmatch(row[place]) for row in rows)
        for place, title in enumerate(header)
    )


def _without_header(table: Table, reading: Reading) -> Table:
    span = table.header.span
    message = "the header of this table reads like a row of its data, and is read as one"
    hint = "put a row with the titles of the columns above it, or one of empty cells"
    reading.report(warning("header-is-data", span, message, hint))
    nothing = span.source.span(span.start, span.start)
    empty = Row(span=nothing, cells=tuple(Cell(span=nothing, children=()) for _ in table.header.cells))
    return replace(table, header=empty, rows=(table.header, *table.rows))


def _tell_missing(table: Table, header: Sequence[str], rows: Sequence[Sequence[str]], reading: Reading) -> None:
    """Tell which rows have no words in a column of sentences in which nearly all others have some."""
    if all(map(all, rows)):
        return
    for place, title in list(enumerate(header))[1:]:
        full = [row for row in rows if row[place]]
        if len(full) < max(FEWEST_FULL, 2 * (len(rows) - len(full))) or len(full) == len(rows):
            continue
        if median(len(row[place].split()) for row in full) < PROSE or not title:
            continue
        for row, words in zip(table.rows[-len(rows) :], rows, strict=True):
            if not words[place] and any(words):
                name = words[0] if len(words[0]) <= SHOWN else words[0][:SHOWN].rstrip() + "…"
                message = f'the row "{name}" has nothing under "{title}"'
                reading.report(warning("missing-table-cell", row.span, message, _cure(header, full, words)))


def _cure(header: Sequence[str], full: Sequence[Sequence[str]], words: Sequence[str]) -> str:
    """Where the words that are missing may stand: in the cell that is longest for its column."""
    usual = [median(len(row[place]) for row in full) or 1 for place in range(len(words))]
    ratios = [len(cell) / length for cell, length in zip(words, usual, strict=True)]
    longest = max(range(len(words)), key=lambda place: ratios[place])
    if ratios[longest] < TOO_LONG or not header[longest]:
        return "write what belongs there, or a dash where nothing does"
    return f'it may be part of what stands under "{header[longest]}": divide that with a bar'
