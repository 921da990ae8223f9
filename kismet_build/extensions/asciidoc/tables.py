"""Parse tables: columns, header, and cells with text or blocks."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kismet_build.extensions.asciidoc.attributes import Attributes
from kismet_build.extensions.asciidoc.cells import MAX_SPAN, RawCell, bar_cells, value_cells
from kismet_build.extensions.asciidoc.inlines import as_code, parse_inlines
from kismet_build.extensions.asciidoc.lines import Cursor, Line, joined
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Block, Cell, CodeBlock, Emphasis, Inline, Paragraph, Row, Strong
from kismet_build.model.source import Span

COLUMN = re.compile(
    r"(?:(?P<times>\d+)\*)?(?P<side>[<^>](?:\.[<^>]?)?|(?:[<^>]?\.)?[<^>])?(?P<width>\d+%?|~)?(?P<style>[a-z])?"
)
MAX_EXTRA_CELLS = 20_000
"""Maximum number of additional cells that spans and repetitions may create in one table."""
ALIGNMENTS = {"<": "left", "^": "center", ">": "right"}
FORMATS = {",": "csv", ":": "dsv"}
SEPARATORS = {"csv": ",", "dsv": ":", "tsv": "\t"}

ParseBlocks = Callable[[Cursor, ParseState, str], tuple[Block, ...]]
"""Parses all blocks at a cursor. The last argument is the context of the blocks, `inside`."""


class Column(NamedTuple):
    """The properties of a column."""

    alignment: str = ""
    style: str = ""


class TableParts(NamedTuple):
    """The parsed content of a table."""

    header: Row
    rows: tuple[Row, ...]
    alignments: tuple[str, ...]


def is_table(text: str) -> bool:
    """Whether a line is a table delimiter."""
    return len(text) > 3 and text[0] in "|,:!" and text[1] == "="


def read_table(
    content: Cursor, opening: Line, attributes: Attributes, state: ParseState, parse_blocks: ParseBlocks
) -> TableParts | None:
    """Parse a table; `None` if it has no cells."""
    lines = content.lines[content.position : content.end]
    format_name = attributes.named.get("format") or FORMATS.get(opening.text[0], "psv")
    default_separator = SEPARATORS.get(format_name) or ("!" if opening.text[0] == "!" else "|")
    separator = attributes.named.get("separator") or default_separator
    if format_name in SEPARATORS:
        raw_rows = value_cells(lines, "\t" if separator == r"\t" else separator)
        raw_cells = [raw_cell for row in raw_rows for raw_cell in row]
        width = len(raw_rows[0]) if raw_rows else 0
    else:
        raw_cells = bar_cells(lines, separator)
        width = _column_count(raw_cells)
    if not raw_cells:
        return None
    columns = _columns(attributes.named.get("cols", "")) or (Column(),) * min(width, MAX_SPAN)
    builder = _RowBuilder(columns, state, parse_blocks, has_header(lines, raw_cells, attributes))
    rows = builder.rows(raw_cells)
    start = raw_cells[0].start
    header = rows.pop(0) if builder.has_header and rows else _empty_row(columns, state.source.span(start, start))
    return TableParts(header, tuple(rows), tuple(column.alignment for column in columns))


def _column_count(raw_cells: Sequence[RawCell]) -> int:
    """The number of columns: the first row ends before the next line that begins with a separator."""
    end = next((index for index in range(1, len(raw_cells)) if raw_cells[index].is_first_in_line), len(raw_cells))
    return sum(raw_cell.column_span * raw_cell.repeat for raw_cell in raw_cells[:end])


def has_header(lines: Sequence[Line], raw_cells: Sequence[RawCell], attributes: Attributes) -> bool:
    """Whether the first row is a header: by an option, or because it is a single line followed by a blank line."""
    if "header" in attributes.options:
        return True
    if "noheader" in attributes.options or len(lines) < 2 or not lines[0].text or lines[1].text:
        return False
    next_text_line = next((number for number in range(1, len(lines)) if lines[number].text), None)
    return next_text_line is None or any(
        raw_cell.is_first_in_line and raw_cell.row == next_text_line for raw_cell in raw_cells
    )


def _columns(typed: str) -> tuple[Column, ...]:
    typed = typed.replace(" ", "")
    if not typed:
        return ()
    if typed.isdecimal():
        return (Column(),) * min(max(int(typed[:4]), 1), MAX_SPAN)
    columns: list[Column] = []
    for typed_column in typed.split("," if "," in typed else ";"):
        spec = COLUMN.fullmatch(typed_column)
        if spec is None:
            continue
        alignment = ALIGNMENTS.get((spec["side"] or "").partition(".")[0], "")
        columns += [Column(alignment, spec["style"] or "")] * min(int(spec["times"] or 1), MAX_SPAN)
    return tuple(columns[:MAX_SPAN])


def _empty_row(columns: Sequence[Column], span: Span) -> Row:
    return Row(span=span, cells=tuple(Cell(span=span, children=()) for _ in columns))


class _RowBuilder:
    def __init__(
        self, columns: tuple[Column, ...], state: ParseState, parse_blocks: ParseBlocks, has_header: bool
    ) -> None:
        self.columns = columns
        self.state = state
        self.parse_blocks = parse_blocks
        self.has_header = has_header
        self.covered: dict[tuple[int, int], Cell] = {}
        """Cells that span down from an earlier row, by row and column."""
        self.remaining = MAX_EXTRA_CELLS

    def rows(self, raw_cells: Sequence[RawCell]) -> list[Row]:
        """All rows, each with a cell in every column."""
        rows: list[Row] = []
        row: dict[int, Cell] = {}
        own_cells: list[Cell] = []
        start = raw_cells[0].start
        for raw_cell in raw_cells:
            for _ in range(self.allowed(raw_cell.repeat - 1) + 1):
                start = start if own_cells else raw_cell.start
                column = next(column for column in range(len(self.columns)) if column not in row)
                cell = self.cell(raw_cell, self.columns[column], self.has_header and not rows)
                own_cells.append(cell)
                self.fill(row, cell, len(rows), column, raw_cell)
                while len(row) == len(self.columns):
                    rows.append(self.row(row, own_cells, start))
                    row, own_cells = self.cells_from_above(len(rows)), []
                    start = rows[-1].span.end  # a row in which all cells span down from above
        if own_cells:
            self.report_short_row(row, own_cells, start)
            rows.append(self.row(row, own_cells, start))
        return rows

    def fill(self, row: dict[int, Cell], cell: Cell, row_number: int, column: int, raw_cell: RawCell) -> None:
        """Put a cell into each column it spans, and record the rows below that it spans."""
        row[column] = cell
        row_span = raw_cell.row_span if self.allowed((raw_cell.row_span - 1) * raw_cell.column_span) else 1
        for spanned_column in range(column, min(column + raw_cell.column_span, len(self.columns))):
            row.setdefault(spanned_column, cell)
            for row_below in range(row_number + 1, row_number + row_span):
                self.covered.setdefault((row_below, spanned_column), cell)

    def allowed(self, count: int) -> int:
        """`count`, or 0 beyond the limit of additional cells.

        Without a limit, a few characters could make millions of cells.
        """
        if count > self.remaining:
            return 0
        self.remaining -= count
        return count

    def cells_from_above(self, row_number: int) -> dict[int, Cell]:
        if not self.covered:
            return {}
        return {
            column: cell
            for column in range(len(self.columns))
            if (cell := self.covered.pop((row_number, column), None))
        }

    def row(self, row: dict[int, Cell], own_cells: Sequence[Cell], start: int) -> Row:
        """A row. Columns without a cell get an empty cell."""
        end = max([start, *(cell.span.end for cell in own_cells)])
        empty = Cell(span=self.state.source.span(end, end), children=())
        cells = tuple(row.get(column, empty) for column in range(len(self.columns)))
        return Row(span=self.state.source.span(start, end), cells=cells)

    def report_short_row(self, row: dict[int, Cell], own_cells: Sequence[Cell], start: int) -> None:
        span = self.state.source.span(start, max(cell.span.end for cell in own_cells))
        message = f"the last row of this table fills {len(row)} of {len(self.columns)} columns"
        self.state.report(warning("short-table-row", span, message, "write a bar for each cell, even for empty ones"))

    def cell(self, raw_cell: RawCell, column: Column, in_header: bool) -> Cell:
        lines = _strip_lines(raw_cell.lines)
        source = self.state.source
        if not lines:
            offset = raw_cell.lines[0].start if raw_cell.lines else raw_cell.start
            return Cell(span=source.span(offset, offset), children=())
        span = source.span(lines[0].start, lines[-1].end)
        style = "" if in_header else raw_cell.style or column.style
        if style == "a":
            return Cell(span=span, children=self.parse_blocks(Cursor(lines, 0, len(lines)), self.state, "inside"))
        if style == "l":
            text_lines = [line for line in raw_cell.lines if line.text]
            text = "".join(line.text + "\n" for line in (text_lines[0], *lines[1:]))
            return Cell(span=span, children=(CodeBlock(span=span, text=text),))
        return Cell(span=span, children=tuple(self.paragraphs(lines, style)))

    def paragraphs(self, lines: Sequence[Line], style: str) -> list[Block]:
        paragraphs: list[Block] = []
        paragraph_lines: list[Line] = []
        for line in (*lines, Line("", 0)):
            if line.text:
                paragraph_lines.append(line.without_prefix(line.indent))
            elif paragraph_lines:
                parsed = parse_inlines(joined(self.state.source, paragraph_lines), self.state)
                span = self.state.source.span(paragraph_lines[0].start, paragraph_lines[-1].end)
                block_id = parsed.ids[0] if parsed.ids else ""
                paragraphs.append(
                    Paragraph(span=span, children=apply_style(span, parsed.inlines, style), block_id=block_id)
                )
                paragraph_lines = []
        return paragraphs


def apply_style(span: Span, inlines: tuple[Inline, ...], style: str) -> tuple[Inline, ...]:
    """Inlines, formatted by the style of the table cell."""
    if not inlines:
        return inlines
    match style:
        case "e":
            return (Emphasis(span, inlines),)
        case "s" | "h":
            return (Strong(span, inlines),)
        case "m":
            return as_code(span, inlines)
        case _:
            return inlines


def _strip_lines(lines: Sequence[Line]) -> list[Line]:
    stripped = list(lines)
    while stripped and not stripped[0].text:
        stripped.pop(0)
    while stripped and not stripped[-1].text:
        stripped.pop()
    if stripped:
        stripped[0] = stripped[0].without_prefix(stripped[0].indent)
    return stripped
