"""Pages of a kind: its index, and a page for each entity."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup

from kismet_build.config.autolink import AutolinkRange
from kismet_build.config.kind import Kind
from kismet_build.mechanics.dice.roll_table import RollTable, detect_roll_table
from kismet_build.model import nodes
from kismet_build.model.nodes import flatten_layout, plain_text, walk
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import (
    Card,
    cards,
    infobox,
    statblock_data,
    table_header,
    tag_badges,
)
from kismet_build.render.components.citation_link import CitationLink, citation_link
from kismet_build.render.components.effect_sentence import EffectSentence, effect_sentences
from kismet_build.render.components.entity_text import entity_text, shown_corrections
from kismet_build.render.components.kind_table import filters, has_tag_filter, tag_filter
from kismet_build.render.components.repeated_fields import text_of, without_repeated_fields
from kismet_build.render.fragments.page_context import NO_MARKS, Footnotes, footnotes_of, render_context
from kismet_build.render.fragments.renderer import to_html
from kismet_build.render.html.addresses import INDEX, PageLink, calculator_address, path_to_root
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import macro, template
from kismet_build.render.pages.backlinks import BacklinkGroup, backlinks, section_breadcrumbs
from kismet_build.render.pages.calculators import entity_calculators, shown_calculator
from kismet_build.render.pages.chapter import (
    chapter_article,
    chapter_source,
    contents_of,
    entity_links,
    headings_in,
    split_title,
)
from kismet_build.render.pages.page import Entry, Page, SourceLines, shown_levels
from kismet_build.render.pages.print import printed_kinds
from kismet_build.render.pages.situation import situation_links

IN_THE_TEXT = ({"heading"}, {"subtitle"})
"""Sources of fields that a note's page shows within its text, and not in the infobox."""
MAX_COLUMNS_WITH_LINES = 4
"""A kind's table with more columns has no column for `Card.line`."""
MIN_COMPARED_COLUMNS, MAX_COMPARED_CHARACTERS = 3, 30
"""Minimum number of columns and maximum length of a cell for a table that stays a table on a phone."""
MIN_ROWS_FOR_TABLE_LINK = 4
"""With at least this many links, a list of backlinks links to the table with the same rows."""


def index_page(pack: Pack, kind: Kind) -> Page:
    """The page that lists a kind's entities."""
    game = pack.game
    address = f"{game.id}/{kind.id}/"
    listed, shown_filters = cards(pack, kind, path_to_root(address)), filters(pack, kind)
    if has_tag_filter(pack, kind):
        listed = tuple(
            replace(card, badges=(*card.badges, badge))
            for card, badge in zip(listed, tag_badges(pack, kind, path_to_root(address)), strict=True)
        )
        shown_filters = (*shown_filters, tag_filter(pack, kind, len(shown_filters) + 1))
    is_table = kind.id in pack.table_kinds
    rows = [_row(pack, entity, address) for entity in pack.entities[kind.id]] if is_table else []
    pages = pack.addresses.texts
    note = next((each for each in pack.book.chapters if pages[each.source.path] == (kind.id, "kind")), None)
    text = None if note is None else chapter_article(pack, note, address, footnotes_of(pack, note))
    return Page(
        address=address,
        title=kind.plural,
        role="kind",
        article=template("article_kind", game.catalog).render(
            kind=kind,
            note=text,
            cards=listed,
            rows=rows,
            has_texts=any(row.text for row in rows),
            has_mentions=any(row.groups for row in rows),
            places=_places(pack, kind, path_to_root(address)) if is_table else [],
            table_header=table_header(listed),
            filters=shown_filters,
            json=f"{path_to_root(address)}data/{game.id}/{kind.id}.json",
            effects=not is_table and any(card.effects for card in listed),
            lines=_shows_lines(listed),
            compares=_compares(listed),
            roll=_roll_table(listed),
            to_print=f"../print/cards/{INDEX}" if kind in printed_kinds(pack) else "",
        ),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        has_note=note is not None,
        has_markdown=note is not None,
        kind=kind.id,
        source=(*(chapter_source(note) if note else ()), *_source_lines(pack.entities.get(kind.id, ()))),
        data=f"data/{game.id}/{kind.id}.json",
        description=summary(
            kind.description
            or (text.description if text else "")
            or game.catalog.text("kind.description", kind=kind.plural, game=game.title)
        ),
    )


class _Row(NamedTuple):
    """What the table of a kind shows of an entity without a page, in addition to its fields."""

    id: str
    text: Markup
    """The entity's text, effects, corrections and question boxes, and links to a calculator and to situations."""
    groups: tuple[BacklinkGroup, ...]


