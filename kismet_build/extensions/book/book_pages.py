"""The pages of an EPUB with its folders and texts, as trees of XHTML whose links are not yet resolved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from kismet_build.extensions.book.facts import property_fields
from kismet_build.extensions.book.parts import Part, is_printed, is_title, parts
from kismet_build.extensions.book.xhtml import HEADINGS, Element, Node, element, read_html, write_xml
from kismet_build.model.book import Anchor, Chapter
from kismet_build.model.nodes import Block, Heading, flatten_layout
from kismet_build.model.source import Span
from kismet_build.pack import Pack
from kismet_build.render.components.field import field_html, label
from kismet_build.render.fragments.page_context import anchor_address, entity_starts, html_of_chapter, render_context
from kismet_build.render.fragments.renderer import RenderContext
from kismet_build.render.html.addresses import INDEX, entity_href
from kismet_build.render.pages.page import Entry

MAX_PAGE_CHARACTERS = 250_000
"""Maximum length of a page with more than one section, since old e-readers are slow with longer pages."""
MAX_CONTENTS_LEVEL = 4
"""Deepest level of a text's headings that the table of contents lists. Titles of chapters are on the first level."""


@dataclass(slots=True, kw_only=True)
class BookPage:
    """One XHTML file of an EPUB. E-readers start it on a new page."""

    title: str
    nodes: list[Node]
    contents: tuple[Entry, ...] = ()
    """Lines in the table of contents, in order. If a long page is divided, the first page keeps the lines of all."""
    address: str = ""
    """The address of the website's page that relative links start from; empty for the root."""
    type: str = "chapter"
    """The `epub:type` of the page."""
    level: int = 1
    is_note: bool = False
    """Whether the page begins with a note that is an entity. If so, further such notes on the same or a deeper level
    follow on the page."""
    is_open: bool = False
    """Whether the page ends with the title of a folder. If so, the next folder or text follows on the same page."""


def chapter_pages(pack: Pack) -> Iterator[BookPage]:
    """The pages with the folders and texts of a book.

    What follows a folder without a text stays on the folder's page. A note that is an entity stays on the page before
    it if it is on a deeper level than the page's title, or on the same level if the page begins with such a note too.
    """
    current: BookPage | None = None
    for number, part in enumerate(parts(pack)):
        is_note = part.chapter is not None and part.chapter.source.path in pack.note_entities
        if current and (current.is_open or (is_note and part.level >= current.level + (not current.is_note))):
            nodes, contents = _part(pack, part, number, current.level)
            current.nodes += nodes
            current.contents += contents
        else:
            if current:
                yield from _divided(current)
            nodes, contents = _part(pack, part, number, part.level)
            current = BookPage(title=part.title, nodes=nodes, contents=contents, level=part.level, is_note=is_note)
        current.is_open = part.chapter is None
    if current:
        yield from _divided(current)


def _part(pack: Pack, part: Part, number: int, top: int) -> tuple[list[Node], tuple[Entry, ...]]:
    """The tree of a part, and its lines in the table of contents. `top`: the level of the page's title."""
    html_id = part.chapter.slug if part.chapter else f"/{number}"
    depth = part.level - top + 1
    level = min(depth, len(HEADINGS))
    heading = element(f"h{level}", part.title, id=html_id, aria_level=str(depth) if depth > level else "")
    entries = [Entry(part.level, part.title, html_id)]
    if part.chapter is None:
        return [heading, "\n"], tuple(entries)
    blocks, levels = part.blocks, part.levels()
    for block in flatten_layout(blocks):
        if isinstance(block, Heading) and levels[block.span] <= MAX_CONTENTS_LEVEL:
            anchor = pack.book.anchor_at(block.span)
            if anchor is not None and anchor.shown_title.strip():
                entries.append(Entry(levels[block.span], anchor.numbered_title, _html_id(anchor)))
    context = _context(pack, part.chapter, {span: level - top + 1 for span, level in levels.items()})
    html = html_of_chapter(pack, part.chapter, blocks, context, part.title)
    return [heading, "\n", *_facts(pack, part.chapter), *read_html(html)], tuple(entries)


def _facts(pack: Pack, chapter: Chapter) -> Iterator[Node]:
    if chapter.source.path in pack.note_entities:
        entity = pack.by_id[pack.note_entities[chapter.source.path]]
        rows = [
            element(
                "div",
                element("dt", label(rule)),
                " ",
                element("dd", *read_html(field_html(pack, entity, rule, "", folds=False))),
            )
            for rule in property_fields(pack, entity)
        ]
        yield from (element("dl", *rows, class_="facts"), "\n") if rows else ()


def _html_id(anchor: Anchor) -> str:
    is_repeated = isinstance(anchor.node, Heading) and is_title(anchor.node, anchor.chapter)
    return f"{anchor.chapter.slug}.{anchor.id}" if anchor.id and not is_repeated else anchor.chapter.slug


def _context(pack: Pack, chapter: Chapter, levels: Mapping[Span, int]) -> RenderContext:
    starts = entity_starts(pack, chapter.source.path)

    def heading_id(heading: Heading) -> str:
        anchor = pack.book.anchor_at(heading.span)
        return _html_id(anchor) if anchor is not None else ""

    def mark(block: Block) -> str:
        start = starts.get(block.span)
        entities = start.entities if start and not start.is_heading else ()
        return "".join(f'<span id="{entity.id}"></span>' for entity in entities)

    return replace(
        render_context(pack, "", root="", end=INDEX, levels=levels),
        heading_id=heading_id,
        mark=mark,
        has_dice=False,
        id_prefix=f"{chapter.slug}.",
    )


def ids_by_address(pack: Pack) -> Mapping[str, Sequence[str]]:
    """The ids of possible targets in the book, the best first, by the address of an anchor or entity on the website."""
    found: dict[str, Sequence[str]] = {}
    for chapter in pack.book.chapters:
        for anchor in pack.book.outlines[chapter.source.path].anchors:
            if not is_printed(pack, anchor.span):
                continue
            found.setdefault(unquote(anchor_address(pack, anchor, INDEX)), (_html_id(anchor), chapter.slug))
    for entity in pack.all_entities():
        if not is_printed(pack, entity.span):
            continue
        anchor = entity.section.anchor
        ids = (entity.id, _html_id(anchor), anchor.chapter.slug)
        found.setdefault(unquote(entity_href(pack, entity.id, "")), ids)
    return found


def _divided(page: BookPage) -> Iterator[BookPage]:
    sizes = [len(write_xml([node])) for node in page.nodes]
    if sum(sizes) <= MAX_PAGE_CHARACTERS:
        yield page
        return
    starts = [place for place, node in enumerate(page.nodes) if isinstance(node, Element) and node.tag in HEADINGS]
    first = 0
    for start, end in zip(starts, [*starts[1:], len(sizes)], strict=True):
        if first < start and sum(sizes[first:end]) > MAX_PAGE_CHARACTERS:
            yield replace(page, nodes=page.nodes[first:start], contents=page.contents if first == 0 else ())
            first = start
    yield replace(page, nodes=page.nodes[first:], contents=page.contents if first == 0 else ())
