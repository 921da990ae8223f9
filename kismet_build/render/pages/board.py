"""The pages of boards: dense sheets of what a table asks for most, each part a way to the whole of it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from markupsafe import Markup

from kismet_build.config.board import EFFECTS, WORDS, Board, Part
from kismet_build.config.kind import Kind
from kismet_build.model.nodes import Table, plain_text
from kismet_build.pack import Entity, Pack, find_column, query
from kismet_build.render.components.calculator_table import ResultTable, result_table
from kismet_build.render.components.card import Badge, Heads
from kismet_build.render.components.effect_badge import EffectBadge, effect_badges
from kismet_build.render.components.field import Column, column_html, columns_of, is_figure, shown_fields
from kismet_build.render.html.addresses import INDEX, Signpost, root
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.page_context import chapter_address, outlet, shown_again
from kismet_build.render.html.renderer import to_html
from kismet_build.render.html.templates import template
from kismet_build.render.pages.calculators import sheet_address
from kismet_build.render.pages.page import Page

BRIEF = 110
"""Characters of the text of a thing, where no sentence ends before."""
SHORT = 18
"""Characters up to which values stand in narrow columns, even on a phone."""
UNSAID = ("unsaid", "ends")
"""What effects in short leave out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One thing on a board."""

    name: str
    href: str
    badges: tuple[Badge, ...]
    effects: tuple[EffectBadge, ...]
    """What it does, in short; empty where that is not shown."""
    words: str
    """The beginning of its text; empty where that is not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One part of a board, ready for a template."""

    title: str
    href: str
    """To all of it."""
    shown: Literal["lines", "table", "cards", "text", "results"]
    wide: bool
    kind: Kind | None = None
    things: tuple[Thing, ...] = ()
    is_narrow: bool = False
    """A table of values so short that it stays one on a phone."""
    text: str = ""
    """A table of the text, as HTML."""
    results: ResultTable | None = None
    of: str = ""
    """What the results are."""

    @property
    def heads(self) -> Heads:
        """The heads of a table of things."""
        return Heads(self.things[0].badges if self.things else ())

    @property
    def has_more(self) -> bool:
        """Whether a table of things has a column for what these do or say."""
        return any(thing.effects or thing.words for thing in self.things)


def board_pages(pack: Pack) -> Iterator[Page]:
    """A page for each board of a game."""
    game = pack.game
    for board, signpost in zip(game.boards, boards(pack), strict=True):
        panels = [panel for part in board.parts if (panel := _panel(pack, part, signpost.address)) is not None]
        yield Page(
            address=signpost.address,
            title=board.title,
            role="board",
            article=template("article_board").render(board=board, panels=panels, unsaid=UNSAID),
            breadcrumbs=(Signpost(f"{game.id}/", game.title),),
            description=summary(board.description or f"{board.title}, a sheet for the table of {game.title}"),
        )


def boards(pack: Pack) -> tuple[Signpost, ...]:
    """The ways to the boards of a game."""
    return tuple(Signpost(board_address(pack, board), board.title) for board in pack.game.boards)


def board_address(pack: Pack, board: Board) -> str:
    """Where the page of a board is."""
    return f"{pack.game.id}/boards/{board.id}/"


def _panel(pack: Pack, part: Part, address: str) -> Panel | None:
    """A part of a board, or `None` where the text has nothing to show."""
    match part.what:
        case "kind":
            return _of_kind(pack, part, address)
        case "table":
            return _of_text(pack, part, address)
        case "calculator":
            return _of_calculator(pack, part, address)


def _of_kind(pack: Pack, part: Part, address: str) -> Panel | None:
    up, kind, entities = root(address), pack.game.kinds[part.subject.name], query(pack, part)
    if not entities:
        return None
    fields = part.fields or _usual(pack, kind, entities)
    columns = columns_of([kind.rules[name] for name in fields if name in kind.rules], entities)
    more = frozenset(fields) - kind.rules.keys()
    shown = tuple(_thing(pack, entity, columns, entities, more, up) for entity in entities)
    values = [plate.value.striptags() for thing in shown for plate in thing.badges]
    return Panel(
        title=part.title or kind.plural,
        href=f"{up}{pack.game.id}/{kind.id}/{INDEX}",
        shown=part.shown,
        wide=part.wide,
        kind=kind,
        things=shown,
        is_narrow=not more and all(len(value) <= SHORT for value in values),
    )


def _thing(
    pack: Pack,
    entity: Entity,
    columns: Sequence[Column],
    among: Sequence[Entity],
    more: Collection[str],
    up: str,
) -> Thing:
    """One of some things with the values in these columns, and `more`: what it does, or the beginning of its text."""
    effects = _in_short(pack, entity, up) if EFFECTS in more else ()
    return Thing(
        name=entity.name,
        href=f"{up}{entity.id}/{INDEX}",
        badges=tuple(
            Badge(
                label=column.label,
                group=column.group,
                value=column_html(pack, entity, column, up),
                number=False,
                figure=is_figure(column, among),
                empty=column.of(entity) in (None, [], "", entity.name),
            )
            for column in columns
        ),
        effects=effects,
        words=_brief(entity) if WORDS in more or (EFFECTS in more and not effects) else "",
    )


def _usual(pack: Pack, kind: Kind, entities: Sequence[Entity]) -> tuple[str, ...]:
    """What is shown of things where nobody says it: their fields, else what they do, else what is said of them."""
    fields = tuple(rule.name for rule in shown_fields(kind, entities))
    if fields:
        return fields
    return (EFFECTS,) if any(_in_short(pack, entity, "") for entity in entities) else (WORDS,)


def _in_short(pack: Pack, entity: Entity, up: str) -> tuple[EffectBadge, ...]:
    return tuple(plate for plate in effect_badges(pack, entity, up) if plate.operation not in UNSAID)


def _brief(entity: Entity) -> str:
    """The first sentence of the text of a thing, or what of it there is room for."""
    words = " ".join(plain_text(*(block for block in entity.body if not isinstance(block, Table))).split())
    ends = [place + 1 for end in (". ", "! ", "? ") if (place := words.find(end)) >= 0]
    return summary(words[: min(ends)] if ends else words, BRIEF)


def _of_text(pack: Pack, part: Part, address: str) -> Panel | None:
    found = pack.find_table(part.subject.name)
    if found is None:
        return None
    table = found.table
    if part.fields:
        table = _columns(table, [place for name in part.fields if (place := find_column(table, name)) is not None])
    anchor = found.section.anchor
    bare = shown_again(replace(table, caption=()))
    there = f"{root(address)}{chapter_address(pack, anchor)}{INDEX}"
    return Panel(
        title=part.title or found.caption,
        href=f"{there}#{anchor.id}" if anchor.id else there,
        shown="text",
        wide=part.wide,
        text=Markup(to_html((bare,), outlet(pack, address, end=INDEX))),  # type: ignore[arg-type]  # a table stays one
    )


def _columns(table: Table, places: Sequence[int]) -> Table:
    """A table with some of its columns."""
    header, *rows = (
        replace(row, cells=tuple(row.cells[place] for place in places)) for row in (table.header, *table.rows)
    )
    return replace(
        table, header=header, rows=tuple(rows), alignments=tuple(table.alignments[place] for place in places)
    )


def _of_calculator(pack: Pack, part: Part, address: str) -> Panel | None:
    up, calculator = root(address), pack.game.calculators[part.subject.name]
    results = result_table(pack, calculator, up)
    if results is None:
        return None
    alone = f"{up}{sheet_address(calculator)}{INDEX}"
    return Panel(
        title=part.title or calculator.title,
        href=alone if calculator.sheet else f"{up}{pack.game.id}/calculators/{INDEX}#{calculator.slug}",
        shown="results",
        wide=part.wide,
        results=results,
        of=calculator.result.label,
    )
