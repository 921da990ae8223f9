"""The cards that links show of what they lead to, in small files that a page asks for when one is wanted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

import orjson

from kismet_build.model.book import BLOCK, Anchor, Chapter, Section
from kismet_build.model.nodes import Block, Inline, Link, List, Paragraph, Table, Text, flow, plain_text, walk
from kismet_build.model.text_normalization import normalize, unique
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import Card, InfoboxRenderer, entity_card, is_row, section_card
from kismet_build.render.data.shard_result import LinkCard
from kismet_build.render.html.addresses import INDEX, Signpost, fragment
from kismet_build.render.html.context import RenderContext, Term
from kismet_build.render.html.escape import quoted
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.page_context import outlet
from kismet_build.render.html.renderer import inline_html

LARGEST = 44_000
"""Bytes of a file of cards, about 12 kB on the wire. Not measured there: how well a machine packs is its own affair."""

LONGEST = 420
"""Characters of the words that a card shows of a text."""
SHORTEST = 30
"""Characters from which on a paragraph says something; a shorter one often only names what follows it."""

Files = Iterator[tuple[str, bytes]]


def emit_link_cards(pack: Pack, cards: Iterable[LinkCard]) -> Files:
    """Files of all cards of a game, and the list by which a script finds that of a card: the first key of each."""
    folder = f"assets/{pack.game.id}"
    listed: list[tuple[str, str]] = []
    taken: set[str] = set()
    by_key = {card.key: card for card in cards}
    for some in packed(by_key[key] for key in sorted(by_key, key=order)):
        name = unique(some[0].group, taken, 2)
        listed.append((some[0].key, name))
        yield f"{folder}/cards-{name}.js", _call("card", {card.key: card.html.decode() for card in some})
    yield f"{folder}/cards.js", _call("deck", listed)


def _call(name: str, data: object) -> bytes:
    """A script, because from a disk nothing else can be loaded; `cards.js` knows what to do with the data."""
    return f"kismet.{name}(".encode() + orjson.dumps(data) + b");\n"


def packed(cards: Iterable[LinkCard]) -> Iterator[list[LinkCard]]:
    """The cards file by file, in their order: what belongs together is not parted where one file can hold it."""
    gathered: list[LinkCard] = []
    full = 0
    for _, group in groupby(cards, key=lambda card: card.group):
        together = [(card, _size(card)) for card in group]
        if gathered and full + sum(size for _, size in together) > LARGEST:
            yield gathered
            gathered, full = [], 0
        for card, size in together:
            if gathered and full + size > LARGEST:
                yield gathered
                gathered, full = [], 0
            gathered.append(card)
            full += size
    if gathered:
        yield gathered


def _size(card: LinkCard) -> int:
    return len(card.key) + len(card.html)


def order(key: str) -> bytes:
    """The place of a card among the others, as a script in a browser compares keys."""
    return key.encode("utf-16-be")


class TextCards:
    """Makes the cards of texts, each with its sections, named blocks and entities."""

    def __init__(self, pack: Pack, large: Mapping[str, InfoboxRenderer]) -> None:
        """Take a pack and what makes the large cards of its kinds."""
        self._pack = pack
        self._ways = outlet(pack, "", end=INDEX)
        self._large = large

    def of(self, chapter: Chapter) -> Iterator[LinkCard]:
        """The cards of a text, in any order."""
        pack = self._pack
        entities = pack.by_source.get(chapter.source, ())
        for entity in entities:
            yield LinkCard(_key(pack, entity), _of_entity(entity, self._large[entity.kind], self._ways).encode())
        # Where a place defines only one entity, the card of that says more than the card of a section.
        number = Counter(one.span.start for one in entities)
        defined = {one.span.start: one for one in entities if number[one.span.start] == 1}
        sections = {section.anchor: section for section in pack.book.sections[chapter.source]}
        anchors = pack.book.anchors[chapter.source]
        address = f"{chapter.slug}/"
        link = f"{pack.game.id}/{address}{INDEX}"
        for place, anchor in enumerate(anchors):
            it = defined.get(anchor.span.start) if anchor.level else None
            html = _key(pack, it) if it else _of_anchor(anchors, place, sections.get(anchor), link, self._ways)
            yield LinkCard(f"{address}#{anchor.id}" if anchor.id else address, html.encode())


def _key(pack: Pack, entity: Entity) -> str:
    return f"{entity.id.removeprefix(f'{pack.game.id}/')}/"


def _of_entity(entity: Entity, large: InfoboxRenderer, ways: RenderContext) -> str:
    card = large.of(entity, "")
    return entity_card(card, [(plate, None) for plate in card.effects], _text_of(entity, card, ways))


def _text_of(entity: Entity, card: Card, ways: RenderContext) -> str:
    """The first words about an entity; none where it is a row, of which the plates show every cell."""
    if is_row(entity):
        return ""

    def others(text: Text) -> tuple[Term, ...]:
        return tuple(term for term in ways.terms(text) if term.address != card.href)

    return _words(entity.body, replace(ways, terms=others)) or quoted(card.line)


def _of_anchor(anchors: Sequence[Anchor], place: int, section: Section | None, link: str, ways: RenderContext) -> str:
    anchor = anchors[place]
    return section_card(
        title=anchor.title if anchor.level != BLOCK else "",
        is_chapter=not anchor.level,
        href=link + fragment(anchor.id),
        path=_path(anchor, section),
        text=_words(_blocks(anchor, section), ways),
        below=_below(anchors, place, link),
    )


def _path(anchor: Anchor, section: Section | None) -> list[str]:
    """The chapter and the headings above a place."""
    above = [one.title for one in section.headings[:-1]] if section else []
    title = anchor.chapter.title
    return [title, *(one for one in above if normalize(one) != normalize(title))] if anchor.level else []


def _blocks(anchor: Anchor, section: Section | None) -> tuple[Block, ...]:
    """What stands at a place before the next heading; of a chapter all of its text."""
    if not anchor.level:
        return anchor.chapter.document.blocks
    if section is not None:
        return section.blocks
    return (anchor.node,) if isinstance(anchor.node, Block) else ()


def _below(anchors: Sequence[Anchor], place: int, link: str) -> list[Signpost]:
    """The headings one level below a place, each with its address; none that only repeats the title of the chapter."""
    title = normalize(anchors[place].chapter.title)
    top = anchors[place].level
    inside: list[Anchor] = []
    for anchor in anchors[place + 1 :]:
        if anchor.level <= top:
            break
        if anchor.level < BLOCK and normalize(anchor.title) != title:
            inside.append(anchor)
    next_level = min((anchor.level for anchor in inside), default=0)
    return [Signpost(link + fragment(anchor.id), anchor.title) for anchor in inside if anchor.level == next_level][:12]


def _words(blocks: Sequence[Block], ways: RenderContext) -> str:
    """The first paragraph that is prose, else the first entries of a list, else what the columns of a table are."""
    flowing = tuple(blocks)
    for block in flow(flowing):
        if isinstance(block, Paragraph) and _is_prose(block, words := plain_text(block)):
            # Nearly every paragraph is shown whole.
            is_short = len(words) <= LONGEST
            return inline_html(block.children, ways) if is_short else _beginning(block.children, ways)
    for block in flow(flowing):
        match block:
            case List():
                return quoted(summary(" · ".join(plain_text(item) for item in block.items), LONGEST // 2))
            case Table():
                return quoted(" · ".join(filter(None, (plain_text(cell).strip() for cell in block.header.cells))))
            case _:
                pass
    return ""


def _is_prose(paragraph: Paragraph, words: str) -> bool:
    """Whether a paragraph with these words says something; one that is mostly links is a list of ways."""
    if len(words) <= SHORTEST:
        return False
    return len(words) > 2 * sum(len(plain_text(node)) for node in walk(paragraph) if isinstance(node, Link))


def _beginning(inlines: Sequence[Inline], ways: RenderContext) -> str:
    """The first words of a paragraph as HTML; what is neither whole nor plain words is left out at its end."""
    kept: list[Inline] = []
    length = LONGEST
    for inline in inlines:
        words = plain_text(inline)
        if len(words) > length:
            last = Text(inline.span, _cut(words, length) if isinstance(inline, Text) else " …")
            whole = Text(inline.span, words)
            return inline_html((*kept, last), replace(ways, terms=partial(_whole_terms, ways, last, whole)))
        kept.append(inline)
        length -= len(words)
    return inline_html(kept, ways)


def _whole_terms(ways: RenderContext, last: Text, whole: Text, text: Text) -> tuple[Term, ...]:
    """The terms of a text before a cut: none that goes on in what is left out, or over the end of its node."""
    terms = [term for term in ways.terms(whole if text is last else text) if term.opens and term.closes]
    return tuple(term for term in terms if text is not last or term.end < len(last.value) - 1)


def _cut(words: str, length: int) -> str:
    """The beginning of some words, up to the end of a sentence where one ends in the latter half of it."""
    sentence = max(words.rfind(end, length // 2, length) for end in (". ", "! ", "? ", ".\n"))
    return f"{words[: sentence + 1]} …" if sentence > 0 else words[:length].rpartition(" ")[0] + " …"
