"""Pages of a split chapter: its table of contents, its sections, and the entire chapter to print."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

from kismet_build.model.book import PRINT_PAGE, Anchor, Outline
from kismet_build.model.nodes import Block, Heading
from kismet_build.model.source import Span
from kismet_build.pack import Pack
from kismet_build.render.fragments.page_context import (
    Footnotes,
    anchor_address,
    anchor_page,
    chapter_address,
    footnotes_of,
)
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
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
from kismet_build.render.pages.page import LazyPages, Page, SourceLines

MAX_TITLES, MAX_TITLE_CHARACTERS = 3, 60
"""Maximum numbers of sections and characters in the title of a page that names all of its sections."""


class SectionLine(NamedTuple):
    """A heading in the table of contents of a split chapter."""

    ids: tuple[str, ...]
    """The heading's id, then those of named blocks and calculators in its section. Old links to the chapter may use
    them."""
    href: str
    title: str
    children: "tuple[SectionLine, ...]"


class _ListedHeading(NamedTuple):
    """A heading in the tables of contents of a chapter."""

    anchor: Anchor
    ids: Sequence[str]
    """The heading's id, then those of the named blocks and calculators before the next such heading."""


def chapter_pages(pack: Pack, folders_by_slug: Mapping[str, Folder], position: int) -> LazyPages:
    """The pages of the chapter at this position in the book: one, or several if the chapter is split."""
    chapter = pack.book.chapters[position]
    address = chapter_address(pack, chapter)
    if anchor_page(pack, pack.book.outlines[chapter.source.path].anchors[-1]) == address:
        yield address, partial(chapter_page, pack, folders_by_slug, position)
        return
    split = _SplitChapter(pack, folders_by_slug, position)
    yield address, partial(_contents_page, split)
    for number, link in enumerate(split.links[1:], 1):
        yield link.address, partial(_section_page, split, number)
    yield f"{address}{PRINT_PAGE}/", partial(_whole_page, split)


class _SplitChapter:
    """A chapter split into several pages, with the data they share."""

    def __init__(self, pack: Pack, folders_by_slug: Mapping[str, Folder], position: int) -> None:
        self.pack = pack
        self.chapter = pack.book.chapters[position]
        self.outline = pack.book.outlines[self.chapter.source.path]
        self.page = page_without_text(pack, folders_by_slug, position)
        self.opening, *sections = text_of_pages(self.outline)
        self.sections = [(anchor, blocks) for anchor, blocks in sections if anchor]
        """For each page of sections, its first heading and its blocks."""
        self.links = [PageLink(self.page.address, self.page.title)]
        """Links to the chapter's own page, then to the pages of its sections."""
        self.links += [PageLink(anchor_page(pack, anchor), self._title(blocks)) for anchor, blocks in self.sections]

    def _title(self, blocks: Sequence[Block]) -> str:
        """The title of a page: the titles of all its sections or, if these are too many, of the first and the last."""
        headings = self.top_headings(blocks)
        titles = [self.outline.anchor_of[heading.span].numbered_title for heading in headings]
        if len(titles) <= MAX_TITLES and sum(map(len, titles)) <= MAX_TITLE_CHARACTERS:
            return ", ".join(titles)
        return self.pack.game.catalog.text("chapter.range", first=titles[0], last=titles[-1])

    @staticmethod
    def top_headings(blocks: Sequence[Block]) -> list[Heading]:
        """The headings of a page that are not below another heading of the same page."""
        headings: list[Heading] = []
        for block in blocks:
            if isinstance(block, Heading) and (not headings or block.level <= headings[-1].level):
                headings.append(block)
        return headings

    @cached_property
    def footnotes(self) -> Footnotes:
        return footnotes_of(self.pack, self.chapter)

    @cached_property
    def marks(self) -> Mapping[Span, str]:
        """The `entity_links` for the pages of sections, which are all at the same depth below the root."""
        return entity_links(self.pack, self.chapter, path_to_root(self.links[1].address))

    @cached_property
    def below(self) -> Mapping[Span, Sequence[_ListedHeading]]:
        return _headings_below(self.pack, self.outline)

    @cached_property
    def ids_of_pages(self) -> Mapping[str, Collection[str]]:
        return _ids_of_pages(self.outline)


def text_of_pages(outline: Outline) -> list[tuple[Anchor | None, tuple[Block, ...]]]:
    """The blocks of each page of a chapter: first its own page, without an anchor, then the pages of its sections."""
    pages: list[tuple[Anchor | None, list[Block]]] = [(None, [])]
    page = ""
    for block in outline.chapter.document.blocks:
        if isinstance(block, Heading) and (anchor := outline.anchor_of[block.span]).page != page:
            page = anchor.page
            pages.append((anchor, []))
        pages[-1][1].append(block)
    return [(anchor, tuple(blocks)) for anchor, blocks in pages]


def _listed_headings(pack: Pack, outline: Outline) -> list[_ListedHeading]:
    spans = {heading.span for heading in headings_in(outline.chapter.document.blocks)}
    calculators = calculator_ids(pack, outline.chapter)
    listed: list[_ListedHeading] = []
    ids: list[str] = []
    for anchor in outline.anchors:
        if anchor.span in spans:
            ids = []
            listed.append(_ListedHeading(anchor, ids))
        ids += [anchor.id, *calculators.get(anchor, ())]
    return listed


