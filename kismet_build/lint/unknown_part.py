"""A board that shows what the text does not have."""

from collections.abc import Iterable
from difflib import get_close_matches

from kismet_build.config.board import Named, Part
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.nodes import plain_text
from kismet_build.pack import Pack, find_column, query


def unknown_part(pack: Pack, report: Report) -> None:
    """Report each thing, table and column that a board names and the text has not, and each part that shows nothing.

    A kind of which the text has nothing at all is reported as such, and its things are not missed one by one.
    """
    for part in (part for board in pack.game.boards for part in board.parts):
        match part.what:
            case "kind" if pack.entities.get(part.subject.name):
                _things(pack, part, report)
            case "table":
                _table(pack, part, report)
            case _:
                pass


def _things(pack: Pack, part: Part, report: Report) -> None:
    slugs = [entity.slug for entity in pack.entities[part.subject.name]]
    for one in part.only:
        if one.name not in slugs:
            hint = _nearest(one.name, slugs)
            report(error("unknown-part", one.span, f'the text has no "{part.subject.name}/{one.name}"', hint))
    if part.where and not query(pack, part):
        said = ", ".join(f"{name}: {value}" for name, value in part.where.items())
        report(error("unknown-part", part.subject.span, f'no {pack.game.kinds[part.subject.name].title} has "{said}"'))


def _table(pack: Pack, part: Part, report: Report) -> None:
    found = pack.find_table(part.subject.name)
    if found is None:
        names = [name for one in pack.tables for name in (one.caption, one.id.rpartition("/")[2])]
        _missing(part.subject, f'the text has no table "{part.subject.name}"', names, report)
        return
    heads = [plain_text(cell).strip() for cell in found.table.header.cells]
    for name in part.fields:
        if find_column(found.table, name) is None:
            hint = f"its columns are: {', '.join(heads)}"
            report(
                error("unknown-part", part.subject.span, f'the table "{found.caption}" has no column "{name}"', hint)
            )


def _missing(named: Named, message: str, names: Iterable[str], report: Report) -> None:
    report(error("unknown-part", named.span, message, _nearest(named.name, names)))


def _nearest(name: str, names: Iterable[str]) -> str:
    """The cure for a slip of the pen, whatever the case of the letters."""
    by_folded = {other.casefold(): other for other in names}
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.7)
    return f'did you mean "{by_folded[close[0]]}"?' if close else ""
