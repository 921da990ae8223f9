"""Link previews: popups with the content of a link's target, in script files loaded on demand."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

import orjson
from markupsafe import Markup, escape

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model import nodes
from kismet_build.model.book import BLOCK_LEVEL, Anchor, Section
from kismet_build.model.nodes import QUERY, flatten_layout, plain_text, reading_text, walk
from kismet_build.model.text_normalization import UniqueNames, normalize
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.card import (
    Card,
    infobox,
    statblock_data,
)
from kismet_build.render.components.effect_sentence import effect_sentences
from kismet_build.render.fragments.html import HtmlFragments
from kismet_build.render.fragments.page_context import anchor_address, render_context
from kismet_build.render.fragments.renderer import RenderContext, inline_html, paragraph_html
from kismet_build.render.html.addresses import INDEX, LazyFiles, PageLink
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import macro

MAX_PREVIEWS = 50
"""Maximum number of previews in a file. A limit on the number, not on the size, lets one file be made without making
the previews in the others: docs/decisions/0028-serve-on-demand.md."""

MAX_EXCERPT_CHARACTERS = 420
"""Maximum length of a paragraph's excerpt in a preview. For list items, it is half as long."""
MAX_LEAD_IN_CHARACTERS = 30
"""A paragraph up to this length is taken for a lead-in to the next block, not for prose."""
MAX_SUBSECTIONS = 12
"""Maximum number of subsections linked in a preview."""


def preview_files(pack: Pack) -> LazyFiles:
    """A game's preview files, and an index of the first key in each, which tells scripts where a preview is."""
    folder = f"assets/{pack.game.id}"
    for name, keys in _batches(pack).items():
        yield f"{folder}/cards-{name}.js", partial(_previews_file, pack, keys)
    yield f"{folder}/cards.js", partial(_index_file, pack)


def _previews_file(pack: Pack, keys: Sequence[str]) -> bytes:
    html: dict[str, bytes] = {}
    for path in dict.fromkeys(_paths(pack)[key] for key in keys):
        html |= link_previews(pack, path)
    return _script("card", {key: html[key].decode() for key in keys})


def _index_file(pack: Pack) -> bytes:
    return _script("deck", [(keys[0], name) for name, keys in _batches(pack).items()])


def _script(function: str, data: object) -> bytes:
    """A script that calls `kismet.function(data)`, see `cards.js`. Pages on `file:` can load scripts, but not JSON."""
    return f"kismet.{function}(".encode() + orjson.dumps(data) + b");\n"


@cached_in_pack
def _paths(pack: Pack) -> Mapping[str, str]:
    return {key: path for path in pack.documents for key in _targets(pack, path)}


@cached_in_pack
def _batches(pack: Pack) -> Mapping[str, Sequence[str]]:
    taken = UniqueNames()
    return {taken.add(_group(keys[0]), 2): keys for keys in batches(sorted(_paths(pack), key=sort_key))}


def batches(keys: Iterable[str]) -> Iterator[list[str]]:
    """Sorted keys divided into files of at most `MAX_PREVIEWS`.

    A group is split only if it does not fit into one file.
    """
    batch: list[str] = []
    for _, of_group in groupby(keys, key=_group):
        group = [*of_group]
        if batch and len(batch) + len(group) > MAX_PREVIEWS:
            yield batch
            batch = []
        batch += group
        while len(batch) > MAX_PREVIEWS:
            yield batch[:MAX_PREVIEWS]
            batch = batch[MAX_PREVIEWS:]
    if batch:
        yield batch


def _group(key: str) -> str:
    """The kind, chapter or folder of a target, whose previews share a file if they fit; `index` for the home page."""
    return "index" if key.startswith("#") else key.partition("/")[0]


def sort_key(key: str) -> bytes:
    """Sort key that orders the keys of previews like strings in JavaScript (UTF-16 code units)."""
    return key.encode("utf-16-be")


