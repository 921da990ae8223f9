"""What an EPUB has before and after its texts: title, imprint, calculators, questions, glossary and index."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from kismet_build.config.game import Game
from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Section
from kismet_build.pack import Entity, Mention, Pack, QuestionBox
from kismet_build.render.book.book_pages import BookPage
from kismet_build.render.book.facts import calculator_groups
from kismet_build.render.book.xhtml import read_html
from kismet_build.render.components.calculator import calculator_card
from kismet_build.render.components.entity_text import entity_text
from kismet_build.render.data.questions_json import Question
from kismet_build.render.fragments.page_context import anchor_address, chapter_address
from kismet_build.render.html.addresses import INDEX, PageLink, calculator_address, entity_href, path_to_root
from kismet_build.render.html.excerpt import first_sentence
from kismet_build.render.html.templates import template
from kismet_build.render.pages.glossary import by_letter
from kismet_build.render.pages.page import Entry
from kismet_build.render.pages.questions import has_questions_page, linked_corrections, questions_by_chapter

MAX_PLACES = 12
"""Maximum number of sections that the index lists for a name. For a more frequent one, it lists chapters."""


def front_pages(pack: Pack, date: str | None) -> Iterator[BookPage]:
    """The title page and the imprint. `date`: the day of the edition, for the imprint."""
    game, words = pack.game, pack.game.catalog
    title = template("book_title", words).render(game=game)
    yield BookPage(title=game.title, nodes=read_html(title), type="titlepage", contents=(Entry(1, game.title, ""),))
    imprint = template("book_imprint", words).render(
        game=game, date=date, paragraphs=game.licence_text.split("\n\n") if game.licence_text else ()
    )
    yield _book_page(words.text("paper.imprint"), "imprint", "/imprint/", imprint)


def back_pages(pack: Pack) -> Iterator[BookPage]:
    """The appendices that a game has."""
    if groups := calculator_groups(pack.game):
        yield _calculators(pack, groups)
    if has_questions_page(pack):
        yield _questions(pack)
    listed = [entity for entity in pack.all_entities() if entity.kind not in pack.internal_kinds]
    if listed:
        yield _glossary(pack, listed)
        yield _index(pack, listed)


def _calculators(pack: Pack, groups: Mapping[str, Sequence[Calculator]]) -> BookPage:
    """The calculators with their formulas, examples and tables of results."""
    words, address = pack.game.catalog, calculators_address(pack.game)
    shown = [
        (
            title,
            f"_{number}",
            [(calculator_card(pack, each, address, with_table=True), each) for each in calculators],
        )
        for number, (title, calculators) in enumerate(groups.items())
    ]
    html = template("book_calculators", words).render(groups=shown)
    contents: list[Entry] = []
    for title, html_id, cards in shown:
        contents += [Entry(2, title, html_id), *(Entry(3, card.title, card.id) for card, _ in cards)]
    return _book_page(words.text("title.calculators"), "appendix", address, html, tuple(contents))


def _questions(pack: Pack) -> BookPage:
    """Where the questions and rulings are, and the corrections: the texts and calculators have the words of each."""
    words, address = pack.game.catalog, f"{pack.game.id}/questions/"
    title = words.text("title.questions")

    def link(question: Question) -> str:
        if isinstance(question.origin, QuestionBox):
            return anchor_address(pack, question.origin.section.anchor, INDEX)
        return calculator_address(question.origin) + INDEX

    html = template("book_questions", words).render(
        title=title,
        groups=[*questions_by_chapter(pack)],
        corrections=[*linked_corrections(pack)],
        link=link,
        root=path_to_root(address),
    )
    return _book_page(title, "appendix", address, html)


def calculators_address(game: Game) -> str:
    """The address of the appendix of calculators."""
    return f"{game.id}/calculators/"


def _book_page(title: str, epub_type: str, address: str, html: str, contents: tuple[Entry, ...] = ()) -> BookPage:
    return BookPage(
        title=title, nodes=read_html(html), contents=(Entry(1, title, ""), *contents), address=address, type=epub_type
    )


def _glossary(pack: Pack, entities: list[Entity]) -> BookPage:
    """Every entity with its kind and the first sentence about it."""
    letters = by_letter(
        (entity.name, entity.id, (entity, pack.kind(entity), first_sentence(entity_text(pack, entity))))
        for entity in entities
    )
    html = template("book_glossary", pack.game.catalog).render(
        letters=letters, href=lambda entity_id: entity_href(pack, entity_id, "../../")
    )
    title = pack.game.catalog.text("title.glossary")
    return _book_page(title, "glossary", f"{pack.game.id}/glossary/", html)


class _Name(NamedTuple):
    """A line of the index."""

    name: str
    address: str
    """Where it is defined; empty for an alias, and if several entities have the name."""
    see: str
    """The name that an alias stands for; otherwise empty."""
    places: Sequence[PageLink]
    """Where each of several entities is defined, and where it is mentioned."""


def _index(pack: Pack, entities: list[Entity]) -> BookPage:
    """Every name and alias, with the sections that define or mention it."""
    address = f"{pack.game.id}/index/"
    by_name: dict[str, list[Entity]] = {}
    for entity in entities:
        by_name.setdefault(entity.name, []).append(entity)
    names = [(name, "", _name(pack, same, path_to_root(address))) for name, same in by_name.items()]
    aliases = dict.fromkeys((alias, entity.name) for entity in entities for alias in entity.aliases)
    names += [(alias, name, _Name(alias, "", name, ())) for alias, name in aliases if alias not in by_name]
    html = template("book_index", pack.game.catalog).render(letters=by_letter(names))
    return _book_page(pack.game.catalog.text("paper.index"), "index", address, html)


def _name(pack: Pack, entities: list[Entity], root: str) -> _Name:
    """The line for a name and the entities that have it."""
    definitions = [PageLink(entity_href(pack, each.id, root), pack.kind(each).title) for each in entities]
    mentions = dict.fromkeys(chain.from_iterable(_mentions(pack, each, root) for each in entities))
    if len(definitions) == 1:
        return _Name(entities[0].name, definitions[0].address, "", [*mentions])
    return _Name(entities[0].name, "", "", [*definitions, *mentions])


def _mentions(pack: Pack, entity: Entity, root: str) -> Iterator[PageLink]:
    """The sections that mention an entity, or the chapters for one that many mention."""
    defined = entity.section.anchor
    sections = (_section(pack, mention) for mention in pack.mentions_of.get(entity.id, ()))
    anchors = dict.fromkeys(section.anchor for section in sections if section and section.anchor is not defined)
    if len(anchors) <= MAX_PLACES:
        yield from (PageLink(root + anchor_address(pack, anchor, INDEX), anchor.shown_title) for anchor in anchors)
    else:
        chapters = dict.fromkeys(anchor.chapter for anchor in anchors)
        yield from (PageLink(root + chapter_address(pack, chapter) + INDEX, chapter.title) for chapter in chapters)


def _section(pack: Pack, mention: Mention) -> Section | None:
    """The section with a mention; `None` if it is in no text."""
    if origin := pack.by_id.get(mention.origin):
        return origin.section
    return pack.book.section(mention.span.source.path, mention.origin.removeprefix(f"{pack.game.id}/section/"))
