"""Tables as in GitHub Flavored Markdown, and repairs of malformed tables."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED
from markdown_it.rules_block import StateBlock

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.obsidian import BLOCK_ID_LINE
from kismet_build.parse.markdown.state import CellParagraph, MappedText

# --- cells of a row

DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
"""The delimiter row below a header."""


class CellRange(NamedTuple):
    """The offsets of a cell in the source, without padding."""

    start: int
    end: int
    link_bar: int = -1
    """The offset of an unescaped bar inside a wikilink, or -1."""


def split_cells(text: str, start: int, end: int, skip_wiki_links: bool) -> list[CellRange]:
    """Split the range of a line into cells. `skip_wiki_links`: bars inside wikilinks do not divide cells."""
    while start < end and text[start] in TRIMMED:
        start += 1
    while end > start and text[end - 1] in TRIMMED:
        end -= 1
    if start < end and text[start] == "|":
        start += 1
        if start == end:
            return []
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    return list(_split(text, start, end, skip_wiki_links))


def _split(text: str, start: int, end: int, skip_wiki_links: bool) -> Iterator[CellRange]:
    cell_start, link_bar, position = start, -1, start
    skip_wiki_links = skip_wiki_links and text.find("[[", start, end) >= 0
    while position < end:
        if skip_wiki_links and text.startswith("[[", position):
            closed = text.find("]]", position, end)
            skip_wiki_links = closed > 0
            inside = text[position + 2 : closed] if skip_wiki_links else "[["
            if "[[" not in inside:
                bar = re.search(r"(?<!\\)\|", inside)
                link_bar = position + 2 + bar.start() if bar and link_bar < 0 else link_bar
                position = closed
                continue
        if text[position] == "|" and text[position - 1] != "\\":
            yield _trimmed(text, cell_start, position, link_bar)
            cell_start, link_bar = position + 1, -1
        position += 1
        if not skip_wiki_links and (position := text.find("|", position, end)) < 0:
            break
    yield _trimmed(text, cell_start, end, link_bar)


def _trimmed(text: str, start: int, end: int, link_bar: int) -> CellRange:
    while start < end and text[start] in TRIMMED:
        start += 1
    while end > start and text[end - 1] in TRIMMED:
        end -= 1
    return CellRange(start, end, link_bar)


def is_delimiter_row(text: str) -> bool:
    """Whether a row is a delimiter row, with at least three dashes: a single dash is a common placeholder in cells."""
    return text.startswith("|") and "---" in text and not text.strip("|-: \t")


def alignments(text: str) -> list[str]:
    """The alignment of each column in a delimiter row: `left`, `center`, `right` or empty."""
    dashes = [column.strip() for column in text.strip().strip("|").split("|")]
    return [{"::": "center", ":-": "left", "-:": "right"}.get(dash_run[:1] + dash_run[-1:], "") for dash_run in dashes]


def cell_content(text: str, cell: CellRange) -> MappedText:
    """The content of a cell, with its bars unescaped."""
    if text.find("\\|", cell.start, cell.end) < 0:
        return MappedText(text[cell.start : cell.end], ((0, cell.start),))
    segments: list[tuple[int, int]] = [(0, cell.start)]
    pieces: list[str] = []
    position, length = cell.start, 0
    while (bar := text.find("\\|", position, cell.end)) >= 0:
        pieces.append(text[position:bar])
        length += bar - position
        position = bar + 1
        segments.append((length, position))
    pieces.append(text[position : cell.end])
    return MappedText("".join(pieces), tuple(segments))


# --- tables

MAX_PADDING = 1 << 16
"""Maximum number of cells added to a table's short rows, which limits the memory for any text."""

MAX_ROW_LINES = 60
"""Maximum number of lines of a row whose last cell continues over blank lines."""

CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
SEPARATOR = re.compile(r"[+|: \t]*(?:-[+|: \t-]*|=[+|: \t=]*)")


