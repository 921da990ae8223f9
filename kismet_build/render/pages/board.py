"""Pages of boards: compact reference sheets whose panels link to the full content."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from markupsafe import Markup

from kismet_build.config.board import EFFECTS_COLUMN, TEXT_COLUMN, Board, BoardPart
from kismet_build.config.kind import Kind
from kismet_build.model.nodes import Table
from kismet_build.model.source import Span
from kismet_build.pack import Entity, Pack, find_column, query
from kismet_build.render.components import field
from kismet_build.render.components.calculator_table import ResultTable, result_table
from kismet_build.render.components.card import Badge, TableHeader
from kismet_build.render.components.effect_sentence import EffectChip, effect_chips
from kismet_build.render.fragments.page_context import anchor_address, render_context
from kismet_build.render.fragments.renderer import to_html
from kismet_build.render.html.addresses import INDEX, PageLink, calculator_address, entity_href, path_to_root
from kismet_build.render.html.excerpt import prose, summary
from kismet_build.render.html.templates import template
from kismet_build.render.pages.page import LazyPages, Page

MAX_EXCERPT_CHARACTERS = 110
"""Maximum length of an excerpt, which is at most the first sentence of an entity's text."""
MAX_NARROW_CHARACTERS = 18
"""A table whose values are not longer stays a table on a phone, unless it shows effects or excerpts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardEntry:
    """An entity on a board."""

    name: str
    span: Span
    """The span that defines the entity."""
    href: str
    badges: tuple[Badge, ...]
    effects: tuple[EffectChip, ...]
    """The entity's effects; empty if the panel does not show effects."""
    excerpt: str
    """The beginning of the entity's text, if the panel shows texts, or shows effects and the entity has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A part of a board, for a template."""

    title: str
    href: str
    """Link to the full content; empty if no page has it."""
    layout: Literal["lines", "table", "cards", "text", "results"]
    wide: bool
    kind: Kind | None = None
    entries: tuple[BoardEntry, ...] = ()
    is_narrow: bool = False
    """Whether the table is narrow enough to stay a table on a phone."""
    text: str = ""
    """HTML of a table from a chapter."""
    table: Table | None = None
    """The same table as a node, with only the columns that are shown."""
    results: ResultTable | None = None
    results_label: str = ""

    @property
    def table_header(self) -> TableHeader:
        return TableHeader(self.entries[0].badges if self.entries else ())

    @property
    def has_summary(self) -> bool:
        """Whether a table of entities has a column for effects and excerpts."""
        return any(entry.effects or entry.excerpt for entry in self.entries)


def board_pages(pack: Pack) -> LazyPages:
    """A page for each board of a game."""
    for board in pack.game.boards:
        yield board_address(pack, board), partial(_board_page, pack, board)


def _board_page(pack: Pack, board: Board) -> Page:
    game, address = pack.game, board_address(pack, board)
    return Page(
        address=address,
        title=board.title,
        role="board",
        article=template("article_board", game.catalog).render(board=board, panels=[*panels(pack, board, address)]),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=summary(
            board.description or game.catalog.text("board.description", board=board.title, game=game.title)
        ),
    )


def my_table_page(pack: Pack) -> Page:
    """The page with the boards that a reader makes from pinned parts of the game. A script fills in the page.

    A pin is an address, not a copy of the text: docs/decisions/0019-my-table.md.
    """
    game = pack.game
    words = game.catalog
    return Page(
        address=f"{game.id}/table/",
        title=words.text("title.my_table"),
        role="pins",
        article=template("article_my_table", words).render(
            boards=boards(pack), root=path_to_root(f"{game.id}/table/"), index=INDEX
        ),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=words.text("board.my_table_description", game=game.title),
    )


def boards(pack: Pack) -> tuple[PageLink, ...]:
    """Links to the boards of a game."""
    return tuple(PageLink(board_address(pack, board), board.title) for board in pack.game.boards)


def board_address(pack: Pack, board: Board) -> str:
    """The address of a board's page."""
    return f"{pack.game.id}/boards/{board.id}/"


def panels(pack: Pack, board: Board, address: str) -> Iterator[Panel]:
    """The panels of a board, for a page at an address."""
    for part in board.parts:
        if panel := _panel(pack, part, address):
            yield panel


