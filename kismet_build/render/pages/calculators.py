"""Pages of calculators: one page with all of a game's, a page for each sheet, and calculators shown within the text."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import ClassVar

from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Anchor, Chapter
from kismet_build.model.nodes import Block, Div, Paragraph, plain_text
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import UniqueNames, slug
from kismet_build.pack import CitedPassage, Entity, Pack
from kismet_build.render.components.calculator import CalculatorCard, calculator_card
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.cached import cached_in_pack
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import template
from kismet_build.render.pages.page import Entry, LazyPages, Page

PREFIX = "calculator-"
"""Prefix of the HTML ids of calculators within the text, to distinguish them from the ids of headings."""


def calculators_page(pack: Pack) -> Page:
    """The page of all calculators: those listed by the game, then the others by the chapter and section they cite."""
    game = pack.game
    address = f"{game.id}/calculators/"
    taken = UniqueNames(calculator.slug for calculator in game.calculators.values())
    groups: list[tuple[str, str, list[tuple[str, str, list[CalculatorCard | SheetLink]]]]] = []
    contents: list[Entry] = []

    def cards(calculators: Iterable[Calculator]) -> list[CalculatorCard | SheetLink]:
        return [_card_or_link(pack, calculator, address, with_table=True) for calculator in calculators]

    top = [game.calculators[name] for name, _ in game.definition.top_calculators if name in game.calculators]
    if top:
        title = game.catalog.text("calculators.top")
        top_id = taken.add("_top", 2)
        contents.append(Entry(1, title, top_id))
        groups.append((title, top_id, [("", top_id, cards(top))]))
    others = (calculator for calculator in calculators_in_order(pack) if calculator not in top)
    for title, in_chapter in groupby(others, key=lambda calculator: _chapter_title(pack, calculator)):
        chapter_id = taken.add(f"_{slug(title)}", 2)
        contents.append(Entry(1, title, chapter_id))
        sections = []
        for heading, in_section in groupby(in_chapter, key=lambda calculator: _heading(pack, calculator)):
            heading_id = taken.add(f"_{slug(heading)}", 2)
            contents.append(Entry(2, heading, heading_id))
            sections.append((heading, heading_id, cards(in_section)))
        groups.append((title, chapter_id, sections))
    return Page(
        address=address,
        title=game.catalog.text("title.calculators"),
        role="calculators",
        article=template("article_calculators", game.catalog).render(game=game, groups=groups),
        contents=tuple(contents),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=game.catalog.text("calculators.description", game=game.title),
    )


def sheet_pages(pack: Pack) -> LazyPages:
    """A page for each sheet: a calculator with `sheet: true`."""
    for calculator in sheets(pack):
        yield sheet_address(calculator), partial(_sheet_page, pack, calculator)


def _sheet_page(pack: Pack, calculator: Calculator) -> Page:
    game, address = pack.game, sheet_address(calculator)
    card = calculator_card(pack, calculator, address, with_table=True)
    return Page(
        address=address,
        title=calculator.title,
        role="sheet",
        article=template("article_sheet", game.catalog).render(card=card),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=summary(
            game.catalog.text("calculators.sheet_description", calculator=calculator.title, game=game.title)
        ),
    )


def sheets(pack: Pack) -> list[Calculator]:
    """The calculators that have their own page."""
    return [calculator for calculator in pack.game.calculators.values() if calculator.sheet]


def sheet_address(calculator: Calculator) -> str:
    """The address of a sheet's page."""
    return f"{calculator.id.partition('/')[0]}/sheets/{calculator.slug}/"


def calculator_address(pack: Pack, calculator: Calculator) -> str:
    """The address of a calculator's sheet, or of its place on the page of all calculators, ending in a file name."""
    if calculator.sheet:
        return f"{sheet_address(calculator)}{INDEX}"
    return f"{pack.game.id}/calculators/{INDEX}#{calculator.slug}"


@cached_in_pack
def calculators_in_order(pack: Pack) -> tuple[Calculator, ...]:
    """The calculators in book order. Those whose citation is not found come last."""
    if not pack.game.calculators:
        return ()
    order = {chapter.source: position for position, chapter in enumerate(pack.book.chapters)}

    def sort_key(calculator: Calculator) -> tuple[int, int]:
        cited = pack.cited.get(calculator.citation.span)
        return (order[cited.span.source], cited.span.start) if cited else (len(order), 0)

    return tuple(sorted(pack.game.calculators.values(), key=sort_key))


def calculators_by_block(pack: Pack, chapter: Chapter, blocks: Sequence[Block], address: str) -> Mapping[int, str]:
    """HTML of the calculators that cite blocks of a chapter, shown next to those blocks; by the block's identity.

    An embedded copy of a block is a different object and does not show its calculators.
    """
    by_block, _ = _by_block(citing(pack, chapter.source.full_span()), blocks, pack)
    return _asides(pack, by_block, address)