def table(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("github_table", _parse_table, before="table", interrupts=("paragraph", "reference", "footnote"))


def _parse_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if first + 2 > end or state.sCount[first + 1] < state.blkIndent:
        return False
    start = state.bMarks[first] + state.tShift[first]
    if state.src.find("|", start, state.eMarks[first]) < 0:
        return False
    line = state.src[start : state.eMarks[first]]
    delimiter_row = state.src[state.bMarks[first + 1] + state.tShift[first + 1] : state.eMarks[first + 1]]
    if not DELIMITER.fullmatch(delimiter_row) or delimiter_row.startswith(("- ", "-\t")):
        return False
    if state.is_code_block(first) or state.is_code_block(first + 1):
        return False
    header, alignment_list = row_cells(state, first), alignments(delimiter_row)
    # Prose with a bar in it, above a line of dashes, is a heading. Only a line that begins with a bar must be a header.
    is_framed = parse_state(state).repairs and line.startswith("|") and "|" in delimiter_row
    if not header or (len(header) != len(alignment_list) and not is_framed):
        return False
    if silent:
        return True
    if len(header) != len(alignment_list):
        _report_delimiter_count(state, first + 1, len(header), len(alignment_list))
    alignment_list = [*alignment_list, *[""] * len(header)][: len(header)]

    parent, state.parentType = state.parentType, "table"
    token = state.push("table_open", "table", 1)
    token.map, token.meta["alignments"] = [first, first], tuple(alignment_list)
    push_row(state, first, header, len(header))
    state.line = _push_rows(state, first + 2, end, len(header))
    state.push("table_close", "table", -1)
    token.map[1] = state.line
    state.parentType = parent
    return True


def _report_delimiter_count(state: StateBlock, line: int, wanted: int, found: int) -> None:
    span = parse_state(state).source.span(state.bMarks[line] + state.tShift[line], state.eMarks[line])
    message = f"the line below the header has {_count_text(found)}, but the header has {wanted}"
    hint = "write one group of dashes for each column"
    parse_state(state).report(warning("table-delimiter-cells", span, message, hint))


def _count_text(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"


def row_cells(state: StateBlock, line: int) -> list[CellRange]:
    """The cells of a line. With the option `code_in_cells`, bars inside code do not divide cells."""
    start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    ours = parse_state(state)
    text = state.src[start:end]
    if "`" not in text or not ours.options.get("code_in_cells"):
        return split_cells(state.src, start, end, ours.repairs)
    cells = split_cells(without_code(text), 0, len(text), ours.repairs)
    return [CellRange(*(place + start if place >= 0 else place for place in cell)) for cell in cells]


def without_code(text: str) -> str:
    """A line with each code replaced by backticks of the same length."""
    return CODE.sub(lambda code: "`" * len(code[0]), text)


def is_row_separator(text: str) -> bool:
    """Whether a line divides the rows of a table of kramdown into groups."""
    return SEPARATOR.fullmatch(text) is not None


def _push_rows(state: StateBlock, line: int, end: int, width: int) -> int:
    repairs, separates_rows = parse_state(state).repairs, parse_state(state).options.get("row_separators")
    padding = 0
    row_line = line
    while line < end and not _is_table_end(state, line, end):
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        if separates_rows and is_row_separator(text):
            line += 1
            continue
        if repairs and is_delimiter_row(text):
            start = state.bMarks[row_line] + state.tShift[row_line]
            span = parse_state(state).source.span(start, state.eMarks[row_line])
            hint = "delete the line of dashes below this row, or add a blank line above the row to start another table"
            message = "this row looks like a second header inside the table"
            parse_state(state).report(warning("repeated-table-header", span, message, hint))
            line += 1
            continue
        row_line, cells = line, row_cells(state, line)
        last = _last_row_line(state, line, end, width, cells) if repairs else line
        if last > line:
            _push_broken_row(state, line, last, cells, width)
        else:
            padding += max(width - len(cells), 0)
            if padding > MAX_PADDING:
                break
            push_row(state, line, cells, width)
        line = last + 1
    return line


def _is_table_end(state: StateBlock, line: int, end: int) -> bool:
    if state.isEmpty(line) or state.sCount[line] < state.blkIndent or state.is_code_block(line):
        return True
    start = state.bMarks[line] + state.tShift[line]
    if state.src[start] == "|":
        return False
    if parse_state(state).options.get("block_ids") and BLOCK_ID_LINE.match(state.src, start, state.eMarks[line]):
        return True
    return any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("blockquote"))


def _last_row_line(state: StateBlock, line: int, end: int, width: int, cells: list[CellRange]) -> int:
    """The last line of a row. A row has several lines if its last cell continues over blank lines."""
    if line + 1 >= end or not state.isEmpty(line + 1) or not _is_open_row(state, line):
        return line
    for later in range(line + 2, min(end, line + MAX_ROW_LINES)):
        if state.isEmpty(later):
            continue
        start = state.bMarks[later] + state.tShift[later]
        if state.sCount[later] < state.blkIndent or re.match(r"\||#{1,6}\s|`{3}|~{3}", state.src[start : start + 8]):
            return line
        later_cells = row_cells(state, later)
        if state.src[start : state.eMarks[later]].rstrip().endswith("|") and not _is_escaped(state, later):
            return later if len(cells) + len(later_cells) - 1 == width else line
        if len(later_cells) > 1:
            return line
    return line


def _is_open_row(state: StateBlock, line: int) -> bool:
    start = state.bMarks[line] + state.tShift[line]
    text = state.src[start : state.eMarks[line]].rstrip()
    return text.startswith("|") and (not text.endswith("|") or _is_escaped(state, line))


def _text_end(state: StateBlock, line: int) -> int:
    start = state.bMarks[line] + state.tShift[line]
    return start + len(state.src[start : state.eMarks[line]].rstrip(" \t"))


def _is_escaped(state: StateBlock, line: int) -> bool:
    return state.src[state.bMarks[line] : state.eMarks[line]].rstrip().endswith("\\|")


def push_row(state: StateBlock, line: int, cells: list[CellRange], width: int) -> None:
    """Push a row with this number of cells."""
    start, end = state.bMarks[line] + state.tShift[line], _text_end(state, line)
    limited = _without_extra(state, cells, width) if len(cells) > width else cells
    padded = (*limited, *[CellRange(end, end)] * (width - len(limited)))
    row = [[_cell_paragraph(state, cell)] for cell in padded]
    state.push("row", "tr", 0).meta = {"span": (start, end), "cells": row}


def push_empty_row(state: StateBlock, line: int, width: int) -> None:
    """Push an empty row before this line, as the header of a table without a header."""
    start = state.bMarks[line] + state.tShift[line]
    row = [[_cell_paragraph(state, CellRange(start, start))] for _ in range(width)]
    state.push("row", "tr", 0).meta = {"span": (start, start), "cells": row}


def _without_extra(state: StateBlock, cells: list[CellRange], width: int) -> list[CellRange]:
    """The cells of a row, at most `width`. With repairs, the text of extra cells is added to the last cell."""
    extra = [cell for cell in cells[width:] if cell.end > cell.start]
    if not extra or not parse_state(state).repairs:
        return cells[:width]
    span = parse_state(state).source.span(extra[0].start, extra[-1].end)
    message = f"this row has {_count_text(len(cells))}, but the header has {width}"
    hint = "add a column to the table, or write \\| for a bar that belongs to the text"
    parse_state(state).report(warning("extra-table-cell", span, message, hint))
    last = cells[width - 1]
    return [*cells[: width - 1], CellRange(last.start, extra[-1].end, last.link_bar)]


def _push_broken_row(state: StateBlock, first: int, last: int, cells: list[CellRange], width: int) -> None:
    """Push a row whose last cell continues in paragraphs up to line `last`."""
    last_line_cells = row_cells(state, last)
    start, end = state.bMarks[first] + state.tShift[first], _text_end(state, last)
    span = parse_state(state).source.span(cells[-1].start, last_line_cells[0].end)
    hint = "write the row on one line, with <br> where the paragraphs end"
    parse_state(state).report(warning("broken-table-row", span, "this cell continues after a blank line", hint))
    middle = [
        CellRange(state.bMarks[line] + state.tShift[line], _text_end(state, line))
        for line in range(first + 1, last)
        if not state.isEmpty(line)
    ]
    last_cell = (cells[-1], *middle, last_line_cells[0])
    row = [
        [_cell_paragraph(state, paragraph) for paragraph in cell]
        for cell in (*zip(cells[:-1]), last_cell, *zip(last_line_cells[1:width]))
    ]
    state.push("row", "tr", 0).meta = {"span": (start, end), "cells": row}


def _cell_paragraph(state: StateBlock, cell: CellRange) -> CellParagraph:
    if cell.link_bar >= 0:
        span = parse_state(state).source.span(cell.link_bar, cell.link_bar + 1)
        message = "the bar in this link splits a cell of the table"
        parse_state(state).report(warning("unescaped-table-pipe", span, message, "write \\| in tables"))
    return CellParagraph((cell.start, cell.end), cell_content(state.src, cell))
