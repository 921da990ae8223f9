"""Pages of a chapter that is split: its contents, its sections, and all of it on one page to print."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kismet_build.model.book import PRINT_PAGE, Anchor, Chapter, Outline
from kismet_build.model.nodes import Block, Heading
from kismet_build.model.source import Span
from kismet_build.pack import Pack
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.footnotes import Footnotes
from kismet_build.render.html.page_context import anchor_address, anchor_page, chapter_address
from kismet_build.render.html.templates import macro
from kismet_build.render.pages.calculators import calculator_ids
from kismet_build.render.pages.chapter import (
    ChapterParts,
    chapter_article,
    chapter_page,
    entity_links,
    headings_in,
    page_without_text,
    part_article,
    property_tags,
    split_title,
)
from kismet_build.render.pages.navigation import Folder
from kismet_build.render.pages.page import Page, SourceLines


class SectionLine(NamedTuple):
    """A heading in the contents of a split chapter."""

    ids: tuple[str, ...]
    """Its id, and those of named blocks and calculators in its section: old links to the chapter name them."""
    href: str
    title: str
    children: "tuple[SectionLine, ...]"


def chapter_pages(
    pack: Pack, folders_by_slug: Mapping[str, Folder], position: int, footnotes: Footnotes
) -> Iterator[Page]:
    """The pages of the chapter at a position in the book: one, or several if the chapter is split."""
    chapter = pack.book.chapters[position]
    outline = pack.book.outlines[chapter.source.path]
    if anchor_page(pack, outline.anchors[-1]) == chapter_address(pack, chapter):
        yield chapter_page(pack, folders_by_slug, position, footnotes)
        return
    page = page_without_text(pack, folders_by_slug, position)
    opening, *sections = text_of_pages(outline)
    links = [PageLink(page.address, page.title)]
    links += [PageLink(anchor_page(pack, anchor), anchor.shown_title) for anchor, _ in sections if anchor]
    yield _contents_page(pack, chapter, page, opening[1], links, footnotes)
    # All sections have the same distance to the root.
    marks = entity_links(pack, chapter, path_to_root(links[1].address))
    below = _anchors_below(outline)
    for number, (anchor, blocks) in enumerate(sections, 1):
        if anchor:
            inside = [(inner, ()) for inner in below.get(anchor.span, ())]
            lines = _lines(pack, inside, path_to_root(links[number].address))
            section = _section_page(pack, chapter, page, anchor, blocks, lines, marks, footnotes)
            following = links[number + 1] if number + 1 < len(links) else page.next
            yield replace(section, previous=links[number - 1], next=following)
    yield _whole_page(pack, chapter, page, footnotes)


def text_of_pages(outline: Outline) -> list[tuple[Anchor | None, tuple[Block, ...]]]:
    """The blocks of each page of a chapter: those of its own page, with no anchor, then those of each section."""
    pages: list[tuple[Anchor | None, list[Block]]] = [(None, [])]
    page = ""
    for block in outline.chapter.document.blocks:
        if isinstance(block, Heading) and (anchor := outline.anchor_of[block.span]).page != page:
            page = anchor.page
            pages.append((anchor, []))
        pages[-1][1].append(block)
    return [(anchor, tuple(blocks)) for anchor, blocks in pages]


def section_lines(pack: Pack, outline: Outline, address: str) -> tuple[SectionLine, ...]:
    """The contents of a split chapter for the page at an address; each id of its sections is in one line."""
    listed = {heading.span for heading in headings_in(outline.chapter.document.blocks)}
    seen = {anchor.id for anchor in outline.anchors if not anchor.page}
    calculators = calculator_ids(pack, outline.chapter)
    headings: list[tuple[Anchor, list[str]]] = []
    for anchor in outline.anchors:
        if anchor.page:
            if anchor.span in listed:
                headings.append((anchor, []))
            new = [name for name in (anchor.id, *calculators.get(anchor, ())) if name not in seen]
            headings[-1][1].extend(new)
            seen.update(new)
    return _lines(pack, headings, path_to_root(address))


def _anchors_below(outline: Outline) -> Mapping[Span, Sequence[Anchor]]:
    """For each heading, the headings of its section that are on other pages, by its span."""
    listed = {heading.span for heading in headings_in(outline.chapter.document.blocks)}
    below: defaultdict[Span, list[Anchor]] = defaultdict(list)
    parents: list[Anchor] = []
    for anchor in outline.anchors[1:]:
        while parents and parents[-1].level >= anchor.level:
            parents.pop()
        if anchor.span in listed:
            for parent in parents:
                if parent.page != anchor.page:
                    below[parent.span].append(anchor)
        parents.append(anchor)
    return below


def _lines(pack: Pack, headings: Sequence[tuple[Anchor, Sequence[str]]], root: str) -> tuple[SectionLine, ...]:
    lines: list[SectionLine] = []
    start = 0
    while start < len(headings):
        anchor, ids = headings[start]
        end = start + 1
        while end < len(headings) and headings[end][0].level > anchor.level:
            end += 1
        children = _lines(pack, headings[start + 1 : end], root)
        lines.append(SectionLine(tuple(ids), root + anchor_address(pack, anchor, INDEX), anchor.shown_title, children))
        start = end
    return tuple(lines)


def _contents_page(
    pack: Pack,
    chapter: Chapter,
    page: Page,
    blocks: tuple[Block, ...],
    links: Sequence[PageLink],
    footnotes: Footnotes,
) -> Page:
    """The chapter's own page: the text before its first section, and its contents."""
    parts, tags = split_title(blocks, chapter), property_tags(pack, chapter, page.address)
    marks = entity_links(pack, chapter, path_to_root(page.address))
    article = part_article(
        pack, chapter, parts, chapter.title, page.address, marks, footnotes, tags=tags, folds_links=True
    )
    outline = pack.book.outlines[chapter.source.path]
    return replace(
        page,
        article=macro("article_chapter", "contents", pack.game.catalog)(
            article.title,
            article.text,
            section_lines(pack, outline, page.address),
            chapter.title,
            f"{PRINT_PAGE}/{INDEX}",
            article.links,
        ),
        next=links[1],
        description=article.description or page.description,
    )


