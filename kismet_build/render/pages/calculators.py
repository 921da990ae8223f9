"""Pages of calculators: a list of all, a page for each, and the calculators shown within the text."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Anchor, Chapter
from kismet_build.model.nodes import Block, Div, Paragraph, Table, plain_text
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import UniqueNames, slug
from kismet_build.model.titles import subject_title
from kismet_build.pack import CitedPassage, Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.calculator import calculator_card, result_sentence
from kismet_build.render.html.addresses import INDEX, PageLink, calculator_address, path_to_root
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import template
from kismet_build.render.pages.page import Entry, LazyPages, Page

PREFIX = "calculator-"
"""Prefix of the HTML ids of calculators within the text, to keep them apart from the ids of headings."""


class _Line(NamedTuple):
    """A calculator in the list of all calculators."""

    slug: str
    title: str
    answers: str
    """The question that the calculator answers, or a sample result unless the title is a question; can be empty."""
    href: str


def calculators_page(pack: Pack) -> Page:
    """The list of all calculators: the most used ones as listed by the game, then the others by subject.

    Calculators in the same file have the same subject. If all are in one file, they are listed by chapter.
    """
    game = pack.game
    address = f"{game.id}/calculators/"
    taken = UniqueNames(calculator.slug for calculator in game.calculators.values())
    top = [game.calculators[name] for name, _ in game.definition.top_calculators if name in game.calculators]
    subjects = {game.catalog.text("calculators.top"): top} if top else {}
    has_subjects = len({calculator.group for calculator in game.calculators.values()}) > 1
    for calculator in game.calculators.values() if has_subjects else calculators_in_order(pack):
        if calculator not in top:
            subject = subject_title(calculator.group) if has_subjects else _chapter_title(pack, calculator)
            subjects.setdefault(subject, []).append(calculator)
    groups = [
        (title, taken.add(f"_{slug(title)}", 2), [_line(pack, calculator, address) for calculator in calculators])
        for title, calculators in subjects.items()
    ]
    return Page(
        address=address,
        title=game.catalog.text("title.calculators"),
        role="calculators",
        article=template("article_calculators", game.catalog).render(game=game, groups=groups),
        contents=tuple(Entry(1, title, group_id) for title, group_id, _ in groups),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=game.catalog.text("calculators.description", game=game.title),
    )


def _line(pack: Pack, calculator: Calculator, address: str) -> _Line:
    is_question = calculator.title.endswith("?")
    answers = calculator.answers or ("" if is_question else result_sentence(pack, calculator))
    href = f"{path_to_root(address)}{calculator_address(calculator)}{INDEX}"
    return _Line(calculator.slug, calculator.title, answers, href)


def calculator_pages(pack: Pack) -> LazyPages:
    """A page for each calculator."""
    for calculator in pack.game.calculators.values():
        yield calculator_address(calculator), partial(_calculator_page, pack, calculator)


def _calculator_page(pack: Pack, calculator: Calculator) -> Page:
    game, address, words = pack.game, calculator_address(calculator), pack.game.catalog
    card = calculator_card(pack, calculator, address, with_table=True)
    all_calculators = PageLink(f"{game.id}/calculators/", words.text("title.calculators"))
    return Page(
        address=address,
        title=calculator.title,
        role="sheet" if calculator.sheet else "calculator-page",
        article=template("article_calculator", words).render(card=card),
        breadcrumbs=(PageLink(f"{game.id}/", game.title), *(() if calculator.sheet else (all_calculators,))),
        chapter="" if calculator.sheet else all_calculators.address,
        description=summary(words.text("calculators.sheet_description", calculator=calculator.title, game=game.title)),
    )


def sheets(pack: Pack) -> list[Calculator]:
    """The calculators with `sheet: true`, which the home page and the navigation list."""
    return [calculator for calculator in pack.game.calculators.values() if calculator.sheet]


@cached_in_pack
def calculators_in_order(pack: Pack) -> tuple[Calculator, ...]:
    """The calculators in book order. Calculators whose citation is not found come last."""
    if not pack.game.calculators:
        return ()
    order = {chapter.source: position for position, chapter in enumerate(pack.book.chapters)}

    def sort_key(calculator: Calculator) -> tuple[int, int]:
        cited = pack.cited.get(calculator.citation.span)
        return (order[cited.span.source], cited.span.start) if cited else (len(order), 0)

    return tuple(sorted(pack.game.calculators.values(), key=sort_key))


def calculators_by_block(pack: Pack, chapter: Chapter, blocks: Sequence[Block], address: str) -> Mapping[int, str]:
    """HTML of the calculators that cite blocks of a chapter, to show next to each block; by the block's identity.

    A table shows only one. An embedded copy of a block is a different object and does not show its calculators.
    """
    return {
        id(block): _aside(pack, calculators, address, only_one=isinstance(block, Table))
        for block, calculators in _by_block(citing(pack, chapter.source.full_span()), blocks, pack)
    }


def calculator_ids(pack: Pack, chapter: Chapter) -> Mapping[Anchor, list[str]]:
    """The HTML ids of the calculators in a chapter, by the heading of the section that they cite."""
    ids: dict[Anchor, list[str]] = {}
    for calculator in citing(pack, chapter.source.full_span()):
        section = pack.cited[calculator.citation.span].section
        ids.setdefault(section.anchor, []).append(PREFIX + calculator.slug)
    return ids


def entity_calculators(
    pack: Pack, entity: Entity, blocks: Sequence[Block], address: str
) -> tuple[Mapping[int, str], str]:
    """HTML of the calculator shown for an entity: by the block that it cites, or else as a string without a block.

    `blocks`: those shown on the entity's page.
    """
    shown = shown_calculator(pack, entity)
    if shown is None:
        return {}, ""
    aside = _aside(pack, citing(pack, entity.span), address, only_one=True)
    by_block = _by_block([shown], blocks, pack)
    return ({id(by_block[0][0]): aside}, "") if by_block else ({}, aside)


def shown_calculator(pack: Pack, entity: Entity) -> Calculator | None:
    """The calculator shown for an entity; `None` if none cites its text."""
    calculators = citing(pack, entity.span)
    return _most_specific(pack, calculators) if calculators else None


def _most_specific(pack: Pack, calculators: Sequence[Calculator]) -> Calculator:
    """Of the calculators that cite a passage, the one that its reader most likely needs.

    It is the first that the game lists as most used, or else the one that cites the fewest other passages.
    """
    top = [name for name, _ in pack.game.definition.top_calculators]

    def sort_key(calculator: Calculator) -> tuple[int, int, int]:
        rank = top.index(calculator.slug) if calculator.slug in top else len(top)
        passages = {(citation.document, citation.heading, citation.quotes) for citation in calculator.citations()}
        return rank, len(passages), len(calculator.inputs)

    return min(calculators, key=sort_key)


def _by_block(
    calculators: Iterable[Calculator], blocks: Sequence[Block], pack: Pack
) -> list[tuple[Block, list[Calculator]]]:
    by_block: dict[int, tuple[Block, list[Calculator]]] = {}
    for calculator in calculators:
        if block := _enclosing_block(blocks, pack.cited[calculator.citation.span]):
            by_block.setdefault(id(block), (block, []))[1].append(calculator)
    return [*by_block.values()]


def citing(pack: Pack, span: Span) -> list[Calculator]:
    """The calculators that cite a passage within a span."""
    starts, calculators = _by_source(pack).get(span.source, ([], []))
    return calculators[bisect_left(starts, span.start) : bisect_left(starts, span.end)]


@cached_in_pack
def _by_source(pack: Pack) -> Mapping[Source, tuple[list[int], list[Calculator]]]:
    """For each source, the offsets that calculators cite, sorted, and the calculators in the same order."""
    by_source: dict[Source, tuple[list[int], list[Calculator]]] = {}
    for calculator in calculators_in_order(pack):
        if cited := pack.cited.get(calculator.citation.span):
            starts, calculators = by_source.setdefault(cited.span.source, ([], []))
            starts.append(cited.span.start)
            calculators.append(calculator)
    return by_source


def _aside(pack: Pack, calculators: Sequence[Calculator], address: str, *, only_one: bool) -> str:
    """Calculators next to a text, as HTML. Several calculators are collapsed to one line, which a reader can open.

    `only_one`: show the most specific one, with a link to all.
    """
    shown = [_most_specific(pack, calculators)] if only_one else calculators
    return "\n" + template("calculators_aside", pack.game.catalog).render(
        cards=[calculator_card(pack, calculator, address, prefix=PREFIX, with_table=False) for calculator in shown],
        folds=len(shown) > 1,
        others=len(calculators) - len(shown),
        all_calculators=f"{path_to_root(address)}{pack.game.id}/calculators/{INDEX}",
    ).rstrip("\n")


def _enclosing_block(blocks: Sequence[Block], cited: CitedPassage) -> Block | None:
    """The block after which a calculator is shown: the one with the cited passage or, if that ends in `:`, the next.

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
