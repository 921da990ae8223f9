"""The rendering context of a page: targets of links, images and embeds, relative to the page's address; footnotes."""

import re
from bisect import bisect_left
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from posixpath import basename
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model import nodes
from kismet_build.model.active_content import is_download
from kismet_build.model.book import BLOCK_LEVEL, Anchor, Chapter
from kismet_build.model.source import Source, Span
from kismet_build.model.tag import tag_key
from kismet_build.model.text_normalization import normalize
from kismet_build.model.titles import display_title
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.fragments.holes import KeptFragments, NoteKey, footnotes_start
from kismet_build.render.fragments.html import HtmlFragments
from kismet_build.render.fragments.markdown import MarkdownFragments, Pieces
from kismet_build.render.fragments.renderer import (
    Href,
    RenderContext,
    image_as_written,
    link_as_written,
    to_html,
)
from kismet_build.render.fragments.sanitize import is_safe_image, is_safe_link
from kismet_build.render.html.addresses import INDEX, PageLink, entity_href, fragment, path_to_root
from kismet_build.render.html.dice_buttons import (
    dice_roll_attributes,
    table_roll_attributes,
    text_with_dice,
    text_without_dice,
)

NO_MARKS: Mapping[Span, str] = MappingProxyType({})
NO_LEVELS: Mapping[Span, int] = MappingProxyType({})
NO_HTML: Mapping[int, str] = MappingProxyType({})
FILE_SUFFIX = re.compile(
    r"\.(?:pdf|avif|bmp|gif|jpe?g|png|svg|webp|mp3|mp4|m4a|ogg|wav|webm|mov|zip|docx?|xlsx?|csv|json|html?|css|js|txt)$",
    re.IGNORECASE,
)
"""A suffix that shows that a missing link target is a file, not a document still to be written."""


def render_context(
    pack: Pack,
    address: str,
    *,
    end: str = "",
    marks: Mapping[Span, str] = NO_MARKS,
    after: Mapping[int, str] = NO_HTML,
    beside: Mapping[int, str] = NO_HTML,
    permalinks: bool = False,
    levels: Mapping[Span, int] = NO_LEVELS,
    print_labels: bool = False,
    root: str | None = None,
    whole: Chapter | None = None,
) -> RenderContext:
    """The context of the page at this address.

    `end`: the file name after the last `/` of links to pages. `marks` and `levels` have the mark and the level of a
    block by its span. `after` and `beside` contain HTML by the object identity of a block, because an embedded copy is
    a different object. `print_labels`: give links the name of their target, for readers on paper. `root`: the start of
    links, if the page has no address of its own. `whole`: a split chapter that the page shows in full.
    """
    book = pack.book
    root = path_to_root(address) if root is None else root

    def href(link: nodes.Link) -> Href:
        if (file := book.attachment_of.get(link.span)) is not None:
            _, separator, part = link.target.partition("#")
            saved_as = basename(file) if is_download(file) else ""
            file_href = root + pack.addresses.attachments[file] + separator + quote(part, safe="=&,")
            return Href(file_href, "ok", link.title, download=saved_as)
        target = book.targets.get(link.span)
        if target is None:
            return Href(link_as_written(link).address, "external", link.title)
        destination = link_target(pack, link)
        if destination is None and target.folder:
            return Href(f"{root}{pack.game.id}/{pack.addresses.folders[target.folder]}/{end}", "ok", link.title)
        if destination is None:
            if FILE_SUFFIX.search(link.target.partition("#")[0].strip()):
                return Href("", "missing")
            title = missing_title(pack, link.target)
            return Href("", "missing", pack.game.catalog.text("chapter.unwritten", title=title))
        if isinstance(destination, Entity):
            link_address = entity_href(pack, destination.id, root, end)
        else:
            link_address = place(destination)
        label = _print_label(pack, link, destination, address) if print_labels else ""
        return Href(link_address, "ok", link.title, label)

    def place(anchor: Anchor) -> str:
        page = anchor_page(pack, anchor)
        suffix = fragment(anchor.id)
        return suffix if (page == address or anchor.chapter is whole) and suffix else f"{root}{page}{end}{suffix}"

    def image_address(image: nodes.Image) -> str:
        if (file := book.attachment_of.get(image.span)) is not None:
            return root + pack.addresses.attachments[file]
        return image_as_written(image) if nodes.is_url(image.target) else ""

    def heading_id(heading: nodes.Heading) -> str:
        anchor = book.anchor_at(heading.span)
        return anchor.id if anchor is not None else ""

    def term_address(term: AutolinkRange) -> str:
        if address == pack.addresses.entities.get(term.target):
            return ""
        return place(book.anchor(term.anchor)) if term.anchor else entity_href(pack, term.target, root, end)

    def tag_address(tag: nodes.Tag) -> str:
        name = pack.tags.get(tag_key(tag.name))
        return f"{root}{tags_address(pack)}{name.slug}/{end}" if name else ""

    def mark(block: nodes.Block) -> str:
        return marks.get(block.span, "")

    def decorate(block: nodes.Block, html: str) -> str:
        html += after.get(id(block), "")
        note = beside.get(id(block))
        return f'<div class="noted">\n{html}{note}\n</div>' if note else html

    return RenderContext(
        fragments=html_fragments(pack),
        markdown=_markdown_fragments(pack),
        href=href,
        image_address=image_address,
        heading_id=heading_id,
        mark=mark,
        decorate=decorate,
        permalinks=permalinks,
        heading_level=lambda heading: levels.get(heading.span, heading.level),
        term_address=term_address,
        tag_address=tag_address,
    )


