"""Pages to print: an entire game with its table of contents, and entities as cards to cut out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote

from markupsafe import Markup

from kismet_build.config.autolink import AutolinkRange
from kismet_build.config.kind import Kind
from kismet_build.model import nodes
from kismet_build.model.book import Anchor, Chapter
from kismet_build.model.nodes import flatten_layout
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.card import Card, infobox
from kismet_build.render.components.repeated_fields import without_repeated_fields
from kismet_build.render.fragments.page_context import chapter_address, html_of_chapter, print_label, render_context
from kismet_build.render.fragments.renderer import Href, RenderContext
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.excerpt import prose
from kismet_build.render.html.templates import template
from kismet_build.render.pages.card_parts import card_parts
from kismet_build.render.pages.page import Branch, Entry, LazyPages, Page, repeats_title, shown_levels, tree

MAX_PRINT_CHARACTERS = 1_000_000
"""Maximum number of characters of a game that has a page to print, about 500 sheets."""
MAX_PRINT_CARDS = 270
"""Maximum number of entities of a kind that has cards to print, about 30 sheets."""
MAX_NUMBER_CHARACTERS = 12
"""Maximum length of a number in large type in the corner of a card. A longer one becomes a field."""
MAX_CONTENTS_LEVEL = 4
"""Deepest level of headings in the table of contents, where chapters are `<h2>`."""


def print_pages(pack: Pack) -> LazyPages:
    """A game's pages to print, except those that would be too long."""
    if is_printable(pack):
        yield f"{pack.game.id}/print/", partial(_game_page, pack)
    if printed_kinds(pack):
        yield f"{pack.game.id}/print/cards/", partial(_cards_page, pack)


@cached_in_pack
def kinds_with_entities(pack: Pack) -> list[tuple[Kind, int]]:
    """The kinds that have entities with pages or rows, with the number of entities in each."""
    numbers = [(kind, len(pack.entities.get(kind.id, ()))) for kind in pack.game.kinds.values()]
    return [(kind, number) for kind, number in numbers if number and not kind.is_internal]


def is_printable(pack: Pack) -> bool:
    """Whether a game is short enough for a page with all chapters."""
    return 0 < sum(len(chapter.source.text) for chapter in pack.book.chapters) <= MAX_PRINT_CHARACTERS


def printed_kinds(pack: Pack) -> list[Kind]:
    """The kinds whose entities are printed as cards."""
    return [kind for kind, number in kinds_with_entities(pack) if number <= MAX_PRINT_CARDS]


# --- a whole game


def _game_page(pack: Pack) -> Page:
    game = pack.game
    address = f"{game.id}/print/"
    chapters = [_PrintedChapter(pack, chapter, address) for chapter in pack.book.chapters]
    return Page(
        address=address,
        title=game.catalog.text("title.print"),
        role="print",
        article=template("article_print", game.catalog).render(
            game=game, chapters=chapters, cards=bool(printed_kinds(pack)), index=INDEX
        ),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=game.catalog.text("print.description", game=game.title),
    )


class _PrintedChapter:
    """A chapter on the page of all chapters, for a template. All HTML ids in it start with its slug."""

    def __init__(self, pack: Pack, chapter: Chapter, address: str) -> None:
        blocks = tuple(block for block in chapter.document.blocks if not repeats_title(block, chapter))
        headings = [block for block in flatten_layout(blocks) if isinstance(block, nodes.Heading)]
        # One level deeper than on a chapter's own page, because here the chapter's title is an `<h2>`.
        levels = {span: level + 1 for span, level in shown_levels(headings).items()}
        anchors = pack.book.outlines[chapter.source.path].anchor_of
        self.id = chapter.slug
        self.title = chapter.title
        self.contents: Sequence[Branch] = tree(
            tuple(
                Entry(levels[heading.span] - 2, anchors[heading.span].numbered_title, _html_id(anchors[heading.span]))
                for heading in headings
                if levels[heading.span] <= MAX_CONTENTS_LEVEL
            )
        )
        context = _print_context(pack, render_context(pack, address, end=INDEX, levels=levels), chapter)
        self.text = Markup(html_of_chapter(pack, chapter, blocks, context))


def _html_id(anchor: Anchor) -> str:
    return f"{anchor.chapter.slug}.{anchor.id}" if anchor.id else anchor.chapter.slug