def _targets(pack: Pack, path: str) -> dict[str, Entity | int]:
    """What each preview of a document shows, by key: an entity, or the anchor at a position in the outline."""
    outline = pack.book.outlines[path]
    targets: dict[str, Entity | int] = {}
    for entity in pack.by_source.get(outline.chapter.source, ()):
        if entity.kind not in pack.internal_kinds:
            targets[_key(pack, entity)] = entity
        # Old pins may still have the key of a page that the entity no longer has.
        targets.setdefault(f"{entity.local_id}/", entity)
    # The page of an entity has the entity's preview, added above, and the home page has none.
    shown = pack.addresses.texts[path]
    has_own_preview = bool(shown.slug) and shown.about != "entity"
    for position, anchor in enumerate(outline.anchors):
        if has_own_preview or anchor.level:
            page = f"{page_slug}/" if (page_slug := pack.addresses.anchor_slug(anchor)) else ""
            targets[f"{page}#{anchor.id}" if anchor.id else page] = position
    return targets


@cached_in_pack
def link_previews(pack: Pack, path: str) -> Mapping[str, bytes]:
    """The previews of the entities, sections and named blocks in the document at this path.

    For each address relative to the game, such as `grace/bow/`, `court/` or `court/#graces`: HTML whose links start at
    the root of the tree, or the address of another preview to show instead.
    """
    outline, context = pack.book.outlines[path], _context(pack)
    entities = [e for e in pack.by_source.get(outline.chapter.source, ()) if e.kind not in pack.internal_kinds]
    # An anchor that defines exactly one entity shows the preview of the entity, which has more content.
    counts = Counter(entity.span.start for entity in entities)
    only_entity = {entity.span.start: entity for entity in entities if counts[entity.span.start] == 1}
    sections = {section.anchor: section for section in outline.sections}
    previews = {}
    for key, target in _targets(pack, path).items():
        if isinstance(target, Entity):
            own_key = _key(pack, target)
            html = _entity_preview(pack, target, context) if key == own_key else own_key
        else:
            anchor = outline.anchors[target]
            defined = only_entity.get(anchor.span.start) if anchor.level else None
            if defined:
                html = _key(pack, defined)
            else:
                html = _anchor_preview(pack, outline.anchors, target, sections.get(anchor), context)
        previews[key] = html.encode()
    return previews


@cached_in_pack
def _context(pack: Pack) -> RenderContext:
    return render_context(pack, "", end=INDEX)


def _key(pack: Pack, entity: Entity) -> str:
    return pack.addresses.entities[entity.id].removeprefix(f"{pack.game.id}/")


def _entity_preview(pack: Pack, entity: Entity, context: RenderContext) -> str:
    lists = [key for key, value in statblock_data(entity).items() if isinstance(value, list)]
    card = infobox(pack, entity, "", lists)
    effects = [(sentence, None) for sentence in effect_sentences(pack, entity, "")]
    excerpt = Markup(_entity_excerpt(entity, card, context))
    return macro("card", "entity_preview", context.fragments.catalog)(card, effects, excerpt)


def _entity_excerpt(entity: Entity, card: Card, context: RenderContext) -> str:
    """Excerpt of an entity's text as HTML; empty for a table row, whose cells are all shown as badges."""
    if entity.is_table_row:
        return ""

    def term_address(term: AutolinkRange) -> str:
        address = context.term_address(term)
        return "" if address == card.href else address

    return _excerpt(entity.body, replace(context, term_address=term_address)) or escape(card.line)


def _anchor_preview(
    pack: Pack, anchors: Sequence[Anchor], position: int, section: Section | None, context: RenderContext
) -> str:
    anchor = anchors[position]
    return macro("card", "section_preview", context.fragments.catalog)(
        anchor.shown_title if anchor.level != BLOCK_LEVEL else "",
        not anchor.level,
        anchor_address(pack, anchor, INDEX),
        _parents(anchor, section),
        Markup(_excerpt(_blocks(anchor, section), context)),
        _subsections(pack, anchors, position),
    )