@cached_in_pack
def html_fragments(pack: Pack) -> HtmlFragments:
    """The HTML fragments of a pack."""
    book, autolinks = pack.book, pack.autolinks
    shared: dict[str, set[int]] = {}

    def terms(text: nodes.Text) -> tuple[AutolinkRange, ...]:
        found = autolinks.get(text.span)
        return () if found is None else found.within(text.value)

    def link_words(link: nodes.Link) -> str:
        """The title of a link's target, if the link shows it or is the title or name in capitals."""
        words = nodes.plain_text(*link.children)
        if link.shows_title:
            target = book.targets.get(link.span)
            return "" if target is None or target.anchor is None else _title_of(book.anchor(target.anchor))
        if not words.isupper() or (target := book.targets.get(link.span)) is None:
            return ""
        anchor = None if target.anchor is None else book.anchor(target.anchor)
        title = anchor.shown_title if anchor else missing_title(pack, link.target)
        names = (title, link.target.rpartition("/")[2])
        return title if normalize(words) in map(normalize, names) else ""

    def heading_title(heading: nodes.Heading) -> str:
        anchor = book.anchor_at(heading.span)
        is_plain = all(isinstance(child, nodes.Text) for child in heading.children)
        return anchor.shown_title if anchor and anchor.shown_title != anchor.title and is_plain else ""

    def embed(node: nodes.Embed) -> tuple[nodes.Block, ...] | None:
        if node.span in book.attachment_of:
            return _link_instead(node)
        embedded = book.embedded_anchor(node)
        if embedded is None:
            return None
        return _link_instead(node) if book.is_embed_cut(node) else book.embedded_blocks(embedded)

    def dice_roll(roll: nodes.DiceRoll) -> str:
        return table_roll_attributes(pack, roll) if roll.rolls == "table" else dice_roll_attributes(roll)

    def may_have_mark(block: nodes.Paragraph | nodes.DefinitionItem) -> bool:
        path = block.span.source.path
        return path in pack.documents and block.span in entity_starts(pack, path)

    def is_kept(block: nodes.Block) -> bool:
        path = block.span.source.path
        if path not in shared:
            shared[path] = {id(found) for found in _shared_blocks(pack, path)}
        return id(block) in shared[path]

    return HtmlFragments(
        catalog=pack.game.catalog,
        text=partial(text_with_dice, language=pack.game.text_language),
        text_on_paper=text_without_dice,
        terms=terms,
        link_words=link_words,
        heading_title=heading_title,
        embed=embed,
        dice_roll=dice_roll,
        roll_table=pack.roll_table,
        may_have_mark=may_have_mark,
        kept=KeptFragments(is_kept),
    )


def forget_fragments(pack: Pack, path: str) -> None:
    """Drop a document's fragments, which take more memory than its text."""
    html_fragments(pack).kept.forget(path)
    _markdown_fragments(pack).kept.forget(path)


