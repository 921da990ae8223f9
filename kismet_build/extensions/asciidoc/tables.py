"""Parse tables: columns, header, and cells with text or blocks."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kismet_build.extensions.asciidoc.attributes import Attributes
from kismet_build.extensions.asciidoc.inlines import as_code, parse_inlines
from kismet_build.extensions.asciidoc.lines import SPACE, Cursor, Line, joined
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Block, Cell, CodeBlock, Emphasis, Inline, Paragraph, Row, Strong
from kismet_build.model.source import Span

# --- cells

SPEC = re.compile(
    r"(?:(?=\.?\d)(?P<across>\d+)?(?:\.(?P<down>\d+)?)?(?P<operator>[*+]))?"
    r"(?P<side>[<^>](?:\.[<^>]?)?|(?:[<^>]?\.)?[<^>])?(?P<style>[adehlmsv])?"
)
"""The specification before a cell's bar, such as `2+^a`."""
MAX_SPAN = 200
"""Maximum number of columns or rows that one cell spans, and of repetitions of one cell."""


@dataclass(slots=True)
class RawCell:
    """One table cell as written, with its specification."""

    start: int
    """The offset of the cell's specification, or of its bar if there is no specification."""
    lines: list[Line] = field(default_factory=list)
    column_span: int = 1
    row_span: int = 1
    repeat: int = 1
    style: str = ""
    row: int = 0
    """The number of the cell's first line, counted from the start of the table."""
    is_first_in_line: bool = False
    """Whether the cell's bar is the first character of its line."""


def bar_cells(lines: Sequence[Line], separator: str) -> list[RawCell]:
    """The cells of a table with a separator before each cell. The first separator may be missing."""
    cells: list[RawCell] = []
    for number, line in enumerate(lines):
        position = 0
        before_first = line.text[: next(_separators(line.text, separator), len(line.text))] if not cells else ""
        if before_first and _split_spec(before_first, is_first=True)[0].strip(SPACE):
            cells.append(RawCell(line.start, row=number, is_first_in_line=True))
        for bar in _separators(line.text, separator):
            text, spec = _split_spec(line.text[position:bar], position == 0)
            if cells and (position or text.strip()):
                cells[-1].lines.append(_unescaped(line, position, position + len(text), separator))
            cell = _cell(line.start + bar - len(spec), spec, number)
            cell.is_first_in_line = not position and not text
            cells.append(cell)
            position = bar + len(separator)
        if cells:
            cells[-1].lines.append(_unescaped(line, position, len(line.text), separator))
    return cells


def value_cells(lines: Sequence[Line], separator: str) -> list[list[RawCell]]:
    """The rows of a table in CSV or a similar format, each with its cells."""
    rows: list[list[RawCell]] = []
    number = 0
    while number < len(lines):
        if not lines[number].text:
            number += 1
            continue
        row: list[RawCell] = []
        number = _read_row(lines, number, separator, row)
        rows.append(row)
    return rows


def _read_row(lines: Sequence[Line], number: int, separator: str, row: list[RawCell]) -> int:
    """Append the cells of one row to `row`. Returns the number of the line after the row."""
    line, position, first = lines[number], 0, number
    while True:
        value_start = position + len(line.text[position:]) - len(line.text[position:].lstrip(SPACE))
        cell = RawCell(line.start + value_start, row=first)
        row.append(cell)
        if line.text.startswith('"', value_start):
            position = value_start + 1
            while True:
                value, end = _quoted(line, position)
                cell.lines.append(value)
                if end >= 0 or number + 1 >= len(lines):
                    break
                number += 1
                line, position = lines[number], 0
            position = len(line.text) if end < 0 else end
            separator_start = line.text.find(separator, position)
            text = line.text[position : separator_start if separator_start >= 0 else len(line.text)]
            if text.strip(SPACE):  # text after the closing quote
                cell.lines.append(Line(text.rstrip(SPACE), line.start + position))
        else:
            separator_start = line.text.find(separator, value_start)
            text = line.text[value_start : separator_start if separator_start >= 0 else len(line.text)]
            cell.lines.append(Line(text.rstrip(SPACE), line.start + value_start))
        if separator_start < 0:
            return number + 1
        position = separator_start + len(separator)


def _quoted(line: Line, start: int) -> tuple[Line, int]:
    """The quoted value at this position, and the position after its closing quote, or -1 if the line ends first."""
    skipped: list[int] = []
    characters: list[str] = []
    position = start
    while position < len(line.text):
        if line.text[position] != '"':
            characters.append(line.text[position])
        elif line.text.startswith('""', position):
            skipped.append(len(characters))
            characters.append('"')
            position += 1
        else:
            return Line("".join(characters), line.start + start, tuple(skipped)), position + 1
        position += 1
    return Line("".join(characters), line.start + start, tuple(skipped)), -1


def _separators(text: str, separator: str) -> Iterator[int]:
    position = text.find(separator)
    while position >= 0:
        if position == 0 or text[position - 1] != "\\":
            yield position
        position = text.find(separator, position + len(separator))


def _split_spec(text: str, is_first: bool) -> tuple[str, str]:
    if is_first and (not text.strip(SPACE) or SPEC.fullmatch(text.lstrip(SPACE))):
        return "", text.strip(SPACE)
    token = text[max(text.rfind(" "), text.rfind("\t")) + 1 :]
    if not token or token == text or not SPEC.fullmatch(token):
        return text, ""
    return text[: -len(token)], token


def _cell(start: int, typed_spec: str, number: int) -> RawCell:
    cell = RawCell(start, row=number)
    spec = SPEC.fullmatch(typed_spec)
    if spec is None:
        return cell
    across, down = (min(int((spec[name] or "1")[:4]), MAX_SPAN) for name in ("across", "down"))
    if spec["operator"] == "*":
        cell.repeat = max(across, 1)
    elif spec["operator"] == "+":
        cell.column_span, cell.row_span = max(across, 1), max(down, 1)
    cell.style = spec["style"] or ""
    return cell


def _unescaped(line: Line, start: int, end: int, separator: str) -> Line:
    """A part of a line, without the backslashes that escape separators."""
    text = line.text[start:end]
    if "\\" + separator not in text:
        return Line(text.rstrip(SPACE), line.start + start)
    pieces = text.split("\\" + separator)
    skipped: list[int] = []
    position = 0
    for piece in pieces[:-1]:
        position += len(piece)
        skipped.append(position)
        position += len(separator)
    return Line(separator.join(pieces).rstrip(SPACE), line.start + start, tuple(skipped))


# --- tables

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