def _parents(anchor: Anchor, section: Section | None) -> list[str]:
    headings = [heading.shown_title for heading in section.headings[:-1]] if section else []
    title = anchor.chapter.title
    return [title, *(text for text in headings if normalize(text) != normalize(title))] if anchor.level else []


def _blocks(anchor: Anchor, section: Section | None) -> tuple[nodes.Block, ...]:
    """The blocks from an anchor to the next heading: all blocks for a chapter, a single block for a named block."""
    if not anchor.level:
        return anchor.chapter.document.blocks
    if section is not None:
        return section.blocks
    return (anchor.node,) if isinstance(anchor.node, nodes.Block) else ()


def _subsections(pack: Pack, anchors: Sequence[Anchor], position: int) -> list[PageLink]:
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


def _excerpt(blocks: Sequence[nodes.Block], context: RenderContext) -> str:
    """The first paragraph of prose as HTML, or else the first items of a list or the column headers of a table."""
    for block in flatten_layout(tuple(blocks)):
        if isinstance(block, nodes.Paragraph) and _is_prose(block, words := plain_text(block)):
            if any(isinstance(node, nodes.Code) and QUERY.match(node.value) for node in walk(block)):
                return escape(summary(reading_text(block), MAX_EXCERPT_CHARACTERS))
            # Fast path: nearly every paragraph fits completely.
            is_short = len(words) <= MAX_EXCERPT_CHARACTERS
            return paragraph_html(block, context) if is_short else _truncated(block.children, context)
    for block in flatten_layout(tuple(blocks)):
        match block:
            case nodes.List():
                items = " · ".join(reading_text(item) for item in block.items)
                return escape(summary(items, MAX_EXCERPT_CHARACTERS // 2))
            case nodes.Table():
                return escape(" · ".join(filter(None, (plain_text(cell).strip() for cell in block.header.cells))))
            case _:
                pass
    return ""


def _is_prose(paragraph: nodes.Paragraph, words: str) -> bool:
    if len(words) <= MAX_LEAD_IN_CHARACTERS:
        return False
    return len(words) > 2 * sum(len(plain_text(node)) for node in walk(paragraph) if isinstance(node, nodes.Link))


def _truncated(inlines: Sequence[nodes.Inline], context: RenderContext) -> str:
    """The beginning of a paragraph as HTML. Only plain text is cut; other inlines are either complete or left out."""
    whole: list[nodes.Inline] = []
    left = MAX_EXCERPT_CHARACTERS
    for inline in inlines:
        words = plain_text(inline)
        if len(words) > left:
            cut = nodes.Text(inline.span, _cut(words, left) if isinstance(inline, nodes.Text) else " …")
            uncut = nodes.Text(inline.span, words)
            terms = partial(_terms_before_cut, context.fragments, cut, uncut)
            return inline_html((*whole, cut), replace(context, fragments=context.fragments.with_terms(terms)))
        whole.append(inline)
        left -= len(words)
    return inline_html(whole, context)


def _terms_before_cut(
    fragments: HtmlFragments, cut: nodes.Text, uncut: nodes.Text, text: nodes.Text
) -> tuple[AutolinkRange, ...]:
    """The automatic links of a text node that end before the cut."""
    terms = [term for term in fragments.terms(uncut if text is cut else text) if term.starts_link and term.ends_link]
    return tuple(term for term in terms if text is not cut or term.end < len(cut.value) - 1)


def _cut(words: str, length: int) -> str:
    """The beginning of a text, cut after a sentence.

    If no sentence ends in the second half of `length` characters, the text is cut after a word.
    """
    sentence_end = max(words.rfind(end, length // 2, length) for end in (". ", "! ", "? ", ".\n"))
    return f"{words[: sentence_end + 1]} …" if sentence_end > 0 else words[:length].rpartition(" ")[0] + " …"
