"""Match table rows, in tables that have a named column or a given number of columns."""

from collections.abc import Iterator
from dataclasses import replace

from kismet_build.config.kind import Match
from kismet_build.extract.candidates import Candidates, capture_groups, normalize_all
from kismet_build.extract.match_result import MatchResult, one_line
from kismet_build.model.book import Section
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import Cell, Row, Table
from kismet_build.model.text_normalization import normalize


def match_rows(match: Match, candidates: Candidates, report: Report) -> Iterator[MatchResult]:
    """Match the rows of tables with one of the named columns. The title is the cell in that column."""
    wanted = normalize_all(match.argument)
    for candidate in candidates.for_match(match):
        for table, columns in candidate.tables:
            title_column = next((index for index, name in enumerate(columns) if name in wanted), None)
            if title_column is None:
                continue
            for result in _rows(match, candidate.section, table, columns, title_column):
                yield _join(result, match, table, candidates, report) if match.join else result


def match_cells(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    """Match the rows of tables with a given number of columns. The title is the first cell."""
    for candidate in candidates.for_match(match):
        for table, columns in candidate.tables:
            if len(columns) == match.argument:
                yield from _rows(match, candidate.section, table, columns, 0)


def row_of(table: Table, columns: tuple[str, ...], row: Row) -> tuple[tuple[Table], dict[str, Cell]]:
    """A table reduced to this row, and the cells of the row by column key."""
    return (replace(table, span=row.span, rows=(row,)),), dict(zip(columns, row.cells, strict=True))


def _rows(
    match: Match, section: Section, table: Table, columns: tuple[str, ...], title_column: int
) -> Iterator[MatchResult]:
    for row in table.rows:
        title = one_line(*row.cells[title_column].children)
        groups = capture_groups(match.pattern, title)
        if groups is None or not any(one_line(*cell.children) for cell in row.cells):
            continue
        body, by_column = row_of(table, columns, row)
        yield MatchResult(
            title=title,
            title_span=row.cells[title_column].span,
            captures=groups,
            span=row.span,
            section=section,
            body=body,
            row=row.cells,
            cells=by_column,
        )


def _join(result: MatchResult, match: Match, table: Table, candidates: Candidates, report: Report) -> MatchResult:
    """Join the row of another table with the same value in the join column.

    If there is no such row, returns the result unchanged and reports a warning.
    """
    assert match.join is not None
    wanted, on = (normalize_all(names) for names in match.join)
    key = next((normalize(one_line(*cell.children)) for name, cell in result.cells.items() if name in on), None)
    for candidate in candidates.for_match(match):
        for joined_table, columns in candidate.tables:
            if joined_table.span == table.span or wanted.isdisjoint(columns) or on.isdisjoint(columns):
                continue
            for row in joined_table.rows:
                body, by_column = row_of(joined_table, columns, row)
                if key is not None and any(
                    normalize(one_line(*by_column[name].children)) == key for name in on & {*columns}
                ):
                    return replace(result, cells={**by_column, **result.cells}, body=(*result.body, *body))
    names = " or ".join(f'"{name}"' for name in match.join[0])
    report(warning("unjoined-row", result.span, f"no table with a column {names} has a row that matches this one"))
    return result
