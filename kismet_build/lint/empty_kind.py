"""`empty-kind`: a kind without entities."""

from collections.abc import Iterable

from kismet_build.config.kind import Kind
from kismet_build.config.rule_terms import RULE_KIND
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import plain_text
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack


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
            hint = _reason(pack, kind) or "check x-match: nothing in the text matches it"
            report(warning("empty-kind", kind.data.span_of("x-match"), f"no text defines any {kind.title}", hint))


def _reason(pack: Pack, kind: Kind) -> str:
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