def _row(pack: Pack, entity: Entity, address: str) -> _Row:
    root, words = path_to_root(address), pack.game.catalog
    card = infobox(pack, entity, root, statblock_data(entity).keys())
    # If the kind has sentences, the facts in a table row or shared text are in the other columns.
    is_said = (entity.is_table_row or pack.shares_text(entity)) and bool(pack.kind(entity).sentences)
    blocks = () if is_said else _shown_blocks(entity, card)
    own_address = pack.addresses.entities[entity.id]
    context = render_context(pack, address, end=INDEX)
    others = context.term_address

    def term_address(term: AutolinkRange) -> str:
        return "" if pack.addresses.entities.get(term.target) == own_address and term.anchor is None else others(term)

    context = replace(context, term_address=term_address)
    # A sentence's calculator would be in the row of each entity that shares the sentence, so only the chapter shows it.
    calculator = None if pack.shares_text(entity) else shown_calculator(pack, entity)
    text = macro("row", "row_text", words)(
        text=Markup(to_html(blocks, context)),
        effects=_effects(pack, entity, address),
        corrections=[*shown_corrections(pack, entity)],
        boxes=Markup(to_html(pack.question_boxes(entity), context)),
        calculator=calculator and PageLink(root + calculator_address(calculator) + INDEX, calculator.title),
        situations=_situations(pack, entity, root),
    )
    return _Row(entity.slug, Markup(text.strip()), backlinks(pack, entity, root))


def _places(pack: Pack, kind: Kind, root: str) -> list[list[PageLink]]:
    """The sections that contain the entities of a kind, each with the headings above it; links start with `root`."""
    sections = dict.fromkeys(entity.section for entity in pack.entities[kind.id])
    return [section_breadcrumbs(pack, section, root) for section in sections]


def _effects(pack: Pack, entity: Entity, address: str) -> list[tuple[EffectSentence, CitationLink | None]]:
    sentences = effect_sentences(pack, entity, path_to_root(address))
    return [(sentence, citation_link(pack, sentence.citation, address)) for sentence in sentences]


def _situations(pack: Pack, entity: Entity, root: str) -> list[tuple[str, str]]:
    return [(side, root + link) for side, link in situation_links(pack.game, entity.local_id)]


def entity_page(pack: Pack, entity: Entity) -> Page:
    """The page of an entity."""
    game, kind = pack.game, pack.kind(entity)
    footnotes = footnotes_of(pack, entity.section.anchor.chapter)
    previous, following = pack.neighbours(entity)
    address = f"{entity.id}/"
    text = _note_text(pack, entity) if pack.note_entities.get(entity.span.source.path) == entity.id else None
    shown = [rule.name for rule in kind.rules.values() if text and {s.method for s in rule.sources} in IN_THE_TEXT]
    shown += _fields_that_are_the_text(entity)
    card = infobox(pack, entity, path_to_root(address), statblock_data(entity).keys(), shown, folds=True)
    return Page(
        address=address,
        title=entity.name,
        role="entity",
        article=_article(pack, entity, card, footnotes, text),
        contents=text.contents if text else (),
        breadcrumbs=(PageLink(f"{game.id}/", game.title), PageLink(f"{game.id}/{kind.id}/", kind.plural)),
        kind=kind.id,
        source=(SourceLines.of(entity.span),),
        data=f"data/{entity.id}.json",
        has_markdown=True,
        previous=_page_link(previous) if previous else None,
        next=_page_link(following) if following else None,
        description=summary(entity_text(pack, entity)),
    )


def _source_lines(entities: Sequence[Entity]) -> tuple[SourceLines, ...]:
    """For each source, the range of lines from the first of these entities to the last."""
    by_source: dict[Source, list[int]] = {}
    for entity in entities:
        place = entity.span.original
        by_source.setdefault(place.source, []).extend(place.line_range)
    return tuple(SourceLines(source.path, min(lines), max(lines)) for source, lines in by_source.items())


class _NoteText(NamedTuple):
    """The text of a document that consists of one entity. The two share a page."""

    body: tuple[nodes.Block, ...]
    contents: tuple[Entry, ...]
    title_ids: list[str]
    """The ids of the headings that repeat the title, which may be link targets."""
    marks: Mapping[Span, str]
    """Links to the pages of other entities in the text."""


def _note_text(pack: Pack, entity: Entity) -> _NoteText:
    chapter = entity.section.anchor.chapter
    anchor_of = pack.book.outlines[chapter.source.path].anchor_of
    parts = split_title(chapter.document.blocks, chapter)
    titles, body = parts.titles, parts.body
    # The title of a note may be a heading of any level.
    if body and isinstance(first := body[0], nodes.Heading) and normalize(plain_text(first)) == normalize(entity.name):
        titles, body = [*titles, first], body[1:]
    headings = headings_in(body)
    return _NoteText(
        body=body,
        contents=contents_of(anchor_of, headings, shown_levels(headings)),
        title_ids=[anchor_of[title.span].id for title in titles],
        marks=entity_links(pack, chapter, path_to_root(f"{entity.id}/")),
    )


