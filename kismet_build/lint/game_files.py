"""Checks of what the files of a game name: kinds, boards, terms, corrections, migrations, texts."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from kismet_build.config.board import EFFECTS_COLUMN, TEXT_COLUMN, BoardPart
from kismet_build.config.discovery import excluded_paths
from kismet_build.config.kind import Kind
from kismet_build.config.rule_terms import RULE_KIND
from kismet_build.mechanics.calculator import Calculator
from kismet_build.mechanics.calculator.calculation import resolve_inputs
from kismet_build.mechanics.calculator.table import table_inputs
from kismet_build.mechanics.inputs import InputError, describe_input, format_literal
from kismet_build.model.book import Chapter, Section
from kismet_build.model.diagnostic import Diagnostic, Report, Subject, error, warning
from kismet_build.model.nodes import Embed, Link, plain_text
from kismet_build.model.source import Span
from kismet_build.model.suggestion import did_you_mean, did_you_mean_or_list
from kismet_build.model.text_normalization import folder_name, normalize
from kismet_build.model.titles import display_title
from kismet_build.pack import Entity, Pack, corrected_value, find_column, has_words, query, section_id
from kismet_build.pack.left_out import matched_places


def empty_kind(pack: Pack, report: Report) -> None:
    """Report every kind that matches nothing in the book.

    A plain vault is skipped, because it does not declare kinds. So is the kind of rule terms if `rules` lists any.
    """
    if pack.game.is_plain:
        return
    for kind in pack.game.kinds.values():
        if not pack.entities[kind.id] and not (
            kind.id == RULE_KIND and pack.game.definition.linking.terms
        ):  # `missing-rule` reports missing rule terms
            hint = _reason_of_empty_kind(pack, kind) or "check x-match: nothing in the text matches it"
            report(warning("empty-kind", kind.data.span_of("x-match"), f"no text defines any {kind.title}", hint))


def _reason_of_empty_kind(pack: Pack, kind: Kind) -> str:
    """Why a kind matches nothing: a missing heading, column or folder, or a wrong heading level; empty if unknown."""
    titles = {normalize(section.anchor.title): section.anchor.title for section in pack.book.all_sections()}
    for match in kind.matches:
        for heading in match.under:
            if normalize(heading) not in titles:
                return did_you_mean(heading, titles.values(), f'no heading is called "{heading}"')
        if match.method == "heading" and (levels := _levels(pack, match.under) - set(match.argument)):
            return f"the headings there have level {' or '.join(map(str, sorted(levels)))}"
        if match.method == "row" and (hint := _missing_column(pack, match.argument)):
            return hint
        if match.note and match.note.folders:
            return f"no note is in the folder {' or '.join(match.note.folders)}"
    return ""


def _missing_column(pack: Pack, headers: Iterable[str]) -> str:
    """A hint that names the first column that is not in any table; empty if all columns are found."""
    titles = (
        plain_text(*cell.children).strip()
        for section in pack.book.all_sections()
        for table in section.tables
        for cell in table.header.cells
    )
    columns = {normalize(title): title for title in titles if title}
    missing = next((header for header in headers if normalize(header) not in columns), None)
    return did_you_mean(missing, columns.values(), f'no table has a column "{missing}"') if missing else ""


def _levels(pack: Pack, under: tuple[str, ...]) -> set[int]:
    wanted = {normalize(heading) for heading in under}
    return {
        section.anchor.level
        for section in pack.book.all_sections()
        if any(normalize(heading.title) in wanted for heading in section.headings[:-1])
    }


def unknown_kind(pack: Pack, report: Report) -> None:
    """Report each kind in `linking` and `book` that has no file and is not found in the texts."""
    kinds = pack.game.kinds
    definition = pack.game.definition
    for name, span in (*definition.linking.kinds, *definition.book.appendices):
        if name not in kinds:
            hint = did_you_mean_or_list(name, kinds, "the kinds are")
            report(warning("unknown-kind", span, f'there is no kind "{name}"', hint))


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
            report(_unknown_part(part, named.span, f'the text has no "{part.subject.name}/{named.name}"', hint))
    if part.where and not query(pack, part):
        condition = ", ".join(f"{name}: {value}" for name, value in part.where.items())
        message = f'no {pack.game.kinds[part.subject.name].title} has "{condition}"'
        report(_unknown_part(part, part.subject.span, message))


def _check_table(pack: Pack, part: BoardPart, report: Report) -> None:
    book_table = pack.find_table(part.subject.name)
    if book_table is None:
        names = [name for table in pack.tables for name in (table.caption, table.id.rpartition("/")[2])]
        message = f'the text has no table "{part.subject.name}"'
        captions = ", ".join(table.caption for table in pack.tables[:MAX_CAPTIONS] if table.caption)
        known = f"its tables are: {captions}" if captions else "it has no table with a caption"
        report(_unknown_part(part, part.subject.span, message, did_you_mean(part.subject.name, names, known)))
        return
    columns = [plain_text(cell).strip() for cell in book_table.table.header.cells]
    for name in part.fields:
        if find_column(book_table.table, name) is None:
            message = f'the table "{book_table.caption}" has no column "{name}"'
            report(_unknown_part(part, part.subject.span, message, f"its columns are: {', '.join(columns)}"))


def _check_columns(pack: Pack, part: BoardPart, calculator: Calculator, report: Report) -> None:
    """Report each value in `at` that cannot be a column of results."""
    across = table_inputs(pack.records, calculator)[1]
    if across is None:
        message = f'the results of "{calculator.slug}" have only one column'
        report(
            _unknown_part(
                part, part.at_spans[0], message, 'remove "at": it needs a second input that changes the result'
            )
        )
        return
    for value, span in zip(part.at, part.at_spans, strict=True):
        try:
            resolve_inputs(pack.records, calculator, {across.name: value})
        except InputError as fault:
            message = f'the columns are values of "{across.name}", which cannot be {format_literal(value)}'
            report(_unknown_part(part, span, message, fault.hint or f"{across.label} takes {describe_input(across)}"))


def _unknown_part(part: BoardPart, span: Span, message: str, hint: str = "") -> Diagnostic:
    subject = Subject("board part", part.subject.name, part.subject.span)
    return error("unknown-part", span, message, hint, subject=subject)


def empty_board_field(pack: Pack, report: Report) -> None:
    """Report each field and column without values in a part of a board. Parts without entities are skipped."""
    for part in (part for board in pack.game.boards for part in board.parts):
        for name, span in zip(part.fields, part.field_spans, strict=True):
            if _is_empty(pack, part, name):
                shown = "rows" if part.type == "table" else pack.game.kinds[part.subject.name].plural
                hint = "remove it, or check where its values come from"
                report(warning("empty-board-field", span, f'"{name}" is empty in all {shown} of this part', hint))


def _is_empty(pack: Pack, part: BoardPart, name: str) -> bool:
    if part.type == "table":
        book_table = pack.find_table(part.subject.name)
        column = None if book_table is None else find_column(book_table.table, name)
        if book_table is None or column is None:
            return False  # `unknown-part` reports it
        cells = [row.cells[column] for row in book_table.table.rows if column < len(row.cells)]
        return not any(plain_text(cell).strip() for cell in cells)
    entities = query(pack, part)
    return bool(entities) and not any(_shows(pack, entity, name) for entity in entities)


def _shows(pack: Pack, entity: Entity, name: str) -> bool:
    if name == TEXT_COLUMN:
        return bool(entity.body)
    if name == EFFECTS_COLUMN:
        return bool(entity.body or pack.game.effects.get(entity.local_id))
    return _has_value(entity.fields.get(name))


def _has_value(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_value, value.values()))
    return any(map(_has_value, value)) if isinstance(value, list) else value is not None and value != ""


def missing_rule(pack: Pack, report: Report) -> None:
    """Report each term of `rules` whose section is missing or does not mention the term."""
    if not pack.game.definition.linking.terms:
        return
    titles = {normalize(section.anchor.title): section.anchor.title for section in pack.book.all_sections()}
    for term, span in pack.game.definition.linking.terms:
        if f"{pack.game.id}/{RULE_KIND}/{folder_name(term.name)}" in pack.by_id:
            continue
        hint = "the term must be in the title of the section or in its own text"
        if normalize(term.heading) not in titles:
            hint = did_you_mean(term.heading, titles.values(), hint)
        message = f'no section "{term.place}" defines "{term.name}"'
        report(warning("missing-rule", span, message, hint))


def unknown_search_name(pack: Pack, report: Report) -> None:
    """Report each name in `search` and `linking`, and each answer in `sample_questions`, that does not exist."""
    if pack.game.definition.sample_questions:
        _report_answers(pack, report)
    named = [(name, span) for name, _, span in pack.game.definition.search_words]
    named += [(name.rpartition("#")[2], span) for name, span in pack.game.definition.linking.names]
    if not named:
        return
    names = {normalize(name): name for name in (*_names(pack), *(table.caption for table in pack.tables))}
    for name, span in named:
        if normalize(name) not in names:
            hint = did_you_mean(name, names.values())
            report(warning("unknown-search-name", span, f'nothing is named "{name}"', hint))


def _report_answers(pack: Pack, report: Report) -> None:
    ids = [*pack.by_id, *(section_id(pack.game, section) for section in pack.book.all_sections())]
    local_ids = dict.fromkeys(full_id.partition("/")[2] for full_id in ids)
    for _, answer, span in pack.game.definition.sample_questions:
        if answer not in local_ids:
            hint = did_you_mean(answer, local_ids)
            report(warning("unknown-search-name", span, f'the text has no "{answer}"', hint))


def _names(pack: Pack) -> Iterator[str]:
    for entity in pack.all_entities():
        yield from (entity.name, *entity.aliases)
    for section in pack.book.all_sections():
        yield section.anchor.title
    for kind in pack.game.kinds.values():
        yield from (kind.title, kind.plural)
    for board in pack.game.boards:
        yield board.title
    for calculator in pack.game.calculators.values():
        yield calculator.title
    for chapter in pack.book.chapters:
        for link in chapter.document.links:
            target = pack.book.targets.get(link.span) if isinstance(link, Link | Embed) else None
            if target is not None and target.status == "missing-document":
                yield display_title(
                    link.target.partition("#")[0].strip().rpartition("/")[2], is_in_order=not pack.game.is_plain
                )


def unknown_subject(pack: Pack, report: Report) -> None:
    """Report each unknown id in the effects of the game, at every use.

    Ids of a kind without entities are skipped, because `empty-kind` reports the kind.
    """
    ids = [entity.local_id for entity in pack.all_entities()]
    known = frozenset(ids)
    for subject, effects in pack.game.effects.items():
        uses = dict.fromkeys(use for effect in effects for use in effect.names)
        for name, span in uses:
            if name not in known and pack.entities.get(name.partition("/")[0]) != ():
                effect = Subject("effect", subject, span)
                message, hint = f'the text has no "{name}"', _suggested_id(name, ids)
                report(error("unknown-subject", span, message, hint, subject=effect))


def _suggested_id(name: str, ids: list[str]) -> str:
    """A hint with the id of the same slug in another kind, or else with the most similar id; may be empty."""
    slug = name.rpartition("/")[2]
    close = [other for other in ids if other.endswith(f"/{slug}")] or get_close_matches(name, ids, n=1, cutoff=0.8)
    return f'did you mean "{close[0]}"?' if close else ""


def stale_correction(pack: Pack, report: Report) -> None:
    """Report corrections whose subject or field does not exist, or does not have the corrected words.

    Corrections whose printed words are still in the text are accepted, because the text may be an uncorrected edition.
    Subjects of a kind without entities are skipped, because `empty-kind` reports the kind.
    """
    if not pack.game.definition.corrections:
        return
    prefix = f"{pack.game.id}/"
    subjects: Mapping[str, Entity | Section] = {
        **{section_id(pack.game, section).removeprefix(prefix): section for section in pack.book.all_sections()},
        **{entity.id.removeprefix(prefix): entity for entity in pack.all_entities()},
    }
    for name, corrections in pack.game.definition.corrections.items():
        subject = subjects.get(name)
        for correction in corrections if pack.entities.get(name.partition("/")[0]) != () else ():
            if subject is None:
                close = get_close_matches(name, subjects, n=1, cutoff=0.8)
                hint = f'did you mean "{close[0]}"?' if close else ""
                report(warning("stale-correction", correction.span, f'the text has no "{name}"', hint))
            elif corrected_value(subject, correction.field) is None:
                report(warning("stale-correction", correction.span, f'"{name}" has no "{correction.field}"'))
            elif not any(
                has_words(subject, correction.field, words) for words in (correction.taken, correction.printed)
            ):
                message = f'"{correction.field}" of "{name}" does not have "{correction.taken}"'
                report(warning("stale-correction", correction.span, message))


def stale_migration(pack: Pack, report: Report) -> None:
    """Report migrations from an id in use, or to an id that is neither in use nor migrated again."""
    known = {entity.id for entity in pack.all_entities()}
    old_ids = {migration.old_id for migration in pack.game.definition.migrations}
    for migration in pack.game.definition.migrations:
        if migration.old_id in known:
            message = f'the text still has "{migration.old_id}", so this migration has no effect'
            report(warning("stale-migration", migration.span, message, "remove the migration"))
        elif migration.new_id is not None and migration.new_id not in known | old_ids:
            message = f'the text has no "{migration.new_id}"'
            hint = did_you_mean(migration.new_id, known, "write its current id, or null if it no longer exists")
            report(warning("stale-migration", migration.span, message, hint))


def stale_unwritten(pack: Pack, report: Report) -> None:
    """Report each name in `unwritten` to which a text now belongs."""
    if not pack.game.definition.linking.unwritten:
        return
    written = {normalize(name): chapter for chapter in pack.book.chapters for name in _link_names(chapter)}
    for name, span in pack.game.definition.linking.unwritten.items():
        if name in written:
            message = f"this text now exists: {written[name].source.path}"
            report(warning("stale-unwritten", span, message, 'remove it from "unwritten"'))


def _link_names(chapter: Chapter) -> Iterator[str]:
    """The names by which links find a text: its aliases, and its path starting at any folder."""
    parts = chapter.source.path.rpartition(".")[0].split("/")
    yield from ("/".join(parts[start:]) for start in range(len(parts)))
    yield from chapter.document.aliases


def unmatched_book_text(pack: Pack, report: Report) -> None:
    """Report each pattern of `front`, `back` and `leave_out` that matches nothing in the published texts."""
    rules = pack.game.definition.book
    unmatched = [name for name in (*rules.front, *rules.back) if not excluded_paths(pack.documents, name[0])]
    unmatched += [name for name in rules.leave_out if next(matched_places(pack, name[0]), None) is None]
    for pattern, span in unmatched:
        place, sign, _ = pattern.partition("#")
        hint = "paths start at the folder of the texts; private texts are left out of books"
        if sign and excluded_paths(pack.documents, place):
            hint = "write the title of a section after #, or ^ and the name of a block"
        report(warning("unmatched-book-text", span, f'"{pattern}" matches nothing in the book', hint))
