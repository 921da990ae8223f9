"""Link previews: popups with the content of a link's target, in script files that a page loads on demand."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

import orjson

from kismet_build.model.book import BLOCK_LEVEL, Anchor, Chapter, Section
from kismet_build.model.nodes import Block, Inline, Link, List, Paragraph, Table, Text, flatten_layout, plain_text, walk
from kismet_build.model.text_normalization import UniqueNames, normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import (
    Card,
    InfoboxRenderer,
    entity_preview_html,
    section_preview_html,
    statblock_data,
)
from kismet_build.render.components.entity_text import is_table_row
from kismet_build.render.data.shard_result import LinkPreview
from kismet_build.render.html.addresses import INDEX, Files, PageLink
from kismet_build.render.html.context import RenderContext, Term
from kismet_build.render.html.escape import jinja_escaped
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.page_context import anchor_address, render_context
from kismet_build.render.html.renderer import inline_html

MAX_FILE_BYTES = 44_000
"""Uncompressed size of a file of previews; compressed it is about 12 kB. A larger single preview is not split."""

MAX_EXCERPT_CHARACTERS = 420
"""Length of the excerpt of a paragraph in a preview; half of it for the items of a list."""
MAX_LEAD_IN_CHARACTERS = 30
"""A paragraph up to this length is a lead-in to the next block, not prose."""
MAX_SUBSECTIONS = 12
"""Number of subsections that a preview links to."""


def emit_link_previews(pack: Pack, previews: Iterable[LinkPreview]) -> Files:
    """Files of all previews of a game, and the index by which a script finds the file of a preview: its first key."""
    folder = f"assets/{pack.game.id}"
    index: list[tuple[str, str]] = []
    taken = UniqueNames()
    by_key = {preview.key: preview for preview in previews}
    for batch in group_into_files(by_key[key] for key in sorted(by_key, key=sort_key)):
        name = taken.add(batch[0].group, 2)
        index.append((batch[0].key, name))
        html_by_key = {preview.key: preview.html.decode() for preview in batch}
        yield f"{folder}/cards-{name}.js", _script("card", html_by_key)
    yield f"{folder}/cards.js", _script("deck", index)


def _script(function: str, data: object) -> bytes:
    """A call of `kismet.function(data)`, see `cards.js`. A script, because pages on `file:` can load nothing else."""
    return f"kismet.{function}(".encode() + orjson.dumps(data) + b");\n"


def group_into_files(previews: Iterable[LinkPreview]) -> Iterator[list[LinkPreview]]:
    """The previews of each file, in their order. A group is split only if it is larger than a file."""
    batch: list[LinkPreview] = []
    batch_size = 0
    for _, group in groupby(previews, key=lambda preview: preview.group):
        sized = [(preview, len(preview.key) + len(preview.html)) for preview in group]
        if batch and batch_size + sum(size for _, size in sized) > MAX_FILE_BYTES:
            yield batch
            batch, batch_size = [], 0
        for preview, size in sized:
            if batch and batch_size + size > MAX_FILE_BYTES:
                yield batch
                batch, batch_size = [], 0
            batch.append(preview)
            batch_size += size
    if batch:
        yield batch


def sort_key(key: str) -> bytes:
    """Sort key of a preview's key, equal to the order of strings in JavaScript (UTF-16 code units)."""
    return key.encode("utf-16-be")


class LinkPreviewRenderer:
    """Renders the previews of chapters, with their sections, named blocks and entities."""

    def __init__(self, pack: Pack, infoboxes: Mapping[str, InfoboxRenderer]) -> None:
        """Take a pack and the infobox renderers of its kinds by their ids."""
        self._pack = pack
        self._context = render_context(pack, "", end=INDEX)
        self._infoboxes = infoboxes

    def of_chapter(self, chapter: Chapter) -> Iterator[LinkPreview]:
        """The previews of a chapter, in no particular order."""
        pack = self._pack
        entities = pack.by_source.get(chapter.source, ())
        for entity in entities:
            html = _entity_preview(entity, self._infoboxes[entity.kind], self._context)
            yield LinkPreview(_key(pack, entity), html.encode())
        # An anchor that defines exactly one entity shows the entity's preview, which holds more than a section's.
        counts = Counter(entity.span.start for entity in entities)
        only_entity = {entity.span.start: entity for entity in entities if counts[entity.span.start] == 1}
        sections = {section.anchor: section for section in pack.book.sections[chapter.source]}
        anchors = pack.book.anchors[chapter.source]
        slug = pack.page_slug(chapter)
        # The page of an entity has the preview above, and the home page has none.
        has_own_preview = bool(slug) and chapter.source.path not in pack.note_entities
        for position, anchor in enumerate(anchors):
            if not has_own_preview and not anchor.level:
                continue
            defined = only_entity.get(anchor.span.start) if anchor.level else None
            content = (
                _key(pack, defined)
                if defined
                else _anchor_preview(pack, anchors, position, sections.get(anchor), self._context)
            )
            page = f"{page_slug}/" if (page_slug := pack.anchor_slug(anchor)) else ""
            yield LinkPreview(f"{page}#{anchor.id}" if anchor.id else page, content.encode())


def _key(pack: Pack, entity: Entity) -> str:
    return f"{entity.id.removeprefix(f'{pack.game.id}/')}/"