def _print_context(pack: Pack, context: RenderContext, chapter: Chapter) -> RenderContext:
    """A context whose links lead to the text on the same page, without dice buttons."""
    book, address = pack.book, chapter_address(pack, chapter)

    def link_to(anchor: Anchor) -> str:
        # Headings that repeat a chapter's title are left out, so link to the chapter.
        is_title = isinstance(anchor.node, nodes.Heading) and repeats_title(anchor.node, anchor.chapter)
        return f"#{quote(anchor.chapter.slug if is_title else _html_id(anchor))}"

    def href(link: nodes.Link) -> Href:
        target = book.targets.get(link.span)
        entity = pack.link_entities.get(link.span)
        if entity is not None and (target is None or target.anchor is None):
            anchor = pack.by_id[entity].section.anchor
            return Href(link_to(anchor), "ok", link.title, print_label(pack, link, address))
        if link.span in book.attachment_of or target is None or target.anchor is None:
            return context.href(link)
        return Href(link_to(book.anchor(target.anchor)), "ok", link.title, print_label(pack, link, address))

    def heading_id(heading: nodes.Heading) -> str:
        anchor = book.anchor_at(heading.span)
        return _html_id(anchor) if anchor is not None else ""

    def term_address(term: AutolinkRange) -> str:
        return link_to(book.anchor(term.anchor) if term.anchor else pack.by_id[term.target].section.anchor)

    return replace(
        context,
        href=href,
        heading_id=heading_id,
        term_address=term_address,
        has_dice=False,
        id_prefix=f"{chapter.slug}.",
    )


# --- cards to cut out


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedCard:
    """A card with as much of an entity as fits on it."""

    card: Card
    name: str
    """The entity's name, or a part of a very long name."""
    number: str
    """The number in large type; may be empty."""
    part: int
    """Number of the card among the entity's cards, from 1."""
    parts: int
    """Number of cards needed for the entity."""
    fields: tuple[tuple[str, str], ...]
    """Labels and values. A long value continues on the next card, with the same label."""
    text: str
    """A part of the entity's text."""
    shows_effects: bool
    """Whether this card shows the effects. They are on the last card if they fit."""


def _cards_page(pack: Pack) -> Page:
    game = pack.game
    address = f"{game.id}/print/cards/"
    kinds = [(kind, _cards_of_kind(pack, kind, address)) for kind in printed_kinds(pack)]
    parent = (PageLink(f"{game.id}/print/", game.catalog.text("title.print")),) if is_printable(pack) else ()
    return Page(
        address=address,
        title=game.catalog.text("title.cards"),
        role="print",
        article=template("article_cards", game.catalog).render(game=game, kinds=kinds, root=path_to_root(address)),
        breadcrumbs=(PageLink(f"{game.id}/", game.title), *parent),
        description=game.catalog.text("cards.description", game=game.title),
    )


def _cards_of_kind(pack: Pack, kind: Kind, address: str) -> list[PrintedCard]:
    root = path_to_root(address)
    entities = pack.entities[kind.id]
    return [
        card for entity in entities for card in _printed_cards(pack.definition(entity), infobox(pack, entity, root))
    ]


def _printed_cards(body: Sequence[nodes.Block], card: Card) -> Sequence[PrintedCard]:
    number = card.number.value.striptags() if card.number else ""
    is_large = len(number) <= MAX_NUMBER_CHARACTERS
    shown = [badge for badge in card.badges if not badge.empty and not (badge.number and is_large)]
    words = prose(tuple(_text_blocks(without_repeated_fields(body, card))))
    parts = card_parts(card.name, (*((badge.label, _one_line(badge.value)) for badge in shown), ("", words)))
    return [
        PrintedCard(
            card=card,
            name=part.name,
            number=number if is_large else "",
            part=place,
            parts=len(parts),
            fields=tuple(part.fields),
            text=" ".join(part.text),
            shows_effects=place == len(parts) and part.lines_left > 2 * len(card.effects),
        )
        for place, part in enumerate(parts, 1)
    ]


def _text_blocks(blocks: Iterable[nodes.Block]) -> Iterator[nodes.Block]:
    """The blocks, except tables, statblocks and character drawings, for which a card is too small."""
    for block in blocks:
        if isinstance(block, nodes.BlockQuote | nodes.Callout | nodes.Div):
            yield replace(block, children=tuple(_text_blocks(block.children)))
        elif not isinstance(block, nodes.Table | nodes.Statblock | nodes.CodeBlock):
            yield block


def _one_line(value: Markup) -> str:
    """The text of a value on one line, with its list items and table cells separated by punctuation."""
    separated = END_TAG.sub(lambda match: f"{SEPARATORS[match[1]]}{match[0]}", value)
    return Markup(separated).striptags().strip(" ;:")


SEPARATORS = {"li": "; ", "dt": ": ", "dd": "; ", "th": ", ", "td": ", ", "tr": "; "}
"""Punctuation that `_one_line` adds at the end of an element."""
END_TAG = re.compile(r"</(" + "|".join(SEPARATORS) + r")>")
