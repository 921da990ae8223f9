"""The pages that are made of calculators: all of a game in one, and the sheets; where they stand among the text."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Block, Div, Paragraph, plain_text
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import slug, unique
from kismet_build.pack import Cited, Entity, Pack
from kismet_build.render.components.calculator import CalculatorCard, calculator_card
from kismet_build.render.html.addresses import INDEX, Signpost, root
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import template
from kismet_build.render.pages.page import Entry, Page

PREFIX = "calculator-"
"""Before the ids of calculators among a text, whose headings have ids of their own."""


def calculators_page(pack: Pack) -> Page:
    """Every calculator of the game, by the chapter and the section that it comes from."""
    game = pack.game
    address = f"{game.id}/calculators/"
    taken = {calculator.slug for calculator in game.calculators.values()}
    chapters = []
    contents: list[Entry] = []
    for title, found in groupby(in_order(pack), key=lambda one: _chapter(pack, one)):
        chapter_id = unique(f"_{slug(title)}", taken, 2)
        contents.append(Entry(1, title, chapter_id))
        sections = []
        for heading, calculators in groupby(found, key=lambda one: _heading(pack, one)):
            heading_id = unique(f"_{slug(heading)}", taken, 2)
            contents.append(Entry(2, heading, heading_id))
            sections.append((heading, heading_id, [_folded(pack, one, address, tabled=True) for one in calculators]))
        chapters.append((title, chapter_id, sections))
    return Page(
        address=address,
        title="Calculators",
        role="calculators",
        article=template("article_calculators").render(game=game, chapters=chapters),
        contents=tuple(contents),
        breadcrumbs=(Signpost(f"{game.id}/", game.title),),
        description=f"Rules of {game.title} that compute",
    )


def sheet_pages(pack: Pack) -> Iterator[Page]:
    """A page for each calculator that is used at the table for itself."""
    game = pack.game
    for calculator in sheets(pack):
        address = sheet_address(calculator)
        card = calculator_card(pack, calculator, address, tabled=True)
        yield Page(
            address=address,
            title=calculator.title,
            role="sheet",
            article=template("article_sheet").render(card=card),
            breadcrumbs=(Signpost(f"{game.id}/", game.title),),
            description=summary(f"{calculator.title}, worked out by the rules of {game.title}"),
        )


def sheets(pack: Pack) -> list[Calculator]:
    """The calculators that have a page of their own."""
    return [calculator for calculator in pack.game.calculators.values() if calculator.sheet]


def sheet_address(calculator: Calculator) -> str:
    """Where the page of a sheet is."""
    return f"{calculator.id.partition('/')[0]}/sheets/{calculator.slug}/"


@lru_cache(maxsize=2)
def in_order(pack: Pack) -> tuple[Calculator, ...]:
    """The calculators in the order of the book; those that cite what is gone come last."""
    if not pack.game.calculators:
        return ()
    order = {chapter.source: place for place, chapter in enumerate(pack.book.chapters)}

    def place(calculator: Calculator) -> tuple[int, int]:
        cited = pack.cited.get(calculator.citation.span)
        return (order[cited.span.source], cited.span.start) if cited else (len(order), 0)

    return tuple(sorted(pack.game.calculators.values(), key=place))


def beside(pack: Pack, chapter: Chapter, blocks: Sequence[Block], address: str) -> Mapping[int, str]:
    """What stands after blocks of a chapter, by the identity of the block: the calculators that cite it.

    A block that is shown again elsewhere on the page is another object, and its calculators stand there only once.
    """
    found: dict[int, list[Calculator]] = {}
    for calculator in _cited_in(pack, chapter.source.whole()):
        block = _holder(blocks, pack.cited[calculator.citation.span])
        if block is not None:
            found.setdefault(id(block), []).append(calculator)
    return {block: _aside(pack, calculators, address) for block, calculators in found.items()}


def calculators_of(pack: Pack, entity: Entity, address: str) -> str:
    """The calculators that cite what the book says of an entity; nothing where there are none."""
    found = _cited_in(pack, entity.span)
    return _aside(pack, found, address) if found else ""


def _cited_in(pack: Pack, span: Span) -> list[Calculator]:
    """The calculators that cite something in a part of the text."""
    places, calculators = _by_place(pack).get(span.source, ([], []))
    return calculators[bisect_left(places, span.start) : bisect_left(places, span.end)]


@lru_cache(maxsize=2)
def _by_place(pack: Pack) -> Mapping[Source, tuple[list[int], list[Calculator]]]:
    """For each text the places that calculators cite, in order, and those calculators."""
    found: dict[Source, tuple[list[int], list[Calculator]]] = {}
    for calculator in in_order(pack):
        if cited := pack.cited.get(calculator.citation.span):
            places, calculators = found.setdefault(cited.span.source, ([], []))
            places.append(cited.span.start)
            calculators.append(calculator)
    return found


def _aside(pack: Pack, calculators: Iterable[Calculator], address: str) -> str:
    cards = [_folded(pack, one, address, prefix=PREFIX) for one in calculators]
    every = f"{root(address)}{pack.game.id}/calculators/{INDEX}"
    return "\n" + template("calculators_aside").render(cards=cards, all=every).rstrip("\n")


@dataclass(frozen=True, slots=True)
class SheetDoor:
    """The way to a sheet, where a calculator would stand."""

    id: str
    title: str
    sheet: str


def _folded(
    pack: Pack, calculator: Calculator, address: str, *, prefix: str = "", tabled: bool = False
) -> CalculatorCard | SheetDoor:
    if calculator.sheet:
        page = f"{root(address)}{sheet_address(calculator)}{INDEX}"
        return SheetDoor(prefix + calculator.slug, calculator.title, page)
    return calculator_card(pack, calculator, address, prefix=prefix, tabled=tabled)


def _holder(blocks: Sequence[Block], cited: Cited) -> Block | None:
    """The block that a passage stands in: a whole list or table, because an aside between its parts would tear it.

    Words that announce the next block stay together with it.
    """
    start = cited.span.start
    for place, block in enumerate(blocks):
        _, first, end = block.span
        if first <= start < end:
            inside = _holder(block.children, cited) if isinstance(block, Div) else None
            announces = isinstance(block, Paragraph) and plain_text(block).rstrip().endswith(":")
            return inside or (blocks[place + 1] if announces and place + 1 < len(blocks) else block)
    return None


def _chapter(pack: Pack, calculator: Calculator) -> str:
    cited = pack.cited.get(calculator.citation.span)
    return cited.section.anchor.chapter.title if cited else "Not in the text any more"


def _heading(pack: Pack, calculator: Calculator) -> str:
    cited = pack.cited.get(calculator.citation.span)
    return cited.section.anchor.title if cited else calculator.citation.heading
