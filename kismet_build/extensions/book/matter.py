"""The pages before and after the texts of an EPUB, such as the title page, glossary and index."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from kismet_build.config.game import Game
from kismet_build.extensions.book.book_pages import BookPage
from kismet_build.extensions.book.facts import calculator_groups
from kismet_build.extensions.book.parts import is_printed, printed_entities
from kismet_build.extensions.book.pictures import COVER
from kismet_build.extensions.book.xhtml import element, read_html
from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Section
from kismet_build.pack import Entity, Mention, Pack, QuestionBox
from kismet_build.render.components.calculator import calculator_card
from kismet_build.render.components.entity_text import summary
from kismet_build.render.data.questions_json import Question
from kismet_build.render.fragments.page_context import anchor_address, chapter_address
from kismet_build.render.html.addresses import INDEX, PageLink, calculator_address, entity_href, path_to_root
from kismet_build.render.html.escape import with_minus
from kismet_build.render.html.templates import template
from kismet_build.render.pages.glossary import by_letter
from kismet_build.render.pages.page import Entry
from kismet_build.render.pages.questions import linked_corrections, questions_by_chapter

MAX_PLACES = 12
"""Maximum number of sections that the index lists for an entity. For more sections, it lists their chapters."""


def front_pages(pack: Pack) -> Iterator[BookPage]:
    """The title page and the imprint, after the cover if the game has one."""
    game, words = pack.game, pack.game.catalog
    if game.definition.book.cover:
        picture = element("img", src=COVER, alt=game.title)
        yield BookPage(title=game.title, nodes=[element("div", picture)], type="cover")
    title = template("book_title", words).render(game=game)
    yield BookPage(title=game.title, nodes=read_html(title), type="titlepage", contents=(Entry(1, game.title, ""),))
    imprint = template("book_imprint", words).render(
        game=game, paragraphs=game.licence_text.split("\n\n") if game.licence_text else ()
    )
    yield _book_page(words.text("paper.imprint"), "imprint", "/imprint/", imprint)


def back_pages(pack: Pack) -> Iterator[BookPage]:
    """The appendices for which the game has content: calculators, questions, glossary and index."""
    if groups := calculator_groups(pack.game):
        yield _calculators(pack, groups)
    yield from _questions(pack)
    if listed := printed_entities(pack):
        yield _glossary(pack, listed)
        yield _index(pack, listed)


def _calculators(pack: Pack, groups: Mapping[str, Sequence[Calculator]]) -> BookPage:
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


def _questions(pack: Pack) -> Iterator[BookPage]:
    """Links to the questions, and the corrections."""
    words, address = pack.game.catalog, f"{pack.game.id}/questions/"
    title = words.text("title.questions")
    groups = [
        (group_title, [_question(pack, each) for each in group if _is_printed(pack, each)])
        for group_title, group in questions_by_chapter(pack)
    ]
    groups = [(group_title, shown) for group_title, shown in groups if shown]
    chapters = (chapter for chapter in pack.book.chapters if is_printed(pack, chapter.source.span(0, 0)))
    corrections = [*linked_corrections(pack, chapters)]
    if groups or corrections:
        html = template("book_questions", words).render(
            title=title, groups=groups, corrections=corrections, root=path_to_root(address)
        )
        yield _book_page(title, "appendix", address, html)


def _is_printed(pack: Pack, question: Question) -> bool:
    if isinstance(question.origin, QuestionBox):
        return is_printed(pack, question.origin.callout.span)
    return not question.origin.sheet


def _question(pack: Pack, question: Question) -> tuple[PageLink, bool]:
    """A link to a question in the book, and whether the question is open."""
    if isinstance(question.origin, QuestionBox):
        address = anchor_address(pack, question.origin.section.anchor, INDEX)
    else:
        address = calculator_address(question.origin) + INDEX
    return PageLink(address, with_minus(question.title)), not question.ruling


def calculators_address(game: Game) -> str:
    """The address of the appendix of calculators."""
    return f"{game.id}/calculators/"


def _book_page(title: str, epub_type: str, address: str, html: str, contents: tuple[Entry, ...] = ()) -> BookPage:
    return BookPage(
        title=title, nodes=read_html(html), contents=(Entry(1, title, ""), *contents), address=address, type=epub_type
    )


def _glossary(pack: Pack, entities: list[Entity]) -> BookPage:
    letters = by_letter(
        (entity.name, entity.id, (entity, pack.kind(entity), summary(pack, entity))) for entity in entities
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
    """Address of the definition; empty for an alias, and for a name of several entities."""
    see: str
    """The name that an alias stands for; otherwise empty."""
    places: Sequence[PageLink]
    """Links to the sections or chapters with mentions, after links to the definitions if several entities have the
    name."""


def _index(pack: Pack, entities: list[Entity]) -> BookPage:
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
    definitions = [PageLink(entity_href(pack, each.id, root), pack.kind(each).title) for each in entities]
    mentions = dict.fromkeys(chain.from_iterable(_mentions(pack, each, root) for each in entities))
    if len(definitions) == 1:
        return _Name(entities[0].name, definitions[0].address, "", [*mentions])
    return _Name(entities[0].name, "", "", [*definitions, *mentions])


def _mentions(pack: Pack, entity: Entity, root: str) -> Iterator[PageLink]:
    defined = entity.section.anchor
    sections = (_section(pack, mention) for mention in pack.mentions_of.get(entity.id, ()))
    mentioned = dict.fromkeys(section.anchor for section in sections if section and section.anchor is not defined)
    anchors = [anchor for anchor in mentioned if is_printed(pack, anchor.span)]
    if len(anchors) <= MAX_PLACES:
        yield from (PageLink(root + anchor_address(pack, anchor, INDEX), anchor.shown_title) for anchor in anchors)
    else:
        chapters = dict.fromkeys(anchor.chapter for anchor in anchors)
        yield from (PageLink(root + chapter_address(pack, chapter) + INDEX, chapter.title) for chapter in chapters)


def _section(pack: Pack, mention: Mention) -> Section | None:
    if origin := pack.by_id.get(mention.origin):
        return origin.section
    return pack.book.section(mention.span.source.path, mention.origin.removeprefix(f"{pack.game.id}/section/"))