def _article(
    pack: Pack,
    entity: Entity,
    card: Card,
    footnotes: Footnotes,
    note: _NoteText | None,
) -> str:
    address = f"{entity.id}/"
    source = entity.span.source
    is_row = entity.is_table_row
    blocks = tuple(
        _without_own_name(without_repeated_fields(note.body, card), entity) if note else _shown_blocks(entity, card)
    )
    levels = shown_levels([block for block in flatten_layout(blocks) if isinstance(block, nodes.Heading)])
    beside, calculators = entity_calculators(pack, entity, blocks, address)
    context = render_context(
        pack,
        address,
        end=INDEX,
        marks=note.marks if note else NO_MARKS,
        beside=beside,
        permalinks=note is not None,
        levels=levels,
        print_labels=True,
    )
    text = to_html(blocks, context, footnotes=footnotes.get(source, {}))
    words = pack.game.catalog
    return macro("article_entity", "article", words)(
        infobox=macro("card", "infobox", words)(card, _effects(pack, entity, address)),
        corrections=[*shown_corrections(pack, entity)],
        text=macro("article_entity", "text", words)(Markup(text), is_row) if text else "",
        boxes="" if note else Markup(to_html(pack.question_boxes(entity), context)),
        calculators=Markup(f"{calculators}\n" if calculators else ""),
        title_ids=note.title_ids if note else [],
        breadcrumbs=[] if note else section_breadcrumbs(pack, entity.section, path_to_root(address)),
        groups=backlinks(pack, entity, path_to_root(address)),
        min_rows_for_table_link=MIN_ROWS_FOR_TABLE_LINK,
        situations=_situations(pack, entity, path_to_root(address)),
    )


def _fields_that_are_the_text(entity: Entity) -> list[str]:
    """The fields whose value is the entity's entire text, which the page shows below the infobox anyway, with links."""
    words = "" if entity.is_table_row else plain_text(*entity.body)
    # A value of less than half the text's length cannot be the text. This check avoids normalizing long texts.
    long = {
        name: value for name, value in entity.fields.items() if isinstance(value, str) and 2 * len(value) > len(words)
    }
    text = normalize(words) if long else ""
    return [name for name, value in long.items() if text and normalize(value) == text]


def _shown_blocks(entity: Entity, card: Card) -> tuple[nodes.Block, ...]:
    blocks = _without_repeated_tables(without_repeated_fields(entity.body, card), card)
    return blocks if entity.is_table_row else tuple(_without_own_name(blocks, entity))


def _without_repeated_tables(body: Sequence[nodes.Block], card: Card) -> tuple[nodes.Block, ...]:
    """The blocks of an entity, without tables in which every word is also in the infobox."""
    if not any(isinstance(block, nodes.Table) for block in body):
        return tuple(body)
    words = _words(f"{card.name} {' '.join(card.aliases)}")
    words |= {word for badge in card.badges for word in _words(text_of(badge.value))}

    def is_repeated(block: nodes.Block) -> bool:
        has_note = any(isinstance(node, nodes.FootnoteReference) for node in walk(block))
        return isinstance(block, nodes.Table) and not has_note and words.issuperset(_words(plain_text(*block.rows)))

    return tuple(block for block in body if not is_repeated(block))


def _without_own_name(body: Sequence[nodes.Block], entity: Entity) -> Iterator[nodes.Block]:
    """The blocks of an entity, without its name in its statblock, which the infobox repeats."""
    for block in body:
        if isinstance(block, nodes.Statblock) and normalize(block.name) == normalize(entity.name):
            others = tuple(item for item in block.children if item.key.casefold() != "name")
            if others:
                yield replace(block, children=others)
        else:
            yield block


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", normalize(text)))


def _shows_lines(cards: Sequence[Card]) -> bool:
    columns = table_header(cards).columns
    is_wide = len(columns) > MAX_COLUMNS_WITH_LINES or any(badge.is_wide for card in cards for badge in card.badges)
    return not is_wide and any(card.line for card in cards)


def _compares(cards: Sequence[Card]) -> bool:
    if len(table_header(cards).columns) < MIN_COMPARED_COLUMNS or _shows_lines(cards):
        return False
    values = (badge.value.striptags() for card in cards for badge in card.badges)
    return not any(card.effects for card in cards) and all(len(value) <= MAX_COMPARED_CHARACTERS for value in values)


def _roll_table(cards: Sequence[Card]) -> RollTable | None:
    """How to roll on a kind's table, by its first column of dice results; `None` without such a column."""
    columns = zip(*(card.badges for card in cards), strict=True)
    tables = (detect_roll_table([badges[0].label], [[str(badge.value)] for badge in badges]) for badges in columns)
    return next((table for table in tables if table and not table.faults), None)


def _page_link(entity: Entity) -> PageLink:
    return PageLink(f"{entity.id}/", entity.name)
