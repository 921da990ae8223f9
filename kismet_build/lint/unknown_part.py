"""`unknown-part`: `game.yaml` names a board part, a first section or a calculator that does not exist."""

from kismet_build.config.board import BoardPart
from kismet_build.mechanics.calculator import Calculator
from kismet_build.mechanics.calculator.calculation import resolve_inputs
from kismet_build.mechanics.calculator.table import table_inputs
from kismet_build.mechanics.inputs import InputError, describe_input, format_literal
from kismet_build.model.diagnostic import Diagnostic, Report, Subject, error, warning
from kismet_build.model.nodes import plain_text
from kismet_build.model.source import Span
from kismet_build.model.suggestion import did_you_mean, did_you_mean_or_list
from kismet_build.pack import Pack, find_column, query

MAX_CAPTIONS = 12
"""Maximum number of table captions listed in a hint."""


def unknown_part(pack: Pack, report: Report) -> None:
    """Report each entity, table and column of a board that does not exist, and each part that shows nothing.

    Parts of a kind without entities are skipped, because `empty-kind` reports the kind. A missing first section or
    calculator is a warning.
    """
    if pack.game.definition.start is not None and pack.find_section(pack.game.definition.start[0]) is None:
        title, span = pack.game.definition.start
        titles = (section.anchor.title for section in pack.book.all_sections())
        report(warning("unknown-part", span, f'the text has no section "{title}"', did_you_mean(title, titles)))
    for name, span in pack.game.definition.top_calculators:
        if name not in (calculators := pack.game.calculators):
            hint = did_you_mean_or_list(name, calculators, "the calculators are")
            report(warning("unknown-part", span, f'there is no calculator "{name}"', hint))
    for part in (part for board in pack.game.boards for part in board.parts):
        match part.type:
            case "kind" if pack.entities.get(part.subject.name):
                _check_entities(pack, part, report)
            case "table":
                _check_table(pack, part, report)
            case "calculator" if part.at and (calculator := pack.game.calculators.get(part.subject.name)):
                _check_columns(pack, part, calculator, report)
            case _:
                pass


def _check_entities(pack: Pack, part: BoardPart, report: Report) -> None:
    slugs = [entity.slug for entity in pack.entities[part.subject.name]]
    for named in part.only:
        if named.name not in slugs:
            hint = did_you_mean(named.name, slugs)
            report(_error(part, named.span, f'the text has no "{part.subject.name}/{named.name}"', hint))
    if part.where and not query(pack, part):
        condition = ", ".join(f"{name}: {value}" for name, value in part.where.items())
        message = f'no {pack.game.kinds[part.subject.name].title} has "{condition}"'
        report(_error(part, part.subject.span, message))


def _check_table(pack: Pack, part: BoardPart, report: Report) -> None:
    book_table = pack.find_table(part.subject.name)
    if book_table is None:
        names = [name for table in pack.tables for name in (table.caption, table.id.rpartition("/")[2])]
        message = f'the text has no table "{part.subject.name}"'
        captions = ", ".join(table.caption for table in pack.tables[:MAX_CAPTIONS] if table.caption)
        known = f"its tables are: {captions}" if captions else "it has no table with a caption"
        report(_error(part, part.subject.span, message, did_you_mean(part.subject.name, names, known)))
        return
    columns = [plain_text(cell).strip() for cell in book_table.table.header.cells]
    for name in part.fields:
        if find_column(book_table.table, name) is None:
            message = f'the table "{book_table.caption}" has no column "{name}"'
            report(_error(part, part.subject.span, message, f"its columns are: {', '.join(columns)}"))


def _check_columns(pack: Pack, part: BoardPart, calculator: Calculator, report: Report) -> None:
    """Report each value in `at` that cannot be a column of results."""
    across = table_inputs(pack.records, calculator)[1]
    if across is None:
        message = f'the results of "{calculator.slug}" have only one column'
        report(_error(part, part.at_spans[0], message, 'remove "at": it needs a second input that changes the result'))
        return
    for value, span in zip(part.at, part.at_spans, strict=True):
        try:
            resolve_inputs(pack.records, calculator, {across.name: value})
        except InputError as fault:
            message = f'the columns are values of "{across.name}", which cannot be {format_literal(value)}'
            report(_error(part, span, message, fault.hint or f"{across.label} takes {describe_input(across)}"))


def _error(part: BoardPart, span: Span, message: str, hint: str = "") -> Diagnostic:
    subject = Subject("board part", part.subject.name, part.subject.span)
    return error("unknown-part", span, message, hint, subject=subject)