def section_lines(pack: Pack, outline: Outline, address: str) -> tuple[SectionLine, ...]:
    """The table of contents of a split chapter, for the page at this address."""
    headings = [heading for heading in _listed_headings(pack, outline) if heading.anchor.page]
    return _section_lines(pack, headings, _ids_of_pages(outline)[""], address)


def _section_lines(
    pack: Pack, listed: Iterable[_ListedHeading], ids_of_page: Collection[str], address: str
) -> tuple[SectionLine, ...]:
    """Headings in the form of a tree. An id is in only one line, and in none if the page at this address has it."""
    seen = set(ids_of_page)
    headings = []
    for anchor, ids in listed:
        headings.append((anchor, [name for name in ids if name not in seen]))
        seen.update(ids)
    return _lines(pack, headings, path_to_root(address))


def _ids_of_pages(outline: Outline) -> Mapping[str, Collection[str]]:
    """The ids on each page of a chapter, by `Anchor.page`."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for anchor in outline.anchors:
        ids[anchor.page].add(anchor.id)
    return ids


def _headings_below(pack: Pack, outline: Outline) -> Mapping[Span, Sequence[_ListedHeading]]:
    """For each heading, by its span, the headings in its section that are on other pages."""
    listed = {heading.anchor.span: heading for heading in _listed_headings(pack, outline)}
    below: defaultdict[Span, list[_ListedHeading]] = defaultdict(list)
    parents: list[Anchor] = []
    for anchor in outline.anchors[1:]:
        while parents and parents[-1].level >= anchor.level:
            parents.pop()
        if anchor.span in listed:
            for parent in parents:
                if parent.page != anchor.page:
                    below[parent.span].append(listed[anchor.span])
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
        lines.append(
            SectionLine(tuple(ids), root + anchor_address(pack, anchor, INDEX), anchor.numbered_title, children)
        )
        start = end
    return tuple(lines)


def _contents_page(split: _SplitChapter) -> Page:
    """The chapter's own page: the text before its first section, and its table of contents."""
    pack, chapter, page = split.pack, split.chapter, split.page
    parts, tags = split_title(split.opening[1], chapter), property_tags(pack, chapter, page.address)
    marks = entity_links(pack, chapter, path_to_root(page.address))
    article = part_article(
        pack, chapter, parts, chapter.title, page.address, marks, split.footnotes, tags=tags, folds_links=True
    )
    return replace(
        page,
        article=macro("article_chapter", "contents", pack.game.catalog)(
            article.title,
            article.text,
            section_lines(pack, split.outline, page.address),
            chapter.title,
            f"{PRINT_PAGE}/{INDEX}",
            article.links,
        ),
        next=split.links[1],
        description=article.description or page.description,
    )


def _section_page(split: _SplitChapter, number: int) -> Page:
    """The page of a section. `number`: index of its link in `links`."""
    pack, chapter, page, links = split.pack, split.chapter, split.page, split.links
    anchor, blocks = split.sections[number - 1]
    address = links[number].address
    # Subsections that have pages of their own, since their ids may have been on this page before.
    below = [inner for top in split.top_headings(blocks) for inner in split.below.get(top.span, ())]
    lines = _section_lines(pack, below, split.ids_of_pages[anchor.page], address)
    title = links[number].title
    heading = blocks[0]
    assert isinstance(heading, Heading)
    is_single = title == anchor.numbered_title  # Several sections keep their headings.
    parts = ChapterParts(None, [heading] if is_single else [], blocks[1:] if is_single else blocks)
    article = part_article(pack, chapter, parts, title, address, split.marks, split.footnotes)
    source = chapter.source.span(heading.span.start, max(block.span.end for block in blocks))
    return Page(
        address=address,
        title=title,
        role="chapter",
        article=macro("article_chapter", "section", pack.game.catalog)(
            article.title, article.section_list, article.text, lines, title, f"../{PRINT_PAGE}/{INDEX}"
        ),
        chapter=page.address,
        contents=article.contents,
        breadcrumbs=(*page.breadcrumbs, PageLink(page.address, page.title)),
        previous=links[number - 1],
        next=links[number + 1] if number + 1 < len(links) else page.next,
        source=(SourceLines.of(source),),
        data=page.data,
        has_markdown=True,
        description=article.description
        or pack.game.catalog.text(
            "chapter.section_description", section=title, chapter=chapter.title, game=pack.game.title
        ),
    )


def _whole_page(split: _SplitChapter) -> Page:
    pack, chapter, page = split.pack, split.chapter, split.page
    address = f"{page.address}{PRINT_PAGE}/"
    words = pack.game.catalog
    article = chapter_article(pack, chapter, address, split.footnotes, is_whole=True, folds_links=True)
    return Page(
        address=address,
        title=words.text("chapter.print_title", title=chapter.title),
        role="print",
        article=macro("article_chapter", "article", words)(article.title, text=article.text, links=article.links),
        chapter=page.address,
        breadcrumbs=(*page.breadcrumbs, PageLink(page.address, page.title)),
        description=words.text("chapter.print_description", title=chapter.title),
    )