def _entity_preview(entity: Entity, renderer: InfoboxRenderer, context: RenderContext) -> str:
    lists = [key for key, value in statblock_data(entity).items() if isinstance(value, list)]
    card = renderer.card(entity, "", lists)
    effects = [(badge, None) for badge in card.effects]
    return entity_preview_html(card, effects, _entity_excerpt(entity, card, context), context.catalog)


def _entity_excerpt(entity: Entity, card: Card, context: RenderContext) -> str:
    """Excerpt of an entity's text as HTML; empty for a table row, whose cells are all shown as badges."""
    if is_table_row(entity):
        return ""

    def other_terms(text: Text) -> tuple[Term, ...]:
        return tuple(term for term in context.terms(text) if term.address != card.href)

    return _excerpt(entity.body, replace(context, terms=other_terms)) or jinja_escaped(card.line)


def _anchor_preview(
    pack: Pack, anchors: Sequence[Anchor], position: int, section: Section | None, context: RenderContext
) -> str:
    anchor = anchors[position]
    return section_preview_html(
        title=anchor.shown_title if anchor.level != BLOCK_LEVEL else "",
        is_chapter=not anchor.level,
        href=anchor_address(pack, anchor, INDEX),
        parents=_parents(anchor, section),
        excerpt=_excerpt(_blocks(anchor, section), context),
        subsections=_subsections(pack, anchors, position),
        catalog=context.catalog,
    )


def _parents(anchor: Anchor, section: Section | None) -> list[str]:
    """The titles of the chapter and the headings above an anchor, without those equal to the chapter's title."""
    headings = [heading.shown_title for heading in section.headings[:-1]] if section else []
    title = anchor.chapter.title
    return [title, *(text for text in headings if normalize(text) != normalize(title))] if anchor.level else []


def _blocks(anchor: Anchor, section: Section | None) -> tuple[Block, ...]:
    """The blocks from an anchor to the next heading; all blocks for a chapter; one block for a named block."""
    if not anchor.level:
        return anchor.chapter.document.blocks
    if section is not None:
        return section.blocks
    return (anchor.node,) if isinstance(anchor.node, Block) else ()


def _subsections(pack: Pack, anchors: Sequence[Anchor], position: int) -> list[PageLink]:
    """Links to the headings one level below an anchor, without those that repeat the chapter's title."""
    title = normalize(anchors[position].chapter.title)
    own_level = anchors[position].level
    inside: list[Anchor] = []
    for anchor in anchors[position + 1 :]:
        if anchor.level <= own_level:
            break
        if anchor.level < BLOCK_LEVEL and normalize(anchor.title) != title:
            inside.append(anchor)
    next_level = min((anchor.level for anchor in inside), default=0)
    shown = [anchor for anchor in inside if anchor.level == next_level][:MAX_SUBSECTIONS]
    return [PageLink(anchor_address(pack, anchor, INDEX), anchor.shown_title) for anchor in shown]


def _excerpt(blocks: Sequence[Block], context: RenderContext) -> str:
    """As HTML, the first paragraph of prose; else the first items of a list or the column headers of a table."""
    for block in flatten_layout(tuple(blocks)):
        if isinstance(block, Paragraph) and _is_prose(block, words := plain_text(block)):
            # Nearly every paragraph fits in whole.
            is_short = len(words) <= MAX_EXCERPT_CHARACTERS
            return inline_html(block.children, context) if is_short else _truncated(block.children, context)
    for block in flatten_layout(tuple(blocks)):
        match block:
            case List():
                items = " · ".join(plain_text(item) for item in block.items)
                return jinja_escaped(summary(items, MAX_EXCERPT_CHARACTERS // 2))
            case Table():
                return jinja_escaped(
                    " · ".join(filter(None, (plain_text(cell).strip() for cell in block.header.cells)))
                )
            case _:
                pass
    return ""


def _is_prose(paragraph: Paragraph, words: str) -> bool:
    """Whether a paragraph with this plain text is neither very short nor mostly links."""
    if len(words) <= MAX_LEAD_IN_CHARACTERS:
        return False
    return len(words) > 2 * sum(len(plain_text(node)) for node in walk(paragraph) if isinstance(node, Link))


def _truncated(inlines: Sequence[Inline], context: RenderContext) -> str:
    """The beginning of a paragraph as HTML. Only plain text is cut; any other inline is whole or left out."""
    whole: list[Inline] = []
    left = MAX_EXCERPT_CHARACTERS
    for inline in inlines:
        words = plain_text(inline)
        if len(words) > left:
            cut = Text(inline.span, _cut(words, left) if isinstance(inline, Text) else " …")
            uncut = Text(inline.span, words)
            return inline_html((*whole, cut), replace(context, terms=partial(_terms_before_cut, context, cut, uncut)))
        whole.append(inline)
        left -= len(words)
    return inline_html(whole, context)


def _terms_before_cut(context: RenderContext, cut: Text, uncut: Text, text: Text) -> tuple[Term, ...]:
    """The automatic links of a text that lie wholly in it and before the cut."""
    terms = [term for term in context.terms(uncut if text is cut else text) if term.opens and term.closes]
    return tuple(term for term in terms if text is not cut or term.end < len(cut.value) - 1)


def _cut(words: str, length: int) -> str:
    """The beginning of a text: up to the last end of a sentence in its second half, else up to the last whole word."""
    sentence_end = max(words.rfind(end, length // 2, length) for end in (". ", "! ", "? ", ".\n"))
    return f"{words[: sentence_end + 1]} …" if sentence_end > 0 else words[:length].rpartition(" ")[0] + " …"