def _panel(pack: Pack, part: BoardPart, address: str) -> Panel | None:
    match part.type:
        case "kind":
            return _kind_panel(pack, part, address)
        case "table":
            return _text_panel(pack, part, address)
        case "calculator":
            return _calculator_panel(pack, part, address)


def _kind_panel(pack: Pack, part: BoardPart, address: str) -> Panel | None:
    root, kind, entities = path_to_root(address), pack.game.kinds[part.subject.name], query(pack, part)
    if not entities:
        return None
    fields = part.fields or _default_fields(pack, kind, entities)
    columns = field.columns_of([kind.rules[name] for name in fields if name in kind.rules], entities)
    extras = frozenset(fields) - kind.rules.keys()
    entries = tuple(_entry(pack, entity, columns, entities, extras, root) for entity in entities)
    values = [badge.value.striptags() for entry in entries for badge in entry.badges]
    return Panel(
        title=part.title or kind.plural,
        href="" if kind.is_internal else f"{root}{pack.game.id}/{kind.id}/{INDEX}",
        layout=part.display,
        wide=part.wide,
        kind=kind,
        entries=entries,
        is_narrow=not extras and all(len(value) <= MAX_NARROW_CHARACTERS for value in values),
    )


def _entry(
    pack: Pack,
    entity: Entity,
    columns: Sequence[field.Column],
    entities: Sequence[Entity],
    extras: Collection[str],
    root: str,
) -> BoardEntry:
    """An entity with a badge for each column. `extras` may contain `EFFECTS_COLUMN` and `TEXT_COLUMN`."""
    effects = effect_chips(pack, entity, root) if EFFECTS_COLUMN in extras else ()
    return BoardEntry(
        name=entity.name,
        span=entity.span,
        href=entity_href(pack, entity.id, root),
        badges=tuple(
            Badge(
                label=column.label,
                group=column.group,
                value=field.column_html(pack, entity, column, root),
                number=False,
                figure=field.is_number_column(column, entities),
                empty=field.is_empty(column.value(entity), entity),
            )
            for column in columns
        ),
        effects=effects,
        excerpt=_excerpt(entity) if TEXT_COLUMN in extras or (EFFECTS_COLUMN in extras and not effects) else "",
    )


def _default_fields(pack: Pack, kind: Kind, entities: Sequence[Entity]) -> tuple[str, ...]:
    """The columns of a panel for which none are listed: the kind's fields, or else the effects, or else excerpts."""
    fields = tuple(rule.name for rule in field.shown_fields(kind, entities))
    if fields:
        return fields
    return (EFFECTS_COLUMN,) if any(effect_chips(pack, entity, "") for entity in entities) else (TEXT_COLUMN,)


def _excerpt(entity: Entity) -> str:
    words = prose(entity.body)
    ends = [index + 1 for end in (". ", "! ", "? ") if (index := words.find(end)) >= 0]
    return summary(words[: min(ends)] if ends else words, MAX_EXCERPT_CHARACTERS)


def _text_panel(pack: Pack, part: BoardPart, address: str) -> Panel | None:
    found = pack.find_table(part.subject.name)
    if found is None:
        return None
    table = found.table
    if part.fields:
        table = _with_columns(table, [index for name in part.fields if (index := find_column(table, name)) is not None])
    anchor = found.section.anchor
    context = replace(render_context(pack, address, end=INDEX), has_captions=False)
    return Panel(
        title=part.title or found.caption,
        href=path_to_root(address) + anchor_address(pack, anchor, INDEX),
        layout="text",
        wide=part.wide,
        text=Markup(to_html((table,), context, is_embedded=True)),
        table=table,
    )


def _with_columns(table: Table, indexes: Sequence[int]) -> Table:
    header, *rows = (
        replace(row, cells=tuple(row.cells[index] for index in indexes)) for row in (table.header, *table.rows)
    )
    alignments = tuple(table.alignments[index] for index in indexes)
    return replace(table, header=header, rows=tuple(rows), alignments=alignments)


def _calculator_panel(pack: Pack, part: BoardPart, address: str) -> Panel | None:
    root, calculator = path_to_root(address), pack.game.calculators.get(part.subject.name)
    results = None if calculator is None else result_table(pack, calculator, root, part.at)
    if calculator is None or results is None:
        return None
    return Panel(
        title=part.title or calculator.title,
        href=f"{root}{calculator_address(calculator)}{INDEX}",
        layout="results",
        wide=part.wide,
        results=results,
        results_label=calculator.result.label,
    )
