"""What an EPUB has before and after its texts: title, imprint, calculators, questions, glossary and index."""

from collections.abc import Iterator

from kismet_build.model.book import Section
from kismet_build.pack import Entity, Mention, Pack
from kismet_build.render.book.sheets import Sheet
from kismet_build.render.book.xhtml import read_html
from kismet_build.render.components.calculator import calculator_card
from kismet_build.render.components.entity_text import entity_text
from kismet_build.render.fragments.page_context import anchor_address, chapter_address
from kismet_build.render.html.addresses import INDEX, PageLink, entity_href, path_to_root
from kismet_build.render.html.excerpt import first_sentence
from kismet_build.render.html.templates import template
from kismet_build.render.pages.calculators import calculators_in_order
from kismet_build.render.pages.glossary import by_letter
from kismet_build.render.pages.page import Entry
from kismet_build.render.pages.questions import has_questions_page, questions_page

MAX_PLACES = 12
"""Maximum number of sections that the index lists for a name. For a more frequent one, it lists chapters."""


def front_sheets(pack: Pack, date: str | None) -> Iterator[Sheet]:
    """The title page and the imprint. `date`: the day of the edition, for the imprint."""
    game, words = pack.game, pack.game.catalog
    title = template("book_title", words).render(game=game)
    yield Sheet(title=game.title, nodes=read_html(title), type="titlepage", contents=(Entry(1, game.title, ""),))
    imprint = template("book_imprint", words).render(
        game=game, date=date, paragraphs=game.licence_text.split("\n\n") if game.licence_text else ()
    )
    yield _sheet(words.text("paper.imprint"), "imprint", "/imprint/", imprint)


def back_sheets(pack: Pack) -> Iterator[Sheet]:
    """The appendices that a game has."""
    game, words = pack.game, pack.game.catalog
    if game.calculators:
        address = f"{game.id}/calculators/"
        cards = [calculator_card(pack, each, address, with_table=True) for each in calculators_in_order(pack)]
        html = template("book_calculators", words).render(cards=[(card, game.calculators[card.name]) for card in cards])
        contents = tuple(Entry(2, card.title, card.id) for card in cards)
        yield _sheet(words.text("title.calculators"), "appendix", address, html, contents)
    if has_questions_page(pack):
        page = questions_page(pack)
        yield _sheet(page.title, "appendix", page.address, page.article)
    listed = [entity for entity in pack.all_entities() if entity.kind not in pack.internal_kinds]
    if listed:
        yield _glossary(pack, listed)
        yield _index(pack, listed)


def _sheet(title: str, epub_type: str, address: str, html: str, contents: tuple[Entry, ...] = ()) -> Sheet:
    return Sheet(
        title=title, nodes=read_html(html), contents=(Entry(1, title, ""), *contents), address=address, type=epub_type
    )


def _glossary(pack: Pack, entities: list[Entity]) -> Sheet:
    """Every entity with its kind and the first sentence about it."""
    letters = by_letter(
        (entity.name, entity.id, (entity, pack.kind(entity), first_sentence(entity_text(pack, entity))))
        for entity in entities
    )
    html = template("book_glossary", pack.game.catalog).render(
        letters=letters, href=lambda entity_id: entity_href(pack, entity_id, "../../")
    )
    title = pack.game.catalog.text("title.glossary")
    return _sheet(title, "glossary", f"{pack.game.id}/glossary/", html)


def _index(pack: Pack, entities: list[Entity]) -> Sheet:
    """Every name and alias, with the sections that define or mention it."""
    address = f"{pack.game.id}/index/"
    names: list[tuple[str, str, tuple[str, str, list[PageLink]]]] = []
    for entity in entities:
        names.append((entity.name, entity.id, (entity.name, "", _places(pack, entity))))
        names += [(alias, entity.id, (alias, entity.name, [])) for alias in entity.aliases]
    html = template("book_index", pack.game.catalog).render(letters=by_letter(names), root=path_to_root(address))
    return _sheet(pack.game.catalog.text("paper.index"), "index", address, html)


def _places(pack: Pack, entity: Entity) -> list[PageLink]:
    """Where an entity is defined, and then where it is mentioned."""
    mentioned = (_section(pack, mention) for mention in pack.mentions_of.get(entity.id, ()))
    anchors = [*dict.fromkeys(section.anchor for section in (entity.section, *mentioned) if section)]
    if len(anchors) <= MAX_PLACES:
        links = [PageLink(anchor_address(pack, anchor, INDEX), anchor.shown_title) for anchor in anchors]
    else:
        first = anchors[0]
        chapters = dict.fromkeys(anchor.chapter for anchor in anchors[1:])
        links = [
            PageLink(anchor_address(pack, first, INDEX), first.shown_title),
            *(PageLink(chapter_address(pack, chapter) + INDEX, chapter.title) for chapter in chapters),
        ]
    return [PageLink(entity_href(pack, entity.id, ""), links[0].title), *links[1:]]


def _section(pack: Pack, mention: Mention) -> Section | None:
    """The section with a mention; `None` if it is in no text."""
    if origin := pack.by_id.get(mention.origin):
        return origin.section
    return pack.book.section(mention.span.source.path, mention.origin.removeprefix(f"{pack.game.id}/section/"))