def _section_page(
    pack: Pack,
    chapter: Chapter,
    page: Page,
    anchor: Anchor,
    blocks: tuple[Block, ...],
    lines: tuple[SectionLine, ...],
    marks: Mapping[Span, str],
    footnotes: Footnotes,
) -> Page:
    """The page of a section.

    `lines`: its subsections that have pages of their own. `marks`: as `entity_links` gives them.
    """
    address = anchor_page(pack, anchor)
    heading, *body = blocks
    assert isinstance(heading, Heading)
    parts = ChapterParts(None, [heading], tuple(body))
    article = part_article(pack, chapter, parts, anchor.shown_title, address, marks, footnotes)
    source = chapter.source.span(heading.span.start, max(block.span.end for block in blocks))
    return Page(
        address=address,
        title=anchor.shown_title,
        role="chapter",
        article=macro("article_chapter", "section", pack.game.catalog)(
            article.title, article.section_list, article.text, lines, anchor.shown_title
        ),
        chapter=page.address,
        contents=article.contents,
        breadcrumbs=(*page.breadcrumbs, PageLink(page.address, page.title)),
        source=(SourceLines(chapter.source.path, *source.line_range),),
        data=page.data,
        has_markdown=True,
        description=article.description
        or pack.game.catalog.text(
            "chapter.section_description", section=anchor.shown_title, chapter=chapter.title, game=pack.game.title
        ),
    )


def _whole_page(pack: Pack, chapter: Chapter, page: Page, footnotes: Footnotes) -> Page:
    """The page with the whole chapter, to be printed."""
    address = f"{page.address}{PRINT_PAGE}/"
    words = pack.game.catalog
    article = chapter_article(pack, chapter, address, footnotes, is_whole=True, folds_links=True)
    return Page(
        address=address,
        title=words.text("chapter.print_title", title=chapter.title),
        role="print",
        article=macro("article_chapter", "article", words)(article.title, text=article.text, links=article.links),
        chapter=page.address,
        breadcrumbs=(*page.breadcrumbs, PageLink(page.address, page.title)),
        description=words.text("chapter.print_description", title=chapter.title),
    )