@cached_in_pack
def _markdown_fragments(pack: Pack) -> MarkdownFragments:
    html, book = html_fragments(pack), pack.book

    def is_linked(link: nodes.Link) -> bool:
        if link.span in book.attachment_of:
            return True
        target = book.targets.get(link.span)
        if target is None:
            return is_safe_link(link_as_written(link).address)
        return link_target(pack, link) is not None or bool(target.folder)

    def is_shown(image: nodes.Image) -> bool:
        return image.span in book.attachment_of or (
            nodes.is_url(image.target) and is_safe_image(image_as_written(image))
        )

    kept: KeptFragments[Pieces] = KeptFragments(html.kept.is_kept)
    return MarkdownFragments(
        terms=html.terms, is_linked=is_linked, link_words=html.link_words, is_shown=is_shown, kept=kept
    )


def _shared_blocks(pack: Pack, path: str) -> Iterator[nodes.Block]:
    outline = pack.book.outlines.get(path)
    if outline is None:
        return
    document = outline.chapter.document
    yield from nodes.walk_layout(document.blocks)
    for block in nodes.walk_blocks(*document.blocks):
        if isinstance(block, nodes.Table):
            yield from chain.from_iterable(cell.children for row in block.children for cell in row.cells)
    for note in document.footnotes:
        yield from note.children
    facts = pack.documents[path]
    yield from chain.from_iterable(box.callout.children for box in facts.questions)
    for entity in facts.entities:
        yield from nodes.walk_blocks(*entity.body)
        for texts in entity.field_texts.values():
            yield from chain.from_iterable(texts.values())


def print_label(pack: Pack, link: nodes.Link, address: str) -> str:
    """The name of a link's target, for readers on paper.

    Empty if the link's text contains it, or if the target is not in the book. `address`: the address of the page with
    the link.
    """
    destination = link_target(pack, link)
    return "" if destination is None else _print_label(pack, link, destination, address)


def link_target(pack: Pack, link: nodes.Link) -> Entity | Anchor | None:
    """The entity or anchor in the book that a link leads to; `None` for any other link."""
    target = pack.book.targets.get(link.span)
    anchor = None if target is None or target.anchor is None else pack.book.anchor(target.anchor)
    entity_id = pack.link_entities.get(link.span)
    entity = None if entity_id is None else pack.by_id[entity_id]
    if entity is not None and (anchor is None or anchor.span.start != entity.span.start):
        return entity
    return anchor


def _title_of(anchor: Anchor) -> str:
    match anchor.node:
        case nodes.Table(caption=title) | nodes.Callout(title=title) if title:
            return nodes.plain_text(*title)
        case _:
            return anchor.shown_title


def _print_label(pack: Pack, link: nodes.Link, destination: Entity | Anchor, address: str) -> str:
    words = normalize(nodes.plain_text(*link.children))
    if isinstance(destination, Entity):
        is_named = normalize(destination.name) in words
        return "" if is_named else f"{pack.kind(destination).title}: {destination.name}"
    chapter = chapter_address(pack, destination.chapter)
    is_same_chapter = address == chapter or (destination.page and address.startswith(chapter))
    names = [] if is_same_chapter else [destination.chapter.title]
    names += [destination.shown_title] if 0 < destination.level < BLOCK_LEVEL else []
    return ", ".join(name for name in names if normalize(name) not in words)


def chapter_address(pack: Pack, chapter: Chapter) -> str:
    """The address of a chapter's page."""
    slug = pack.addresses.page_slug(chapter)
    return f"{pack.game.id}/{slug}/" if slug else f"{pack.game.id}/"


def anchor_page(pack: Pack, anchor: Anchor) -> str:
    """The address of the page that shows an anchor: its chapter's page, or a section's page if the chapter is split."""
    slug = pack.addresses.anchor_slug(anchor)
    return f"{pack.game.id}/{slug}/" if slug else f"{pack.game.id}/"


def anchor_address(pack: Pack, anchor: Anchor, end: str = "") -> str:
    """The address of an anchor. `end`: the file name after the last `/` of the page's address."""
    return f"{anchor_page(pack, anchor)}{end}{fragment(anchor.id)}"


def tags_address(pack: Pack) -> str:
    """The address of the page of all tags, below which each tag has its own page."""
    return f"{pack.game.id}/tags/"