def calculator_ids(pack: Pack, chapter: Chapter) -> Mapping[Anchor, list[str]]:
    """The HTML ids of the calculators in a chapter, by the heading of the section they cite."""
    ids: dict[Anchor, list[str]] = {}
    for calculator in citing(pack, chapter.source.full_span()):
        section = pack.cited[calculator.citation.span].section
        ids.setdefault(section.anchor, []).append(PREFIX + calculator.slug)
    return ids


def entity_calculators(
    pack: Pack, entity: Entity, blocks: Sequence[Block], address: str
) -> tuple[Mapping[int, str], str]:
    """HTML of the calculators that cite an entity's text: by block as in a chapter, and those without a block.

    `blocks`: those shown on the page of the entity.
    """
    by_block, others = _by_block(citing(pack, entity.span), blocks, pack)
    return _asides(pack, by_block, address), _aside(pack, others, address) if others else ""


def _by_block(
    calculators: Iterable[Calculator], blocks: Sequence[Block], pack: Pack
) -> tuple[Mapping[int, list[Calculator]], list[Calculator]]:
    """Calculators by the identity of the block they cite, and those that cite none of these blocks."""
    by_block: dict[int, list[Calculator]] = {}
    others: list[Calculator] = []
    for calculator in calculators:
        block = _enclosing_block(blocks, pack.cited[calculator.citation.span])
        place = others if block is None else by_block.setdefault(id(block), [])
        place.append(calculator)
    return by_block, others


def _asides(pack: Pack, by_block: Mapping[int, Iterable[Calculator]], address: str) -> Mapping[int, str]:
    return {block_id: _aside(pack, calculators, address) for block_id, calculators in by_block.items()}


def citing(pack: Pack, span: Span) -> list[Calculator]:
    """The calculators that cite a passage within a span."""
    starts, calculators = _by_source(pack).get(span.source, ([], []))
    return calculators[bisect_left(starts, span.start) : bisect_left(starts, span.end)]


@cached_in_pack
def _by_source(pack: Pack) -> Mapping[Source, tuple[list[int], list[Calculator]]]:
    """For each source, the sorted offsets cited by calculators, and the calculators in the same order."""
    by_source: dict[Source, tuple[list[int], list[Calculator]]] = {}
    for calculator in calculators_in_order(pack):
        if cited := pack.cited.get(calculator.citation.span):
            starts, calculators = by_source.setdefault(cited.span.source, ([], []))
            starts.append(cited.span.start)
            calculators.append(calculator)
    return by_source


def _aside(pack: Pack, calculators: Iterable[Calculator], address: str) -> str:
    """Calculators next to a text, as HTML. Several are collapsed to one line until a reader opens it."""
    cards = [_card_or_link(pack, calculator, address, prefix=PREFIX) for calculator in calculators]
    page = f"{path_to_root(address)}{pack.game.id}/calculators/{INDEX}"
    aside = template("calculators_aside", pack.game.catalog)
    return "\n" + aside.render(cards=cards, all_calculators=page, folds=len(cards) > 1).rstrip("\n")


@dataclass(frozen=True, slots=True)
class SheetLink:
    """A link to a sheet, shown in place of its card."""

    id: str
    title: str
    answers: str
    sheet: str
    """Address of the sheet; empty in a `CalculatorCard`."""
    sentence: ClassVar[str] = ""


def _card_or_link(
    pack: Pack, calculator: Calculator, address: str, *, prefix: str = "", with_table: bool = False
) -> CalculatorCard | SheetLink:
    if calculator.sheet:
        page = f"{path_to_root(address)}{sheet_address(calculator)}{INDEX}"
        return SheetLink(prefix + calculator.slug, calculator.title, calculator.answers, page)
    return calculator_card(pack, calculator, address, prefix=prefix, with_table=with_table)


def _enclosing_block(blocks: Sequence[Block], cited: CitedPassage) -> Block | None:
    """The block that contains a cited passage, or the next block if that one ends in `:`. The calculator follows it.

    A list or table counts as one block, so nothing is inserted between its parts.
    """
    start = cited.span.start
    for index, block in enumerate(blocks):
        _, first, end = block.span
        if first <= start < end:
            inside = _enclosing_block(block.children, cited) if isinstance(block, Div) else None
            is_lead_in = isinstance(block, Paragraph) and plain_text(block).rstrip().endswith(":")
            return inside or (blocks[index + 1] if is_lead_in and index + 1 < len(blocks) else block)
    return None


def _chapter_title(pack: Pack, calculator: Calculator) -> str:
    cited = pack.cited.get(calculator.citation.span)
    return cited.section.anchor.chapter.title if cited else pack.game.catalog.text("calculators.absent")


def _heading(pack: Pack, calculator: Calculator) -> str:
    cited = pack.cited.get(calculator.citation.span)
    return cited.section.anchor.shown_title if cited else calculator.citation.heading
