"""`empty-board-field`: a field or column that is empty in all entities or rows of a part of a board."""

from typing import Any

from kismet_build.config.board import EFFECTS_COLUMN, TEXT_COLUMN, BoardPart
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import plain_text
from kismet_build.pack import Entity, Pack, find_column, query


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
