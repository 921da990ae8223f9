"""Split the lines of a table into cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kismet_build.extensions.asciidoc.lines import SPACE, Line

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
