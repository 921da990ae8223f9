"""Pages for paper: a whole game with its contents, and its things as cards to cut out, nine to a sheet."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import ceil
from urllib.parse import quote

from markupsafe import Markup, escape

from kismet_build.config.kind import Kind
from kismet_build.model.book import Anchor, Chapter
from kismet_build.model.nodes import Block, FootnoteDefinition, Heading, Link, Table, Text, flow, plain_text
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import Card, infoboxes
from kismet_build.render.html.addresses import INDEX, Signpost, root
from kismet_build.render.html.context import Href, RenderContext, Term, as_words
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.page_context import outlet, place_on_paper
from kismet_build.render.html.renderer import to_html
from kismet_build.render.html.templates import template
from kismet_build.render.pages.page import Entry, Page
from kismet_build.render.pages.table_of_contents import Branch, tree

MOST_LETTERS = 1_000_000
"""Of text in one page: some five hundred sheets, more than anybody prints."""
MOST_CARDS = 270
"""Of one kind: thirty sheets."""
A_SHEET = 9
LINES, LETTERS, NAME_LETTERS = 18, 36, 22
"""Lines that a card has with its name, letters in each of them, and letters in a line of the name."""
SHORTEST = 2
"""Lines of text below which none is set."""

Footnotes = Mapping[Source, Mapping[str, FootnoteDefinition]]


def print_pages(pack: Pack, footnotes: Footnotes) -> Iterator[Page]:
    """The pages for paper of a game, without those that would be too long to print."""
    if is_printable(pack):
        yield _whole(pack, footnotes)
    if printed_kinds(pack):
        yield _cards(pack)


@lru_cache(maxsize=2)
def is_printable(pack: Pack) -> bool:
    """Whether a game has a page that is all of it."""
    letters = 0
    for chapter in pack.book.chapters:
        letters += len(chapter.source.text)
        if letters > MOST_LETTERS:
            return False  # as the first chapters of a long game say already
    return letters > 0


def printed_kinds(pack: Pack) -> list[Kind]:
    """The kinds whose things are printed as cards."""
    return [kind for kind in pack.game.kinds.values() if 0 < len(pack.entities.get(kind.id, ())) <= MOST_CARDS]


# --- a whole game


def _whole(pack: Pack, footnotes: Footnotes) -> Page:
    game = pack.game
    address = f"{game.id}/print/"
    chapters = [_Printed(pack, chapter, address, footnotes.get(chapter.source, {})) for chapter in pack.book.chapters]
    return Page(
        address=address,
        title="On paper",
        role="print",
        article=template("article_print").render(
            game=game, chapters=chapters, cards=bool(printed_kinds(pack)), index=INDEX
        ),
        breadcrumbs=(Signpost(f"{game.id}/", game.title),),
        description=f"All of {game.title} on one page",
    )


class _Printed:
    """A chapter as a part of a page that is all chapters; every id in it begins with its own."""

    def __init__(self, pack: Pack, chapter: Chapter, address: str, footnotes: Mapping[str, FootnoteDefinition]) -> None:
        blocks = tuple(block for block in chapter.document.blocks if not _is_title(block, chapter))
        headings = [block for block in flow(blocks) if isinstance(block, Heading)]
        above: list[int] = []
        levels = {heading.span: _level(heading, above) for heading in headings}
        anchors = pack.book.anchor_of
        self.id = chapter.slug
        self.title = chapter.title
        self.contents: Sequence[Branch] = tree(
            tuple(
                Entry(levels[heading.span] - 2, anchors[heading.span].title, _place(anchors[heading.span]))
                for heading in headings
                if levels[heading.span] <= DEEPEST
            )
        )
        ways = _on_paper(pack, outlet(pack, address, end=INDEX, levels=levels), chapter)
        # Several chapters have footnotes, and no two parts of a page may have one name.
        named = f'<section class="footnotes" aria-label="Footnotes of {escape(chapter.title)}">'
        html = to_html(blocks, ways, footnotes=footnotes)
        self.text = Markup(html.replace('<section class="footnotes" aria-label="Footnotes">', named))


DEEPEST = 4
"""Headings below this level are not in the contents, where a chapter is of the second."""


def _is_title(block: Block, chapter: Chapter) -> bool:
    """Whether a block only repeats the title of the chapter, maybe with the way to it."""
    if not isinstance(block, Heading) or block.level > 1:
        return False
    words, title = normalize(plain_text(block)), normalize(chapter.title)
    return words == title or (words.endswith(title) and any(isinstance(child, Link) for child in block.children))


def _level(heading: Heading, above: list[int]) -> int:
    """The level of a heading below the title of its chapter, with none left out; `above` are those around it."""
    while above and above[-1] >= heading.level:
        above.pop()
    above.append(heading.level)
    return 2 + len(above)


def _place(anchor: Anchor) -> str:
    """The id of a place among all chapters: a slug has no dot, so that no two are the same."""
    return f"{anchor.chapter.slug}.{anchor.id}" if anchor.id else anchor.chapter.slug


def _on_paper(pack: Pack, ways: RenderContext, chapter: Chapter) -> RenderContext:
    """Links that lead to where the text itself says it, and words that nobody can press."""
    book, here = pack.book, f"{pack.game.id}/{chapter.slug}/"

    def to(anchor: Anchor) -> str:
        # The titles of chapters stand above their texts, which leave them out.
        is_title = isinstance(anchor.node, Heading) and _is_title(anchor.node, anchor.chapter)
        return f"#{quote(anchor.chapter.slug if is_title else _place(anchor))}"

    def href(link: Link) -> Href:
        target = book.targets.get(link.span)
        entity = pack.link_entities.get(link.span)
        if entity is not None and (target is None or target.anchor is None):
            return Href(to(entity.section.anchor), "ok", link.title, place_on_paper(pack, link, here))
        if link.span in book.files or target is None or target.anchor is None:
            return ways.href(link)
        return Href(to(target.anchor), "ok", link.title, place_on_paper(pack, link, here))

    def heading_id(heading: Heading) -> str:
        anchor = book.anchor_of.get(heading.span)
        return _place(anchor) if anchor is not None else ""

    def terms(text: Text) -> tuple[Term, ...]:
        found = pack.autolinks.get(text.span)
        pieces = found.within(text.value) if found is not None else ()
        return tuple(
            Term(one.start, one.end, to(pack.by_id[one.target].section.anchor), one.opens, one.closes) for one in pieces
        )

    return replace(
        ways,
        href=href,
        heading_id=heading_id,
        terms=terms,
        words=as_words,
        roll=lambda _table: None,
        id_prefix=f"{chapter.slug}.",
    )


# --- cards to cut out


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperCard:
    """A card with as much on it as there is room for."""

    card: Card
    facts: tuple[tuple[str, str], ...]
    """Labels and values; a long value has a mark where it was cut."""
    effects: bool
    """Whether there is room for what the thing does, in short."""
    words: str
    """Its text, or the beginning of it with a mark at its end."""


def _cards(pack: Pack) -> Page:
    game = pack.game
    address = f"{game.id}/print/cards/"
    kinds = [(kind, list(_sheets(pack, kind, address))) for kind in printed_kinds(pack)]
    whole = (Signpost(f"{game.id}/print/", "On paper"),) if is_printable(pack) else ()
    return Page(
        address=address,
        title="Cards",
        role="print",
        article=template("article_cards").render(game=game, kinds=kinds, up=root(address)),
        breadcrumbs=(Signpost(f"{game.id}/", game.title), *whole),
        description=f"Things of {game.title} as cards to cut out, nine to a sheet",
    )


def _sheets(pack: Pack, kind: Kind, address: str) -> Iterator[list[PaperCard]]:
    entities = pack.entities[kind.id]
    cards = map(_paper_card, entities, infoboxes(pack, kind, root(address)))
    while sheet := list(islice(cards, A_SHEET)):
        yield sheet


def _paper_card(entity: Entity, card: Card) -> PaperCard:
    room = LINES - ceil(len(card.name) / NAME_LETTERS)
    text = " ".join(plain_text(*(block for block in entity.body if not isinstance(block, Table))).split())
    least = min(SHORTEST, ceil(len(text) / LETTERS))
    facts = []
    for plate in card.badges:
        if not plate.empty and not plate.number and room > least:
            taken = len(plate.label) + 1
            fact = summary(_plain(plate.value), (room - least) * LETTERS - taken)
            facts.append((plate.label, fact))
            room -= ceil((taken + len(fact)) / LETTERS)
    words = summary(text, room * LETTERS) if room > 0 else ""
    room -= ceil(len(words) / LETTERS)
    return PaperCard(card=card, facts=tuple(facts), effects=room > 2 * len(card.effects), words=words)


def _plain(value: Markup) -> str:
    """A value in words: what stood below each other stands side by side."""
    apart = PART.sub(lambda end: f"{SIGNS[end[1]]}{end[0]}", value)
    return Markup(apart).striptags().strip(" ;:")


SIGNS = {"li": "; ", "dt": ": ", "dd": "; ", "th": ", ", "td": ", ", "tr": "; "}
"""What parts of a value have after them, where they stand in a row."""
PART = re.compile(r"</(" + "|".join(SIGNS) + r")>")
