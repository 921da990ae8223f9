"""Rows of tables that start an entity: of tables with a column of some name, or with so many columns."""

from collections.abc import Iterator
from dataclasses import replace

from kismet_build.config.kind import Match
from kismet_build.extract.candidates import Places, captures, folded
from kismet_build.extract.match_result import Found, one_line
from kismet_build.model.book import Section
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import Cell, Row, Table
from kismet_build.model.text_normalization import normalize


def rows(match: Match, places: Places, report: Report) -> Iterator[Found]:
    """Every row of a table that has a column of some name; the title is the cell in it."""
    wanted = folded(match.argument)
    for place in places.of(match):
        for table, columns in place.tables:
            first = next((number for number, name in enumerate(columns) if name in wanted), None)
            if first is None:
                continue
            for found in _rows(match, place.section, table, columns, first):
                yield _joined(found, match, table, places, report) if match.join else found


def cells(match: Match, places: Places, _report: Report) -> Iterator[Found]:
    """Every row of a table with so many columns; the title is the first cell."""
    for place in places.of(match):
        for table, columns in place.tables:
            if len(columns) == match.argument:
                yield from _rows(match, place.section, table, columns, 0)


def row_of(table: Table, columns: tuple[str, ...], row: Row) -> tuple[tuple[Table], dict[str, Cell]]:
    """A row as a table of its own, and its cells by the folded words of their columns."""
    return (replace(table, span=row.span, rows=(row,)),), dict(zip(columns, row.cells, strict=True))


def _rows(match: Match, section: Section, table: Table, columns: tuple[str, ...], first: int) -> Iterator[Found]:
    for row in table.rows:
        title = one_line(*row.cells[first].children)
        groups = captures(match.pattern, title)
        if groups is None or not any(one_line(*cell.children) for cell in row.cells):
            continue
        body, by_column = row_of(table, columns, row)
        yield Found(
            title=title,
            title_span=row.cells[first].span,
            captures=groups,
            span=row.span,
            section=section,
            body=body,
            row=row.cells,
            cells=by_column,
        )


def _joined(found: Found, match: Match, table: Table, places: Places, report: Report) -> Found:
    """The row with the cells of the row of another table that has the same words in the column both have."""
    assert match.join is not None
    wanted, on = (folded(names) for names in match.join)
    key = next((normalize(one_line(*cell.children)) for name, cell in found.cells.items() if name in on), None)
    for place in places.of(match):
        for other, columns in place.tables:
            if other is table or wanted.isdisjoint(columns) or on.isdisjoint(columns):
                continue
            for row in other.rows:
                body, by_column = row_of(other, columns, row)
                if key is not None and any(
                    normalize(one_line(*by_column[name].children)) == key for name in on & {*columns}
                ):
                    return replace(found, cells={**by_column, **found.cells}, body=(*found.body, *body))
    names = " or ".join(f'"{name}"' for name in match.join[0])
    report(warning("unjoined-row", found.span, f"no row of a table with a column {names} goes with this one"))
    return found