def tag_links(pack: Pack, keys: Iterable[str], root: str) -> tuple[PageLink, ...]:
    """Links to the pages of the tags with these keys. Addresses start with `root`."""
    names = (pack.tags[key] for key in keys)
    return tuple(PageLink(f"{root}{tags_address(pack)}{name.slug}/{INDEX}", name.name) for name in names)


def missing_title(pack: Pack, target: str) -> str:
    """The title of a missing document, from the target of a link to it.

    In a plain vault, the title keeps its number.
    """
    return display_title(target.partition("#")[0].strip().rpartition("/")[2], is_in_order=not pack.game.is_plain)


def _link_instead(node: nodes.Embed) -> tuple[nodes.Block, ...]:
    label = nodes.Text(node.span, node.label or nodes.target_words(node.target))
    return (
        nodes.Paragraph(span=node.span, children=(nodes.Link(span=node.span, target=node.target, children=(label,)),)),
    )


Footnotes = Mapping[Source, Mapping[NoteKey, nodes.FootnoteDefinition]]
"""Footnotes by the source of the chapter that may need them, then by key."""


def footnotes_of(pack: Pack, chapter: Chapter) -> Footnotes:
    """The footnotes that the pages of one chapter may need; with embeds, those of all chapters."""
    if any(isinstance(node, nodes.Embed) for node in chapter.document.links):
        return footnotes(pack)
    return {chapter.source: _own(chapter)}


@cached_in_pack
def footnotes(pack: Pack) -> Footnotes:
    """The footnotes that each chapter's pages may need, which come from the chapter and from embedded documents."""
    own = {chapter.source: _own(chapter) for chapter in pack.book.chapters}
    embedded: dict[NoteKey, nodes.FootnoteDefinition] = {
        (source.path, note.label): note for source, notes in own.items() for note in notes.values()
    }
    # A `ChainMap` avoids copying all footnotes for each chapter.
    return {source: ChainMap(notes, embedded) for source, notes in own.items()}


def html_of_chapter(
    pack: Pack, chapter: Chapter, blocks: Sequence[nodes.Block], context: RenderContext, title: str = ""
) -> str:
    """Blocks of a chapter as HTML, for a page with several chapters.

    The label of the footnotes has the chapter's title, because landmarks on a page must have different labels.
    """
    html = to_html(blocks, context, footnotes=footnotes(pack).get(chapter.source))
    start = footnotes_start(pack.game.catalog.html("chapter.footnotes_of", chapter=title or chapter.title))
    return html.replace(footnotes_start(pack.game.catalog.html("chapter.footnotes")), start)


def _own(chapter: Chapter) -> dict[NoteKey, nodes.FootnoteDefinition]:
    return {note.label: note for note in chapter.document.footnotes}


STARTING_NODES = frozenset((nodes.Heading, nodes.Paragraph, nodes.DefinitionItem, nodes.Row))
"""Nodes that can start with a link to an entity's page."""


class EntityStart(NamedTuple):
    """The entities that start at the same place."""

    entities: list[Entity]
    is_heading: bool


@cached_in_pack
def entity_starts(pack: Pack, path: str) -> Mapping[Span, EntityStart]:
    """The entities that start in the document at this path, by the span of the block or term where they start.

    A page of the text links to each entity's own page there. The entity of a note is left out. For a table row, the
    block is the first one in its cells.
    """
    starts: dict[int, list[Entity]] = {}
    note = pack.note_entities.get(path)
    for entity in pack.documents[path].entities:
        if entity.id != note:
            starts.setdefault(entity.span.start, []).append(entity)
    found: dict[Span, EntityStart] = {}
    offsets = sorted(starts)
    for node in nodes.walk_blocks(*pack.book.outlines[path].chapter.document.blocks) if starts else ():
        if type(node) not in STARTING_NODES or (start := node.span.start) not in starts:
            continue
        match node:
            case nodes.Heading() | nodes.Paragraph():
                # A paragraph in which several entities start does not belong to any of them.
                inside = offsets[bisect_left(offsets, start) : bisect_left(offsets, node.span.end)]
                if inside == [start]:
                    found[node.span] = EntityStart(starts[start], isinstance(node, nodes.Heading))
            case nodes.DefinitionItem():
                found[node.span] = EntityStart(starts[start], is_heading=False)
            case nodes.Row():
                first = next((block for cell in node.cells for block in cell.children), None)
                if first is not None:
                    found[first.span] = EntityStart(starts.pop(start), is_heading=False)
    return found
