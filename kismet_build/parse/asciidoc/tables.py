"""Tables: columns, header, and cells that hold words or blocks of their own."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Block, Cell, CodeBlock, Emphasis, Inline, Paragraph, Row, Strong
from kismet_build.model.source import Span
from kismet_build.parse.asciidoc.attributes import Attributes
from kismet_build.parse.asciidoc.cells import MOST, Cut, bar_cells, value_cells
from kismet_build.parse.asciidoc.inlines import as_code, words_of
from kismet_build.parse.asciidoc.lines import Cursor, Line, passage
from kismet_build.parse.asciidoc.state import ParseState

COLUMN = re.compile(
    r"(?:(?P<times>\d+)\*)?(?P<side>[<^>](?:\.[<^>]?)?|(?:[<^>]?\.)?[<^>])?(?P<width>\d+%?|~)?(?P<style>[a-z])?"
)
MOST_EXTRA = 20_000
"""So many places of one table may be filled by cells that stand in others."""
SIDES = {"<": "left", "^": "center", ">": "right"}
FORMATS = {",": "csv", ":": "dsv"}
SIGNS = {"csv": ",", "dsv": ":", "tsv": "\t"}

ReadBlocks = Callable[[Cursor, ParseState, str], tuple[Block, ...]]
"""Reads all blocks at a cursor; the last says that they stand inside another."""


class Column(NamedTuple):
    """What holds for all cells below each other."""

    side: str = ""
    style: str = ""


class Part(NamedTuple):
    """A table as its lines say, still without title and name."""

    header: Row
    rows: tuple[Row, ...]
    alignments: tuple[str, ...]


def is_table(text: str) -> bool:
    """Whether a line begins a table."""
    return len(text) > 3 and text[0] in "|,:!" and text[1] == "="


def read_table(
    inside: Cursor, opening: Line, attributes: Attributes, state: ParseState, read_blocks: ReadBlocks
) -> Part | None:
    """The rows of a table; `None` for one without any cell."""
    lines = inside.lines[inside.at : inside.end]
    form = attributes.named.get("format") or FORMATS.get(opening.text[0], "psv")
    sign = attributes.named.get("separator") or SIGNS.get(form) or ("!" if opening.text[0] == "!" else "|")
    if form in SIGNS:
        grid = value_cells(lines, "\t" if sign == r"\t" else sign)
        cuts = [cut for row in grid for cut in row]
        width = len(grid[0]) if grid else 0
    else:
        cuts = bar_cells(lines, sign)
        width = _width(cuts)
    if not cuts:
        return None
    columns = _columns(attributes.named.get("cols", "")) or (Column(),) * min(width, MOST)
    reader = _Reader(columns, state, read_blocks, has_header(lines, cuts, attributes))
    rows = reader.rows(cuts)
    header = rows.pop(0) if reader.header and rows else _empty(columns, state.source.span(cuts[0].start, cuts[0].start))
    return Part(header, tuple(rows), tuple(column.side for column in columns))


def _width(cuts: Sequence[Cut]) -> int:
    """How many places the first row has: it goes on to the first line that begins with a bar."""
    end = next((place for place in range(1, len(cuts)) if cuts[place].leads), len(cuts))
    return sum(cut.across * cut.times for cut in cuts[:end])


def has_header(lines: Sequence[Line], cuts: Sequence[Cut], attributes: Attributes) -> bool:
    """Whether the first row is a header: said so, or all on the first line with a blank line below it."""
    if "header" in attributes.options:
        return True
    if "noheader" in attributes.options or len(lines) < 2 or not lines[0].text or lines[1].text:
        return False
    below = next((place for place in range(1, len(lines)) if lines[place].text), None)
    return below is None or any(cut.leads and cut.row == below for cut in cuts)


def _columns(typed: str) -> tuple[Column, ...]:
    """The columns that `cols` asks for."""
    typed = typed.replace(" ", "")
    if not typed:
        return ()
    if typed.isdecimal():
        return (Column(),) * min(max(int(typed[:4]), 1), MOST)
    found: list[Column] = []
    for one in typed.split("," if "," in typed else ";"):
        spec = COLUMN.fullmatch(one)
        if spec is None:
            continue
        side = SIDES.get((spec["side"] or "").partition(".")[0], "")
        found += [Column(side, spec["style"] or "")] * min(int(spec["times"] or 1), MOST)
    return tuple(found[:MOST])


def _empty(columns: Sequence[Column], span: Span) -> Row:
    return Row(span=span, cells=tuple(Cell(span=span, children=()) for _ in columns))


class _Reader:
    """The cells of a table while they are put in their places."""

    def __init__(self, columns: tuple[Column, ...], state: ParseState, read_blocks: ReadBlocks, header: bool) -> None:
        self.columns = columns
        self.state = state
        self.read_blocks = read_blocks
        self.header = header
        self.covered: dict[tuple[int, int], Cell] = {}
        """Places that a cell from above covers, by row and column."""
        self.left = MOST_EXTRA

    def rows(self, cuts: Sequence[Cut]) -> list[Row]:
        """All rows, each as wide as the table."""
        found: list[Row] = []
        row: dict[int, Cell] = {}
        own: list[Cell] = []
        start = cuts[0].start
        for cut in cuts:
            for _ in range(self.afford(cut.times - 1) + 1):
                start = start if own else cut.start
                place = next(place for place in range(len(self.columns)) if place not in row)
                cell = self.cell(cut, self.columns[place], self.header and not found)
                own.append(cell)
                self.fill(row, cell, len(found), place, cut)
                while len(row) == len(self.columns):
                    found.append(self.row(row, own, start))
                    row, own = self.begun(len(found)), []
        if own:
            self.tell_short(row, own, start)
            found.append(self.row(row, own, start))
        return found

    def fill(self, row: dict[int, Cell], cell: Cell, number: int, place: int, cut: Cut) -> None:
        """Put a cell in every place that it covers, in its row and those below."""
        row[place] = cell
        down = cut.down if self.afford((cut.down - 1) * cut.across) else 1
        for right in range(place, min(place + cut.across, len(self.columns))):
            row.setdefault(right, cell)
            for below in range(number + 1, number + down):
                self.covered.setdefault((below, right), cell)

    def afford(self, places: int) -> int:
        """So many places, if the table may still have them: a few signs could ask for millions."""
        if places > self.left:
            return 0
        self.left -= places
        return places

    def begun(self, number: int) -> dict[int, Cell]:
        """What stands in a row from above, before it has a cell of its own."""
        if not self.covered:
            return {}
        return {place: cell for place in range(len(self.columns)) if (cell := self.covered.pop((number, place), None))}

    def row(self, row: dict[int, Cell], own: Sequence[Cell], start: int) -> Row:
        """A row; where cells are missing in it, they are empty."""
        end = max([start, *(cell.span.end for cell in own)])
        empty = Cell(span=self.state.source.span(end, end), children=())
        cells = tuple(row.get(place, empty) for place in range(len(self.columns)))
        return Row(span=self.state.source.span(start, end), cells=cells)

    def tell_short(self, row: dict[int, Cell], own: Sequence[Cell], start: int) -> None:
        """Tell that the last row has too few cells."""
        span = self.state.source.span(start, max(cell.span.end for cell in own))
        message = f"the last row of this table fills {len(row)} of {len(self.columns)} columns"
        self.state.report(warning("short-table-row", span, message, "give it a bar for each cell, empty ones too"))

    def cell(self, cut: Cut, column: Column, in_header: bool) -> Cell:
        """What stands in one cell."""
        held = _trimmed(cut.lines)
        source = self.state.source
        if not held:
            place = cut.lines[0].start if cut.lines else cut.start
            return Cell(span=source.span(place, place), children=())
        span = source.span(held[0].start, held[-1].end)
        style = "" if in_header else cut.style or column.style
        if style == "a":
            return Cell(span=span, children=self.read_blocks(Cursor(held, 0, len(held)), self.state, "inside"))
        if style == "l":
            typed = [line for line in cut.lines if line.text]
            text = "".join(line.text + "\n" for line in (typed[0], *held[1:]))
            return Cell(span=span, children=(CodeBlock(span=span, text=text),))
        return Cell(span=span, children=tuple(self.paragraphs(held, style)))

    def paragraphs(self, held: Sequence[Line], style: str) -> list[Block]:
        """The words of a cell, in the look that its style asks for."""
        found: list[Block] = []
        run: list[Line] = []
        for line in (*held, Line("", 0)):
            if line.text:
                run.append(line.cut(line.indent))
            elif run:
                words = words_of(passage(self.state.source, run), self.state)
                span = self.state.source.span(run[0].start, run[-1].end)
                name = words.ids[0] if words.ids else ""
                found.append(Paragraph(span=span, children=styled(span, words.inlines, style), block_id=name))
                run = []
        return found


def styled(span: Span, words: tuple[Inline, ...], style: str) -> tuple[Inline, ...]:
    """Words in the look of their cell."""
    if not words:
        return words
    match style:
        case "e":
            return (Emphasis(span, words),)
        case "s" | "h":
            return (Strong(span, words),)
        case "m":
            return as_code(span, words)
        case _:
            return words


def _trimmed(lines: Sequence[Line]) -> list[Line]:
    """The lines of a cell without blank ones and white space around them."""
    held = list(lines)
    while held and not held[0].text:
        held.pop(0)
    while held and not held[-1].text:
        held.pop()
    if held:
        held[0] = held[0].cut(held[0].indent)
    return held
