"""Pages about a whole game: home, glossary and licence."""

from collections.abc import Iterator
from typing import NamedTuple

from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Embed, Link
from kismet_build.model.text_normalization import natural_sort_key, normalize, slug
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.data.questions_json import question_count
from kismet_build.render.fragments.page_context import FILE_SUFFIX, anchor_address, footnotes_of, missing_title
from kismet_build.render.html.addresses import (
    INDEX,
    PageLink,
    calculator_address,
    emblem_address,
    entity_href,
    path_to_root,
)
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import template
from kismet_build.render.pages.board import board_address
from kismet_build.render.pages.calculators import sheets
from kismet_build.render.pages.chapter import chapter_article, chapter_source, top_sections
from kismet_build.render.pages.glossary import by_letter, letter_contents
from kismet_build.render.pages.library import GLOSSARY as LIBRARY_GLOSSARY
from kismet_build.render.pages.navigation import folder_listing, folders
from kismet_build.render.pages.page import Page
from kismet_build.render.pages.print import is_printable, kinds_with_entities, printed_kinds
from kismet_build.render.pages.situation import has_situation


def home_page(pack: Pack) -> Page:
    """The home page of a game."""
    game = pack.game
    address, top = f"{game.id}/", folders(pack)
    note = None if top.chapter is None else chapter_article(pack, top.chapter, address, footnotes_of(pack, top.chapter))
    in_no_folder = (item for item in top.items if isinstance(item, Chapter))
    sections = {chapter.slug: top_sections(pack, chapter) for chapter in in_no_folder}
    start = pack.find_section(game.definition.start[0]) if game.definition.start else None
    article = template("article_home", game.catalog).render(
        game=game,
        start=start and PageLink(anchor_address(pack, start.anchor, INDEX), start.anchor.shown_title),
        note=note,
        root=path_to_root(address),
        index=INDEX,
        emblem=emblem_address(game.id),
        listing=folder_listing(pack, top, address, sections),
        kinds=kinds_with_entities(pack),
        boards=[(board, board_address(pack, board)) for board in game.boards],
        tags=len(pack.tags),
        printable=is_printable(pack),
        cards=printed_kinds(pack),
        missing=missing_documents(pack),
        situation=has_situation(game),
        sheets=[(calculator.title, calculator_address(calculator)) for calculator in sheets(pack)],
        questions=question_count(pack),
    )
    description = (
        game.description or (note.description if note else "") or game.catalog.text("home.description", game=game.title)
    )
    return Page(
        address=address,
        title=game.title,
        role="home",
        article=article,
        contents=note.contents if note else (),
        has_note=note is not None,
        has_markdown=note is not None,
        source=chapter_source(top.chapter) if top.chapter else (),
        description=summary(description),
    )


def glossary_page(pack: Pack) -> Page:
    """The page with every name and alias of the game from A to Z."""
    address = f"{pack.game.id}/glossary/"
    listed = [entity for entity in pack.all_entities() if entity.kind not in pack.internal_kinds]
    names = [(entity.name, entity.id, (entity.name, entity, False)) for entity in listed]
    names += [(alias, entity.id, (alias, entity, True)) for entity in listed for alias in entity.aliases]
    letters = by_letter(names)
    article = template("article_glossary", pack.game.catalog).render(
        letters=letters,
        root=path_to_root(address),
        href=lambda entity_id: entity_href(pack, entity_id, path_to_root(address)),
        index=INDEX,
        kind_of=pack.kind,
        game=pack.game,
        library_glossary=LIBRARY_GLOSSARY,
    )
    words = pack.game.catalog
    return Page(
        address=address,
        title=words.text("title.glossary"),
        role="glossary",
        article=article,
        contents=letter_contents(letters),
        breadcrumbs=(PageLink(f"{pack.game.id}/", pack.game.title),),
        description=words.text("glossary.description", game=pack.game.title),
    )


def licence_page(pack: Pack) -> Page:
    """The page with the full text of the licence."""
    game, words = pack.game, pack.game.catalog
    return Page(
        address=f"{game.id}/downloads/licence/",
        title=words.text("title.licence"),
        role="licence",
        article=template("article_licence", words).render(game=game, paragraphs=game.licence_text.split("\n\n")),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=words.text("licence.description", game=game.title, licence=game.licence),
    )


class MissingDocument(NamedTuple):
    """A document that links name but that is not written yet."""

    title: str
    anchor_id: str
    """HTML id of the document's line on the home page."""
    links: int
    """Number of links to the document."""


@cached_in_pack
def missing_documents(pack: Pack) -> list[MissingDocument]:
    """The missing documents named in links, sorted by path."""
    links: dict[str, tuple[str, int]] = {}
    for path in (path for chapter in pack.book.chapters for path in _missing_paths(pack, chapter)):
        first, number = links.get(normalize(path), (path, 0))
        links[normalize(path)] = (first, number + 1)
    ordered = sorted(links.values(), key=lambda row: natural_sort_key(row[0]))
    titles = [(missing_title(pack, path), number) for path, number in ordered]
    return [MissingDocument(title, f"unwritten-{slug(title)}", number) for title, number in titles]


def _missing_paths(pack: Pack, chapter: Chapter) -> Iterator[str]:
    for node in chapter.document.links:
        if not isinstance(node, (Link, Embed)) or node.span in pack.link_entities:
            continue
        target = pack.book.targets.get(node.span)
        path = node.target.partition("#")[0].strip()
        if target is not None and target.status == "missing-document" and not FILE_SUFFIX.search(path):
            yield path
